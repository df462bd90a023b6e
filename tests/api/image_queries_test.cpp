// Image queries in kernels, images as function arguments, several images in one kernel, and coordinates outside of
// images.
#include "tests/api/ImageKernels.h"

#include <algorithm>

namespace kiln::test {

struct ImageQueries : WithImageKernels {
  /// The results of the host's queries: width, height, depth, array size, order, type. 0 for sizes that the image type
  /// does not have.
  std::array<int, 6> hostQueries(cl_mem image) {
    auto format = info<cl_image_format>(image, CL_IMAGE_FORMAT);
    auto size = [&](cl_image_info what) { return int(info<size_t>(image, what)); };
    return {size(CL_IMAGE_WIDTH),      size(CL_IMAGE_HEIGHT),           size(CL_IMAGE_DEPTH),
            size(CL_IMAGE_ARRAY_SIZE), int(format.image_channel_order), int(format.image_channel_data_type)};
  }
};

// Size queries in kernels with each access qualifier, and in functions with an image parameter.
TEST_F(ImageQueries, Sizes) {
  PROVES("LANG-1.13.14c LANG-1.9a LANG-1.6");
  std::string text;
  for (const ImageShape &shape : ImageShapes)
    for (const char *access : {"read_only", "write_only", "read_write"}) {
      const bool rows = hasRows(shape.object), deep = is3d(shape.object), layers = isArray(shape.object);
      text += replaced(R"(
int width_$name($access $type image) { return get_image_width(image); }
int array_$name($access $type image) { return width_$name(image) * 1000 + $array; }
kernel void ask_$name($access $type image, global int *out) {
  out[0] = get_image_width(image);
  out[1] = $height;
  out[2] = $depth;
  out[3] = $array;
  out[4] = get_image_channel_order(image);
  out[5] = get_image_channel_data_type(image);
  int4 dim = $dim;
  out[6] = dim.x, out[7] = dim.y, out[8] = dim.z, out[9] = dim.w;
  out[10] = array_$name(image);
}
)",
                       {{"$name", std::string(shape.name) + "_" + access},
                        {"$access", access},
                        {"$type", shape.type},
                        {"$height", rows ? "get_image_height(image)" : "0"},
                        {"$depth", deep ? "get_image_depth(image)" : "0"},
                        {"$array", layers ? "(int)get_image_array_size(image)" : "0"},
                        {"$dim", deep   ? "get_image_dim(image)"
                                 : rows ? "(int4)(get_image_dim(image), 0, 0)"
                                        : "(int4)(0)"}});
    }
  Program program = images(text);
  Mem out = buffer(11 * sizeof(int));
  for (const ImageShape &shape : ImageShapes) {
    const cl_image_format format = shape.isDepth ? cl_image_format{CL_DEPTH, CL_FLOAT} : Rgba8;
    Mem made = image(shape.object, {17, 9, 5}, format, 4);
    const std::array<int, 6> wanted = hostQueries(made);
    for (const char *access : {"read_only", "write_only", "read_write"}) {
      SCOPED_TRACE(std::string(shape.name) + ", " + access);
      Kernel ask = kernel(program, (std::string("ask_") + shape.name + "_" + access).c_str());
      setAll(ask, made, out);
      ASSERT_EQ(launch(ask, 1), CL_SUCCESS);
      std::vector<int> found = read<int>(out, 11);
      for (size_t i = 0; i < 6; ++i)
        EXPECT_EQ(found[i], wanted[i]) << i;
      const bool rows = hasRows(shape.object);
      EXPECT_EQ(found[6], rows ? wanted[0] : 0);
      EXPECT_EQ(found[7], wanted[1]);
      EXPECT_EQ(found[8], wanted[2]);
      EXPECT_EQ(found[9], 0);
      EXPECT_EQ(found[10], wanted[0] * 1000 + wanted[3]);
    }
  }
}

