#include "runtime/memory/Image.h"
#include "runtime/memory/MemFlags.h"
#include <algorithm>
#include <cstring>

namespace kiln {
namespace {

/// False where the product is more than a size_t holds.
bool multiply(size_t a, size_t b, size_t &product) { return !__builtin_mul_overflow(a, b, &product); }

bool hasImages(const DeviceObject *device) { return device->info().images; }

} // namespace

Result<Image::Shape> Image::shapeOf(const cl_image_desc &description) {
  const cl_mem_object_type type = description.image_type;
  if (!isImageType(type))
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "there is no image type ", type);
  if (description.num_mip_levels || description.num_samples)
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "an image with ", description.num_mip_levels, " levels of ",
                description.num_samples, " samples; both must be 0");
  const bool is3d = type == CL_MEM_OBJECT_IMAGE3D;
  Shape shape{
      .hasHeight = is3d || type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY,
      .hasSlices = is3d || type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY,
      .width = description.image_width,
      .height = 1,
      .slices = 1,
  };
  if (shape.hasHeight)
    shape.height = description.image_height;
  if (shape.hasSlices)
    shape.slices = is3d ? description.image_depth : description.image_array_size;
  if (!shape.width || !shape.height || !shape.slices)
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "an image of ", shape.width, " x ", shape.height, " x ", shape.slices,
                " pixels");
  return shape;
}

Status Image::fits(const DeviceInfo &info, cl_mem_object_type type, const Shape &shape) {
  PixelBox most{info.image2dMaxWidth, info.image2dMaxHeight, info.imageMaxArraySize};
  if (type == CL_MEM_OBJECT_IMAGE3D)
    most = {info.image3dMaxWidth, info.image3dMaxHeight, info.image3dMaxDepth};
  else if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
    most = {info.imageMaxBufferSize, 1, 1};
  if (shape.width > most[0] || shape.height > most[1] || shape.slices > most[2])
    return fail(CL_INVALID_IMAGE_SIZE, "an image of ", shape.width, " x ", shape.height, " x ", shape.slices,
                " pixels; device ", info.name, " has ", most[0], " x ", most[1], " x ", most[2], " at most");
  return {};
}

Status Image::setPitches(Shape &shape, size_t elementBytes, const cl_image_desc &description, bool mayBeGiven) {
  const size_t row = description.image_row_pitch, slice = description.image_slice_pitch;
  if (!mayBeGiven && (row || slice))
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "pitches ", row, " and ", slice, " without pixels that have them");
  const size_t tightRow = shape.width * elementBytes; // the width is one that a device has
  if (row && (row < tightRow || row % elementBytes))
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "a row pitch of ", row, " for ", shape.width, " pixels of ", elementBytes,
                " bytes");
  shape.rowPitch = row ? row : tightRow;
  size_t tightSlice, bytes;
  if (!multiply(shape.rowPitch, shape.height, tightSlice))
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "a row pitch of ", row, " for ", shape.height, " rows");
  if (shape.hasSlices && slice && (slice < tightSlice || slice % shape.rowPitch))
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "a slice pitch of ", slice, " for ", shape.height, " rows at a pitch of ",
                shape.rowPitch);
  shape.slicePitch = shape.hasSlices && slice ? slice : tightSlice;
  if (!multiply(shape.slicePitch, shape.slices, bytes))
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "a slice pitch of ", slice, " for ", shape.slices, " slices");
  return {};
}

