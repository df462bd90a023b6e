// Chapter 5.3: images. A command on an image is a command on a box of the bytes of its storage.
#include "api/check/Image.h"
#include "api/entry/Commands.h"
#include "api/entry/Entry.h"
#include "runtime/memory/MemFlags.h"
#include "runtime/memory/PixelEncode.h"

using namespace kiln;
using namespace kiln::api;

namespace {

Result<cl_mem> createImage(cl_context handle, const cl_mem_properties *properties, cl_mem_flags flags,
                           const cl_image_format *format, const cl_image_desc *description, void *host) {
  Context *context = KILN_TRY(check::live<Context>(handle));
  if (!format)
    return fail(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "the format is null");
  if (!description)
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "the descriptor is null");
  MemObject *source;
  KILN_TRY(check::imageSource(description->mem_object, source));
  return KILN_TRY(Image::create(*context, flags, *format, *description, source, host, check::propertyList(properties)))
      .handle();
}

/// The calls of OpenCL 1.0, for which an invalid pitch is CL_INVALID_IMAGE_SIZE.
Result<cl_mem> createOldImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                              const cl_image_desc &description, void *host) {
  Result<cl_mem> made = createImage(context, nullptr, flags, format, &description, host);
  if (!made.ok() && made.code() == CL_INVALID_IMAGE_DESCRIPTOR)
    return fail(CL_INVALID_IMAGE_SIZE, made.message());
  return made;
}

/// CL_IMAGE_BUFFER
cl_mem bufferOf(const Image &image) {
  MemObject *parent = image.parent();
  return parent && parent->type() == CL_MEM_OBJECT_BUFFER ? parent : nullptr;
}

/// The use that clGetSupportedImageFormats queries formats for.
Result<ImageUse> useOf(cl_mem_flags flags) {
  if (flags & CL_MEM_KERNEL_READ_AND_WRITE) {
    KILN_TRY(checkFlags(flags & ~cl_mem_flags(CL_MEM_KERNEL_READ_AND_WRITE)));
    return ImageUse::ReadWrite;
  }
  KILN_TRY(checkFlags(flags));
  return flags & CL_MEM_WRITE_ONLY
             ? ImageUse::Write
             : ImageUse::Read; // CL_MEM_READ_WRITE formats are those for reading, which can all be written
}

} // namespace

cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                 const cl_image_desc *description, void *host, cl_int *errcode) {
  return createMemory("clCreateImage", errcode,
                      [&] { return createImage(context, nullptr, flags, format, description, host); });
}

cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                               cl_mem_flags flags, const cl_image_format *format,
                                               const cl_image_desc *description, void *host, cl_int *errcode) {
  return createMemory("clCreateImageWithProperties", errcode,
                      [&] { return createImage(context, properties, flags, format, description, host); });
}

cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
                                   size_t height, size_t rowPitch, void *host, cl_int *errcode) {
  return createMemory("clCreateImage2D", errcode, [&] {
    cl_image_desc description{};
    description.image_type = CL_MEM_OBJECT_IMAGE2D;
    description.image_width = width;
    description.image_height = height;
    description.image_row_pitch = rowPitch;
    return createOldImage(context, flags, format, description, host);
  });
}

cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
                                   size_t height, size_t depth, size_t rowPitch, size_t slicePitch, void *host,
                                   cl_int *errcode) {
  return createMemory("clCreateImage3D", errcode, [&] {
    cl_image_desc description{};
    description.image_type = CL_MEM_OBJECT_IMAGE3D;
    description.image_width = width;
    description.image_height = height;
    description.image_depth = depth;
    description.image_row_pitch = rowPitch;
    description.image_slice_pitch = slicePitch;
    return createOldImage(context, flags, format, description, host);
  });
}

cl_int CL_API_CALL clGetSupportedImageFormats(cl_context handle, cl_mem_flags flags, cl_mem_object_type type,
                                              cl_uint numEntries, cl_image_format *formats, cl_uint *numFormats) {
  return enter("clGetSupportedImageFormats", [&]() -> Status {
    Context *context = KILN_TRY(check::object<Context>(handle));
    const ImageUse use = KILN_TRY(useOf(flags));
    if (!isImageType(type))
      return fail(CL_INVALID_VALUE, "image_type is 0x", std::hex, type, ", must be an image type");
    if (formats && !numEntries)
      return fail(CL_INVALID_VALUE, "num_entries is 0, must be above 0 if image_formats is not null");
    std::vector<cl_image_format> found;
    if (someDevice(*context, [](const DeviceObject &device) { return device.info().images; }))
      found = supportedFormats(type, use);
    writeList(found, numEntries, formats, numFormats);
    return {};
  });
}

