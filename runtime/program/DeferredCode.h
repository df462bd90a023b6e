// The code of a kernel that is generated when the kernel is launched for the first time: a deferred kernel
// (Protocol.h). The enqueue starts it in the background, so that several kernels are compiled in parallel, and the
// launch waits for it when its turn comes. If it fails, that launch and all later ones fail.
#pragma once
#include "base/support/Mutex.h"
#include "runtime/compiler/Compiler.h"
#include <atomic>
#include <memory>
#include <optional>
#include <unistd.h>

namespace kiln {

class DeviceProgram;

class DeferredCode {
public:
  DeferredCode(const DeviceProgram &program, const KernelInfo &info, const protocol::DeferredKernel &kernel)
      : program_(program), info_(info), kernel_(kernel) {}

  /// Null until the code is loaded.
  Function *function() const { return function_.load(std::memory_order_acquire); }
  /// The time that it took to generate the code, in this process or an earlier one; 0 before.
  uint64_t nanoseconds() const { return nanoseconds_.load(std::memory_order_relaxed); }
  /// Returns true if a thread of this process has begun to generate the code, or has done so.
  bool hasBegun() noexcept KILN_EXCLUDES(mutex_);
  /// Begins to generate the code in the background unless that has begun. `program` keeps it alive meanwhile.
  void start(const std::shared_ptr<const DeviceProgram> &program) noexcept KILN_EXCLUDES(mutex_);
  /// Waits for the code. Generates it here if no thread does. CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY.
  Result<Function *> wait() noexcept KILN_EXCLUDES(mutex_);

private:
  /// Returns true if the caller must generate the code, because no thread of this process has begun. The child of a
  /// fork has none of its parent's threads.
  bool claim() noexcept KILN_EXCLUDES(mutex_);
  void generate() noexcept KILN_EXCLUDES(mutex_);
  Result<Function *> load();

  const DeviceProgram &program_;
  const KernelInfo &info_;
  const protocol::DeferredKernel &kernel_;
  std::atomic<Function *> function_{nullptr};
  std::atomic<uint64_t> nanoseconds_{0};
  LoadedCode code_; // written before `result_`
  Mutex mutex_;
  ConditionVariable done_;
  pid_t generating_ KILN_GUARDED_BY(mutex_) = 0; // the process that has begun; 0: none
  std::optional<Result<Function *>> result_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln
