#include "runtime/enqueue/DeviceQueue.h"
#include "runtime/enqueue/DeviceScheduler.h"

namespace kiln {

Result<Ref<DeviceQueue>> DeviceQueue::create(Context &context, DeviceObject &device,
                                             cl_command_queue_properties properties,
                                             std::vector<cl_queue_properties> list, cl_uint size) {
  if (context.indexOf(&device) < 0)
    return fail(CL_INVALID_DEVICE, "device ", device.info().name, " has no part in the context");
  if (!(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
    return fail(CL_INVALID_VALUE, "a queue on the device is out of order, and has to say so");
  if (properties & ~device.info().deviceQueueProperties &
      ~cl_command_queue_properties(CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT))
    return fail(CL_INVALID_VALUE, "queue properties 0x", std::hex, properties, " are none of a queue on the device");
  if (!device.info().deviceEnqueue)
    return fail(CL_INVALID_QUEUE_PROPERTIES, "device ", device.info().name, " has no queues of its own");
  if (size > device.info().deviceQueueMaxSize)
    return fail(CL_INVALID_QUEUE_PROPERTIES, "a queue of ", size, " bytes; device ", device.info().name,
                " has room for ", device.info().deviceQueueMaxSize);
  DeviceScheduler &scheduler = context.scheduler(device);
  const bool isDefault = properties & CL_QUEUE_ON_DEVICE_DEFAULT;
  if (isDefault)
    if (Ref<DeviceQueue> known = scheduler.defaultQueue())
      return known;
  Ref<DeviceQueue> queue(new DeviceQueue(context, device, scheduler, properties, std::move(list),
                                         size ? size : device.info().deviceQueuePreferredSize));
  KILN_TRY(scheduler.add(*queue));
  if (isDefault)
    return scheduler.getOrSetDefault(*queue);
  return queue;
}

void DeviceQueue::lastHandleReleased() { scheduler_.clearDefault(*this); }

DeviceQueue::~DeviceQueue() { scheduler_.remove(*this); }

} // namespace kiln
