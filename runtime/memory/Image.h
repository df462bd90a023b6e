// Images: pixels in rows, without tiles, in the bytes of a buffer: their own one, or that of the buffer or image that
// they were made from. So whatever moves a buffer's bytes moves an image's: a command on an image is one on a box of
// bytes (`box`). What kernels are told about one is said in backends/ImageAbi.h.
#pragma once
#include "backends/ImageAbi.h"
#include "runtime/memory/Buffer.h"
#include "runtime/memory/ImageFormat.h"

namespace kiln {

inline bool isImageType(cl_mem_object_type type) {
  return type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

/// Pixels, rows and layers as clEnqueue*Image counts them: what a type has no dimension for is 1, and the layers of a
/// 1D array stand where other types have rows.
using PixelBox = std::array<size_t, 3>;

class Image final : public MemObject {
public:
  /// clCreateImage with all its rules. `source` is what the descriptor's mem_object is, or null; `properties` as given,
  /// its terminator included, or empty.
  static Result<Ref<Image>> create(Context &context, cl_mem_flags flags, const cl_image_format &format,
                                   const cl_image_desc &description, MemObject *source, void *host,
                                   std::vector<cl_mem_properties> properties = {});

  const cl_image_format &format() const { return format_; }
  size_t elementBytes() const { return elementBytes_; }
  /// The format as kernels are told it.
  uint32_t abiFormat() const { return abi::imageFormat(format_.image_channel_order, format_.image_channel_data_type); }
  bool isArray() const { return type() == CL_MEM_OBJECT_IMAGE1D_ARRAY || type() == CL_MEM_OBJECT_IMAGE2D_ARRAY; }
  bool is3d() const { return type() == CL_MEM_OBJECT_IMAGE3D; }
  bool hasHeight() const { return shape_.hasHeight; }
  // As clGetImageInfo has them: 0 for what a type does not have.
  size_t width() const { return shape_.width; }
  size_t height() const { return hasHeight() ? shape_.height : 0; }
  size_t depth() const { return is3d() ? shape_.slices : 0; }
  size_t arraySize() const { return isArray() ? shape_.slices : 0; }
  size_t rowPitch() const { return shape_.rowPitch; }
  size_t slicePitch() const { return isArray() || is3d() ? shape_.slicePitch : 0; }

  /// How far coordinates go.
  PixelBox pixels() const;
  /// Where a box of pixels, which the image has, lies in its storage.
  BoxLayout layout(const PixelBox &origin) const;
  Extent extent(const PixelBox &region) const { return {region[0] * elementBytes_, region[1], region[2]}; }

  /// R10: what the device says that it cannot have. CL_INVALID_OPERATION, CL_INVALID_IMAGE_SIZE.
  Status checkOn(const DeviceObject &device) const;
  /// What a kernel on the device is told; makes the storage there when there is none yet.
  Result<abi::Image> describe(const DeviceObject &device) const;

  void *hostPointer() const override { return storage_->hostPointer(); }
  MemObject *parent() const override { return parent_.get(); }
  cl_uint mapCount() const override { return storage_->mapsOf(*this); }
  Buffer &storage() override { return *storage_; }

private:
  /// In pixels, but for the pitches, which are bytes. What a type does not have is 1; layers are slices.
  struct Shape {
    bool hasHeight, hasSlices;
    size_t width, height, slices;
    size_t rowPitch = 0, slicePitch = 0;
    size_t bytes() const { return slicePitch * slices; }
  };
  static Result<Shape> shapeOf(const cl_image_desc &description);
  static Status fits(const DeviceInfo &info, cl_mem_object_type type, const Shape &shape);
  static Status setPitches(Shape &shape, size_t elementBytes, const cl_image_desc &description, bool mayBeGiven);
  static Status checkOnBuffer(const Context &context, Buffer &buffer, const Shape &shape, cl_mem_object_type type,
                              const cl_image_format &format);
  static Result<Ref<Buffer>> makeStorage(Context &context, cl_mem_flags flags, const Shape &shape, size_t elementBytes,
                                         void *host);
  Image(Context &context, cl_mem_object_type type, cl_mem_flags flags, const cl_image_format &format,
        const Shape &shape, Ref<Buffer> storage, MemObject *parent, std::vector<cl_mem_properties> properties)
      : MemObject(&context, type, flags, shape.bytes(), std::move(properties)), format_(format),
        elementBytes_(kiln::elementBytes(format)), shape_(shape), storage_(std::move(storage)), parent_(parent) {}

  const cl_image_format format_;
  const size_t elementBytes_;
  const Shape shape_;
  const Ref<Buffer> storage_;
  const Ref<MemObject> parent_;
};

} // namespace kiln
