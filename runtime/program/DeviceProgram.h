// A program's code on one device.
//
// In a program of several kernels that take long to compile, the code of a kernel's generic variant is generated when
// the kernel is launched for the first time (DeferredCode.h).
//
// A kernel with a schedule of the user (Schedules.h) has only code of this schedule: its generic variant, and variants
// for local sizes if the schedule names the local size.
#pragma once
#include "base/support/Mutex.h"
#include "runtime/compiler/Compiler.h"
#include "runtime/platform/Platform.h"
#include "runtime/program/DeviceKernel.h"
#include "runtime/program/InitFiniKernels.h"
#include "runtime/program/LocatedKernel.h"
#include "runtime/program/Printf.h"
#include "runtime/program/ScalarForm.h"
#include "runtime/program/ScheduledKernel.h"
#include "runtime/program/VariableBlock.h"
#include <map>

namespace kiln {

namespace explore {
class ProgramPage;
}
class ReleaseCallbacks;

/// Immutable. Kernels and launches hold references. After the last one is released, the finalizers run and the program
/// is destroyed.
class DeviceProgram {
public:
  /// `request` is the request that `built` came from; variants are built from the same. `origins` is the module's,
  /// `log` receives the driver's messages. `callbacks` are held until destruction. `page`, if not null, gets the
  /// descriptions of variants. `schedules` is the folder of schedules; empty: there are none.
  static Result<std::shared_ptr<const DeviceProgram>>
  load(DeviceObject &device, CodeResult built, protocol::BuildRequest request, std::vector<ModuleOrigin> origins,
       std::shared_ptr<ReleaseCallbacks> callbacks, std::shared_ptr<explore::ProgramPage> page,
       const std::string &schedules, std::string &log);
  ~DeviceProgram();

  const ProgramInfo &info() const { return built_.info; }
  /// The authenticated code for a program binary (Compiler::authenticate), with the code of all kernels. The same bytes
  /// in every call, because applications query the size first.
  const wire::Bytes &authenticatedCode() const KILN_EXCLUDES(mutex_);
  /// The SHA-256 of the code with the generic variants, in hexadecimal. Only without deferred kernels.
  std::string codeDigest() const { return hexadecimal(built_.code->digest()); }
  /// Returns null if the program has no such kernel.
  DeviceKernel *kernel(const std::string &name) const;
  /// The enqueued blocks, by their index.
  const std::vector<std::unique_ptr<DeviceKernel>> &blocks() const { return blocks_; }
  DeviceKernel *block(size_t number) const { return number < blocks_.size() ? blocks_[number].get() : nullptr; }
  /// Device address of the program's variables; 0 without any.
  uint64_t variables() const { return variables_.address(); }
  /// Loads a variant of the kernel with this generic variant, which the compiler built. Returns nothing, and logs why,
  /// if there is none or it does not fit (Variant.cpp).
  std::optional<LoadedVariant> loadVariant(const KernelInfo &generic, const VariantKind &kind, CodeResult built) const;
  /// Null if the program has neither initializers nor finalizers.
  InitFiniKernels *initFiniKernels() const { return initFiniKernels_.get(); }
  PrintfPool &printfPool() const { return printfPool_; }
  Device &device() const { return device_->device(); }
  /// The same program in the scalar form, compiled by the first call, which waits for the compiler. Null if there is
  /// none, with the reason in `why`.
  const ScalarForm *scalarForm(std::string &why) const KILN_EXCLUDES(scalarMutex_);
  /// The kernel with this generic variant in the located or the debugged form, compiled by the first call, which waits
  /// for the compilers. Null if there is none, with the reason in `why`.
  const LocatedKernel *locatedKernel(const KernelInfo &generic, LocatedKernel::Form form, std::string &why) const
      KILN_EXCLUDES(locatedMutex_);
  mutable std::atomic<uint64_t> replayNanoseconds{0}; // that replays of faults took

private:
  friend class DeviceKernel;
  friend class DeferredCode;
  DeviceProgram(DeviceObject &device, CodeResult built, protocol::BuildRequest request,
                std::vector<ModuleOrigin> origins, std::shared_ptr<ReleaseCallbacks> callbacks,
                std::shared_ptr<explore::ProgramPage> page);
  /// The time from which on a variant may be requested that is launched for the first time now; 0: at any time.
  uint64_t noVariantBefore() const;
  /// Looks up the functions of all kernels in the loaded code.
  Status findFunctions();
  /// The time that the compilation of one kernel takes, from that of the whole program.
  uint64_t compileNanoseconds() const { return built_.nanoseconds / std::max<size_t>(1, info().kernels.size()); }
  /// Generates the code of a deferred kernel and loads it; `log` receives the driver's messages, `nanoseconds` the time
  /// that the former took.
  Result<LoadedCode> loadDeferred(const protocol::DeferredKernel &kernel, std::string &log, uint64_t &nanoseconds) const
      KILN_EXCLUDES(mutex_);
  /// The program without deferred kernels, for a binary.
  protocol::BuildRequest wholeRequest() const;
  /// Compiles the kernels that have a schedule in the folder; `log` receives each kernel's hash and schedule.
  Status applySchedules(const std::string &folder, std::string &log);

  const std::shared_ptr<ReleaseCallbacks> callbacks_; // destroyed last
  const std::shared_ptr<explore::ProgramPage> page_;  // null without KILN_EXPLORE
  const Ref<DeviceObject> device_;                    // a variant may be built after the context's destruction
  const CodeResult built_;
  const protocol::BuildRequest request_;
  const std::vector<ModuleOrigin> origins_;
  VariableBlock variables_;
  mutable PrintfPool printfPool_;
  LoadedCode code_;
  mutable std::atomic<uint64_t> loadTime_ = 0; // nanoseconds, the longest of the generic variants
  std::map<std::string, std::unique_ptr<ScheduledKernel>> scheduled_; // by the kernel's name
  std::map<std::string, std::unique_ptr<DeviceKernel>> kernels_;
  std::vector<std::unique_ptr<DeviceKernel>> blocks_;
  std::unique_ptr<InitFiniKernels> initFiniKernels_;
  mutable Mutex scalarMutex_;
  mutable std::optional<Result<std::unique_ptr<ScalarForm>>> scalarForm_ KILN_GUARDED_BY(scalarMutex_);
  mutable Mutex locatedMutex_;
  mutable std::map<std::pair<std::string, LocatedKernel::Form>, Result<std::unique_ptr<LocatedKernel>>>
      located_ KILN_GUARDED_BY(locatedMutex_);
  mutable Mutex mutex_;
  mutable std::optional<wire::Bytes> authenticatedCode_ KILN_GUARDED_BY(mutex_); // set by authenticatedCode()
  mutable std::optional<CodeResult> whole_ KILN_GUARDED_BY(mutex_); // what the above was made of, with deferred kernels
};

} // namespace kiln