cl_int CL_API_CALL clGetImageInfo(cl_mem handle, cl_image_info param, size_t size, void *value, size_t *sizeRet) {
  return enter("clGetImageInfo", [&]() -> Status {
    Image *image = KILN_TRY(check::object<Image>(handle));
    InfoWriter writer(size, value, sizeRet);
    switch (param) {
#define KILN_IMAGE_QUERY(...) KILN_QUERY_CASE(__VA_ARGS__)
#include "api/spec/Queries.def"
    }
    return writer.unknownParam(param);
  });
}

cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem handle, cl_bool blocking, const size_t *origin,
                                      const size_t *region, size_t rowPitch, size_t slicePitch, void *host,
                                      cl_uint numWaits, const cl_event *waits, cl_event *event) {
  return enter("clEnqueueReadImage", [&]() -> Status {
    Queue *q;
    Image *image;
    WaitList wait;
    check::ImageBox box;
    BoxLayout to;
    KILN_TRY(check::imageCommand(queue, handle, numWaits, waits, q, image, wait));
    KILN_TRY(check::imageBox(*image, origin, region, box));
    KILN_TRY(check::hostPitches(*image, box.extent, rowPitch, slicePitch, to));
    KILN_TRY(check::hostPointer(host));
    KILN_TRY(check::hostMayRead(*image));
    return q->enqueue(ReadBuffer{image, box.at, host, to, box.extent, CL_COMMAND_READ_IMAGE}, wait, event, blocking);
  });
}

cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem handle, cl_bool blocking, const size_t *origin,
                                       const size_t *region, size_t rowPitch, size_t slicePitch, const void *host,
                                       cl_uint numWaits, const cl_event *waits, cl_event *event) {
  return enter("clEnqueueWriteImage", [&]() -> Status {
    Queue *q;
    Image *image;
    WaitList wait;
    check::ImageBox box;
    BoxLayout from;
    KILN_TRY(check::imageCommand(queue, handle, numWaits, waits, q, image, wait));
    KILN_TRY(check::imageBox(*image, origin, region, box));
    KILN_TRY(check::hostPitches(*image, box.extent, rowPitch, slicePitch, from));
    KILN_TRY(check::hostPointer(host));
    KILN_TRY(check::hostMayWrite(*image));
    return q->enqueue(WriteBuffer{image, box.at, host, from, box.extent, CL_COMMAND_WRITE_IMAGE}, wait, event,
                      blocking);
  });
}

Result<CopyBuffer> api::copyImage(const Queue &queue, cl_mem source, cl_mem destination, const size_t *sourceOrigin,
                                  const size_t *destinationOrigin, const size_t *region) {
  Image *src, *dst;
  check::ImageBox from, to;
  KILN_TRY(check::imageOn(queue, source, src));
  KILN_TRY(check::imageOn(queue, destination, dst));
  if (src->format().image_channel_order != dst->format().image_channel_order ||
      src->format().image_channel_data_type != dst->format().image_channel_data_type)
    return fail(CL_IMAGE_FORMAT_MISMATCH, "the images have different formats");
  KILN_TRY(check::imageBox(*src, sourceOrigin, region, from));
  KILN_TRY(check::imageBox(*dst, destinationOrigin, region, to));
  KILN_TRY(check::noOverlap(src->storage(), from.at, dst->storage(), to));
  return CopyBuffer{src, dst, from.at, to.at, to.extent, CL_COMMAND_COPY_IMAGE};
}

cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem source, cl_mem destination,
                                      const size_t *sourceOrigin, const size_t *destinationOrigin, const size_t *region,
                                      cl_uint numWaits, const cl_event *waits, cl_event *event) {
  return enter("clEnqueueCopyImage", [&]() -> Status {
    Queue *q;
    WaitList wait;
    KILN_TRY(check::command(queue, numWaits, waits, q, wait));
    return q->enqueue(KILN_TRY(copyImage(*q, source, destination, sourceOrigin, destinationOrigin, region)), wait,
                      event);
  });
}

namespace {

/// The operands of copies between an image and a buffer.
struct ImageAndBuffer {
  Image *image;
  Buffer *buffer;
  check::ImageBox box;
  BoxLayout bytes; // the box in the buffer
};

Status imageAndBuffer(const Queue &queue, cl_mem image, cl_mem buffer, const size_t *origin, const size_t *region,
                      size_t offset, ImageAndBuffer &c) {
  KILN_TRY(check::imageOn(queue, image, c.image));
  KILN_TRY(check::bufferOn(queue, buffer, c.buffer));
  if (c.image->type() == CL_MEM_OBJECT_IMAGE1D_BUFFER && c.image->parent() == c.buffer)
    return fail(CL_INVALID_MEM_OBJECT, "the image was created from the buffer");
  KILN_TRY(check::imageBox(*c.image, origin, region, c.box));
  KILN_TRY(check::packedBox(*c.buffer, offset, c.box.extent, c.bytes));
  return check::noOverlap(*c.buffer, c.bytes, c.image->storage(), c.box);
}

} // namespace

