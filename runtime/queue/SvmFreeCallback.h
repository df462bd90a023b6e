// The function that the application passes to clEnqueueSVMFree, called instead of freeing the memory. The call is the
// command's work: the event is complete when it has returned. It runs on the callback thread, which is reserved at the
// enqueue, so that the call cannot fail later.
#pragma once
#include "base/support/Ref.h"
#include "base/support/Status.h"
#include "base/support/Thread.h"
#include "runtime/platform/DeferredCompletion.h"
#include <vector>

namespace kiln {

class Queue;

class SvmFreeCallback final : public Task {
public:
  using Function = void(CL_CALLBACK *)(cl_command_queue queue, cl_uint count, void *pointers[], void *userData);
  /// CL_OUT_OF_RESOURCES if there is no callback thread.
  static Result<std::unique_ptr<SvmFreeCallback>> create(Queue &queue, std::vector<void *> pointers, Function function,
                                                         void *userData);
  ~SvmFreeCallback() override;
  void run() noexcept override;
  /// Queues the call; after it has returned, calls `event.onDeferredComplete`.
  static void start(std::unique_ptr<SvmFreeCallback> call, DeferredCompletion &event) noexcept;

private:
  SvmFreeCallback(Queue &queue, std::vector<void *> pointers, Function function, void *userData);
  const Ref<Queue> queue_;
  std::vector<void *> pointers_;
  const Function function_;
  void *const userData_;
  bool reserved_ = false;
  DeferredCompletion *event_ = nullptr;
};

} // namespace kiln
