// A command buffer of cl_khr_command_buffer, version 0.9.8: commands that are checked when they are recorded, and then
// executed any number of times.
//
//   record     clCommand*KHR checks a command like its clEnqueue* call; a kernel's arguments are those of this time
//   finalize   no more commands
//   enqueue    copies the commands into one command of a queue (RecordedCommands): one event, one place in the order
//   update     replaces kernel launches (MutableCommand.h); executions that were enqueued before keep theirs
//
// A stream runs the commands of an execution one after another, in the order of their recording. A synchronization
// point names an earlier command, so this order keeps every dependency. So synchronization points and barriers are
// checked and then dropped. An execution has its own copies, and executions may overlap ("simultaneous use").
//
// Not supported: kernels that enqueue, because their children start only after the stream has run the command.
#pragma once
#include "runtime/queue/MutableCommand.h"
#include "runtime/queue/Queue.h"

namespace kiln {

class CommandBuffer final : public _cl_command_buffer_khr, public Object {
public:
  static constexpr ObjectKind Kind = ObjectKind::CommandBuffer;
  /// CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR
  static constexpr cl_device_command_buffer_capabilities_khr Capabilities =
      CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR;

  /// `list` is the property list as given, with its terminator, or empty. CL_INVALID_VALUE.
  static Result<Ref<CommandBuffer>> create(Queue &queue, std::vector<cl_command_buffer_properties_khr> list);

  Queue &queue() const { return *queue_; }
  Context &context() const { return queue_->context(); }
  const std::vector<cl_command_buffer_properties_khr> &propertyList() const { return list_; }
  cl_command_buffer_state_khr state() const KILN_EXCLUDES(mutex_);
  /// Created with CL_COMMAND_BUFFER_MUTABLE_KHR.
  bool isMutable() const { return flags_ & CL_COMMAND_BUFFER_MUTABLE_KHR; }
  /// Created with CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR: local sizes must be given.
  bool assertsWorkGroups() const { return asserts_; }

  /// CL_INVALID_OPERATION if the buffer is finalized.
  Status checkRecording() const KILN_EXCLUDES(mutex_);
  /// CL_INVALID_SYNC_POINT_WAIT_LIST_KHR
  Status checkSyncPoints(cl_uint count, const cl_sync_point_khr *syncPoints) const KILN_EXCLUDES(mutex_);
  /// Appends a checked command. Returns its synchronization point, which is not 0. CL_INVALID_OPERATION if the buffer
  /// is finalized, or the command is a launch of a kernel that enqueues.
  Result<cl_sync_point_khr> record(RecordedCommand command) KILN_EXCLUDES(mutex_);
  /// The same for a launch with a handle. `launch` is null if arguments are missing; an update adds it.
  Result<cl_sync_point_khr> record(Ref<MutableCommand> command, std::optional<HostLaunch> launch) KILN_EXCLUDES(mutex_);
  /// Appends a barrier.
  Result<cl_sync_point_khr> recordBarrier() KILN_EXCLUDES(mutex_);

  /// clFinalizeCommandBufferKHR: CL_INVALID_OPERATION.
  Status finalize() KILN_EXCLUDES(mutex_);
  /// A new state of a command of this buffer, and its launch.
  struct Update {
    MutableCommand *command;
    Dispatch dispatch;
    std::optional<HostLaunch> launch; // null if arguments are missing
  };
  /// clUpdateMutableCommandsKHR. CL_INVALID_OPERATION if the buffer is not finalized, or a kernel enqueues; then no
  /// command has changed.
  Status update(std::vector<Update> updates) KILN_EXCLUDES(mutex_);
  /// Enqueues the commands to `queue`, which may be another queue of the same context and device. Else
  /// CL_INVALID_CONTEXT, CL_INVALID_DEVICE. CL_INVALID_OPERATION if the buffer is not finalized, or
  /// arguments of a kernel are missing.
  Status enqueue(Queue &queue, const WaitList &waits, cl_event *event) KILN_EXCLUDES(mutex_);

private:
  CommandBuffer(Queue &queue, std::vector<cl_command_buffer_properties_khr> list);
  Status checkRecordingLocked() const KILN_REQUIRES(mutex_);
  /// The synchronization point of the next command. CL_OUT_OF_RESOURCES.
  Result<cl_sync_point_khr> nextSyncPoint() KILN_REQUIRES(mutex_);
  /// Copies of the commands for one execution. Adds the last initializers of the kernels' programs to `waits`.
  Result<RecordedCommands> copyCommands(WaitList &waits) KILN_EXCLUDES(mutex_);

  const Ref<Queue> queue_;
  const std::vector<cl_command_buffer_properties_khr> list_;
  cl_command_buffer_flags_khr flags_ = 0;
  bool asserts_ = false;

  mutable Mutex mutex_;
  bool isFinalized_ KILN_GUARDED_BY(mutex_) = false;
  cl_sync_point_khr lastSyncPoint_ KILN_GUARDED_BY(mutex_) = 0; // that is, the number of commands and barriers
  std::vector<RecordedCommand> commands_ KILN_GUARDED_BY(mutex_);
  std::vector<Ref<MutableCommand>> handles_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln
