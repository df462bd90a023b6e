// A program: source, IL or a binary, and what building made of it on each device.
#pragma once
#include "runtime/compiler/Protocol.h"
#include "runtime/platform/Context.h"
#include <map>

namespace kiln {

class Kernel;

/// A program's code on one device and what is known of it. Does not change once made; kernels and launches hold it.
struct DeviceProgram {
  ProgramInfo info;
  wire::Bytes code;
  std::shared_ptr<Code> loaded;
  std::map<std::string, Function *> functions; // generic variant, by kernel name
  const KernelInfo *kernel(const std::string &name) const;
};

/// One device's row of clGetProgramBuildInfo.
struct BuildState {
  cl_build_status status = CL_BUILD_NONE;
  cl_program_binary_type binaryType = CL_PROGRAM_BINARY_TYPE_NONE;
  std::string options, log;
  wire::Bytes spirv;                            // compiled objects, libraries, and what an executable was made from
  std::shared_ptr<const DeviceProgram> program; // of executables
};

/// The result of one build, by the context's device index. Kernels keep the one that they were created from.
using ProgramBuild = std::vector<BuildState>;

class Program final : public _cl_program, public Object {
public:
  static constexpr ObjectKind Kind = ObjectKind::Program;
  using Callback = void(CL_CALLBACK *)(cl_program program, void *userData);

  static Ref<Program> createWithSource(Context &context, std::string source);
  /// Validates the module and learns its specialisation constants: CL_INVALID_VALUE.
  static Result<Ref<Program>> createWithIL(Context &context, wire::Bytes il);
  /// One binary a device. `statuses`, one a device, is filled in either case: CL_INVALID_BINARY, CL_INVALID_VALUE.
  static Result<Ref<Program>> createWithBinary(Context &context, const std::vector<DeviceObject *> &devices,
                                               const std::vector<std::span<const uint8_t>> &binaries,
                                               std::vector<cl_int> &statuses);

  /// clBuildProgram. `devices` empty: all of the program's. With a callback the build runs in the background.
  Status build(const std::vector<DeviceObject *> &devices, const std::string &options, Callback callback,
               void *userData);
  /// clCompileProgram
  Status compile(const std::vector<DeviceObject *> &devices, const std::string &options,
                 const std::vector<std::pair<std::string, Program *>> &headers, Callback callback, void *userData);
  /// clLinkProgram. A link that fails still gives a program, in `linked`, whose log says why.
  static Status link(Context &context, const std::vector<DeviceObject *> &devices, const std::string &options,
                     const std::vector<Program *> &inputs, Callback callback, void *userData, Ref<Program> &linked);
  Status setSpecConstant(cl_uint id, size_t size, const void *value);
  /// clSetProgramReleaseCallback
  void addReleaseCallback(Callback callback, void *userData);

  Context &context() const { return *context_; }
  const std::vector<DeviceObject *> &devices() const { return devices_; }
  const std::string &source() const { return source_; }
  const wire::Bytes &il() const { return il_; }
  /// A copy of one device's row; null-status row when the device has no part in the program: CL_INVALID_DEVICE.
  Result<BuildState> buildState(const DeviceObject &device) const;
  /// One device's binary; empty where there is none.
  wire::Bytes binary(const DeviceObject &device) const;
  /// CL_INVALID_PROGRAM_EXECUTABLE before a successful build. In the program's order.
  Result<std::vector<std::string>> kernelNames() const;

private:
  friend class Kernel;
  enum class Origin { Source, IL, Binary, Link };

  Program(Context &context, Origin origin, std::vector<DeviceObject *> devices);
  ~Program() override;
  std::shared_ptr<const ProgramBuild> current() const KILN_EXCLUDES(mutex_);

  const Ref<Context> context_;
  const Origin origin_;
  const std::vector<DeviceObject *> devices_;
  std::string source_;
  wire::Bytes il_;
  std::vector<SpecConstantInfo> specConstantInfos_;

  mutable Mutex mutex_;
  std::shared_ptr<const ProgramBuild> build_ KILN_GUARDED_BY(mutex_);
  std::map<cl_uint, wire::Bytes> specConstants_ KILN_GUARDED_BY(mutex_);
  std::vector<std::pair<Callback, void *>> releaseCallbacks_ KILN_GUARDED_BY(mutex_);
  bool building_ KILN_GUARDED_BY(mutex_) = false;
  unsigned kernels_ KILN_GUARDED_BY(mutex_) = 0; // attached
};

} // namespace kiln
