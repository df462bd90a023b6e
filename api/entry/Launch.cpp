// Chapter 5.10: commands that execute kernels and native functions.
#include "api/entry/Commands.h"
#include "api/entry/Entry.h"
#include "runtime/enqueue/LaunchRecords.h"

using namespace kiln;
using namespace kiln::api;

Result<HostLaunch> api::prepareLaunch(const Queue &queue, cl_kernel handle, const LaunchSizes &sizes) {
  Kernel *kernel = KILN_TRY(check::object<Kernel>(handle));
  KILN_TRY(check::sameContext(queue, kernel->context(), "kernel"));
  return prepareLaunch(queue, *kernel, sizes);
}

Result<HostLaunch> api::prepareLaunch(const Queue &queue, Kernel &kernel, const LaunchSizes &sizes) {
  Result<HostLaunch> launch = kernel.prepare(queue.device(), sizes);
  if (launch.ok())
    for (const MemoryUse &use : launch->uses)
      KILN_TRY(check::aligned(queue, use.object->storage()));
  return launch;
}

namespace {

/// `caller` is the return address of the entry. Loaders jump to the entry, so it is the application's.
Status enqueueLaunch(const void *caller, cl_command_queue queue, cl_kernel kernel, const LaunchSizes &sizes, bool task,
                     cl_uint numWaits, const cl_event *waits, cl_event *event) {
  Queue *q;
  WaitList wait;
  KILN_TRY(check::command(queue, numWaits, waits, q, wait));
  Result<HostLaunch> launch = prepareLaunch(*q, kernel, sizes);
  if (!launch.ok())
    return std::move(launch).status();
  launch->enqueuedAt = caller;
  KILN_TRY(LaunchRecords::addTo(*launch, q->device()));
  return q->enqueue(NDRange{std::move(*launch), task}, wait, event);
}

} // namespace

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint workDim,
                                          const size_t *globalOffset, const size_t *globalSize, const size_t *localSize,
                                          cl_uint numWaits, const cl_event *waits, cl_event *event) {
  const void *caller = __builtin_return_address(0);
  return enter("clEnqueueNDRangeKernel", [&] {
    return enqueueLaunch(caller, queue, kernel, {workDim, globalOffset, globalSize, localSize}, false, numWaits, waits,
                         event);
  });
}

// The local size of a launch with a null local size.
cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue queue, cl_kernel kernel, cl_uint workDim,
                                                        const size_t *globalOffset, const size_t *globalSize,
                                                        size_t *localSize) {
  return enter("clGetKernelSuggestedLocalWorkSizeKHR", [&]() -> Status {
    Queue *q = KILN_TRY(check::object<Queue>(queue));
    if (!localSize)
      return fail(CL_INVALID_VALUE, "suggested_local_work_size is null");
    HostLaunch made =
        KILN_TRY(prepareLaunch(*q, kernel, {workDim, globalOffset, globalSize, nullptr, /*isSuggestion=*/true}));
    for (cl_uint d = 0; d < workDim; ++d)
      if (!made.grid.globalSize[d])
        return fail(CL_INVALID_GLOBAL_WORK_SIZE, "global size of dimension ", d, " is null or 0");
    std::copy_n(made.requestedLocalSize.begin(), workDim, localSize);
    return {};
  });
}

cl_int CL_API_CALL clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint numWaits, const cl_event *waits,
                                 cl_event *event) {
  const void *caller = __builtin_return_address(0);
  return enter("clEnqueueTask", [&] {
    const size_t one = 1;
    return enqueueLaunch(caller, queue, kernel, {1, nullptr, &one, &one}, true, numWaits, waits, event);
  });
}

cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *function)(void *), void *args,
                                         size_t argsSize, cl_uint numObjects, const cl_mem *objects,
                                         const void **argsMemLoc, cl_uint numWaits, const cl_event *waits,
                                         cl_event *event) {
  return enter("clEnqueueNativeKernel", [&]() -> Status {
    WaitList wait;
    Queue *q = KILN_TRY(check::live<Queue>(queue));
    KILN_TRY(check::waitList(*q, numWaits, waits, wait));
    if (!(q->device().info().executionCapabilities & CL_EXEC_NATIVE_KERNEL))
      return fail(CL_INVALID_OPERATION, "the device runs no native kernels (CL_DEVICE_EXECUTION_CAPABILITIES)");
    if (!function)
      return fail(CL_INVALID_VALUE, "the function is null");
    if (args ? !argsSize : argsSize || numObjects)
      return fail(CL_INVALID_VALUE, "args is ", args, " and cb_args ", argsSize,
                  ": both or none must be set, and both for ", numObjects, " memory objects");
    if (numObjects ? !objects || !argsMemLoc : objects || argsMemLoc)
      return fail(CL_INVALID_VALUE, "num_mem_objects is ", numObjects, ", mem_list and args_mem_loc must ",
                  numObjects ? "not " : "", "be null");

    auto *first = static_cast<const std::byte *>(args);
    NativeKernel native{function, {first, first + argsSize}, {}, args != nullptr};
    for (cl_uint i = 0; i < numObjects; ++i) {
      // The address of the pointer to object i, in the application's block.
      auto address = reinterpret_cast<uintptr_t>(argsMemLoc[i]), block = reinterpret_cast<uintptr_t>(args);
      if (address < block || argsSize < sizeof(void *) || address - block > argsSize - sizeof(void *))
        return fail(CL_INVALID_VALUE, "args_mem_loc[", i, "] is outside the arguments");
      void *pointer = nullptr;
      if (objects[i]) {
        Buffer *buffer = KILN_TRY(check::object<Buffer>(objects[i]));
        KILN_TRY(check::sameContext(*q, *buffer));
        pointer = KILN_TRY(buffer->residency().host()) + buffer->offset();
        native.objects.emplace_back(buffer);
      }
      std::memcpy(native.arguments.data() + (address - block), &pointer, sizeof pointer);
    }
    return q->enqueue(std::move(native), wait, event);
  });
}
