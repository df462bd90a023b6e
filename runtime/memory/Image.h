// Images: pixels in rows, without tiling, stored in a buffer: the image's own, or that of the buffer or image that it
// was created from. So transfers of a buffer also serve images, and a command on an image is one on a box of bytes
// (Box.h). Rows of an image in its own storage are padded if a device of the context reads such rows through textures
// (Device::imageRowAlignment). Queries return the pitches without padding, as OpenCL defines them.
// base/abi/ImageAbi.h defines what kernels receive.
#pragma once
#include "base/abi/ImageAbi.h"
#include "runtime/memory/Buffer.h"
#include "runtime/memory/ImageFormat.h"
#include <algorithm>

namespace kiln {

inline bool isImageType(cl_mem_object_type type) {
  return type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

/// Pixels, rows and layers as clEnqueue*Image counts them. A dimension that the type does not have is 1; the layers of
/// a 1D array take the place of rows.
using PixelBox = std::array<size_t, 3>;

class Image final : public MemObject {
public:
  /// clCreateImage with all its rules. `source` is the descriptor's mem_object or null; `properties` as given, with the
  /// terminator, or empty.
  static Result<Ref<Image>> create(Context &context, cl_mem_flags flags, const cl_image_format &format,
                                   const cl_image_desc &description, MemObject *source, void *host,
                                   std::vector<cl_mem_properties> properties = {});

  const cl_image_format &format() const { return format_; }
  size_t elementBytes() const { return elementBytes_; }
  /// The format as kernels receive it: abi::imageFormat.
  uint32_t abiFormat() const { return abi::imageFormat(format_.image_channel_order, format_.image_channel_data_type); }
  bool isArray() const { return type() == CL_MEM_OBJECT_IMAGE1D_ARRAY || type() == CL_MEM_OBJECT_IMAGE2D_ARRAY; }
  bool is3d() const { return type() == CL_MEM_OBJECT_IMAGE3D; }
  bool hasHeight() const { return shape_.hasHeight; }
  // As clGetImageInfo returns them: 0 for a dimension that the type does not have.
  size_t width() const { return shape_.width; }
  size_t height() const { return hasHeight() ? shape_.height : 0; }
  size_t depth() const { return is3d() ? shape_.slices : 0; }
  size_t arraySize() const { return isArray() ? shape_.slices : 0; }
  size_t rowPitch() const { return shape_.rowPitch; }
  size_t slicePitch() const { return isArray() || is3d() ? shape_.slicePitch : 0; }
  /// The pitches in the storage, which kernels and mapped memory have.
  size_t storedRowPitch() const { return stored_.rowPitch; }
  size_t storedSlicePitch() const { return isArray() || is3d() ? stored_.slicePitch : 0; }

  /// The number of coordinates in each dimension.
  PixelBox pixels() const;
  /// The position of a box of pixels, which is inside the image, in the storage.
  BoxLayout layout(const PixelBox &origin) const;
  Extent extent(const PixelBox &region) const { return {region[0] * elementBytes_, region[1], region[2]}; }

  /// R10: CL_INVALID_OPERATION or CL_INVALID_IMAGE_SIZE if the device does not support the image.
  Status checkOn(const DeviceObject &device) const;
  /// The argument of a kernel on the device. Allocates the storage there if there is none. With `readOnly`, the
  /// description has texture objects if the device has them for the image; they live as long as the image. Images of
  /// buffers are one row, which kernels mostly read in order, and are wider than textures; they have none.
  Result<abi::Image> describe(const DeviceObject &device, bool readOnly = false) const KILN_EXCLUDES(texturesMutex_);

  void *hostPointer() const override { return storage_->hostPointer(); }
  MemObject *parent() const override { return parent_.get(); }
  cl_uint mapCount() const override { return storage_->mapsOf(*this); }
  Buffer &storage() override { return *storage_; }

private:
  /// In pixels; pitches in bytes. A dimension that the type does not have is 1; layers are slices.
  struct Shape {
    bool hasHeight, hasSlices;
    size_t width, height, slices;
    size_t rowPitch = 0, slicePitch = 0;
    size_t bytes() const { return slicePitch * slices; }
    /// abi::Image::sliceRows. The slice pitch is a multiple of the row pitch.
    uint32_t rowsOfSlice() const {
      return height == 1 ? 1 : uint32_t(std::min<size_t>(slicePitch / rowPitch, UINT32_MAX));
    }
  };
  static Result<Shape> shapeOf(const cl_image_desc &description);
  static Status fits(const DeviceInfo &info, cl_mem_object_type type, const Shape &shape);
  static Status setPitches(Shape &shape, size_t elementBytes, const cl_image_desc &description, bool mayBeGiven);
  static Status checkOnBuffer(const Context &context, Buffer &buffer, const Shape &shape, cl_mem_object_type type,
                              const cl_image_format &format);
  /// Pads the rows of an image in its own storage for textures.
  static Shape padded(const Context &context, const Shape &shape, const cl_image_format &format);
  /// `shape`: of the application's memory; `stored`: of the storage.
  static Result<Ref<Buffer>> makeStorage(Context &context, cl_mem_flags flags, const Shape &shape, const Shape &stored,
                                         size_t elementBytes, void *host);
  Image(Context &context, cl_mem_object_type type, cl_mem_flags flags, const cl_image_format &format,
        const Shape &shape, const Shape &stored, Ref<Buffer> storage, MemObject *parent,
        std::vector<cl_mem_properties> properties)
      : MemObject(&context, type, flags, shape.bytes(), std::move(properties)), format_(format),
        elementBytes_(kiln::elementBytes(format)), shape_(shape), stored_(stored), storage_(std::move(storage)),
        parent_(parent) {}

  const cl_image_format format_;
  const size_t elementBytes_;
  const Shape shape_;  // as the application describes it
  const Shape stored_; // with the pitches in the storage
  const Ref<Buffer> storage_;
  const Ref<MemObject> parent_;

  /// Returns the device's texture objects for this description of the image; null if it has none.
  const Texture *textureOn(const DeviceObject &device, const abi::Image &image) const KILN_EXCLUDES(texturesMutex_);
  struct DeviceTexture {
    const DeviceObject *device;
    uint64_t pixels; // the address that it is for
    std::unique_ptr<Texture> texture;
  };
  mutable Mutex texturesMutex_;
  mutable std::vector<DeviceTexture> textures_ KILN_GUARDED_BY(texturesMutex_);
};

} // namespace kiln
