// Chapters 5.2.2 to 5.2.4 and 5.5: commands that copy, fill, map and migrate buffers.
#include "api/check/Rect.h"
#include "api/entry/Commands.h"
#include "api/entry/Entry.h"

using namespace kiln;
using namespace kiln::api;

namespace {

/// A contiguous range as a box of one row.
BoxLayout flat(size_t offset, size_t size) { return {offset, size, size}; }
Extent flat(size_t size) { return {size, 1, 1}; }

} // namespace

cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                       size_t size, void *host, cl_uint numWaits, const cl_event *waits,
                                       cl_event *event) {
  return enter("clEnqueueReadBuffer", [&]() -> Status {
    Queue *q;
    Buffer *b;
    WaitList wait;
    KILN_TRY(check::bufferCommand(queue, buffer, numWaits, waits, q, b, wait));
    KILN_TRY(check::range(*b, offset, size));
    KILN_TRY(check::hostPointer(host));
    KILN_TRY(check::hostMayRead(*b));
    return q->enqueue(ReadBuffer{b, flat(offset, size), host, flat(0, size), flat(size)}, wait, event, blocking);
  });
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                        size_t size, const void *host, cl_uint numWaits, const cl_event *waits,
                                        cl_event *event) {
  return enter("clEnqueueWriteBuffer", [&]() -> Status {
    Queue *q;
    Buffer *b;
    WaitList wait;
    KILN_TRY(check::bufferCommand(queue, buffer, numWaits, waits, q, b, wait));
    KILN_TRY(check::range(*b, offset, size));
    KILN_TRY(check::hostPointer(host));
    KILN_TRY(check::hostMayWrite(*b));
    return q->enqueue(WriteBuffer{b, flat(offset, size), host, flat(0, size), flat(size)}, wait, event, blocking);
  });
}

namespace {

/// The boxes of clEnqueueReadBufferRect and clEnqueueWriteBufferRect.
struct HostRect {
  Extent extent;
  BoxLayout inBuffer, inHost;
};

Result<HostRect> checkHostRect(const Buffer &buffer, const size_t *bufferOrigin, const size_t *hostOrigin,
                               const size_t *region, size_t bufferRowPitch, size_t bufferSlicePitch,
                               size_t hostRowPitch, size_t hostSlicePitch, const void *host) {
  HostRect rect;
  KILN_TRY(check::region(region, rect.extent));
  KILN_TRY(check::pitches(bufferOrigin, rect.extent, bufferRowPitch, bufferSlicePitch, rect.inBuffer));
  KILN_TRY(check::pitches(hostOrigin, rect.extent, hostRowPitch, hostSlicePitch, rect.inHost));
  KILN_TRY(check::boxInBuffer(buffer, rect.inBuffer, rect.extent));
  KILN_TRY(check::hostPointer(host));
  return rect;
}

} // namespace

cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                           const size_t *bufferOrigin, const size_t *hostOrigin, const size_t *region,
                                           size_t bufferRowPitch, size_t bufferSlicePitch, size_t hostRowPitch,
                                           size_t hostSlicePitch, void *host, cl_uint numWaits, const cl_event *waits,
                                           cl_event *event) {
  return enter("clEnqueueReadBufferRect", [&]() -> Status {
    Queue *q;
    Buffer *b;
    WaitList wait;
    KILN_TRY(check::bufferCommand(queue, buffer, numWaits, waits, q, b, wait));
    const HostRect rect = KILN_TRY(checkHostRect(*b, bufferOrigin, hostOrigin, region, bufferRowPitch, bufferSlicePitch,
                                                 hostRowPitch, hostSlicePitch, host));
    KILN_TRY(check::hostMayRead(*b));
    return q->enqueue(ReadBuffer{b, rect.inBuffer, host, rect.inHost, rect.extent, CL_COMMAND_READ_BUFFER_RECT}, wait,
                      event, blocking);
  });
}

cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                            const size_t *bufferOrigin, const size_t *hostOrigin, const size_t *region,
                                            size_t bufferRowPitch, size_t bufferSlicePitch, size_t hostRowPitch,
                                            size_t hostSlicePitch, const void *host, cl_uint numWaits,
                                            const cl_event *waits, cl_event *event) {
  return enter("clEnqueueWriteBufferRect", [&]() -> Status {
    Queue *q;
    Buffer *b;
    WaitList wait;
    KILN_TRY(check::bufferCommand(queue, buffer, numWaits, waits, q, b, wait));
    const HostRect rect = KILN_TRY(checkHostRect(*b, bufferOrigin, hostOrigin, region, bufferRowPitch, bufferSlicePitch,
                                                 hostRowPitch, hostSlicePitch, host));
    KILN_TRY(check::hostMayWrite(*b));
    return q->enqueue(WriteBuffer{b, rect.inBuffer, host, rect.inHost, rect.extent, CL_COMMAND_WRITE_BUFFER_RECT}, wait,
                      event, blocking);
  });
}

Result<CopyBuffer> api::copyBuffer(const Queue &queue, cl_mem source, cl_mem destination, size_t sourceOffset,
                                   size_t destinationOffset, size_t size) {
  Buffer *src, *dst;
  KILN_TRY(check::bufferOn(queue, source, src));
  KILN_TRY(check::bufferOn(queue, destination, dst));
  KILN_TRY(check::range(*src, sourceOffset, size));
  KILN_TRY(check::range(*dst, destinationOffset, size));
  BoxLayout from = flat(sourceOffset, size), to = flat(destinationOffset, size);
  if (size)
    KILN_TRY(check::noOverlap(*src, from, *dst, to, flat(size)));
  return CopyBuffer{src, dst, from, to, flat(size)};
}

cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem source, cl_mem destination, size_t sourceOffset,
                                       size_t destinationOffset, size_t size, cl_uint numWaits, const cl_event *waits,
                                       cl_event *event) {
  return enter("clEnqueueCopyBuffer", [&]() -> Status {
    Queue *q;
    WaitList wait;
    KILN_TRY(check::command(queue, numWaits, waits, q, wait));
    return q->enqueue(KILN_TRY(copyBuffer(*q, source, destination, sourceOffset, destinationOffset, size)), wait,
                      event);
  });
}

Result<CopyBuffer> api::copyBufferRect(const Queue &queue, cl_mem source, cl_mem destination,
                                       const size_t *sourceOrigin, const size_t *destinationOrigin,
                                       const size_t *region, size_t sourceRowPitch, size_t sourceSlicePitch,
                                       size_t destinationRowPitch, size_t destinationSlicePitch) {
  Buffer *src, *dst;
  Extent extent;
  BoxLayout from, to;
  KILN_TRY(check::bufferOn(queue, source, src));
  KILN_TRY(check::bufferOn(queue, destination, dst));
  KILN_TRY(check::region(region, extent));
  KILN_TRY(check::pitches(sourceOrigin, extent, sourceRowPitch, sourceSlicePitch, from));
  KILN_TRY(check::pitches(destinationOrigin, extent, destinationRowPitch, destinationSlicePitch, to));
  KILN_TRY(check::boxInBuffer(*src, from, extent));
  KILN_TRY(check::boxInBuffer(*dst, to, extent));
  if (src == dst && (from.rowPitch != to.rowPitch || from.slicePitch != to.slicePitch))
    return fail(CL_INVALID_VALUE, "source and destination pitches differ, must be equal for copies in one buffer");
  KILN_TRY(check::noOverlap(*src, from, *dst, to, extent));
  return CopyBuffer{src, dst, from, to, extent, CL_COMMAND_COPY_BUFFER_RECT};
}

cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem source, cl_mem destination,
                                           const size_t *sourceOrigin, const size_t *destinationOrigin,
                                           const size_t *region, size_t sourceRowPitch, size_t sourceSlicePitch,
                                           size_t destinationRowPitch, size_t destinationSlicePitch, cl_uint numWaits,
                                           const cl_event *waits, cl_event *event) {
  return enter("clEnqueueCopyBufferRect", [&]() -> Status {
    Queue *q;
    WaitList wait;
    KILN_TRY(check::command(queue, numWaits, waits, q, wait));
    return q->enqueue(
        KILN_TRY(copyBufferRect(*q, source, destination, sourceOrigin, destinationOrigin, region, sourceRowPitch,
                                sourceSlicePitch, destinationRowPitch, destinationSlicePitch)),
        wait, event);
  });
}

Result<FillBuffer> api::fillBuffer(const Queue &queue, cl_mem buffer, const void *pattern, size_t patternSize,
                                   size_t offset, size_t size) {
  Buffer *b;
  KILN_TRY(check::bufferOn(queue, buffer, b));
  KILN_TRY(check::range(*b, offset, size));
  KILN_TRY(check::fillPattern(pattern, patternSize, offset, size));
  return FillBuffer{b, pattern, patternSize, offset, size};
}

cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t patternSize,
                                       size_t offset, size_t size, cl_uint numWaits, const cl_event *waits,
                                       cl_event *event) {
  return enter("clEnqueueFillBuffer", [&]() -> Status {
    Queue *q;
    WaitList wait;
    KILN_TRY(check::command(queue, numWaits, waits, q, wait));
    return q->enqueue(KILN_TRY(fillBuffer(*q, buffer, pattern, patternSize, offset, size)), wait, event);
  });
}

void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
                                     size_t offset, size_t size, cl_uint numWaits, const cl_event *waits,
                                     cl_event *event, cl_int *errcode) {
  const void *caller = __builtin_return_address(0);
  return create("clEnqueueMapBuffer", errcode, [&]() -> Result<void *> {
    Queue *q;
    Buffer *b;
    WaitList wait;
    KILN_TRY(check::bufferCommand(queue, buffer, numWaits, waits, q, b, wait));
    if (!size)
      return fail(CL_INVALID_VALUE, "size is 0");
    KILN_TRY(check::range(*b, offset, size));
    KILN_TRY(check::mapFlags(*b, flags));
    return q->enqueueMap(
        {.buffer = b, .flags = flags, .at = flat(offset, size), .extent = flat(size), .mappedAt = caller}, wait, event,
        blocking);
  });
}

cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem object, void *mapped, cl_uint numWaits,
                                           const cl_event *waits, cl_event *event) {
  return enter("clEnqueueUnmapMemObject", [&]() -> Status {
    WaitList wait;
    Queue *q = KILN_TRY(check::live<Queue>(queue));
    MemObject *found = KILN_TRY(check::object<MemObject>(object));
    KILN_TRY(check::sameContext(*q, *found));
    KILN_TRY(check::waitList(*q, numWaits, waits, wait));
    return q->enqueueUnmap(*found, mapped, wait, event);
  });
}

cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint numObjects, const cl_mem *objects,
                                              cl_mem_migration_flags flags, cl_uint numWaits, const cl_event *waits,
                                              cl_event *event) {
  return enter("clEnqueueMigrateMemObjects", [&]() -> Status {
    WaitList wait;
    Queue *q = KILN_TRY(check::live<Queue>(queue));
    if (!numObjects || !objects)
      return fail(CL_INVALID_VALUE, "num_mem_objects is 0 or mem_objects is null");
    Migrate migrate{{}, flags};
    for (cl_uint i = 0; i < numObjects; ++i) {
      MemObject *object = KILN_TRY(check::object<MemObject>(objects[i]));
      KILN_TRY(check::sameContext(*q, *object));
      migrate.objects.emplace_back(object);
    }
    KILN_TRY(check::waitList(*q, numWaits, waits, wait));
    KILN_TRY(check::migrationFlags(flags));
    return q->enqueue(std::move(migrate), wait, event);
  });
}
