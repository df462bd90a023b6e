// Chapter 4.4: contexts.
#include "api/entry/Entry.h"

using namespace kiln;
using namespace kiln::api;

cl_context CL_API_CALL clCreateContext(const cl_context_properties *properties, cl_uint numDevices,
                                       const cl_device_id *deviceList, Context::Notify notify, void *userData,
                                       cl_int *errcode) {
  return create("clCreateContext", errcode, [&]() -> Result<cl_context> {
    KILN_TRY(check::callback(notify, userData));
    if (!numDevices || !deviceList)
      return fail(CL_INVALID_VALUE, "num_devices is 0 or devices is null");
    std::vector<DeviceObject *> devices(numDevices);
    for (cl_uint i = 0; i < numDevices; ++i)
      devices[i] = KILN_TRY(check::object<DeviceObject>(deviceList[i]));
    return KILN_TRY(Context::create(check::propertyList(properties), devices, notify, userData)).handle();
  });
}

cl_context CL_API_CALL clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                                               Context::Notify notify, void *userData, cl_int *errcode) {
  return create("clCreateContextFromType", errcode, [&]() -> Result<cl_context> {
    check::kilnPlatform();
    KILN_TRY(check::callback(notify, userData));
    return KILN_TRY(Context::create(check::propertyList(properties), type, notify, userData)).handle();
  });
}

cl_int CL_API_CALL clRetainContext(cl_context context) {
  return enter("clRetainContext", [&] { return check::retain<Context>(context); });
}

cl_int CL_API_CALL clReleaseContext(cl_context context) {
  return enter("clReleaseContext", [&] { return check::release<Context>(context); });
}

cl_int CL_API_CALL clGetContextInfo(cl_context handle, cl_context_info param, size_t size, void *value,
                                    size_t *sizeRet) {
  return enter("clGetContextInfo", [&]() -> Status {
    Context *context = KILN_TRY(check::object<Context>(handle));
    InfoWriter writer(size, value, sizeRet);
    switch (param) {
#define KILN_CONTEXT_QUERY(...) KILN_QUERY_CASE(__VA_ARGS__)
#include "api/spec/Queries.def"
    }
    return writer.unknownParam(param);
  });
}

cl_int CL_API_CALL clSetContextDestructorCallback(cl_context handle, Context::DestructorCallback callback,
                                                  void *userData) {
  return enter("clSetContextDestructorCallback", [&]() -> Status {
    Context *context = KILN_TRY(check::live<Context>(handle));
    if (!callback)
      return fail(CL_INVALID_VALUE, "the callback is null");
    context->addDestructorCallback(callback, userData);
    return {};
  });
}

cl_int CL_API_CALL clTerminateContextKHR(cl_context handle) {
  return enter("clTerminateContextKHR", [&]() -> Status {
    Context *context = KILN_TRY(check::object<Context>(handle));
    return context->terminate();
  });
}
