// Chapters 5.2.1 and 5.5: buffers, sub-buffers, and calls on all memory objects.
#include "api/entry/Entry.h"

using namespace kiln;
using namespace kiln::api;

namespace {

bool usesSvmPointer(MemObject &object) {
  return object.type() == CL_MEM_OBJECT_BUFFER && static_cast<Buffer &>(object).usesSvmPointer();
}

Result<std::vector<cl_mem_device_address_ext>> deviceAddresses(MemObject &object) {
  if (object.type() != CL_MEM_OBJECT_BUFFER)
    return fail(CL_INVALID_OPERATION, "the memory object is not a buffer");
  return static_cast<Buffer &>(object).deviceAddresses();
}

} // namespace

cl_mem CL_API_CALL clCreateBuffer(cl_context handle, cl_mem_flags flags, size_t size, void *host, cl_int *errcode) {
  return createMemory("clCreateBuffer", errcode, [&]() -> Result<cl_mem> {
    Context *context = KILN_TRY(check::live<Context>(handle));
    return KILN_TRY(Buffer::create(*context, flags, size, host)).handle();
  });
}

cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context handle, const cl_mem_properties *properties,
                                                cl_mem_flags flags, size_t size, void *host, cl_int *errcode) {
  return createMemory("clCreateBufferWithProperties", errcode, [&]() -> Result<cl_mem> {
    Context *context = KILN_TRY(check::live<Context>(handle));
    return KILN_TRY(Buffer::create(*context, flags, size, host, check::propertyList(properties))).handle();
  });
}

cl_mem CL_API_CALL clCreateSubBuffer(cl_mem handle, cl_mem_flags flags, cl_buffer_create_type type, const void *info,
                                     cl_int *errcode) {
  return createMemory("clCreateSubBuffer", errcode, [&]() -> Result<cl_mem> {
    Buffer *parent = KILN_TRY(check::live<Buffer>(handle));
    if (type != CL_BUFFER_CREATE_TYPE_REGION)
      return fail(CL_INVALID_VALUE, "buffer_create_type is ", type, ", must be CL_BUFFER_CREATE_TYPE_REGION");
    if (!info)
      return fail(CL_INVALID_VALUE, "buffer_create_info is null");
    return KILN_TRY(Buffer::createSub(*parent, flags, *static_cast<const cl_buffer_region *>(info))).handle();
  });
}

cl_int CL_API_CALL clRetainMemObject(cl_mem object) {
  return enter("clRetainMemObject", [&] { return check::retain<MemObject>(object); });
}

cl_int CL_API_CALL clReleaseMemObject(cl_mem object) {
  return enter("clReleaseMemObject", [&] { return check::release<MemObject>(object); });
}

cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem handle, MemObject::DestructorCallback callback,
                                                    void *userData) {
  return enter("clSetMemObjectDestructorCallback", [&]() -> Status {
    MemObject *object = KILN_TRY(check::object<MemObject>(handle));
    if (!callback)
      return fail(CL_INVALID_VALUE, "the callback is null");
    object->addDestructorCallback(callback, userData);
    return {};
  });
}

cl_int CL_API_CALL clGetMemObjectInfo(cl_mem handle, cl_mem_info param, size_t size, void *value, size_t *sizeRet) {
  return enter("clGetMemObjectInfo", [&]() -> Status {
    MemObject *object = KILN_TRY(check::object<MemObject>(handle));
    InfoWriter writer(size, value, sizeRet);
    switch (param) {
#define KILN_MEM_QUERY(...) KILN_QUERY_CASE(__VA_ARGS__)
#include "api/spec/Queries.def"
    }
    return writer.unknownParam(param);
  });
}