// Size queries of images with the largest size in one dimension.
TEST_F(ImageQueries, LargeSizes) {
  PROVES("LANG-1.13.14c LIM-12 LIM-13");
  Program program = images(R"(
kernel void lines(read_only image1d_buffer_t image, global int *out) { *out = get_image_width(image); }
kernel void layers(read_only image2d_array_t image, global int *out) { *out = get_image_array_size(image); }
)");
  const cl_image_format small{CL_R, CL_UNORM_INT8};
  const size_t most =
                   std::min<size_t>(query<size_t>(clGetDeviceInfo, device, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE), 1 << 24),
               layerCount = query<size_t>(clGetDeviceInfo, device, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE);
  Mem line = image(CL_MEM_OBJECT_IMAGE1D_BUFFER, {most, 1, 1}, small, 1),
      stack = image(CL_MEM_OBJECT_IMAGE2D_ARRAY, {3, 2, layerCount}, small, 1), out = buffer(sizeof(int));
  Kernel lines = kernel(program, "lines"), layers = kernel(program, "layers");
  setAll(lines, line, out);
  ASSERT_EQ(launch(lines, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], int(most));
  setAll(layers, stack, out);
  ASSERT_EQ(launch(layers, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], int(layerCount));
}

TEST_F(ImageQueries, EveryFormat) {
  PROVES("LANG-1.13.14c");
  Program program = images(R"(
kernel void color(write_only image2d_t image, global int *out) {
  out[0] = get_image_channel_order(image), out[1] = get_image_channel_data_type(image);
}
kernel void depth(write_only image2d_depth_t image, global int *out) {
  out[0] = get_image_channel_order(image), out[1] = get_image_channel_data_type(image);
}
)");
  Mem out = buffer(2 * sizeof(int));
  for (const ImageShape *shape : {&Flat, &FlatDepth})
    for (const cl_image_format &format : formats(CL_MEM_WRITE_ONLY, *shape)) {
      Mem made = image(shape->object, {2, 2, 1}, format, PixelRules(format).bytes);
      Kernel ask = kernel(program, shape->isDepth ? "depth" : "color");
      setAll(ask, made, out);
      ASSERT_EQ(launch(ask, 1), CL_SUCCESS);
      EXPECT_EQ(read<int>(out, 2),
                (std::vector<int>{int(format.image_channel_order), int(format.image_channel_data_type)}))
          << nameOf(format);
    }
}

TEST_F(ImageQueries, FormatConstants) {
  PROVES("LANG-1.13.14c");
  const std::pair<const char *, unsigned> names[] = {
      {"R", CL_R},
      {"A", CL_A},
      {"RG", CL_RG},
      {"RA", CL_RA},
      {"RGB", CL_RGB},
      {"RGBA", CL_RGBA},
      {"BGRA", CL_BGRA},
      {"ARGB", CL_ARGB},
      {"INTENSITY", CL_INTENSITY},
      {"LUMINANCE", CL_LUMINANCE},
      {"Rx", CL_Rx},
      {"RGx", CL_RGx},
      {"RGBx", CL_RGBx},
      {"DEPTH", CL_DEPTH},
      {"sRGB", CL_sRGB},
      {"sRGBx", CL_sRGBx},
      {"sRGBA", CL_sRGBA},
      {"sBGRA", CL_sBGRA},
      {"ABGR", CL_ABGR},
      {"SNORM_INT8", CL_SNORM_INT8},
      {"SNORM_INT16", CL_SNORM_INT16},
      {"UNORM_INT8", CL_UNORM_INT8},
      {"UNORM_INT16", CL_UNORM_INT16},
      {"UNORM_SHORT_565", CL_UNORM_SHORT_565},
      {"UNORM_SHORT_555", CL_UNORM_SHORT_555},
      {"UNORM_INT_101010", CL_UNORM_INT_101010},
      {"UNORM_SHORT_101010", CL_UNORM_INT_101010}, // the specification's name
      {"UNORM_INT_101010_2", CL_UNORM_INT_101010_2},
      {"SIGNED_INT8", CL_SIGNED_INT8},
      {"SIGNED_INT16", CL_SIGNED_INT16},
      {"SIGNED_INT32", CL_SIGNED_INT32},
      {"UNSIGNED_INT8", CL_UNSIGNED_INT8},
      {"UNSIGNED_INT16", CL_UNSIGNED_INT16},
      {"UNSIGNED_INT32", CL_UNSIGNED_INT32},
      {"HALF_FLOAT", CL_HALF_FLOAT},
      {"FLOAT", CL_FLOAT}};
  std::string list;
  std::vector<unsigned> wanted;
  for (auto [name, number] : names) {
    list += std::string(list.empty() ? "" : ", ") + "CLK_" + name;
    wanted.push_back(number);
  }
  const std::string text =
      "constant uint numbers[] = {" + list +
      "};\nkernel void tell(global uint *out) { out[get_global_id(0)] = numbers[get_global_id(0)]; }";
  Program program = built(text.c_str(), "-cl-std=CL3.0"); // OpenCL C 3.0 has all of these constants
  Mem out = buffer(wanted.size() * sizeof(unsigned));
  Kernel tell = kernel(program, "tell");
  setAll(tell, out);
  ASSERT_EQ(launch(tell, wanted.size()), CL_SUCCESS);
  EXPECT_EQ(read<unsigned>(out, wanted.size()), wanted);
}

