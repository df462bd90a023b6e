#include "runtime/queue/Queue.h"
#include "base/support/Trace.h"

namespace kiln {

Result<Ref<Queue>> Queue::create(Context &context, DeviceObject &device, cl_command_queue_properties properties,
                                 std::vector<cl_queue_properties> list, QueueHints hints) {
  if (context.indexOf(&device) < 0)
    return fail(CL_INVALID_DEVICE, "device ", device.info().name, " is not in the context");
  if (properties & ~cl_command_queue_properties(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE))
    return fail(CL_INVALID_VALUE, "queue properties 0x", std::hex, properties,
                " contain bits that a host queue does not have");
  if (properties & ~device.info().hostQueueProperties)
    return fail(CL_INVALID_QUEUE_PROPERTIES, "queue properties 0x", std::hex, properties,
                " contain bits that the device does not support");
  const bool ordered = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  auto streams = KILN_TRY(CommandScheduler::createStreams(device, ordered, hints));
  return Ref<Queue>(new Queue(context, device, properties, std::move(list), std::move(streams)));
}

Queue::Queue(Context &context, DeviceObject &device, cl_command_queue_properties properties,
             std::vector<cl_queue_properties> list, std::vector<std::unique_ptr<LockedStream>> streams)
    : Object(Kind), context_(&context), device_(&device), properties_(properties), list_(std::move(list)),
      scheduler_(*this, inOrder(), std::move(streams)) {
  context.addQueue(*this, [](Object &queue) { static_cast<Queue &>(queue).flush(); });
}

Queue::~Queue() { context_->removeQueue(*this); }

void Queue::finish() {
  scheduler_.finish();
  if (inOrder() && kiln::trace::enabled()) // the other kind has waited for an event
    kiln::trace::ignoringBadAlloc([&] { kiln::trace::awaited(*this); });
}

Result<void *> Queue::enqueueMap(MapBuffer map, const WaitList &waits, cl_event *event, bool blocking) {
  MemObject &object = *map.buffer.object();
  Buffer &buffer = object.storage();
  const cl_map_flags flags = map.flags;
  const BoxLayout at = map.at;
  const Extent extent = map.extent;
  Ref<CommandNode> node = KILN_TRY(createNode(std::move(map), waits));
  void *pointer = KILN_TRY(buffer.beginMap(object, flags, at, extent));
  node->command.as<MapBuffer>()->pointer = pointer;
  try {
    KILN_TRY(enqueueNode(*node, waits, event, blocking)); // a command that fails ends the map itself
  } catch (...) {
    buffer.endMap(object, pointer);
    throw;
  }
  return pointer;
}

Status Queue::enqueueUnmap(MemObject &object, void *pointer, const WaitList &waits, cl_event *event) {
  if (object.type() == CL_MEM_OBJECT_PIPE)
    return fail(CL_INVALID_MEM_OBJECT, "memobj is a pipe, which cannot be mapped");
  Buffer &buffer = object.storage();
  std::list<Buffer::Map> map = buffer.endMap(object, pointer);
  if (map.empty())
    return fail(CL_INVALID_VALUE, "mapped_ptr ", pointer, " is not a live map of the object");
  try {
    Result<Ref<CommandNode>> node = createNode(UnmapMem{&object, map.front()}, waits);
    if (node.ok())
      return enqueueNode(**node, waits, event, false);
    buffer.restoreMap(std::move(map));
    return std::move(node).status();
  } catch (...) {
    buffer.restoreMap(std::move(map));
    throw;
  }
}

} // namespace kiln
