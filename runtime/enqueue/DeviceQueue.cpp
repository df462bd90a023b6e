#include "runtime/enqueue/DeviceQueue.h"
#include "runtime/enqueue/ChildScheduler.h"

namespace kiln {

Result<Ref<DeviceQueue>> DeviceQueue::create(Context &context, DeviceObject &device,
                                             cl_command_queue_properties properties,
                                             std::vector<cl_queue_properties> list, cl_uint size) {
  if (context.indexOf(&device) < 0)
    return fail(CL_INVALID_DEVICE, "device ", device.info().name, " is not in the context");
  if (!(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
    return fail(CL_INVALID_VALUE, "a device queue needs CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE");
  if (properties & ~device.info().deviceQueueProperties &
      ~cl_command_queue_properties(CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT))
    return fail(CL_INVALID_VALUE, "queue properties 0x", std::hex, properties,
                " contain bits that a device queue does not have");
  if (!device.info().deviceEnqueue)
    return fail(CL_INVALID_QUEUE_PROPERTIES, "device ", device.info().name, " has no device queues");
  if (size > device.info().deviceQueueMaxSize)
    return fail(CL_INVALID_QUEUE_PROPERTIES, "CL_QUEUE_SIZE is ", size, "; device ", device.info().name,
                " has a limit of ", device.info().deviceQueueMaxSize);
  DeviceQueues &deviceQueues = ChildScheduler::of(context, device).queues();
  const bool isDefault = properties & CL_QUEUE_ON_DEVICE_DEFAULT;
  if (isDefault)
    if (Ref<DeviceQueue> known = deviceQueues.defaultQueue())
      return known;
  Ref<DeviceQueue> queue(new DeviceQueue(context, device, deviceQueues, properties, std::move(list),
                                         size ? size : device.info().deviceQueuePreferredSize));
  KILN_TRY(deviceQueues.add(*queue));
  if (isDefault)
    return deviceQueues.getOrSetDefault(*queue);
  return queue;
}

void DeviceQueue::lastHandleReleased() { deviceQueues_.clearDefault(*this); }

DeviceQueue::~DeviceQueue() { deviceQueues_.remove(*this); }

} // namespace kiln
