#include "api/check/Enqueue.h"

namespace kiln::check {

Status sameContext(const Queue &queue, const Context &context, const char *what) {
  if (&queue.context() != &context)
    return fail(CL_INVALID_CONTEXT, "the ", what, " and the queue have different contexts");
  return {};
}

Status waitList(const Queue &queue, cl_uint count, const cl_event *events, WaitList &list) {
  if ((count == 0) != (events == nullptr))
    return fail(CL_INVALID_EVENT_WAIT_LIST, "num_events_in_wait_list is ", count, ", event_wait_list is ",
                events ? "not null" : "null");
  list.reserve(count);
  for (cl_uint i = 0; i < count; ++i) {
    Result<Event *> event = object<Event>(events[i]);
    if (!event.ok())
      return fail(CL_INVALID_EVENT_WAIT_LIST, "event ", i, ": ", event.message());
    KILN_TRY(sameContext(queue, (*event)->context(), "event"));
    list.emplace_back(*event);
  }
  return {};
}

Status command(cl_command_queue handle, cl_uint count, const cl_event *events, Queue *&queue, WaitList &list) {
  queue = KILN_TRY(live<Queue>(handle));
  return waitList(*queue, count, events, list);
}

Status bufferOn(const Queue &queue, cl_mem handle, Buffer *&buffer) {
  buffer = KILN_TRY(object<Buffer>(handle));
  KILN_TRY(sameContext(queue, *buffer));
  return aligned(queue, *buffer);
}

Status bufferCommand(cl_command_queue queueHandle, cl_mem bufferHandle, cl_uint count, const cl_event *events,
                     Queue *&queue, Buffer *&buffer, WaitList &list) {
  KILN_TRY(command(queueHandle, count, events, queue, list));
  return bufferOn(*queue, bufferHandle, buffer);
}

Status aligned(const Queue &queue, const Buffer &buffer) {
  if (!buffer.alignedFor(queue.device()))
    return fail(CL_MISALIGNED_SUB_BUFFER_OFFSET, "the sub-buffer's offset is ", buffer.offset(),
                ", must be a multiple of ", queue.device().info().baseAddressAlignBits / 8);
  return {};
}

Status hostMayRead(const MemObject &object) {
  if (!object.hostMayRead())
    return fail(CL_INVALID_OPERATION, "the object was created with CL_MEM_HOST_WRITE_ONLY or CL_MEM_HOST_NO_ACCESS");
  return {};
}

Status hostMayWrite(const MemObject &object) {
  if (!object.hostMayWrite())
    return fail(CL_INVALID_OPERATION, "the object was created with CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_NO_ACCESS");
  return {};
}

Status range(const Buffer &buffer, size_t offset, size_t size) {
  if (size > buffer.size() || offset > buffer.size() - size)
    return fail(CL_INVALID_VALUE, "offset is ", offset, " and size ", size, ", the buffer has ", buffer.size(),
                " bytes");
  return {};
}

Status hostPointer(const void *pointer) {
  if (!pointer)
    return fail(CL_INVALID_VALUE, "the host pointer is null");
  return {};
}

Status fillPattern(const void *pattern, size_t patternSize, size_t offset, size_t size) {
  if (!pattern)
    return fail(CL_INVALID_VALUE, "the pattern is null");
  if (patternSize == 0 || patternSize > 128 || (patternSize & (patternSize - 1)))
    return fail(CL_INVALID_VALUE, "pattern_size is ", patternSize, ", must be a power of two up to 128");
  if (offset % patternSize || size % patternSize)
    return fail(CL_INVALID_VALUE, "offset is ", offset, " and size ", size, ", must be multiples of pattern_size ",
                patternSize);
  return {};
}

Status migrationFlags(cl_mem_migration_flags flags) {
  if (flags & ~cl_mem_migration_flags(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))
    return fail(CL_INVALID_VALUE, "unknown migration flags 0x", std::hex, flags);
  return {};
}

Status mapFlags(cl_map_flags flags) {
  constexpr cl_map_flags ReadWrite = CL_MAP_READ | CL_MAP_WRITE;
  if (flags & ~(ReadWrite | CL_MAP_WRITE_INVALIDATE_REGION))
    return fail(CL_INVALID_VALUE, "unknown map flags 0x", std::hex, flags);
  if ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & ReadWrite))
    return fail(CL_INVALID_VALUE, "CL_MAP_WRITE_INVALIDATE_REGION excludes CL_MAP_READ and CL_MAP_WRITE");
  return {};
}

Status mapFlags(const MemObject &object, cl_map_flags flags) {
  KILN_TRY(mapFlags(flags));
  if (flags & CL_MAP_READ)
    KILN_TRY(hostMayRead(object));
  if (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))
    KILN_TRY(hostMayWrite(object));
  return {};
}

} // namespace kiln::check
