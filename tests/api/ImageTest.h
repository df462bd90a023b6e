// Common parts of the image tests: creation, addresses of pixels, and a simple model of the contents. Skipped on
// devices without images.
#pragma once
#include "tests/api/ProgramTest.h"
#include <array>
#include <random>

namespace kiln::test {

using Sampler = Held<cl_sampler, clReleaseSampler>;
using Bytes = std::vector<unsigned char>;
using Triple = std::array<size_t, 3>;

inline constexpr cl_mem_object_type ImageTypes[] = {CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                                    CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D,
                                                    CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D};
inline constexpr cl_image_format Rgba8{CL_RGBA, CL_UNORM_INT8};

inline bool is3d(cl_mem_object_type type) { return type == CL_MEM_OBJECT_IMAGE3D; }
inline bool isArray(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}
inline bool hasRows(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY || is3d(type);
}
/// The number of coordinates in each dimension, as origins and regions use them: a 1D array's layers are dimension 1.
/// Dimensions that the type does not have are 1.
inline Triple reach(cl_mem_object_type type, Triple size) {
  if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
    return {size[0], size[2], 1};
  return {size[0], hasRows(type) ? size[1] : 1, is3d(type) || isArray(type) ? size[2] : 1};
}

/// The expected contents of an image: its pixels without padding, in the order of the coordinates.
struct Model {
  Triple size;
  size_t element;
  Bytes bytes;
  Model(Triple size, size_t element) : size(size), element(element), bytes(size[0] * size[1] * size[2] * element) {}
  unsigned char *at(size_t x, size_t y, size_t z) { return &bytes[((z * size[1] + y) * size[0] + x) * element]; }
  /// Calls body(row in the model, index of the row in the box) for each row of the box.
  template <typename Body> void rows(Triple origin, Triple region, Body body) {
    for (size_t z = 0; z < region[2]; ++z)
      for (size_t y = 0; y < region[1]; ++y)
        body(at(origin[0], origin[1] + y, origin[2] + z), z * region[1] + y);
  }
  Bytes get(Triple origin, Triple region) {
    Bytes box(region[0] * region[1] * region[2] * element);
    rows(origin, region, [&](unsigned char *row, size_t number) {
      std::memcpy(&box[number * region[0] * element], row, region[0] * element);
    });
    return box;
  }
  void put(Triple origin, Triple region, const Bytes &box) {
    rows(origin, region, [&](unsigned char *row, size_t number) {
      std::memcpy(row, &box[number * region[0] * element], region[0] * element);
    });
  }
};

inline Bytes randomBytes(size_t size, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (unsigned char &byte : bytes)
    byte = (unsigned char)(random());
  return bytes;
}

struct WithImages : WithProgram {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(WithProgram::SetUp());
    if (query<cl_bool>(clGetDeviceInfo, device, CL_DEVICE_IMAGE_SUPPORT))
      return;
    cl_int code = 1;
    cl_image_desc one = description(CL_MEM_OBJECT_IMAGE1D, {1, 1, 1});
    EXPECT_EQ(clCreateImage(context, 0, &Rgba8, &one, nullptr, &code), nullptr);
    EXPECT_EQ(code, CL_INVALID_OPERATION);
    GTEST_SKIP() << "the device has no images";
  }
  /// Sizes that the type does not use are 0.
  static cl_image_desc description(cl_mem_object_type type, Triple size) {
    cl_image_desc made{};
    made.image_type = type;
    made.image_width = size[0];
    made.image_height = hasRows(type) ? size[1] : 0;
    made.image_depth = is3d(type) ? size[2] : 0;
    made.image_array_size = isArray(type) ? size[2] : 0;
    return made;
  }
  Mem create(cl_int expected, cl_mem_flags flags, const cl_image_format &format, const cl_image_desc &description,
             void *host = nullptr, cl_context in = nullptr) {
    cl_int code = 1;
    Mem made = clCreateImage(in ? in : context.get(), flags, &format, &description, host, &code);
    EXPECT_EQ(code, expected);
    EXPECT_EQ(made.get() != nullptr, code == CL_SUCCESS);
    return made;
  }
  /// Creates an image of any type. A 1D buffer image has a new buffer, which is released with it.
  Mem image(cl_mem_object_type type, Triple size, const cl_image_format &format = Rgba8, size_t element = 4,
            cl_context in = nullptr, cl_mem_flags flags = 0) {
    cl_image_desc wanted = description(type, size);
    Mem under;
    if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
      under = buffer(size[0] * element, 0, nullptr, in);
    wanted.mem_object = under;
    return create(CL_SUCCESS, flags, format, wanted, nullptr, in);
  }
  cl_int write(cl_mem to, Triple origin, Triple region, const void *from, size_t row = 0, size_t slice = 0) {
    return clEnqueueWriteImage(queue, to, CL_TRUE, origin.data(), region.data(), row, slice, from, 0, nullptr, nullptr);
  }
  cl_int readTo(void *to, cl_mem from, Triple origin, Triple region, size_t row = 0, size_t slice = 0) {
    return clEnqueueReadImage(queue, from, CL_TRUE, origin.data(), region.data(), row, slice, to, 0, nullptr, nullptr);
  }
  Bytes readImage(cl_mem from, Triple origin, Triple region, size_t element = 4) {
    Bytes box(region[0] * region[1] * region[2] * element);
    EXPECT_EQ(readTo(box.data(), from, origin, region), CL_SUCCESS);
    return box;
  }
  /// Creates an image with random pixels. Returns it with its contents.
  std::pair<Mem, Model> randomImage(cl_mem_object_type type, Triple size, unsigned seed = 1) {
    Model model(reach(type, size), 4);
    model.bytes = randomBytes(model.bytes.size(), seed);
    Mem made = image(type, size);
    EXPECT_EQ(write(made, {0, 0, 0}, model.size, model.bytes.data()), CL_SUCCESS);
    return {std::move(made), std::move(model)};
  }
  template <typename T> T info(cl_mem of, cl_image_info what) { return query<T>(clGetImageInfo, of, what); }