Result<CopyBuffer> api::copyImageToBuffer(const Queue &queue, cl_mem source, cl_mem destination, const size_t *origin,
                                          const size_t *region, size_t offset) {
  ImageAndBuffer c;
  KILN_TRY(imageAndBuffer(queue, source, destination, origin, region, offset, c));
  return CopyBuffer{c.image, c.buffer, c.box.at, c.bytes, c.box.extent, CL_COMMAND_COPY_IMAGE_TO_BUFFER};
}

cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem source, cl_mem destination,
                                              const size_t *origin, const size_t *region, size_t offset,
                                              cl_uint numWaits, const cl_event *waits, cl_event *event) {
  return enter("clEnqueueCopyImageToBuffer", [&]() -> Status {
    Queue *q;
    WaitList wait;
    KILN_TRY(check::command(queue, numWaits, waits, q, wait));
    return q->enqueue(KILN_TRY(copyImageToBuffer(*q, source, destination, origin, region, offset)), wait, event);
  });
}

Result<CopyBuffer> api::copyBufferToImage(const Queue &queue, cl_mem source, cl_mem destination, size_t offset,
                                          const size_t *origin, const size_t *region) {
  ImageAndBuffer c;
  KILN_TRY(imageAndBuffer(queue, destination, source, origin, region, offset, c));
  return CopyBuffer{c.buffer, c.image, c.bytes, c.box.at, c.box.extent, CL_COMMAND_COPY_BUFFER_TO_IMAGE};
}

cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem source, cl_mem destination, size_t offset,
                                              const size_t *origin, const size_t *region, cl_uint numWaits,
                                              const cl_event *waits, cl_event *event) {
  return enter("clEnqueueCopyBufferToImage", [&]() -> Status {
    Queue *q;
    WaitList wait;
    KILN_TRY(check::command(queue, numWaits, waits, q, wait));
    return q->enqueue(KILN_TRY(copyBufferToImage(*q, source, destination, offset, origin, region)), wait, event);
  });
}

Result<FillBuffer> api::fillImage(const Queue &queue, cl_mem handle, const void *color, const size_t *origin,
                                  const size_t *region) {
  Image *image;
  check::ImageBox box;
  KILN_TRY(check::imageOn(queue, handle, image));
  if (!color)
    return fail(CL_INVALID_VALUE, "fill_color is null");
  KILN_TRY(check::imageBox(*image, origin, region, box));
  const Pixel pixel = encodePixel(image->format(), color);
  return FillBuffer(image, Pattern(pixel.bytes.data(), pixel.size), box.at, box.extent, CL_COMMAND_FILL_IMAGE);
}

cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem handle, const void *color, const size_t *origin,
                                      const size_t *region, cl_uint numWaits, const cl_event *waits, cl_event *event) {
  return enter("clEnqueueFillImage", [&]() -> Status {
    Queue *q;
    WaitList wait;
    KILN_TRY(check::command(queue, numWaits, waits, q, wait));
    return q->enqueue(KILN_TRY(fillImage(*q, handle, color, origin, region)), wait, event);
  });
}

void *CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem handle, cl_bool blocking, cl_map_flags flags,
                                    const size_t *origin, const size_t *region, size_t *rowPitch, size_t *slicePitch,
                                    cl_uint numWaits, const cl_event *waits, cl_event *event, cl_int *errcode) {
  const void *caller = __builtin_return_address(0);
  return create("clEnqueueMapImage", errcode, [&]() -> Result<void *> {
    Queue *q;
    Image *image;
    WaitList wait;
    check::ImageBox box;
    KILN_TRY(check::imageCommand(queue, handle, numWaits, waits, q, image, wait));
    KILN_TRY(check::imageBox(*image, origin, region, box));
    if (!rowPitch || (!slicePitch && (image->isArray() || image->is3d())))
      return fail(CL_INVALID_VALUE, rowPitch ? "image_slice_pitch" : "image_row_pitch", " is null");
    KILN_TRY(check::mapFlags(*image, flags));
    void *mapped = KILN_TRY(q->enqueueMap({image, flags, box.at, box.extent, CL_COMMAND_MAP_IMAGE, nullptr, caller},
                                          wait, event, blocking));
    *rowPitch = image->storedRowPitch();
    if (slicePitch)
      *slicePitch = image->storedSlicePitch();
    return mapped;
  });
}