// One kernel reads floats and integers from several images and writes both to others, through functions with image
// parameters.
TEST_F(ImageQueries, SeveralImagesInOneKernel) {
  PROVES("LANG-1.13.14a LANG-1.13.14b LANG-1.9a");
  Program program = images(std::string(ImagePrologue) + R"(
float4 fetch(read_only image2d_t image, int x, int y) { return read_imagef(image, (int2)(x, y)); }
void put(write_only image3d_t image, int4 at, float4 color) { write_imagef(image, at, color); }
float4 both(read_only image2d_t a, read_only image2d_t b, int x, int y) { return fetch(a, x, y) + fetch(b, x, y); }
kernel void join(read_only image2d_t a, read_only image2d_t b, read_only image1d_array_t c, write_only image3d_t sum,
                 write_only image2d_array_t ints, read_write image2d_t last) {
  ITEM;
  put(sum, (int4)(x, y, 0, 0), both(a, b, x, y));
  put(sum, (int4)(x, y, 1, 0), both(b, b, x, y));
  int4 whole = read_imagei(c, (int2)(x, y));
  write_imagei(ints, (int4)(x, y, 1, 0), whole);
  uint4 old = read_imageui(last, (int2)(x, y));
  write_imageui(last, (int2)(x, y), old + as_uint4(whole));
}
)");
  const cl_image_format bytes{CL_RGBA, CL_UNORM_INT8}, halves{CL_RA, CL_HALF_FLOAT}, shorts{CL_RG, CL_SIGNED_INT16},
      floats{CL_RGBA, CL_FLOAT}, ints{CL_RGBA, CL_SIGNED_INT32}, uints{CL_R, CL_UNSIGNED_INT32};
  const Triple size{9, 4, 2}, layers{9, 1, 4};
  auto quarters = [](HostImage &image) { // multiples of 1/4, so that sums are exact
    image.pixels([&](size_t x, size_t y, size_t z, size_t index) {
      for (size_t at = 0; at < 4; at += 2) {
        const auto half = uint16_t(toHalf(double(index + at) / 4));
        memcpy(image.at(x, y, z) + at, &half, 2);
      }
    });
  };
  auto a = hostImage(CL_MEM_OBJECT_IMAGE2D, size, bytes, 1),
       b = hostImage(CL_MEM_OBJECT_IMAGE2D, size, halves, 2, false, quarters),
       c = hostImage(CL_MEM_OBJECT_IMAGE1D_ARRAY, layers, shorts, 3),
       sum = hostImage(CL_MEM_OBJECT_IMAGE3D, size, floats), whole = hostImage(CL_MEM_OBJECT_IMAGE2D_ARRAY, size, ints),
       last = hostImage(CL_MEM_OBJECT_IMAGE2D, size, uints, 4);
  Kernel join = kernel(program, "join");
  setAll(join, *a, *b, *c, *sum, *whole, *last);
  ASSERT_EQ(run(join, {9, 4, 1}), CL_SUCCESS);
  for (HostImage *one : {sum.get(), whole.get(), last.get()})
    fetch(*one);
  const PixelRules ofA(bytes), ofB(halves), ofC(shorts), ofSum(floats), ofInts(ints);
  for (size_t y = 0; y < 4; ++y)
    for (size_t x = 0; x < 9; ++x) {
      const Color first = ofA.color(a->at(x, y, 0)), second = ofB.color(b->at(x, y, 0)),
                  third = ofC.color(c->at(x, y, 0)), one = ofSum.color(sum->at(x, y, 0)),
                  two = ofSum.color(sum->at(x, y, 1)), number = ofInts.color(whole->at(x, y, 1));
      for (size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(one[i], first[i] + second[i], 1e-6);
        EXPECT_EQ(two[i], 2 * second[i]);
        EXPECT_EQ(number[i], third[i]);
      }
      uint32_t old, now;
      memcpy(&old, &last->before[size_t(last->at(x, y, 0) - last->bytes.data())], 4);
      memcpy(&now, last->at(x, y, 0), 4);
      EXPECT_EQ(now, old + uint32_t(int(third[0])));
    }
}

