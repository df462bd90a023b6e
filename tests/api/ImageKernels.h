// Kernels on images of every type. A test writes a kernel's text once, with $-names that are replaced for each image
// type and kind of pixel. A description of an image in host memory with padding and guard bytes.
#pragma once
#include "tests/api/ImageModel.h"
#include <algorithm>
#include <memory>

namespace kiln::test {

/// An image type in OpenCL C, and how kernels write a pixel's coordinates.
struct ImageShape {
  const char *name, *type;
  cl_mem_object_type object;
  const char *whole;      // integer coordinates, from x, y and z
  const char *components; // of a vector of four coordinates; null if the type cannot be read with a sampler
  bool isDepth = false;
};
inline constexpr ImageShape ImageShapes[] = {
    {"1d", "image1d_t", CL_MEM_OBJECT_IMAGE1D, "x", ".x"},
    {"buffer", "image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER, "x", nullptr},
    {"1d_array", "image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY, "(int2)(x, y)", ".xy"},
    {"2d", "image2d_t", CL_MEM_OBJECT_IMAGE2D, "(int2)(x, y)", ".xy"},
    {"2d_array", "image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, "(int4)(x, y, z, 0)", ""},
    {"3d", "image3d_t", CL_MEM_OBJECT_IMAGE3D, "(int4)(x, y, z, 0)", ""},
    {"depth", "image2d_depth_t", CL_MEM_OBJECT_IMAGE2D, "(int2)(x, y)", ".xy", true},
    {"depth_array", "image2d_array_depth_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, "(int4)(x, y, z, 0)", "", true},
};
inline constexpr const ImageShape &Flat = ImageShapes[3], &FlatDepth = ImageShapes[6];

/// The start of every program: ITEM declares a work-item's ids and linear index; `wide` converts depths to vectors.
inline constexpr const char *ImagePrologue = R"(
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
#define ITEM                                                                                                           \
  const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);                                          \
  const size_t index = (z * get_global_size(1) + y) * get_global_size(0) + x
float4 __attribute__((overloadable)) wide(float v) { return (float4)(v, 0, 0, 1); }
float4 __attribute__((overloadable)) wide(float4 v) { return v; }
int4 __attribute__((overloadable)) wide(int4 v) { return v; }
uint4 __attribute__((overloadable)) wide(uint4 v) { return v; }
)";

inline std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>> &names) {
  for (const auto &[name, by] : names)
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += by.size())
      text.replace(at, name.size(), by);
  return text;
}

/// The text for one image type and one kind of pixel. $name: both, as in 2d_f. $type, $at: ImageShape's `type` and
/// `whole`. $k, $v: the suffix of the kind's functions, and its vector type. $xy: the components that the image type
/// uses of a vector of coordinates. $d: .x for depth images, which are written as scalars.
inline std::string forImages(const char *text, const ImageShape &shape, Kind kind) {
  const std::string suffix = Suffixes[int(kind)], vectors[] = {"float4", "int4", "uint4"};
  return replaced(text, {{"$name", shape.name + ("_" + suffix)},
                         {"$type", shape.type},
                         {"$at", shape.whole},
                         {"$xy", shape.components ? shape.components : ""},
                         {"$k", suffix},
                         {"$v", vectors[int(kind)]},
                         {"$d", shape.isDepth ? ".x" : ""}});
}
/// The text for all image types and kinds. `sampled`: only types that can be read with a sampler, and without unsigned
/// integers.
inline std::string forImages(const char *text, bool sampled = false) {
  std::string all = ImagePrologue;
  for (const ImageShape &shape : ImageShapes)
    for (Kind kind : {Kind::Float, Kind::Signed, Kind::Unsigned})
      if ((!shape.isDepth || kind == Kind::Float) && (!sampled || (shape.components && kind != Kind::Unsigned)))
        all += forImages(text, shape, kind);
  return all;
}

/// An image in host memory (CL_MEM_USE_HOST_PTR), with padding after rows and slices and guard bytes around it. Kernels
/// must not change the padding and the guards.
struct HostImage {
  Mem storage, part; // of an image that is created from a buffer: the buffer, and the sub-buffer in its middle
  Mem mem;
  Bytes bytes;    // pixels, padding and guards; current after WithImageKernels::fetch
  Bytes before;   // `bytes` as created
  Triple reach;   // number of coordinates in each dimension
  Triple strides; // bytes between pixels, in each dimension
  size_t first;   // offset of the first pixel in `bytes`

  unsigned char *at(size_t x, size_t y, size_t z) {
    return &bytes[first + x * strides[0] + y * strides[1] + z * strides[2]];
  }
  /// Calls body(x, y, z, index) for each pixel.
  template <typename Body> void pixels(Body body) const {
    for (size_t z = 0, index = 0; z < reach[2]; ++z)
      for (size_t y = 0; y < reach[1]; ++y)
        for (size_t x = 0; x < reach[0]; ++x)
          body(x, y, z, index++);
  }
  size_t count() const { return reach[0] * reach[1] * reach[2]; }
  /// Returns true if padding and guards are unchanged.
  bool gapsAreWhole() {
    Bytes now = bytes;
    pixels([&](size_t x, size_t y, size_t z, size_t) {
      const size_t from = first + x * strides[0] + y * strides[1] + z * strides[2];
      std::copy_n(before.begin() + ptrdiff_t(from), strides[0], now.begin() + ptrdiff_t(from));
    });
    return now == before;
  }
};

struct WithImageKernels : WithImages {
  static constexpr size_t Guard = 1024; // bytes; the largest alignment of sub-buffers

