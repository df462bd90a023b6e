// A program: source, IL or a binary, and what building made of it on each device.
//
// A build's result is one immutable table that replaces the one before it when everything is there; kernels keep the
// table that they were created from. Build.cpp has the three steps (build, compile, link), Binary.h the container.
#pragma once
#include "runtime/platform/Context.h"
#include "runtime/program/Binary.h"
#include "runtime/program/DeviceProgram.h"
#include "runtime/program/ReleaseCallbacks.h"

namespace kiln {

class Kernel;
struct BuildOptions;
class ParallelBuild;

/// One device's row of clGetProgramBuildInfo.
struct BuildState {
  cl_build_status status = CL_BUILD_NONE;
  cl_program_binary_type binaryType = CL_PROGRAM_BINARY_TYPE_NONE;
  std::string options, log;
  std::shared_ptr<const ProgramModule> module;  // where the binary type is not NONE
  std::shared_ptr<const DeviceProgram> program; // of executables that were built, not only loaded
  cl_int resourceError = CL_SUCCESS; // what the step's call says where it failed, but not because of the program
};

/// By the device's place among the program's.
using ProgramBuild = std::vector<BuildState>;

class Program final : public _cl_program, public Object {
public:
  static constexpr ObjectKind Kind = ObjectKind::Program;
  using Callback = ReleaseCallbacks::Callback;

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
  /// CL_INVALID_PROGRAM, CL_INVALID_SPEC_ID, CL_INVALID_VALUE. Holds for the builds that follow.
  Status setSpecConstant(cl_uint id, size_t size, const void *value);

  Context &context() const { return *context_; }
  const std::vector<DeviceObject *> &devices() const { return devices_; }
  const std::string &source() const { return source_; }
  const wire::Bytes &il() const { return il_; }
  /// A copy of one device's row: CL_INVALID_DEVICE.
  Result<BuildState> buildState(const DeviceObject &device) const;
  /// One device's binary; empty where there is none.
  wire::Bytes binary(const DeviceObject &device) const;
  /// CL_INVALID_PROGRAM_EXECUTABLE before a successful build. In the program's order.
  Result<std::vector<std::string>> kernelNames() const;
  /// Whether a device's code has kernels that run by themselves before the first other one, or when the program goes.
  bool hasInitializers() const;
  bool hasFinalizers() const;
  /// CL_INVALID_OPERATION for a program that is built and has neither initializers nor finalizers: OpenCL 3.0 wants
  /// that of devices without them, and its conformance suite of programs in a language without them.
  Status addReleaseCallback(Callback callback, void *userData);

private:
  friend class Kernel;
  enum class Origin { Source, IL, Binary, Link };

  Program(Context &context, Origin origin, std::vector<DeviceObject *> devices);
  ~Program() override;

  std::shared_ptr<const ProgramBuild> current() const KILN_EXCLUDES(mutex_);
  int indexOf(const DeviceObject &device) const;
  /// The row that holds for a device of the context: its own, or where nothing was built for it, that of the nearest
  /// device that it is a part of. -1 when there is none.
  int deviceBuildIndex(const ProgramBuild &build, const DeviceObject &device) const;
  /// The devices' deviceIndices; of all devices when the list is empty. CL_INVALID_DEVICE.
  Result<std::vector<size_t>> deviceIndices(const std::vector<DeviceObject *> &devices) const;

  /// What a step makes of one device's row; a failure's sentence belongs in the row's log.
  using Step = std::function<void(ParallelBuild &run, DeviceObject &device, BuildState &state)>;
  class BuildInProgress;
  /// What a device has before a step has succeeded for it: nothing, or the binary that the program was created from.
  BuildState initialState(size_t place) const;
  /// Runs a step for the devices, here or in the background, and publishes the rows. `failure` is the step's error.
  Status run(const std::vector<size_t> &deviceIndices, const std::string &options, cl_int failure, Step step,
             Callback callback, void *userData) KILN_EXCLUDES(mutex_);
  Status runHere(BuildInProgress &buildInProgress, const std::string &options, cl_int failure, const Step &step)
      KILN_EXCLUDES(mutex_);

  /// Source or IL to a module, with the log in `state`; nothing when that failed.
  std::optional<ProgramModule> makeModule(ParallelBuild &run, const DeviceObject &device, const BuildOptions &options,
                                          const std::string &text, const std::vector<protocol::Header> &headers,
                                          BuildState &state) const;
  /// The module to code.
  void makeExecutable(ParallelBuild &run, DeviceObject &device, ProgramModule module, BuildState &state) const;

  const Ref<Context> context_;
  const std::shared_ptr<ReleaseCallbacks> releaseCallbacks_ = std::make_shared<ReleaseCallbacks>(this);
  const Origin origin_;
  const std::vector<DeviceObject *> devices_;
  std::string source_;
  wire::Bytes il_;
  std::vector<std::shared_ptr<const ProgramModule>> binaries_; // by the device's place
  std::vector<SpecConstantInfo> specConstantInfos_;

  mutable Mutex mutex_;
  std::shared_ptr<const ProgramBuild> build_ KILN_GUARDED_BY(mutex_);
  std::map<cl_uint, wire::Bytes> specConstants_ KILN_GUARDED_BY(mutex_);
  bool building_ KILN_GUARDED_BY(mutex_) = false;
  unsigned kernels_ KILN_GUARDED_BY(mutex_) = 0; // attached
};

} // namespace kiln
