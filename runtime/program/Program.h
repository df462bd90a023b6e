// A program: source, IL or a binary, and its build results on each device.
//
// Build results are one immutable table, which a finished step replaces as a whole; kernels keep the table that they
// were created from. Build.cpp has the three steps (build, compile, link), Binary.h the binary format.
#pragma once
#include "runtime/memory/Context.h"
#include "runtime/program/Binary.h"
#include "runtime/program/DeviceProgram.h"
#include "runtime/program/ReleaseCallbacks.h"

namespace kiln {

namespace explore {
class ProgramPage;
}
class Kernel;
struct BuildOptions;
enum class BuildStep : uint8_t;
class ParallelBuild;

/// A device build: the values of clGetProgramBuildInfo for one device.
struct BuildState {
  cl_build_status status = CL_BUILD_NONE;
  cl_program_binary_type binaryType = CL_PROGRAM_BINARY_TYPE_NONE;
  std::string options, log;
  std::shared_ptr<const ProgramModule> module;  // null if the binary type is NONE
  std::shared_ptr<const DeviceProgram> program; // of built executables; null for loaded binaries
  cl_int resourceError = CL_SUCCESS;            // the call's error if the step failed for lack of a resource
  bool wasCompiled = false;                     // a compiler ran; the cache lacked something
};

/// Indexed by the device's position in Program::devices.
using ProgramBuild = std::vector<BuildState>;

class Program final : public _cl_program, public Object {
public:
  static constexpr ObjectKind Kind = ObjectKind::Program;
  using Callback = ReleaseCallbacks::Callback;

  static Ref<Program> createWithSource(Context &context, std::string source);
  /// Validates the module and reads its specialisation constants: CL_INVALID_VALUE.
  static Result<Ref<Program>> createWithIL(Context &context, wire::Bytes il);
  /// One binary per device. `statuses`, one per device, is always filled in: CL_INVALID_BINARY, CL_INVALID_VALUE.
  static Result<Ref<Program>> createWithBinary(Context &context, const std::vector<DeviceObject *> &devices,
                                               const std::vector<std::span<const uint8_t>> &binaries,
                                               std::vector<cl_int> &statuses);

  /// clBuildProgram. Empty `devices`: all of the program's. With a callback the build runs in the background.
  Status build(const std::vector<DeviceObject *> &devices, const std::string &options, Callback callback,
               void *userData);
  /// clCompileProgram
  Status compile(const std::vector<DeviceObject *> &devices, const std::string &options,
                 const std::vector<std::pair<std::string, Program *>> &headers, Callback callback, void *userData);
  /// clLinkProgram. A failed link also sets `linked`, to a program whose log has the errors.
  static Status link(Context &context, const std::vector<DeviceObject *> &devices, const std::string &options,
                     const std::vector<Program *> &inputs, Callback callback, void *userData, Ref<Program> &linked);
  /// CL_INVALID_PROGRAM, CL_INVALID_SPEC_ID, CL_INVALID_VALUE. Applies to later builds.
  Status setSpecConstant(cl_uint id, size_t size, const void *value);

  Context &context() const { return *context_; }
  const std::vector<DeviceObject *> &devices() const { return devices_; }
  const std::string &source() const { return source_; }
  const wire::Bytes &il() const { return il_; }
  /// A copy of one device build: CL_INVALID_DEVICE.
  Result<BuildState> buildState(const DeviceObject &device) const;
  /// One device's binary; empty without one.
  wire::Bytes binary(const DeviceObject &device) const;
  /// CL_INVALID_PROGRAM_EXECUTABLE before a successful build. In the module's order.
  Result<std::vector<std::string>> kernelNames() const;
  /// Returns true if the code for a device has such kernels (InitFiniKernels).
  bool hasInitializers() const;
  bool hasFinalizers() const;
  /// The page of KILN_EXPLORE; null without the switch.
  explore::ProgramPage *explorePage() const { return explorePage_.get(); }
  /// CL_INVALID_OPERATION for a built program without initializers and finalizers. OpenCL 3.0 requires that of devices
  /// without them, and its conformance suite of programs in a language without them.
  Status addReleaseCallback(Callback callback, void *userData);

private:
  friend class Kernel;
  enum class Origin { Source, IL, Binary, Link };

