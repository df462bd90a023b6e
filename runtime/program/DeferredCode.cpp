#include "runtime/program/DeferredCode.h"
#include "base/support/Log.h"
#include "base/support/Thread.h"
#include "base/support/Trace.h"
#include "runtime/program/DeviceProgram.h"

namespace kiln {

bool DeferredCode::claim() noexcept {
  Lock lock(mutex_);
  if (result_ || generating_ == getpid())
    return false;
  generating_ = getpid();
  return true;
}

bool DeferredCode::hasBegun() noexcept {
  Lock lock(mutex_);
  return result_ || generating_ == getpid();
}

void DeferredCode::start(const std::shared_ptr<const DeviceProgram> &program) noexcept {
  try {
    if (!claim())
      return;
    if (buildThreads().runFunction([this, program] { generate(); }))
      return;
  } catch (const std::bad_alloc &) {
  }
  Lock lock(mutex_);
  generating_ = 0; // the thread that waits generates it
}

Result<Function *> DeferredCode::wait() noexcept {
  if (Function *function = this->function())
    return function;
  if (claim())
    generate();
  Lock lock(mutex_);
  done_.wait(lock, [this]() KILN_REQUIRES(mutex_) { return result_.has_value(); });
  if (result_->ok())
    return **result_;
  try {
    return Status(result_->code(), std::string(result_->message()));
  } catch (const std::bad_alloc &) {
    return Status(result_->code(), {});
  }
}

void DeferredCode::generate() noexcept {
  Result<Function *> result = Status(CL_OUT_OF_HOST_MEMORY, {});
  try {
    result = load();
  } catch (const std::bad_alloc &) {
  }
  if (!result.ok())
    KILN_LOG(Error, Program, "kernel ", info_.name, " has no code: ", result.message());
  Lock lock(mutex_);
  if (result.ok())
    function_.store(*result, std::memory_order_release);
  result_ = std::move(result);
  done_.notifyAll();
}

Result<Function *> DeferredCode::load() {
  std::string log;
  uint64_t duration = 0;
  code_ = KILN_TRY(program_.loadDeferred(kernel_, log, duration));
  nanoseconds_.store(duration, std::memory_order_relaxed);
  if (!log.empty())
    KILN_LOG(Info, Program, "code of kernel ", info_.name, ": ", log);
  return code_.code->function(info_);
}

} // namespace kiln
