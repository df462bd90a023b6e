// What the clEnqueue* calls share: R5 to R8 and R12, one function a rule.
#pragma once
#include "api/check/Object.h"

namespace kiln::check {

/// R5: queue and object belong to one context.
Status sameContext(const Queue &queue, const Context &context, const char *what);
inline Status sameContext(const Queue &queue, const MemObject &object) {
  return sameContext(queue, object.context(), "memory object");
}

/// R6: the wait list is whole, valid and of the queue's context.
Status waitList(const Queue &queue, cl_uint count, const cl_event *events, WaitList &list);

/// What every command on one buffer begins with: queue, buffer, one context, wait list, and R8.
Status bufferCommand(cl_command_queue queueHandle, cl_mem bufferHandle, cl_uint count, const cl_event *events,
                     Queue *&queue, Buffer *&buffer, WaitList &list);

/// R8: a sub-buffer starts where the queue's device can use it.
Status aligned(const Queue &queue, const Buffer &buffer);

/// R12: what CL_MEM_HOST_* allow.
Status hostMayRead(const MemObject &object);
Status hostMayWrite(const MemObject &object);

/// [offset, offset + size) lies in the buffer.
Status range(const Buffer &buffer, size_t offset, size_t size);
Status hostPointer(const void *pointer);

/// Pattern size, and offset and size as multiples of it.
Status fillPattern(const void *pattern, size_t patternSize, size_t offset, size_t size);

/// CL_MIGRATE_MEM_OBJECT_* bits.
Status migrationFlags(cl_mem_migration_flags flags);

/// A map asks for reading, writing or both, or alone for writing everything; and what R12 says about it.
Status mapFlags(cl_map_flags flags);
Status mapFlags(const MemObject &object, cl_map_flags flags);

} // namespace kiln::check