Status Image::checkOnBuffer(const Context &context, Buffer &buffer, const Shape &shape, cl_mem_object_type type,
                            const cl_image_format &format) {
  const bool is2d = type == CL_MEM_OBJECT_IMAGE2D;
  if (shape.bytes() > buffer.size())
    return fail(is2d ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR : CL_INVALID_IMAGE_DESCRIPTOR, "an image of ", shape.bytes(),
                " bytes in a buffer of ", buffer.size());
  if (!is2d)
    return {};
  size_t pitchAlignment = 1, baseAlignment = SIZE_MAX;
  for (const DeviceObject *device : context.devices())
    if (hasImages(device)) {
      pitchAlignment = std::max<size_t>(pitchAlignment, device->info().imagePitchAlignment);
      baseAlignment = std::min<size_t>(baseAlignment, device->info().imageBaseAddressAlignment);
    }
  const size_t bytes = kiln::elementBytes(format);
  if (shape.rowPitch % (pitchAlignment * bytes))
    return fail(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "a row pitch of ", shape.rowPitch, " bytes is no multiple of ",
                pitchAlignment, " pixels of ", bytes, " (CL_DEVICE_IMAGE_PITCH_ALIGNMENT)");
  // An address is a multiple of powers of two only: of as much of a pixel's size as is one.
  const size_t alignment = baseAlignment * (bytes & -bytes);
  if (const void *host = buffer.hostPointer(); uintptr_t(host) % alignment)
    return fail(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "the buffer's memory at ", host, " is not aligned to ", alignment,
                " bytes (CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT)");
  return {};
}

Result<Ref<Buffer>> Image::makeStorage(Context &context, cl_mem_flags flags, const Shape &shape, size_t elementBytes,
                                       void *host) {
  const size_t size = shape.bytes();
  if (const size_t largest = Buffer::largest(context); size > largest)
    return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "an image of ", size, " bytes; the largest is ", largest);
  if (Ref<Allocation> allocation = host ? context.allocations().find(host) : nullptr) {
    if (allocation->kind() == Allocation::Kind::Device)
      return fail(CL_INVALID_HOST_PTR, host, " is memory of a device, which the host does not see");
    if (size > allocation->size() - allocation->offsetOf(host))
      return fail(CL_INVALID_HOST_PTR, size, " bytes at ", host, " pass the end of the allocation that it lies in");
  }
  if (!(flags & CL_MEM_COPY_HOST_PTR))
    return Buffer::create(context, flags & PointerFlags, size, host);
  std::byte *bytes;
  Ref<Buffer> storage = KILN_TRY(Buffer::createStorage(context, size, bytes));
  forEachRow({0, shape.rowPitch, shape.slicePitch}, {shape.width * elementBytes, shape.height, shape.slices},
             [&](size_t begin, size_t end) {
               std::memcpy(bytes + begin, static_cast<const std::byte *>(host) + begin, end - begin);
             });
  return storage;
}

