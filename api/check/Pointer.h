// The rules of commands on memory that is named by pointers: shared virtual memory and unified shared memory.
#pragma once
#include "api/check/Enqueue.h"

namespace kiln::check {

/// What every such command begins with: queue and wait list, and a device that has such memory.
Status svmCommand(cl_command_queue handle, cl_uint count, const cl_event *events, Queue *&queue, WaitList &list);
Status usmCommand(cl_command_queue handle, cl_uint count, const cl_event *events, Queue *&queue, WaitList &list);

/// `size` bytes at `pointer` for the queue's device: not null, inside of the allocation that the pointer leads to, and,
/// where that is another device's own, within reach. Outside of all allocations it is memory of the program.
Result<PointerOperand> pointerOperand(const Queue &queue, const void *pointer, size_t size);
/// The same for memory that the device itself uses: what is no allocation must be system SVM.
Result<PointerOperand> devicePointerOperand(const Queue &queue, const void *pointer, size_t size);

/// clEnqueueSVMMemcpy, clEnqueueMemcpyINTEL
Status noOverlap(const void *to, const void *from, size_t size);

/// An alignment that memory may be asked to have: none, or a power of two up to the largest type's.
Status alignment(cl_uint alignment);

} // namespace kiln::check
