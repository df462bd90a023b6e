// cl_khr_command_buffer, version 0.9.8: runtime/queue/CommandBuffer.h. MutableCommands.cpp has the updates. A
// clCommand*KHR entry checks what all of them share (`record`), and its command as the clEnqueue* call does
// (Commands.h).
#include "api/entry/Commands.h"
#include "api/entry/Entry.h"
#include "api/entry/PointerCommands.h"
#include "api/spec/CommandBufferEntries.h"

using namespace kiln;
using namespace kiln::api;

namespace {

/// The parameters that all clCommand*KHR entries have.
struct Recording {
  cl_command_buffer_khr buffer;
  cl_command_queue queue;
  const cl_command_properties_khr *properties;
  cl_uint numSyncPoints;
  const cl_sync_point_khr *syncPoints;
  cl_sync_point_khr *made;
  cl_mutable_command_khr *handle;
};

/// Checks the common parameters. CL_INVALID_COMMAND_BUFFER_KHR, CL_INVALID_COMMAND_QUEUE, CL_INVALID_OPERATION,
/// CL_INVALID_VALUE, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR.
Status checkRecording(const Recording &given, CommandBuffer *&buffer, bool isLaunch = false) {
  buffer = KILN_TRY(check::object<CommandBuffer>(given.buffer));
  if (given.queue)
    return fail(CL_INVALID_COMMAND_QUEUE,
                "command_queue is not null, must be null without cl_khr_command_buffer_multi_device");
  KILN_TRY(buffer->checkRecording());
  if (given.properties && *given.properties && !isLaunch)
    return fail(CL_INVALID_VALUE, "property 0x", std::hex, *given.properties, " is unknown");
  if (given.handle && !isLaunch)
    return fail(CL_INVALID_VALUE, "mutable_handle is not null, must be null for commands other than kernels");
  return buffer->checkSyncPoints(given.numSyncPoints, given.syncPoints);
}

/// The properties of a kernel command.
struct LaunchProperties {
  cl_mutable_dispatch_fields_khr fields = MutableCommand::Capabilities; // what updates may change
  bool maySetArgumentsLater = false, assertsWorkGroups = false;
};

/// Reads a property list, which may be null. Reads nothing after an invalid pair, since the list may lack its end.
/// CL_INVALID_VALUE for unknown or repeated properties, and for unknown bits.
Result<LaunchProperties> launchProperties(const cl_command_properties_khr *list) {
  LaunchProperties result;
  bool hasFields = false, hasAsserts = false;
  for (; list && *list; list += 2) {
    const cl_command_properties_khr name = list[0], value = list[1];
    if (name == CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR && !std::exchange(hasFields, true) &&
        !(value & ~MutableCommand::Capabilities)) {
      result.fields = value;
      result.maySetArgumentsLater = value & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR;
    } else if (name == CL_MUTABLE_DISPATCH_ASSERTS_KHR && !std::exchange(hasAsserts, true) &&
               !(value & ~cl_bitfield(CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR))) {
      result.assertsWorkGroups = value != 0;
    } else {
      return fail(CL_INVALID_VALUE, "property 0x", std::hex, name, " with value 0x", value, " is unknown or repeated");
    }
  }
  return result;
}

/// clCommandNDRangeKernelKHR
Status recordLaunch(const Recording &given, cl_kernel kernel, const LaunchSizes &sizes) {
  CommandBuffer *buffer;
  KILN_TRY(checkRecording(given, buffer, true));
  const LaunchProperties properties = KILN_TRY(launchProperties(given.properties));
  if ((properties.assertsWorkGroups || buffer->assertsWorkGroups()) && !sizes.localSize)
    return fail(CL_INVALID_VALUE, "local_work_size is null, must be given with "
                                  "CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR");
  std::optional<HostLaunch> launch;
  Result<HostLaunch> made = prepareLaunch(buffer->queue(), kernel, sizes);
  if (made.ok())
    launch = std::move(*made);
  else if (made.code() != CL_INVALID_KERNEL_ARGS || !given.handle || !properties.maySetArgumentsLater)
    return std::move(made).status();
  if (!given.handle) {
    const cl_sync_point_khr point = KILN_TRY(buffer->record(NDRange{std::move(*launch)}));
    if (given.made)
      *given.made = point;
    return {};
  }
  Kernel *recorded = KILN_TRY(check::object<Kernel>(kernel));
  Dispatch dispatch{.kernel = recorded->clone(), .workDim = sizes.workDim, .localSize = {}};
  if (sizes.localSize)
    std::copy_n(sizes.localSize, sizes.workDim, dispatch.localSize.emplace().begin());
  if (sizes.globalOffset)
    std::copy_n(sizes.globalOffset, sizes.workDim, dispatch.globalOffset.begin());
  if (sizes.globalSize)
    std::copy_n(sizes.globalSize, sizes.workDim, dispatch.globalSize.begin());
  Ref<MutableCommand> command(new MutableCommand(*buffer, *recorded, std::move(dispatch), properties.fields,
                                                 check::propertyList(given.properties)));
  const cl_sync_point_khr point = KILN_TRY(buffer->record(command, std::move(launch)));
  if (given.made)
    *given.made = point;
  *given.handle = command.get();
  return {};
}

/// Records the command that `check` returns for the buffer's queue.
template <typename Check> Status record(const Recording &given, Check check) {
  CommandBuffer *buffer;
  KILN_TRY(checkRecording(given, buffer));
  const cl_sync_point_khr made = KILN_TRY(buffer->record(KILN_TRY(check(buffer->queue()))));
  if (given.made)
    *given.made = made;
  return {};
}

} // namespace

