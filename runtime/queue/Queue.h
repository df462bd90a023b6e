// A command queue of the API. An enqueue creates a CommandNode and passes it to the queue's CommandScheduler. Queue.cpp
// has the object; CommandPath.cpp has enqueue, as the first step of a command.
#pragma once
#include "runtime/queue/CommandScheduler.h"
#include "runtime/queue/CommandTrace.h"

namespace kiln {

class Queue final : public _cl_command_queue, public Object {
public:
  static constexpr ObjectKind Kind = ObjectKind::Queue;

  /// `list` is the property list as given, with its terminator, or empty; `properties` are the bits in it.
  /// CL_INVALID_DEVICE, CL_INVALID_VALUE, CL_INVALID_QUEUE_PROPERTIES.
  static Result<Ref<Queue>> create(Context &context, DeviceObject &device, cl_command_queue_properties properties,
                                   std::vector<cl_queue_properties> list, QueueHints hints = {});
  ~Queue() override;

  Context &context() const { return *context_; }
  DeviceObject &device() const { return *device_; }
  cl_command_queue_properties properties() const { return properties_; }
  const std::vector<cl_queue_properties> &propertyList() const { return list_; }
  bool inOrder() const { return !(properties_ & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE); }
  bool profiling() const { return properties_ & CL_QUEUE_PROFILING_ENABLE; }
  CommandScheduler &scheduler() { return scheduler_; }
  QueueTrace &trace() const { return trace_; }

  /// Enqueues a command with the wait list `waits`. With `blocking`, returns when the command is complete, with its
  /// failure. `event` may be null; it is written after the last step that can fail.
  Status enqueue(Command command, const WaitList &waits, cl_event *event, bool blocking = false);
  /// For internal commands. The event may be waited for.
  Result<Ref<Event>> enqueueInternal(Command command, const WaitList &waits);
  /// clEnqueueMapBuffer and clEnqueueMapImage: the pointer is valid when the event is complete.
  Result<void *> enqueueMap(MapBuffer map, const WaitList &waits, cl_event *event, bool blocking);
  /// clEnqueueUnmapMemObject. CL_INVALID_VALUE if `pointer` is not a live map of the object.
  Status enqueueUnmap(MemObject &object, void *pointer, const WaitList &waits, cl_event *event);

  void flush() noexcept { scheduler_.flush(); }
  /// Waits until every command enqueued so far is complete.
  void finish();

private:
  Queue(Context &context, DeviceObject &device, cl_command_queue_properties properties,
        std::vector<cl_queue_properties> list, std::vector<std::unique_ptr<LockedStream>> streams);
  void lastHandleReleased() override { flush(); }

  /// The two halves of an enqueue. If only the first one is called, or the second one throws std::bad_alloc, no state
  /// has changed.
  Result<Ref<CommandNode>> createNode(Command &&command, const WaitList &waits);
  Status enqueueNode(CommandNode &node, const WaitList &waits, cl_event *event, bool blocking, bool isWaitable = false);

  const Ref<Context> context_;
  DeviceObject *const device_;
  const cl_command_queue_properties properties_;
  const std::vector<cl_queue_properties> list_;
  mutable QueueTrace trace_;
  CommandScheduler scheduler_;
};

} // namespace kiln
