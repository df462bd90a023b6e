#include "api/check/Pointer.h"
#include "runtime/program/ExecInfo.h"
#include <bit>

namespace kiln::check {

Status svmSupported(const Queue &queue) {
  if (!queue.device().info().svm)
    return fail(CL_INVALID_OPERATION, "the device has no shared virtual memory (CL_DEVICE_SVM_CAPABILITIES)");
  return {};
}

Status svmCommand(cl_command_queue handle, cl_uint count, const cl_event *events, Queue *&queue, WaitList &list) {
  queue = KILN_TRY(object<Queue>(handle));
  KILN_TRY(svmSupported(*queue));
  return waitList(*queue, count, events, list);
}

Status usmCommand(cl_command_queue handle, cl_uint count, const cl_event *events, Queue *&queue, WaitList &list) {
  queue = KILN_TRY(object<Queue>(handle));
  if (!queue->device().info().usmDevice)
    return fail(CL_INVALID_OPERATION, "the device has no unified shared memory");
  return waitList(*queue, count, events, list);
}

Result<PointerOperand> pointerOperand(const Queue &queue, const void *pointer, size_t size) {
  if (!pointer)
    return fail(CL_INVALID_VALUE, "the pointer is null");
  PointerOperand result{static_cast<std::byte *>(const_cast<void *>(pointer)),
                        queue.context().allocations().find(pointer)};
  if (!result.in)
    return result;
  const size_t left = result.in->size() - result.in->offsetOf(pointer);
  if (size > left)
    return fail(CL_INVALID_VALUE, "size is ", size, ", the allocation has ", left, " bytes from ", pointer, " on");
  if (result.in->kind() == Allocation::Kind::Device && !result.in->memoryFor(queue.device()))
    return fail(CL_INVALID_VALUE, pointer, " is memory of a device that the queue's device cannot access");
  return result;
}

Result<PointerOperand> devicePointerOperand(const Queue &queue, const void *pointer, size_t size) {
  PointerOperand result = KILN_TRY(pointerOperand(queue, pointer, size));
  if (!result.in && !hasSystemSvm(queue.device()))
    return fail(CL_INVALID_VALUE, pointer, " is in no allocation of the context, and the device has no system SVM");
  return result;
}

Status noOverlap(const void *to, const void *from, size_t size) {
  const auto first = uintptr_t(to), second = uintptr_t(from);
  if (size && (first < second ? second - first : first - second) < size)
    return fail(CL_MEM_COPY_OVERLAP, "source ", from, " and destination ", to, " overlap in ", size, " bytes");
  return {};
}

Status alignment(cl_uint alignment) {
  if (alignment && (!std::has_single_bit(alignment) || alignment > Allocation::Alignment))
    return fail(CL_INVALID_VALUE, "alignment is ", alignment, ", must be 0 or a power of two up to ",
                Allocation::Alignment);
  return {};
}

} // namespace kiln::check