  /// Checks rule R11 of a command on a box of an image, for images of every type. `command` supplies all arguments but
  /// the box.
  using BoxCommand = std::function<cl_int(cl_mem image, const size_t *origin, const size_t *region)>;
  void expectBoxRules(const BoxCommand &command) {
    for (cl_mem_object_type type : ImageTypes) {
      const Triple size{7, 5, 3}, all = reach(type, size);
      Mem made = image(type, size);
      auto expect = [&](cl_int code, Triple origin, Triple region) {
        EXPECT_EQ(command(made, origin.data(), region.data()), code)
            << "type " << type << ": " << region[0] << " " << region[1] << " " << region[2] << " from " << origin[0]
            << " " << origin[1] << " " << origin[2];
      };
      EXPECT_EQ(command(made, nullptr, all.data()), CL_INVALID_VALUE) << "no origin";
      EXPECT_EQ(command(made, all.data(), nullptr), CL_INVALID_VALUE) << "no region";
      expect(CL_SUCCESS, {0, 0, 0}, all);
      expect(CL_SUCCESS, {all[0] - 1, all[1] - 1, all[2] - 1}, {1, 1, 1});
      for (size_t d = 0; d < 3; ++d) {
        Triple origin{}, region = all;
        region[d] = 0;
        expect(CL_INVALID_VALUE, origin, region);
        for (size_t much : {all[d] + 1, SIZE_MAX}) {
          region[d] = much;
          expect(CL_INVALID_VALUE, origin, region);
        }
        region[d] = 1;
        for (size_t far : {all[d], SIZE_MAX, SIZE_MAX - all[d]}) {
          origin[d] = far;
          expect(CL_INVALID_VALUE, origin, region);
        }
        origin[d] = SIZE_MAX;
        region[d] = 2; // their sum is 1
        expect(CL_INVALID_VALUE, origin, region);
      }
    }
  }
};

} // namespace kiln::test