  Program images(const std::string &text) { return built(text.c_str(), "-cl-std=CL3.0"); }
  cl_int run(cl_kernel kernel, Triple global, const size_t *local = nullptr) {
    return clEnqueueNDRangeKernel(queue, kernel, 3, nullptr, global.data(), local, 0, nullptr, nullptr);
  }
  template <typename... Args> void setAll(cl_kernel kernel, const Args &...args) {
    cl_uint index = 0;
    const cl_int codes[] = {set(kernel, index++, args)...};
    for (cl_int code : codes)
      EXPECT_EQ(code, CL_SUCCESS);
  }
  cl_int set(cl_kernel kernel, cl_uint index, const HostImage &value) { return set(kernel, index, value.mem); }
  cl_int set(cl_kernel kernel, cl_uint index, const Sampler &value) {
    return clSetKernelArg(kernel, index, sizeof(cl_sampler), value.address());
  }
  using WithProgram::set;

  /// Creates an image of random bytes; `fill` may then overwrite them. 1D buffer images, and 2D images with
  /// `fromBuffer`, are created from a sub-buffer.
  std::unique_ptr<HostImage> hostImage(cl_mem_object_type type, Triple size, const cl_image_format &format,
                                       unsigned seed = 1, bool fromBuffer = false,
                                       const std::function<void(HostImage &)> &fill = {}) {
    auto made = std::make_unique<HostImage>();
    const size_t element = PixelRules(format).bytes;
    fromBuffer |= type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    const size_t row = (size[0] + (type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? 0 : 3)) * element,
                 slice = row * (type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 2
                                : hasRows(type)                     ? size[1] + 1
                                                                    : 1);
    made->reach = test::reach(type, size);
    made->strides = {element, type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? slice : row, slice};
    const size_t length = slice * (is3d(type) || isArray(type) ? size[2] : 1);
    made->bytes = randomBytes(length + 3 * Guard, seed + 1);
    const auto address = reinterpret_cast<uintptr_t>(made->bytes.data());
    const size_t skip = (Guard - address % Guard) % Guard;
    made->first = skip + Guard;
    const Bytes pixels = randomBytes(length, seed); // independent of the address
    std::copy(pixels.begin(), pixels.end(), made->bytes.begin() + ptrdiff_t(made->first));
    if (fill)
      fill(*made);
    made->before = made->bytes;
    cl_image_desc wanted = description(type, size);
    if (fromBuffer) {
      made->storage = buffer(length + Guard, CL_MEM_USE_HOST_PTR, &made->bytes[skip]);
      cl_int code = 1;
      cl_buffer_region region{Guard, length};
      made->part = clCreateSubBuffer(made->storage, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
      EXPECT_EQ(code, CL_SUCCESS);
      wanted.mem_object = made->part;
      wanted.image_row_pitch = type == CL_MEM_OBJECT_IMAGE2D ? row : 0;
      made->mem = create(CL_SUCCESS, 0, format, wanted);
    } else {
      wanted.image_row_pitch = row;
      wanted.image_slice_pitch = is3d(type) || isArray(type) ? slice : 0;
      made->mem = create(CL_SUCCESS, CL_MEM_USE_HOST_PTR, format, wanted, &made->bytes[made->first]);
    }
    EXPECT_EQ(info<size_t>(made->mem, CL_IMAGE_ELEMENT_SIZE), element);
    return made;
  }
  /// Makes `image.bytes` current: maps and unmaps the image or its buffer.
  void fetch(HostImage &image) {
    cl_int code = 1;
    void *mapped = nullptr;
    cl_mem object = image.storage ? image.storage.get() : image.mem.get();
    if (image.storage) {
      const size_t size = query<size_t>(clGetMemObjectInfo, object, CL_MEM_SIZE);
      mapped = clEnqueueMapBuffer(queue, object, CL_TRUE, CL_MAP_READ, 0, size, 0, nullptr, nullptr, &code);
    } else {
      size_t row = 0, slice = 0, zero[3] = {};
      mapped = clEnqueueMapImage(queue, object, CL_TRUE, CL_MAP_READ, zero, image.reach.data(), &row, &slice, 0,
                                 nullptr, nullptr, &code);
      EXPECT_EQ(mapped, &image.bytes[image.first]);
    }
    ASSERT_EQ(code, CL_SUCCESS);
    EXPECT_EQ(clEnqueueUnmapMemObject(queue, object, mapped, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  }
  /// The supported formats of the image type for this use (CL_MEM_READ_ONLY, ...).
  std::vector<cl_image_format> formats(cl_mem_flags use, const ImageShape &shape) {
    cl_uint count = 0;
    EXPECT_EQ(clGetSupportedImageFormats(context, use, shape.object, 0, nullptr, &count), CL_SUCCESS);
    std::vector<cl_image_format> all(count);
    if (count)
      EXPECT_EQ(clGetSupportedImageFormats(context, use, shape.object, count, all.data(), nullptr), CL_SUCCESS);
    std::erase_if(all, [&](auto &format) { return (format.image_channel_order == CL_DEPTH) != shape.isDepth; });
    EXPECT_FALSE(all.empty()) << shape.name;
    return all;
  }
  Kernel kernelOf(cl_program program, const char *what, const ImageShape &shape, Kind kind) {
    return kernel(program, (std::string(what) + "_" + shape.name + "_" + Suffixes[int(kind)]).c_str());
  }
};

} // namespace kiln::test