extern "C" {

cl_command_buffer_khr CL_API_CALL clCreateCommandBufferKHR(cl_uint numQueues, const cl_command_queue *queues,
                                                           const cl_command_buffer_properties_khr *properties,
                                                           cl_int *errcode) {
  return create("clCreateCommandBufferKHR", errcode, [&]() -> Result<cl_command_buffer_khr> {
    if (numQueues != 1)
      return fail(CL_INVALID_VALUE, "num_queues is ", numQueues,
                  ", must be 1 without cl_khr_command_buffer_multi_device");
    if (!queues)
      return fail(CL_INVALID_VALUE, "queues is null");
    Queue *queue = KILN_TRY(check::live<Queue>(*queues));
    return KILN_TRY(CommandBuffer::create(*queue, check::propertyList(properties))).handle();
  });
}

cl_int CL_API_CALL clRetainCommandBufferKHR(cl_command_buffer_khr buffer) {
  return enter("clRetainCommandBufferKHR", [&] { return check::retain<CommandBuffer>(buffer); });
}

cl_int CL_API_CALL clReleaseCommandBufferKHR(cl_command_buffer_khr buffer) {
  return enter("clReleaseCommandBufferKHR", [&] { return check::release<CommandBuffer>(buffer); });
}

cl_int CL_API_CALL clFinalizeCommandBufferKHR(cl_command_buffer_khr handle) {
  return enter("clFinalizeCommandBufferKHR", [&]() -> Status {
    CommandBuffer *buffer = KILN_TRY(check::object<CommandBuffer>(handle));
    return buffer->finalize();
  });
}

cl_int CL_API_CALL clEnqueueCommandBufferKHR(cl_uint numQueues, cl_command_queue *queues, cl_command_buffer_khr handle,
                                             cl_uint numWaits, const cl_event *waits, cl_event *event) {
  return enter("clEnqueueCommandBufferKHR", [&]() -> Status {
    CommandBuffer *buffer = KILN_TRY(check::live<CommandBuffer>(handle));
    if ((numQueues == 0) != (queues == nullptr) || numQueues > 1)
      return fail(CL_INVALID_VALUE, "num_queues is ", numQueues, " and queues ", queues ? "not null" : "null",
                  ", must be 0 and null, or 1 and not null");
    Queue *queue = &buffer->queue();
    if (queues)
      queue = KILN_TRY(check::object<Queue>(*queues));
    WaitList wait;
    KILN_TRY(check::waitList(buffer->queue(), numWaits, waits, wait));
    return buffer->enqueue(*queue, wait, event);
  });
}

cl_int CL_API_CALL clCommandBarrierWithWaitListKHR(cl_command_buffer_khr handle, cl_command_queue queue,
                                                   const cl_command_properties_khr *properties, cl_uint numSyncPoints,
                                                   const cl_sync_point_khr *syncPoints, cl_sync_point_khr *made,
                                                   cl_mutable_command_khr *mutableHandle) {
  return enter("clCommandBarrierWithWaitListKHR", [&]() -> Status {
    CommandBuffer *buffer;
    KILN_TRY(checkRecording({handle, queue, properties, numSyncPoints, syncPoints, made, mutableHandle}, buffer));
    const cl_sync_point_khr barrier = KILN_TRY(buffer->recordBarrier());
    if (made)
      *made = barrier;
    return {};
  });
}

cl_int CL_API_CALL clCommandCopyBufferKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                          const cl_command_properties_khr *properties, cl_mem source,
                                          cl_mem destination, size_t sourceOffset, size_t destinationOffset,
                                          size_t size, cl_uint numSyncPoints, const cl_sync_point_khr *syncPoints,
                                          cl_sync_point_khr *made, cl_mutable_command_khr *handle) {
  return enter("clCommandCopyBufferKHR", [&] {
    return record({buffer, queue, properties, numSyncPoints, syncPoints, made, handle}, [&](const Queue &on) {
      return copyBuffer(on, source, destination, sourceOffset, destinationOffset, size);
    });
  });
}

