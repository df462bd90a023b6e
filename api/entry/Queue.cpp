// Chapter 5.1 and 5.15: command queues, flush and finish.
#include "api/entry/Entry.h"

using namespace kiln;
using namespace kiln::api;

namespace {

/// The bits that a property list asks for. CL_INVALID_VALUE for keys that are unknown or named twice.
Result<cl_command_queue_properties> queueProperties(const std::vector<cl_queue_properties> &list) {
  std::optional<cl_command_queue_properties> bits;
  std::optional<cl_queue_properties> size;
  for (size_t i = 0; i + 1 < list.size(); i += 2) {
    bool again = false;
    if (list[i] == CL_QUEUE_PROPERTIES)
      again = std::exchange(bits, list[i + 1]).has_value();
    else if (list[i] == CL_QUEUE_SIZE)
      again = std::exchange(size, list[i + 1]).has_value();
    else
      return fail(CL_INVALID_VALUE, "unknown queue property ", list[i]);
    if (again)
      return fail(CL_INVALID_VALUE, "queue property ", list[i], " is named twice");
  }
  cl_command_queue_properties asked = bits.value_or(0);
  if (size && !(asked & CL_QUEUE_ON_DEVICE))
    return fail(CL_INVALID_VALUE, "CL_QUEUE_SIZE of a queue that is not on the device");
  return asked;
}

Result<cl_command_queue> createQueue(cl_context contextHandle, cl_device_id deviceHandle,
                                     cl_command_queue_properties bits, std::vector<cl_queue_properties> list) {
  Context *context;
  DeviceObject *device;
  KILN_TRY(check::object(contextHandle, context));
  KILN_TRY(check::object(deviceHandle, device));
  return KILN_TRY(Queue::create(*context, *device, bits, std::move(list))).handle();
}

/// CL_QUEUE_SIZE of a queue that is not on the device.
Result<cl_uint> notOnDevice() { return fail(CL_INVALID_COMMAND_QUEUE, "only queues on the device have a size"); }

} // namespace

cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                                const cl_queue_properties *properties,
                                                                cl_int *errcode) {
  return create("clCreateCommandQueueWithProperties", errcode, [&]() -> Result<cl_command_queue> {
    std::vector<cl_queue_properties> list = check::propertyList(properties);
    cl_command_queue_properties bits = KILN_TRY(queueProperties(list));
    return createQueue(context, device, bits, std::move(list));
  });
}

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue_properties properties, cl_int *errcode) {
  return create("clCreateCommandQueue", errcode, [&]() -> Result<cl_command_queue> {
    if (properties & ~cl_command_queue_properties(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE))
      return fail(CL_INVALID_VALUE, "unknown queue properties ", properties);
    return createQueue(context, device, properties, {});
  });
}

cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue queue) {
  return enter("clRetainCommandQueue", [&] { return check::retain<Queue>(queue); });
}

cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue queue) {
  return enter("clReleaseCommandQueue", [&] { return check::release<Queue>(queue); });
}

cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue handle, cl_command_queue_info param, size_t size, void *value,
                                         size_t *sizeRet) {
  return enter("clGetCommandQueueInfo", [&]() -> Status {
    Queue *queue;
    KILN_TRY(check::object(handle, queue));
    Answer answer(size, value, sizeRet);
    switch (param) {
#define KILN_QUEUE_QUERY(...) KILN_QUERY_CASE(__VA_ARGS__)
#include "api/spec/Queries.def"
    }
    return answer.unknown(param);
  });
}

cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue handle, cl_command_queue_properties, cl_bool,
                                             cl_command_queue_properties *) {
  return enter("clSetCommandQueueProperty", [&]() -> Status {
    Queue *queue;
    KILN_TRY(check::object(handle, queue));
    return fail(CL_INVALID_OPERATION, "since OpenCL 1.1 a queue keeps the properties that it was created with");
  });
}

cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context contextHandle, cl_device_id deviceHandle,
                                                  cl_command_queue queueHandle) {
  return enter("clSetDefaultDeviceCommandQueue", [&]() -> Status {
    Context *context;
    DeviceObject *device;
    Queue *queue;
    KILN_TRY(check::object(contextHandle, context));
    KILN_TRY(check::object(deviceHandle, device));
    if (context->indexOf(device) < 0)
      return fail(CL_INVALID_DEVICE, "the device is not in the context");
    if (!(device->info().deviceEnqueue & CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT))
      return fail(CL_INVALID_OPERATION, "the device has no default queue that could be replaced");
    KILN_TRY(check::object(queueHandle, queue));
    return fail(CL_INVALID_COMMAND_QUEUE, "the queue is not on the device");
  });
}

cl_int CL_API_CALL clFlush(cl_command_queue handle) {
  return enter("clFlush", [&]() -> Status {
    Queue *queue;
    KILN_TRY(check::object(handle, queue));
    queue->flush();
    return {};
  });
}

cl_int CL_API_CALL clFinish(cl_command_queue handle) {
  return enter("clFinish", [&]() -> Status {
    Queue *queue;
    KILN_TRY(check::object(handle, queue));
    queue->finish();
    return {};
  });
}
