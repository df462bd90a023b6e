#include "runtime/queue/SvmFreeCallback.h"
#include "runtime/queue/Queue.h"

namespace kiln {

SvmFreeCallback::SvmFreeCallback(Queue &queue, std::vector<void *> pointers, Function function, void *userData)
    : queue_(&queue), pointers_(std::move(pointers)), function_(function), userData_(userData) {}

SvmFreeCallback::~SvmFreeCallback() {
  if (reserved_)
    callbackThread().unreserve();
}

Result<std::unique_ptr<SvmFreeCallback>> SvmFreeCallback::create(Queue &queue, std::vector<void *> pointers,
                                                                 Function function, void *userData) {
  std::unique_ptr<SvmFreeCallback> call(new SvmFreeCallback(queue, std::move(pointers), function, userData));
  if (!callbackThread().reserve())
    return fail(CL_OUT_OF_RESOURCES, "the thread for callbacks cannot be started");
  call->reserved_ = true;
  return call;
}

void SvmFreeCallback::run() noexcept {
  function_(queue_.get(), cl_uint(pointers_.size()), pointers_.empty() ? nullptr : pointers_.data(), userData_);
  event_->onDeferredComplete(CL_SUCCESS);
}

void SvmFreeCallback::start(std::unique_ptr<SvmFreeCallback> call, DeferredCompletion &event) noexcept {
  call->event_ = &event;
  if (std::unique_ptr<Task> left = callbackThread().run(std::move(call)))
    left->run(); // in the child of a fork that can get no callback thread
}

} // namespace kiln