cl_int CL_API_CALL clCommandCopyBufferRectKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                              const cl_command_properties_khr *properties, cl_mem source,
                                              cl_mem destination, const size_t *sourceOrigin,
                                              const size_t *destinationOrigin, const size_t *region,
                                              size_t sourceRowPitch, size_t sourceSlicePitch,
                                              size_t destinationRowPitch, size_t destinationSlicePitch,
                                              cl_uint numSyncPoints, const cl_sync_point_khr *syncPoints,
                                              cl_sync_point_khr *made, cl_mutable_command_khr *handle) {
  return enter("clCommandCopyBufferRectKHR", [&] {
    return record({buffer, queue, properties, numSyncPoints, syncPoints, made, handle}, [&](const Queue &on) {
      return copyBufferRect(on, source, destination, sourceOrigin, destinationOrigin, region, sourceRowPitch,
                            sourceSlicePitch, destinationRowPitch, destinationSlicePitch);
    });
  });
}

cl_int CL_API_CALL clCommandCopyBufferToImageKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                                 const cl_command_properties_khr *properties, cl_mem source,
                                                 cl_mem destination, size_t offset, const size_t *origin,
                                                 const size_t *region, cl_uint numSyncPoints,
                                                 const cl_sync_point_khr *syncPoints, cl_sync_point_khr *made,
                                                 cl_mutable_command_khr *handle) {
  return enter("clCommandCopyBufferToImageKHR", [&] {
    return record({buffer, queue, properties, numSyncPoints, syncPoints, made, handle},
                  [&](const Queue &on) { return copyBufferToImage(on, source, destination, offset, origin, region); });
  });
}

cl_int CL_API_CALL clCommandCopyImageKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                         const cl_command_properties_khr *properties, cl_mem source, cl_mem destination,
                                         const size_t *sourceOrigin, const size_t *destinationOrigin,
                                         const size_t *region, cl_uint numSyncPoints,
                                         const cl_sync_point_khr *syncPoints, cl_sync_point_khr *made,
                                         cl_mutable_command_khr *handle) {
  return enter("clCommandCopyImageKHR", [&] {
    return record({buffer, queue, properties, numSyncPoints, syncPoints, made, handle}, [&](const Queue &on) {
      return copyImage(on, source, destination, sourceOrigin, destinationOrigin, region);
    });
  });
}

cl_int CL_API_CALL clCommandCopyImageToBufferKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                                 const cl_command_properties_khr *properties, cl_mem source,
                                                 cl_mem destination, const size_t *origin, const size_t *region,
                                                 size_t offset, cl_uint numSyncPoints,
                                                 const cl_sync_point_khr *syncPoints, cl_sync_point_khr *made,
                                                 cl_mutable_command_khr *handle) {
  return enter("clCommandCopyImageToBufferKHR", [&] {
    return record({buffer, queue, properties, numSyncPoints, syncPoints, made, handle},
                  [&](const Queue &on) { return copyImageToBuffer(on, source, destination, origin, region, offset); });
  });
}

