// Common checks of the clEnqueue* calls: rules R5 to R8 and R12 of tests/FEATURES.md.
#pragma once
#include "api/check/Object.h"

namespace kiln::check {

/// R5: queue and object have the same context.
Status sameContext(const Queue &queue, const Context &context, const char *what);
inline Status sameContext(const Queue &queue, const MemObject &object) {
  return sameContext(queue, object.context(), "memory object");
}

/// R6: count and list agree, events are valid and of the queue's context.
Status waitList(const Queue &queue, cl_uint count, const cl_event *events, WaitList &list);

/// The first checks of every command: queue and wait list.
Status command(cl_command_queue handle, cl_uint count, const cl_event *events, Queue *&queue, WaitList &list);

/// A buffer of a command on `queue`: R5 and R8.
Status bufferOn(const Queue &queue, cl_mem handle, Buffer *&buffer);

/// The first checks of every command on one buffer: queue, buffer, context, wait list, and R8.
Status bufferCommand(cl_command_queue queueHandle, cl_mem bufferHandle, cl_uint count, const cl_event *events,
                     Queue *&queue, Buffer *&buffer, WaitList &list);

/// R8: a sub-buffer's offset is aligned for the queue's device.
Status aligned(const Queue &queue, const Buffer &buffer);

/// R12: the object's CL_MEM_HOST_* flags allow the access.
Status hostMayRead(const MemObject &object);
Status hostMayWrite(const MemObject &object);

/// [offset, offset + size) is in the buffer.
Status range(const Buffer &buffer, size_t offset, size_t size);
Status hostPointer(const void *pointer);

/// The pattern size is valid; offset and size are multiples of it.
Status fillPattern(const void *pattern, size_t patternSize, size_t offset, size_t size);

/// CL_MIGRATE_MEM_OBJECT_* bits.
Status migrationFlags(cl_mem_migration_flags flags);

/// CL_MAP_READ and CL_MAP_WRITE, or CL_MAP_WRITE_INVALIDATE_REGION alone; the second overload also checks R12.
Status mapFlags(cl_map_flags flags);
Status mapFlags(const MemObject &object, cl_map_flags flags);

} // namespace kiln::check
