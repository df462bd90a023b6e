#include "runtime/queue/CommandBuffer.h"
#include "runtime/queue/InitFiniQueue.h"
#include <algorithm>

namespace kiln {
namespace {

/// CL_INVALID_VALUE for properties that are unknown, repeated or have unknown flags.
Status checkProperties(const std::vector<cl_command_buffer_properties_khr> &list) {
  for (size_t i = 0; i + 1 < list.size(); i += 2) {
    if (list[i] != CL_COMMAND_BUFFER_FLAGS_KHR)
      return fail(CL_INVALID_VALUE, "property 0x", std::hex, list[i], " is not CL_COMMAND_BUFFER_FLAGS_KHR");
    if (i)
      return fail(CL_INVALID_VALUE, "property CL_COMMAND_BUFFER_FLAGS_KHR is repeated");
    if (list[i + 1] & ~cl_command_buffer_flags_khr(CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR))
      return fail(CL_INVALID_VALUE, "CL_COMMAND_BUFFER_FLAGS_KHR is 0x", std::hex, list[i + 1],
                  ", must be 0 or CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR");
  }
  return {};
}

/// Copies a command for one execution on the device.
struct CopyCommand {
  const DeviceObject &device;
  RecordedCommand operator()(const NDRange &c) { return NDRange{c.launch.repeat(device)}; }
  RecordedCommand operator()(const auto &c) { return c; }
};

} // namespace

Result<Ref<CommandBuffer>> CommandBuffer::create(Queue &queue, std::vector<cl_command_buffer_properties_khr> list) {
  KILN_TRY(checkProperties(list));
  return Ref<CommandBuffer>(new CommandBuffer(queue, std::move(list)));
}

cl_command_buffer_state_khr CommandBuffer::state() const {
  Lock lock(mutex_);
  return isFinalized_ ? CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR : CL_COMMAND_BUFFER_STATE_RECORDING_KHR;
}

Status CommandBuffer::checkRecordingLocked() const {
  if (isFinalized_)
    return fail(CL_INVALID_OPERATION, "the command buffer is finalized");
  return {};
}

Status CommandBuffer::checkRecording() const {
  Lock lock(mutex_);
  return checkRecordingLocked();
}

Status CommandBuffer::checkSyncPoints(cl_uint count, const cl_sync_point_khr *syncPoints) const {
  if ((count == 0) != (syncPoints == nullptr))
    return fail(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, "num_sync_points_in_wait_list is ", count,
                ", sync_point_wait_list is ", syncPoints ? "not null" : "null");
  Lock lock(mutex_);
  for (cl_uint i = 0; i < count; ++i)
    if (!syncPoints[i] || syncPoints[i] > lastSyncPoint_)
      return fail(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, "sync_point_wait_list[", i, "] is ", syncPoints[i],
                  ", must be of a command of this command buffer");
  return {};
}

Result<cl_sync_point_khr> CommandBuffer::nextSyncPoint() {
  KILN_TRY(checkRecordingLocked());
  if (lastSyncPoint_ == CL_UINT_MAX)
    return fail(CL_OUT_OF_RESOURCES, "the command buffer has ", lastSyncPoint_, " commands, the maximum");
  return lastSyncPoint_ + 1;
}

Result<cl_sync_point_khr> CommandBuffer::record(RecordedCommand command) {
  if (auto *range = std::get_if<NDRange>(&command)) {
    const Kernel &kernel = *range->launch.kernel;
    if (kernel.info(queue_->device())->plan.enqueues)
      return fail(CL_INVALID_OPERATION, "kernel ", kernel.name(),
                  " enqueues kernels: CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR is not supported");
    range->launch.leaveEpoch();
  }
  Lock lock(mutex_);
  const cl_sync_point_khr made = KILN_TRY(nextSyncPoint());
  commands_.push_back(std::move(command));
  return lastSyncPoint_ = made;
}

Result<cl_sync_point_khr> CommandBuffer::recordBarrier() {
  Lock lock(mutex_);
  return lastSyncPoint_ = KILN_TRY(nextSyncPoint());
}

Status CommandBuffer::finalize() {
  Lock lock(mutex_);
  KILN_TRY(checkRecordingLocked());
  isFinalized_ = true;
  return {};
}

Result<RecordedCommands> CommandBuffer::copyCommands(WaitList &waits) {
  RecordedCommands copies;
  std::vector<std::shared_ptr<const DeviceProgram>> initialised;
  {
    Lock lock(mutex_);
    if (!isFinalized_)
      return fail(CL_INVALID_OPERATION, "the command buffer is not finalized");
    copies.commands.reserve(commands_.size());
    for (const RecordedCommand &command : commands_) {
      copies.commands.push_back(std::visit(CopyCommand{queue_->device()}, command));
      if (auto *range = std::get_if<NDRange>(&command); range && range->launch.initialised)
        initialised.push_back(range->launch.initialised);
    }
  }
  for (const std::shared_ptr<const DeviceProgram> &program : initialised)
    if (Ref<Event> last = KILN_TRY(InitFiniQueue::enqueueInitializers(program, context(), queue_->device())))
      if (std::ranges::find(waits, last) == waits.end())
        waits.push_back(std::move(last));
  return copies;
}

Status CommandBuffer::enqueue(Queue &queue, const WaitList &waits, cl_event *event) {
  if (&queue.context() != &context())
    return fail(CL_INVALID_CONTEXT, "the queue and the command buffer have different contexts");
  if (&queue.device() != &queue_->device())
    return fail(CL_INVALID_DEVICE, "the queue and the command buffer have different devices");
  WaitList all = waits;
  RecordedCommands copies = KILN_TRY(copyCommands(all));
  return queue.enqueue(RareCommand{std::move(copies)}, all, event);
}

} // namespace kiln