cl_int CL_API_CALL clCommandFillBufferKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                          const cl_command_properties_khr *properties, cl_mem filled,
                                          const void *pattern, size_t patternSize, size_t offset, size_t size,
                                          cl_uint numSyncPoints, const cl_sync_point_khr *syncPoints,
                                          cl_sync_point_khr *made, cl_mutable_command_khr *handle) {
  return enter("clCommandFillBufferKHR", [&] {
    return record({buffer, queue, properties, numSyncPoints, syncPoints, made, handle},
                  [&](const Queue &on) { return fillBuffer(on, filled, pattern, patternSize, offset, size); });
  });
}

cl_int CL_API_CALL clCommandFillImageKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                         const cl_command_properties_khr *properties, cl_mem image, const void *color,
                                         const size_t *origin, const size_t *region, cl_uint numSyncPoints,
                                         const cl_sync_point_khr *syncPoints, cl_sync_point_khr *made,
                                         cl_mutable_command_khr *handle) {
  return enter("clCommandFillImageKHR", [&] {
    return record({buffer, queue, properties, numSyncPoints, syncPoints, made, handle},
                  [&](const Queue &on) { return fillImage(on, image, color, origin, region); });
  });
}

cl_int CL_API_CALL clCommandNDRangeKernelKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                             const cl_command_properties_khr *properties, cl_kernel kernel,
                                             cl_uint workDim, const size_t *globalOffset, const size_t *globalSize,
                                             const size_t *localSize, cl_uint numSyncPoints,
                                             const cl_sync_point_khr *syncPoints, cl_sync_point_khr *made,
                                             cl_mutable_command_khr *handle) {
  return enter("clCommandNDRangeKernelKHR", [&] {
    return recordLaunch({buffer, queue, properties, numSyncPoints, syncPoints, made, handle}, kernel,
                        {workDim, globalOffset, globalSize, localSize});
  });
}

cl_int CL_API_CALL clCommandSVMMemcpyKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                         const cl_command_properties_khr *properties, void *to, const void *from,
                                         size_t size, cl_uint numSyncPoints, const cl_sync_point_khr *syncPoints,
                                         cl_sync_point_khr *made, cl_mutable_command_khr *handle) {
  return enter("clCommandSVMMemcpyKHR", [&] {
    return record({buffer, queue, properties, numSyncPoints, syncPoints, made, handle},
                  [&](const Queue &on) -> Result<CopyMemory> {
                    KILN_TRY(check::svmSupported(on));
                    return copyMemory(on, to, from, size, CL_COMMAND_SVM_MEMCPY);
                  });
  });
}

cl_int CL_API_CALL clCommandSVMMemFillKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                          const cl_command_properties_khr *properties, void *to, const void *pattern,
                                          size_t patternSize, size_t size, cl_uint numSyncPoints,
                                          const cl_sync_point_khr *syncPoints, cl_sync_point_khr *made,
                                          cl_mutable_command_khr *handle) {
  return enter("clCommandSVMMemFillKHR", [&] {
    return record({buffer, queue, properties, numSyncPoints, syncPoints, made, handle},
                  [&](const Queue &on) -> Result<FillMemory> {
                    KILN_TRY(check::svmSupported(on));
                    return fillMemory(on, to, pattern, patternSize, size, CL_COMMAND_SVM_MEMFILL);
                  });
  });
}

cl_int CL_API_CALL clGetCommandBufferInfoKHR(cl_command_buffer_khr handle, cl_command_buffer_info_khr param,
                                             size_t size, void *value, size_t *sizeRet) {
  return enter("clGetCommandBufferInfoKHR", [&]() -> Status {
    CommandBuffer *buffer = KILN_TRY(check::object<CommandBuffer>(handle));
    InfoWriter writer(size, value, sizeRet);
    switch (param) {
#define KILN_COMMAND_BUFFER_QUERY(...) KILN_QUERY_CASE(__VA_ARGS__)
#include "api/spec/Queries.def"
    }
    return writer.unknownParam(param);
  });
}

} // extern "C"
