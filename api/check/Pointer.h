// Checks of commands on SVM and USM pointers.
#pragma once
#include "api/check/Enqueue.h"

namespace kiln::check {

/// The queue's device supports SVM.
Status svmSupported(const Queue &queue);
/// The first checks of every such command: queue, the device's support, wait list.
Status svmCommand(cl_command_queue handle, cl_uint count, const cl_event *events, Queue *&queue, WaitList &list);
Status usmCommand(cl_command_queue handle, cl_uint count, const cl_event *events, Queue *&queue, WaitList &list);

/// Checks a range for the queue's device: not null, inside the allocation that contains the pointer, and accessible to
/// the device if it is another device's memory. A pointer outside all allocations is host memory.
Result<PointerOperand> pointerOperand(const Queue &queue, const void *pointer, size_t size);
/// The same for memory that the device accesses itself: outside all allocations it must support system SVM.
Result<PointerOperand> devicePointerOperand(const Queue &queue, const void *pointer, size_t size);

/// clEnqueueSVMMemcpy, clEnqueueMemcpyINTEL
Status noOverlap(const void *to, const void *from, size_t size);

/// An allocation's alignment: 0 or a power of two up to that of the largest type.
Status alignment(cl_uint alignment);

} // namespace kiln::check