// Writes outside the image change nothing, also not the padding between rows. Reads outside are undefined; Kiln returns
// the nearest pixel.
TEST_F(ImageQueries, OutsideOfImages) {
  PROVES("LANG-1.13.14g LIM-43");
  Program program = images(forImages(R"(
kernel void spill_$name(read_write $type image, global const int4 *at, global $v *out) {
  ITEM;
  { int x = at[index].x, y = at[index].y, z = at[index].z; write_image$k(image, $at, ($v)(1)$d); }
}
kernel void look_$name(read_only $type image, global const int4 *at, global $v *out) {
  ITEM;
  { int x = at[index].x, y = at[index].y, z = at[index].z; out[index] = wide(read_image$k(image, $at)); }
}
)"));
  const int far[] = {INT_MIN, INT_MAX, -1, -3, -1000, 100, 1 << 20, -(1 << 20), 1 << 30};
  std::mt19937 random(1);
  for (const ImageShape &shape : ImageShapes)
    for (const cl_image_format &format : {cl_image_format{CL_RGBA, CL_FLOAT},
                                          {CL_R, CL_UNSIGNED_INT8},
                                          {CL_RGBA, CL_SIGNED_INT16},
                                          {CL_DEPTH, CL_FLOAT}}) {
      if ((format.image_channel_order == CL_DEPTH) != shape.isDepth)
        continue;
      SCOPED_TRACE(std::string(shape.name) + ", " + nameOf(format));
      const Kind kind = kindOf(format);
      auto image = hostImage(shape.object, {7, 5, 3}, format);
      size_t axes = 1;
      for (size_t axis = 1; axis < 3; ++axis)
        axes = image->reach[axis] > 1 ? axis + 1 : axes;
      std::vector<std::array<int, 4>> at(300);
      for (auto &one : at) {
        const size_t out = random() % axes; // at least this coordinate is outside
        for (size_t axis = 0; axis < axes; ++axis) {
          const int size = int(image->reach[axis]);
          const bool isFar = axis == out || random() % 4 == 0;
          one[axis] = !isFar              ? int(random() % unsigned(size))
                      : random() % 3 == 0 ? size + int(random() % 4)
                                          : far[random() % std::size(far)];
        }
      }
      Mem in = buffer(at.size() * sizeof at[0], CL_MEM_COPY_HOST_PTR, at.data()),
          out = buffer(at.size() * sizeof(Words));
      Kernel spill = kernelOf(program, "spill", shape, kind), look = kernelOf(program, "look", shape, kind);
      setAll(spill, *image, in, out);
      setAll(look, *image, in, out);
      ASSERT_EQ(launch(spill, at.size()), CL_SUCCESS);
      ASSERT_EQ(launch(look, at.size()), CL_SUCCESS);
      std::vector<Words> seen = read<Words>(out, at.size());
      fetch(*image);
      EXPECT_EQ(image->bytes, image->before);
      const PixelRules rules(format);
      for (size_t i = 0; i < at.size(); ++i) {
        size_t nearest[3] = {};
        for (size_t axis = 0; axis < axes; ++axis)
          nearest[axis] = size_t(std::clamp(at[i][axis], 0, int(image->reach[axis]) - 1));
        for (unsigned c = 0; c < (shape.isDepth ? 1u : 4u); ++c)
          EXPECT_TRUE(rules.mayRead(image->at(nearest[0], nearest[1], nearest[2]), c, numberOf(kind, seen[i][c])))
              << at[i][0] << " " << at[i][1] << " " << at[i][2];
      }
    }
}

// Sources that break the rules of access qualifiers, or use images and samplers where OpenCL C forbids it. Each has a
// similar valid source.
TEST_F(ImageQueries, InvalidSources) {
  PROVES("LANG-1.6 LANG-1.9a");
  struct {
    const char *what, *right, *wrong;
  } const texts[] = {
      {"a sampler with a read_write image",
       "kernel void k(read_only image2d_t a, sampler_t s, global float4 *o) { *o = read_imagef(a, s, (int2)(0)); }",
       "kernel void k(read_write image2d_t a, sampler_t s, global float4 *o) { *o = read_imagef(a, s, (int2)(0)); }"},
      {"a read of a write_only image",
       "kernel void k(read_write image2d_t a, global float4 *o) { *o = read_imagef(a, (int2)(0)); }",
       "kernel void k(write_only image2d_t a, global float4 *o) { *o = read_imagef(a, (int2)(0)); }"},
      {"a write to what is only read",
       "kernel void k(write_only image2d_t a) { write_imagef(a, (int2)(0), (float4)(0)); }",
       "kernel void k(read_only image2d_t a) { write_imagef(a, (int2)(0), (float4)(0)); }"},
      {"the same without a qualifier",
       "kernel void k(image2d_t a, sampler_t s, global float4 *o) { *o = read_imagef(a, s, (int2)(0)); }",
       "kernel void k(image2d_t a) { write_imagef(a, (int2)(0), (float4)(0)); }"},
      {"an image in a struct", "kernel void k(read_only image2d_t a) {}",
       "struct S { read_only image2d_t a; }; kernel void k(global int *o) { struct S s; *o = sizeof s; }"},
      {"an image in a variable", "kernel void k(read_only image2d_t a) { int w = get_image_width(a); }",
       "kernel void k(read_only image2d_t a) { read_only image2d_t b = a; }"},
      {"a pointer to an image", "kernel void k(read_only image2d_t a) {}",
       "kernel void k(global read_only image2d_t *a) {}"},
      {"samplers in an array", "constant sampler_t s = 0; kernel void k(global int *o) {}",
       "constant sampler_t s[] = {0, 16}; kernel void k(global int *o) {}"},
      {"a sampler in a struct", "kernel void k(sampler_t s) {}",
       "struct S { sampler_t s; }; kernel void k(global int *o) { struct S s; *o = sizeof s; }"},
  };
  for (const auto &text : texts) {
    SCOPED_TRACE(text.what);
    images(text.right);
    Program wrong = source(text.wrong);
    EXPECT_EQ(clBuildProgram(wrong, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
    EXPECT_NE(log(wrong).find("error"), std::string::npos) << log(wrong);
  }
}

} // namespace kiln::test
