#include "runtime/memory/Image.h"
#include "runtime/memory/MemFlags.h"
#include <algorithm>
#include <cstring>

namespace kiln {
namespace {

/// Returns false if the product overflows.
bool multiply(size_t a, size_t b, size_t &product) { return !__builtin_mul_overflow(a, b, &product); }

bool hasImages(const DeviceObject *device) { return device->info().images; }

} // namespace

Result<Image::Shape> Image::shapeOf(const cl_image_desc &description) {
  const cl_mem_object_type type = description.image_type;
  if (!isImageType(type))
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "image_type 0x", std::hex, type, " is not an image type");
  if (description.num_mip_levels || description.num_samples)
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "num_mip_levels is ", description.num_mip_levels, " and num_samples is ",
                description.num_samples, ", both must be 0");
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
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "the image size is ", shape.width, " x ", shape.height, " x ",
                shape.slices, " pixels, must not be 0");
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
                " pixels; device ", info.name, " allows ", most[0], " x ", most[1], " x ", most[2], " at most");
  return {};
}

Status Image::setPitches(Shape &shape, size_t elementBytes, const cl_image_desc &description, bool mayBeGiven) {
  const size_t row = description.image_row_pitch, slice = description.image_slice_pitch;
  if (!mayBeGiven && (row || slice))
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "image_row_pitch is ", row, " and image_slice_pitch is ", slice,
                ", must be 0 without host memory or a source object");
  const size_t tightRow = shape.width * elementBytes; // cannot overflow: a device supports the width
  if (row && (row < tightRow || row % elementBytes))
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "image_row_pitch is ", row,
                ", must be a multiple of the pixel size and at least ", shape.width, " pixels of ", elementBytes,
                " bytes each");
  shape.rowPitch = row ? row : tightRow;
  size_t tightSlice, bytes;
  if (!multiply(shape.rowPitch, shape.height, tightSlice))
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "image_row_pitch ", row, " is too large for ", shape.height, " rows");
  if (shape.hasSlices && slice && (slice < tightSlice || slice % shape.rowPitch))
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "image_slice_pitch is ", slice,
                ", must be a multiple of the row pitch and at least ", shape.height, " times ", shape.rowPitch);
  shape.slicePitch = shape.hasSlices && slice ? slice : tightSlice;
  if (!multiply(shape.slicePitch, shape.slices, bytes))
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "image_slice_pitch ", slice, " is too large for ", shape.slices,
                " slices");
  return {};
}

Status Image::checkOnBuffer(const Context &context, Buffer &buffer, const Shape &shape, cl_mem_object_type type,
                            const cl_image_format &format) {
  const bool is2d = type == CL_MEM_OBJECT_IMAGE2D;
  if (shape.bytes() > buffer.size())
    return fail(is2d ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR : CL_INVALID_IMAGE_DESCRIPTOR, "an image of ", shape.bytes(),
                " bytes does not fit in a buffer of ", buffer.size());
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
    return fail(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "a row pitch of ", shape.rowPitch, " bytes is not a multiple of ",
                pitchAlignment, " pixels of ", bytes, " (CL_DEVICE_IMAGE_PITCH_ALIGNMENT)");
  // Addresses are aligned to powers of two only, so a pixel's alignment is the largest power of two that divides its
  // size.
  const size_t alignment = baseAlignment * (bytes & -bytes);
  if (const void *host = buffer.hostPointer(); uintptr_t(host) % alignment)
    return fail(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "the buffer's memory at ", host, " is not aligned to ", alignment,
                " bytes (CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT)");
  return {};
}

