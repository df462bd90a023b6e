// Chapters 5.3 and 5.7: images and samplers. No device has them; creating one says so, and no handle is one.
#include "api/check/Absent.h"
#include "api/entry/Entry.h"

using namespace kiln;
using namespace kiln::api;

namespace {

Result<cl_mem> noImage(cl_context context) {
  KILN_TRY(check::images(context));
  return cl_mem(nullptr);
}
Result<cl_sampler> noSampler(cl_context context) {
  KILN_TRY(check::images(context));
  return cl_sampler(nullptr);
}

} // namespace

cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags, const cl_image_format *, const cl_image_desc *,
                                 void *, cl_int *errcode) {
  return create("clCreateImage", errcode, [&] { return noImage(context); });
}

cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context, const cl_mem_properties *, cl_mem_flags,
                                               const cl_image_format *, const cl_image_desc *, void *,
                                               cl_int *errcode) {
  return create("clCreateImageWithProperties", errcode, [&] { return noImage(context); });
}

cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags, const cl_image_format *, size_t, size_t, size_t,
                                   void *, cl_int *errcode) {
  return create("clCreateImage2D", errcode, [&] { return noImage(context); });
}

cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags, const cl_image_format *, size_t, size_t, size_t,
                                   size_t, size_t, void *, cl_int *errcode) {
  return create("clCreateImage3D", errcode, [&] { return noImage(context); });
}

cl_int CL_API_CALL clGetSupportedImageFormats(cl_context handle, cl_mem_flags flags, cl_mem_object_type type,
                                              cl_uint numEntries, cl_image_format *formats, cl_uint *numFormats) {
  return enter("clGetSupportedImageFormats", [&]() -> Status {
    Context *context;
    KILN_TRY(check::object(handle, context));
    constexpr cl_mem_flags Access = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
    constexpr cl_mem_flags Known = Access | CL_MEM_KERNEL_READ_AND_WRITE | CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR |
                                   CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY |
                                   CL_MEM_HOST_NO_ACCESS;
    if ((flags & ~Known) || __builtin_popcountll(flags & Access) > 1)
      return fail(CL_INVALID_VALUE, "image flags ", flags);
    if (type < CL_MEM_OBJECT_IMAGE2D || type > CL_MEM_OBJECT_IMAGE1D_BUFFER)
      return fail(CL_INVALID_VALUE, "unknown image type ", type);
    if (formats && !numEntries)
      return fail(CL_INVALID_VALUE, "room for 0 formats in a list that is not null");
    if (numFormats)
      *numFormats = 0;
    return {};
  });
}

cl_int CL_API_CALL clGetImageInfo(cl_mem image, cl_image_info, size_t, void *, size_t *) {
  return enter("clGetImageInfo", [&] { return check::memObjectOfKind(image, "image"); });
}

cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem, cl_bool, const size_t *, const size_t *, size_t,
                                      size_t, void *, cl_uint, const cl_event *, cl_event *) {
  return enter("clEnqueueReadImage", [&] { return check::images(queue); });
}

cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem, cl_bool, const size_t *, const size_t *, size_t,
                                       size_t, const void *, cl_uint, const cl_event *, cl_event *) {
  return enter("clEnqueueWriteImage", [&] { return check::images(queue); });
}

cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem, cl_mem, const size_t *, const size_t *,
                                      const size_t *, cl_uint, const cl_event *, cl_event *) {
  return enter("clEnqueueCopyImage", [&] { return check::images(queue); });
}

cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem, cl_mem, const size_t *, const size_t *,
                                              size_t, cl_uint, const cl_event *, cl_event *) {
  return enter("clEnqueueCopyImageToBuffer", [&] { return check::images(queue); });
}

cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem, cl_mem, size_t, const size_t *,
                                              const size_t *, cl_uint, const cl_event *, cl_event *) {
  return enter("clEnqueueCopyBufferToImage", [&] { return check::images(queue); });
}

cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem, const void *, const size_t *, const size_t *,
                                      cl_uint, const cl_event *, cl_event *) {
  return enter("clEnqueueFillImage", [&] { return check::images(queue); });
}

void *CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem, cl_bool, cl_map_flags, const size_t *,
                                    const size_t *, size_t *, size_t *, cl_uint, const cl_event *, cl_event *,
                                    cl_int *errcode) {
  return create("clEnqueueMapImage", errcode, [&]() -> Result<void *> {
    KILN_TRY(check::images(queue));
    return nullptr;
  });
}

cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool, cl_addressing_mode, cl_filter_mode,
                                       cl_int *errcode) {
  return create("clCreateSampler", errcode, [&] { return noSampler(context); });
}

cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *,
                                                     cl_int *errcode) {
  return create("clCreateSamplerWithProperties", errcode, [&] { return noSampler(context); });
}

cl_int CL_API_CALL clRetainSampler(cl_sampler sampler) {
  return enter("clRetainSampler", [&] { return check::sampler(sampler); });
}

cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler) {
  return enter("clReleaseSampler", [&] { return check::sampler(sampler); });
}

cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info, size_t, void *, size_t *) {
  return enter("clGetSamplerInfo", [&] { return check::sampler(sampler); });
}
