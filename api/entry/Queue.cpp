// Chapter 5.1 and 5.15: command queues, flush and finish.
#include "api/entry/Entry.h"
#include "runtime/enqueue/ChildScheduler.h"

using namespace kiln;
using namespace kiln::api;

namespace {

/// The values of a property list.
struct QueueRequest {
  cl_command_queue_properties bits = 0;
  QueueHints hints;
  cl_uint size = 0; // 0: the device's default
};

/// The values of both kinds of hints: CL_QUEUE_PRIORITY_*_KHR and CL_QUEUE_THROTTLE_*_KHR.
Result<HintLevel> hint(cl_queue_properties value) {
  static_assert(CL_QUEUE_PRIORITY_HIGH_KHR == CL_QUEUE_THROTTLE_HIGH_KHR &&
                CL_QUEUE_PRIORITY_MED_KHR == CL_QUEUE_THROTTLE_MED_KHR &&
                CL_QUEUE_PRIORITY_LOW_KHR == CL_QUEUE_THROTTLE_LOW_KHR);
  switch (value) {
  case CL_QUEUE_PRIORITY_HIGH_KHR:
    return HintLevel::High;
  case CL_QUEUE_PRIORITY_MED_KHR:
    return HintLevel::Medium;
  case CL_QUEUE_PRIORITY_LOW_KHR:
    return HintLevel::Low;
  }
  return fail(CL_INVALID_VALUE, "hint is 0x", std::hex, value, ", must be high, medium or low");
}

/// CL_INVALID_VALUE for keys that are repeated or that the device does not support.
Result<QueueRequest> parseQueueProperties(const DeviceObject &device, const std::vector<cl_queue_properties> &list) {
  QueueRequest request;
  bool sized = false;
  for (size_t i = 0; i + 1 < list.size(); i += 2) {
    const cl_queue_properties key = list[i], value = list[i + 1];
    for (size_t other = 0; other < i; other += 2)
      if (list[other] == key)
        return fail(CL_INVALID_VALUE, "queue property 0x", std::hex, key, " is repeated");
    if (key == CL_QUEUE_PROPERTIES) {
      request.bits = value;
    } else if (key == CL_QUEUE_PRIORITY_KHR && device.hasExtension("cl_khr_priority_hints")) {
      request.hints.priority = KILN_TRY(hint(value));
    } else if (key == CL_QUEUE_THROTTLE_KHR && device.hasExtension("cl_khr_throttle_hints")) {
      request.hints.throttle = KILN_TRY(hint(value));
    } else if (key == CL_QUEUE_SIZE) {
      sized = true;
      if (!value || value > UINT32_MAX)
        return fail(CL_INVALID_VALUE, "CL_QUEUE_SIZE is ", value, ", must be in 1 to ", UINT32_MAX);
      request.size = cl_uint(value);
    } else {
      return fail(CL_INVALID_VALUE, "unknown queue property 0x", std::hex, key);
    }
  }
  if (sized && !(request.bits & CL_QUEUE_ON_DEVICE))
    return fail(CL_INVALID_VALUE, "CL_QUEUE_SIZE needs CL_QUEUE_ON_DEVICE");
  return request;
}

Status contextAndDevice(cl_context contextHandle, cl_device_id deviceHandle, Context *&context, DeviceObject *&device) {
  context = KILN_TRY(check::live<Context>(contextHandle));
  device = KILN_TRY(check::object<DeviceObject>(deviceHandle));
  return {};
}

Result<cl_uint> sizeOf(const Queue &) {
  return fail(CL_INVALID_COMMAND_QUEUE, "the queue is not a device queue and has no size");
}
Result<cl_uint> sizeOf(const DeviceQueue &queue) { return queue.size(); }

bool isOnDevice(cl_command_queue handle) { return check::object<DeviceQueue>(handle).ok(); }

template <typename AnyQueue>
Status writeQueueInfo(AnyQueue *queue, cl_command_queue_info param, size_t size, void *value, size_t *sizeRet) {
  InfoWriter writer(size, value, sizeRet);
  switch (param) {
#define KILN_QUEUE_QUERY(...) KILN_QUERY_CASE(__VA_ARGS__)
#include "api/spec/Queries.def"
  }
  return writer.unknownParam(param);
}

} // namespace

cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                                const cl_queue_properties *properties,
                                                                cl_int *errcode) {
  return create("clCreateCommandQueueWithProperties", errcode, [&]() -> Result<cl_command_queue> {
    Context *in;
    DeviceObject *on;
    KILN_TRY(contextAndDevice(context, device, in, on));
    std::vector<cl_queue_properties> list = check::propertyList(properties);
    QueueRequest request = KILN_TRY(parseQueueProperties(*on, list));
    if (request.bits & CL_QUEUE_ON_DEVICE)
      return KILN_TRY(DeviceQueue::create(*in, *on, request.bits, std::move(list), request.size)).handle();
    return KILN_TRY(Queue::create(*in, *on, request.bits, std::move(list), request.hints)).handle();
  });
}

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue_properties properties, cl_int *errcode) {
  return create("clCreateCommandQueue", errcode, [&]() -> Result<cl_command_queue> {
    if (properties & ~cl_command_queue_properties(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE))
      return fail(CL_INVALID_VALUE, "unknown queue properties 0x", std::hex, properties);
    Context *in;
    DeviceObject *on;
    KILN_TRY(contextAndDevice(context, device, in, on));
    return KILN_TRY(Queue::create(*in, *on, properties, {})).handle();
  });
}

cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue queue) {
  return enter("clRetainCommandQueue",
               [&] { return isOnDevice(queue) ? check::retain<DeviceQueue>(queue) : check::retain<Queue>(queue); });
}

cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue queue) {
  return enter("clReleaseCommandQueue",
               [&] { return isOnDevice(queue) ? check::release<DeviceQueue>(queue) : check::release<Queue>(queue); });
}

cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue handle, cl_command_queue_info param, size_t size, void *value,
                                         size_t *sizeRet) {
  return enter("clGetCommandQueueInfo", [&]() -> Status {
    if (Result<DeviceQueue *> queue = check::object<DeviceQueue>(handle); queue.ok())
      return writeQueueInfo(*queue, param, size, value, sizeRet);
    Queue *queue = KILN_TRY(check::object<Queue>(handle));
    return writeQueueInfo(queue, param, size, value, sizeRet);
  });
}

cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue handle, cl_command_queue_properties, cl_bool,
                                             cl_command_queue_properties *) {
  return enter("clSetCommandQueueProperty", [&]() -> Status {
    KILN_TRY(check::object<Queue>(handle));
    return fail(CL_INVALID_OPERATION, "properties of a queue cannot be changed since OpenCL 1.1");
  });
}

cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context contextHandle, cl_device_id deviceHandle,
                                                  cl_command_queue queueHandle) {
  return enter("clSetDefaultDeviceCommandQueue", [&]() -> Status {
    Context *context = KILN_TRY(check::live<Context>(contextHandle));
    DeviceObject *device = KILN_TRY(check::object<DeviceObject>(deviceHandle));
    if (context->indexOf(device) < 0)
      return fail(CL_INVALID_DEVICE, "the device is not in the context");
    if (!(device->info().deviceEnqueue & CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT))
      return fail(CL_INVALID_OPERATION, "the device does not support CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT");
    DeviceQueue *queue = KILN_TRY(check::object<DeviceQueue>(queueHandle));
    if (&queue->context() != context || &queue->device() != device)
      return fail(CL_INVALID_COMMAND_QUEUE, "the queue has another context or device");
    queue->deviceQueues().setDefault(*queue);
    return {};
  });
}

cl_int CL_API_CALL clFlush(cl_command_queue handle) {
  return enter("clFlush", [&]() -> Status {
    Queue *queue = KILN_TRY(check::object<Queue>(handle));
    queue->flush();
    return {};
  });
}

cl_int CL_API_CALL clFinish(cl_command_queue handle) {
  return enter("clFinish", [&]() -> Status {
    Queue *queue = KILN_TRY(check::object<Queue>(handle));
    queue->finish();
    return {};
  });
}