Image::Shape Image::padded(const Context &context, const Shape &shape, const cl_image_format &format) {
  const uint32_t abiFormat = abi::imageFormat(format.image_channel_order, format.image_channel_data_type);
  size_t alignment = 1;
  for (const DeviceObject *device : context.devices())
    if (hasImages(device))
      alignment = std::max(alignment, device->device().imageRowAlignment(abiFormat));
  if (alignment == 1)
    return shape;
  Shape stored = shape;
  stored.rowPitch = (shape.width * kiln::elementBytes(format) + alignment - 1) / alignment * alignment;
  stored.slicePitch = stored.rowPitch * stored.height; // cannot overflow: a device supports width and height
  return stored;
}

Result<Ref<Buffer>> Image::makeStorage(Context &context, cl_mem_flags flags, const Shape &shape, const Shape &stored,
                                       size_t elementBytes, void *host) {
  const size_t size = stored.bytes();
  if (const size_t largest = Buffer::largest(context); size > largest)
    return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "the image size is ", size, " bytes, must be at most ", largest);
  if (Ref<Allocation> allocation = host ? context.allocations().find(host) : nullptr) {
    if (allocation->kind() == Allocation::Kind::Device)
      return fail(CL_INVALID_HOST_PTR, host, " is a device USM allocation, which the host cannot access");
    if (shape.bytes() > allocation->size() - allocation->offsetOf(host))
      return fail(CL_INVALID_HOST_PTR, shape.bytes(), " bytes at ", host, " exceed the allocation that contains it");
  }
  if (!(flags & CL_MEM_COPY_HOST_PTR))
    return Buffer::create(context, flags & PointerFlags, size, host);
  std::byte *bytes;
  Ref<Buffer> storage = KILN_TRY(Buffer::createStorage(context, size, bytes));
  for (size_t slice = 0; slice < shape.slices; ++slice)
    for (size_t row = 0; row < shape.height; ++row)
      std::memcpy(bytes + slice * stored.slicePitch + row * stored.rowPitch,
                  static_cast<const std::byte *>(host) + slice * shape.slicePitch + row * shape.rowPitch,
                  shape.width * elementBytes);
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
    return fail(CL_INVALID_PROPERTY, "image property ", properties.front(), " is unknown");
  KILN_TRY(checkFlags(flags));
  if (!isImageFormat(format))
    return fail(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "there is no image format with channel order 0x", std::hex,
                format.image_channel_order, " and type 0x", format.image_channel_data_type);
  Shape shape = KILN_TRY(shapeOf(description));
  auto *buffer = source && source->type() == CL_MEM_OBJECT_BUFFER ? static_cast<Buffer *>(source) : nullptr;
  auto *image = source && source->type() == CL_MEM_OBJECT_IMAGE2D ? static_cast<Image *>(source) : nullptr;
  const bool mayHaveSource = type == CL_MEM_OBJECT_IMAGE2D || (type == CL_MEM_OBJECT_IMAGE1D_BUFFER && buffer);
  if (source ? !mayHaveSource || (!buffer && !image) : type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "an image of type ", type, " cannot be created from ",
                source ? "this mem_object" : "no mem_object");
  if (source && &source->context() != &context)
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "mem_object is of another context");
  if (std::ranges::none_of(devices, [&](const DeviceObject *device) {
        return hasImages(device) && fits(device->info(), type, shape).ok();
      }))
    return fail(CL_INVALID_IMAGE_SIZE, "no device supports an image of ", shape.width, " x ", shape.height, " x ",
                shape.slices, " pixels");
  const ImageUse use = flags & CL_MEM_WRITE_ONLY ? ImageUse::Write : ImageUse::Read;
  if (!isSupported(format, type, use))
    return fail(CL_IMAGE_FORMAT_NOT_SUPPORTED, "images of type ", type, " are not supported with channel order 0x",
                std::hex, format.image_channel_order, " and type 0x", format.image_channel_data_type);
  const size_t bytes = kiln::elementBytes(format);
  if (source)
    flags = KILN_TRY(inheritFlags(flags, source->flags()));
  else if (!(flags & AccessFlags))
    flags |= CL_MEM_READ_WRITE;
  KILN_TRY(checkHostPointer(source ? 0 : flags, host));
  KILN_TRY(setPitches(shape, bytes, description, source || host));

  Shape stored = shape;
  Ref<Buffer> storage;
  if (buffer) {
    KILN_TRY(checkOnBuffer(context, *buffer, shape, type, format));
    storage = buffer;
  } else if (image) {
    if (image->format().image_channel_data_type != format.image_channel_data_type ||
        !isViewOf(format.image_channel_order, image->format().image_channel_order))
      return fail(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "an image of channel order 0x", std::hex,
                  image->format().image_channel_order, " and type 0x", image->format().image_channel_data_type,
                  " cannot be used as one of channel order 0x", format.image_channel_order, " and type 0x",
                  format.image_channel_data_type);
    if (shape.width != image->width() || shape.height != image->height() ||
        description.image_row_pitch != image->rowPitch())
      return fail(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "an image of ", image->width(), " x ", image->height(),
                  " pixels with a pitch of ", image->rowPitch(), " bytes cannot be used as one of ", shape.width, " x ",
                  shape.height, " with ", description.image_row_pitch);
    storage = &image->storage();
    stored = image->stored_;
  } else {
    if ((shape.hasHeight || shape.hasSlices) && use == ImageUse::Read && !(flags & CL_MEM_USE_HOST_PTR))
      stored = padded(context, shape, format);
    storage = KILN_TRY(makeStorage(context, flags, shape, stored, bytes, host));
  }
  return Ref<Image>(
      new Image(context, type, flags, format, shape, stored, std::move(storage), source, std::move(properties)));
}