Result<Ref<Image>> Image::create(Context &context, cl_mem_flags flags, const cl_image_format &format,
                                 const cl_image_desc &description, MemObject *source, void *host,
                                 std::vector<cl_mem_properties> properties) {
  const cl_mem_object_type type = description.image_type;
  const std::vector<DeviceObject *> &devices = context.devices();
  if (std::ranges::none_of(devices, hasImages))
    return fail(CL_INVALID_OPERATION, "no device of the context has images (CL_DEVICE_IMAGE_SUPPORT)");
  if (properties.size() > 1)
    return fail(CL_INVALID_PROPERTY, "there is no image property ", properties.front());
  KILN_TRY(checkFlags(flags));
  if (!isImageFormat(format))
    return fail(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "no image format has channel order 0x", std::hex,
                format.image_channel_order, " and type 0x", format.image_channel_data_type);
  Shape shape = KILN_TRY(shapeOf(description));
  auto *buffer = source && source->type() == CL_MEM_OBJECT_BUFFER ? static_cast<Buffer *>(source) : nullptr;
  auto *image = source && source->type() == CL_MEM_OBJECT_IMAGE2D ? static_cast<Image *>(source) : nullptr;
  const bool mayHaveSource = type == CL_MEM_OBJECT_IMAGE2D || (type == CL_MEM_OBJECT_IMAGE1D_BUFFER && buffer);
  if (source ? !mayHaveSource || (!buffer && !image) : type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "images of type ", type, " are not made from ",
                source ? "such an object" : "nothing");
  if (source && &source->context() != &context)
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "the object to make an image from is of another context");
  if (std::ranges::none_of(devices, [&](const DeviceObject *device) {
        return hasImages(device) && fits(device->info(), type, shape).ok();
      }))
    return fail(CL_INVALID_IMAGE_SIZE, "no device has an image of ", shape.width, " x ", shape.height, " x ",
                shape.slices, " pixels");
  const ImageUse use = flags & CL_MEM_WRITE_ONLY ? ImageUse::Write : ImageUse::Read;
  if (!isSupported(format, type, use))
    return fail(CL_IMAGE_FORMAT_NOT_SUPPORTED, "no images of type ", type, " with channel order 0x", std::hex,
                format.image_channel_order, " and type 0x", format.image_channel_data_type);
  const size_t bytes = kiln::elementBytes(format);
  if (source)
    flags = KILN_TRY(inheritFlags(flags, source->flags()));
  else if (!(flags & AccessFlags))
    flags |= CL_MEM_READ_WRITE;
  KILN_TRY(checkHostPointer(source ? 0 : flags, host));
  KILN_TRY(setPitches(shape, bytes, description, source || host));

  Ref<Buffer> storage;
  if (buffer) {
    KILN_TRY(checkOnBuffer(context, *buffer, shape, type, format));
    storage = buffer;
  } else if (image) {
    if (image->format().image_channel_data_type != format.image_channel_data_type ||
        !isViewOf(format.image_channel_order, image->format().image_channel_order))
      return fail(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "an image of channel order 0x", std::hex,
                  image->format().image_channel_order, " and type 0x", image->format().image_channel_data_type,
                  " is no other one in 0x", format.image_channel_order, " and 0x", format.image_channel_data_type);
    if (shape.width != image->width() || shape.height != image->height() ||
        description.image_row_pitch != image->rowPitch())
      return fail(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "an image of ", image->width(), " x ", image->height(),
                  " pixels with a pitch of ", image->rowPitch(), " bytes is not one of ", shape.width, " x ",
                  shape.height, " with ", description.image_row_pitch);
    storage = &image->storage();
  } else {
    storage = KILN_TRY(makeStorage(context, flags, shape, bytes, host));
  }
  return Ref<Image>(new Image(context, type, flags, format, shape, std::move(storage), source, std::move(properties)));
}

PixelBox Image::pixels() const {
  if (type() == CL_MEM_OBJECT_IMAGE1D_ARRAY)
    return {shape_.width, shape_.slices, 1};
  return {shape_.width, shape_.height, shape_.slices};
}

BoxLayout Image::layout(const PixelBox &origin) const {
  const size_t rowPitch = type() == CL_MEM_OBJECT_IMAGE1D_ARRAY ? shape_.slicePitch : shape_.rowPitch;
  const size_t slicePitch = type() == CL_MEM_OBJECT_IMAGE1D_ARRAY ? shape_.bytes() : shape_.slicePitch;
  return {origin[0] * elementBytes_ + origin[1] * rowPitch + origin[2] * slicePitch, rowPitch, slicePitch};
}

Status Image::checkOn(const DeviceObject &device) const {
  if (!hasImages(&device))
    return fail(CL_INVALID_OPERATION, "device ", device.info().name, " has no images (CL_DEVICE_IMAGE_SUPPORT)");
  return fits(device.info(), type(), shape_);
}

Result<abi::Image> Image::describe(const DeviceObject &device) const {
  return abi::Image{.pixels = KILN_TRY(storage_->address(device)),
                    .rowPitch = shape_.rowPitch,
                    .slicePitch = shape_.slicePitch,
                    .width = uint32_t(shape_.width),
                    .height = uint32_t(shape_.height),
                    .slices = uint32_t(shape_.slices),
                    .format = abiFormat(),
                    .pixelBytes = uint32_t(elementBytes_),
                    .unused = 0};
}

} // namespace kiln
