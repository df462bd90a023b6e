#include "runtime/queue/CommandBuffer.h"
#include "runtime/queue/InitFiniQueue.h"
#include <algorithm>

namespace kiln {
namespace {

/// CL_INVALID_VALUE for properties that are unknown, repeated or have unknown flags.
Status checkProperties(const std::vector<cl_command_buffer_properties_khr> &list) {
  for (size_t i = 0; i + 1 < list.size(); i += 2) {
    cl_bitfield known = 0;
    if (list[i] == CL_COMMAND_BUFFER_FLAGS_KHR)
      known = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR;
    else if (list[i] == CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR)
      known = CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;
    else
      return fail(CL_INVALID_VALUE, "unknown command buffer property 0x", std::hex, list[i]);
    for (size_t other = 0; other < i; other += 2)
      if (list[other] == list[i])
        return fail(CL_INVALID_VALUE, "command buffer property 0x", std::hex, list[i], " is repeated");
    if (list[i + 1] & ~known)
      return fail(CL_INVALID_VALUE, "command buffer property 0x", std::hex, list[i], " is 0x", list[i + 1],
                  ", must have bits of 0x", known);
  }
  return {};
}

/// A launch as it is kept: CL_INVALID_OPERATION if its kernel enqueues.
Result<NDRange> toRecord(HostLaunch launch, const DeviceObject &device) {
  const Kernel &kernel = *launch.kernel;
  if (kernel.info(device)->plan.enqueues)
    return fail(CL_INVALID_OPERATION, "kernel ", kernel.name(),
                " enqueues kernels: CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR is not supported");
  launch.leaveEpoch();
  return NDRange{std::move(launch)};
}

/// Returns true for a launch that lacks arguments.
bool isIncomplete(const RecordedCommand &command) {
  auto *range = std::get_if<NDRange>(&command);
  return range && !range->launch.kernel;
}

/// Copies a command for one execution on the device.
struct CopyCommand {
  const DeviceObject &device;
  RecordedCommand operator()(const NDRange &c) { return NDRange{c.launch.repeat(device)}; }
  RecordedCommand operator()(const auto &c) { return c; }
};

} // namespace

CommandBuffer::CommandBuffer(Queue &queue, std::vector<cl_command_buffer_properties_khr> list)
    : Object(Kind), queue_(&queue), list_(std::move(list)) {
  for (size_t i = 0; i + 1 < list_.size(); i += 2)
    if (list_[i] == CL_COMMAND_BUFFER_FLAGS_KHR)
      flags_ = list_[i + 1];
    else
      asserts_ = list_[i + 1] != 0;
}

Result<Ref<CommandBuffer>> CommandBuffer::create(Queue &queue, std::vector<cl_command_buffer_properties_khr> list) {
  KILN_TRY(checkProperties(list));
  return Ref<CommandBuffer>(new CommandBuffer(queue, std::move(list)));
}

cl_command_buffer_state_khr CommandBuffer::state() const {
  Lock lock(mutex_);
  if (!isFinalized_)
    return CL_COMMAND_BUFFER_STATE_RECORDING_KHR;
  return std::ranges::any_of(commands_, isIncomplete) ? CL_COMMAND_BUFFER_STATE_FINALIZED_KHR
                                                      : CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR;
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
  if (auto *range = std::get_if<NDRange>(&command))
    command = KILN_TRY(toRecord(std::move(range->launch), queue_->device()));
  Lock lock(mutex_);
  const cl_sync_point_khr made = KILN_TRY(nextSyncPoint());
  commands_.push_back(std::move(command));
  return lastSyncPoint_ = made;
}

Result<cl_sync_point_khr> CommandBuffer::record(Ref<MutableCommand> command, std::optional<HostLaunch> launch) {
  NDRange range;
  if (launch)
    range = KILN_TRY(toRecord(std::move(*launch), queue_->device()));
  Lock lock(mutex_);
  const cl_sync_point_khr made = KILN_TRY(nextSyncPoint());
  handles_.reserve(handles_.size() + 1);
  command->index = commands_.size();
  commands_.emplace_back(std::move(range));
  handles_.push_back(std::move(command));
  return lastSyncPoint_ = made;
}

Status CommandBuffer::update(std::vector<Update> updates) {
  std::vector<NDRange> ranges;
  for (Update &update : updates)
    ranges.push_back(update.launch ? KILN_TRY(toRecord(std::move(*update.launch), queue_->device())) : NDRange{});
  Lock lock(mutex_);
  if (!isFinalized_)
    return fail(CL_INVALID_OPERATION, "the command buffer is not finalized");
  for (size_t i = 0; i < updates.size(); ++i) {
    commands_[updates[i].command->index] = std::move(ranges[i]);
    updates[i].command->dispatch = std::move(updates[i].dispatch);
  }
  return {};
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
    if (std::ranges::any_of(commands_, isIncomplete))
      return fail(CL_INVALID_OPERATION, "a kernel of the command buffer lacks arguments");
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
  return queue.enqueue(std::move(copies), all, event);
}

} // namespace kiln