PixelBox Image::pixels() const {
  if (type() == CL_MEM_OBJECT_IMAGE1D_ARRAY)
    return {shape_.width, shape_.slices, 1};
  return {shape_.width, shape_.height, shape_.slices};
}

BoxLayout Image::layout(const PixelBox &origin) const {
  const size_t rowPitch = type() == CL_MEM_OBJECT_IMAGE1D_ARRAY ? stored_.slicePitch : stored_.rowPitch;
  const size_t slicePitch = type() == CL_MEM_OBJECT_IMAGE1D_ARRAY ? stored_.bytes() : stored_.slicePitch;
  return {origin[0] * elementBytes_ + origin[1] * rowPitch + origin[2] * slicePitch, rowPitch, slicePitch};
}

Status Image::checkOn(const DeviceObject &device) const {
  if (!hasImages(&device))
    return fail(CL_INVALID_OPERATION, "device ", device.info().name, " has no images (CL_DEVICE_IMAGE_SUPPORT)");
  return fits(device.info(), type(), shape_);
}

Result<abi::Image> Image::describe(const DeviceObject &device, bool readOnly) const {
  abi::Image image{.pixels = KILN_TRY(storage_->address(device)),
                   .rowPitch = stored_.rowPitch,
                   .slicePitch = stored_.slicePitch,
                   .width = uint32_t(shape_.width),
                   .height = uint32_t(shape_.height),
                   .slices = uint32_t(shape_.slices),
                   .format = abiFormat(),
                   .pixelBytes = uint32_t(elementBytes_),
                   .sliceRows = stored_.rowsOfSlice(),
                   .texture = 0,
                   .filter = 0};
  if (!readOnly || type() == CL_MEM_OBJECT_IMAGE1D_BUFFER)
    return image;
  if (const Texture *texture = textureOn(device, image)) {
    image.texture = texture->handle;
    image.filter = texture->filter;
  }
  return image;
}

const Texture *Image::textureOn(const DeviceObject &device, const abi::Image &image) const {
  Lock lock(texturesMutex_);
  auto known = std::ranges::find_if(
      textures_, [&](const DeviceTexture &other) { return other.device == &device && other.pixels == image.pixels; });
  if (known == textures_.end())
    known = textures_.insert(known, {&device, image.pixels, device.device().createTexture(image)});
  return known->texture.get();
}

} // namespace kiln