  Program(Context &context, Origin origin, std::vector<DeviceObject *> devices);
  ~Program() override;

  std::shared_ptr<const ProgramBuild> current() const KILN_EXCLUDES(mutex_);
  int indexOf(const DeviceObject &device) const;
  /// Returns the index of the device build that applies to a device of the context: its own, or if there is none, that
  /// of the nearest parent device. -1 without one.
  int deviceBuildIndex(const ProgramBuild &build, const DeviceObject &device) const;
  /// The devices' indices; those of all devices if the list is empty. CL_INVALID_DEVICE.
  Result<std::vector<size_t>> deviceIndices(const std::vector<DeviceObject *> &devices) const;

  /// Parses the options of a step. What is wrong with them is also in the build logs, the only state that changes.
  Result<BuildOptions> parseOptions(const std::vector<size_t> &deviceIndices, const std::string &options,
                                    BuildStep step) KILN_EXCLUDES(mutex_);
  /// Fills in one device build. Writes error messages to its log.
  using Step = std::function<void(ParallelBuild &run, DeviceObject &device, BuildState &state)>;
  class BuildInProgress;
  /// The state before a step has succeeded: empty, or the binary that the program was created from.
  BuildState initialState(size_t index) const;
  /// Runs a step for the devices, on this thread or in the background, and publishes the results. `failure` is the
  /// error of a failed step.
  Status run(const std::vector<size_t> &deviceIndices, const std::string &options, cl_int failure, Step step,
             Callback callback, void *userData) KILN_EXCLUDES(mutex_);
  Status runHere(BuildInProgress &buildInProgress, const std::string &options, cl_int failure, const Step &step)
      KILN_EXCLUDES(mutex_);

  /// Compiles source, or takes IL, to a module; the log goes to `state`. Returns nothing on failure.
  std::optional<ProgramModule> makeModule(ParallelBuild &run, const DeviceObject &device, const BuildOptions &options,
                                          const std::string &text, const std::vector<protocol::Header> &headers,
                                          BuildState &state) const;
  /// Loads the code of a build that succeeded; `schedules` is as DeviceProgram::load takes it, `log` receives the
  /// messages of the compiler and the driver.
  Result<std::shared_ptr<const DeviceProgram>> loadCode(DeviceObject &device, CodeResult built,
                                                        protocol::BuildRequest request,
                                                        std::vector<ModuleOrigin> origins, const std::string &schedules,
                                                        std::string &log) const;
  /// Builds and loads the module's code. A result of the cache that cannot be loaded is compiled again: its checksum is
  /// right, but it may be of another program, or lack a kernel.
  void makeExecutable(ParallelBuild &run, DeviceObject &device, ProgramModule module, BuildState &state) const;

  const Ref<Context> context_;
  const std::shared_ptr<explore::ProgramPage> explorePage_;
  const std::shared_ptr<ReleaseCallbacks> releaseCallbacks_ = std::make_shared<ReleaseCallbacks>(this);
  const Origin origin_;
  const std::vector<DeviceObject *> devices_;
  std::string source_;
  wire::Bytes il_;
  std::vector<std::shared_ptr<const ProgramModule>> binaries_; // indexed as devices_
  std::vector<SpecConstantInfo> specConstantInfos_;

  mutable Mutex mutex_;
  std::shared_ptr<const ProgramBuild> build_ KILN_GUARDED_BY(mutex_);
  std::map<cl_uint, wire::Bytes> specConstants_ KILN_GUARDED_BY(mutex_);
  bool building_ KILN_GUARDED_BY(mutex_) = false;
  unsigned kernels_ KILN_GUARDED_BY(mutex_) = 0; // number of attached kernels
};

} // namespace kiln
