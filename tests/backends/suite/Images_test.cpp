// Fills, writes, copies and reads of boxes of pixels, which are boxes of bytes to a device, and the order of channels.
// More kernels on images are in tests/api and tests/e2e.
#include "tests/backends/suite/Suite.h"

namespace kiln::suite {

class DeviceImages : public OnDevice {
protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(OnDevice::SetUp());
    if (!query<cl_bool>(clGetDeviceInfo, device, CL_DEVICE_IMAGE_SUPPORT))
      GTEST_SKIP() << "no images";
  }
  struct Format {
    cl_image_format format;
    size_t element;
  };
  static constexpr Format Formats[] = {{{CL_R, CL_UNSIGNED_INT8}, 1},     {{CL_RG, CL_UNSIGNED_INT8}, 2},
                                       {{CL_sRGB, CL_UNORM_INT8}, 3},     {{CL_RGBA, CL_UNSIGNED_INT8}, 4},
                                       {{CL_RGBA, CL_UNSIGNED_INT16}, 8}, {{CL_RGBA, CL_UNSIGNED_INT32}, 16}};
  Mem image(cl_mem_object_type type, std::array<size_t, 3> size, const cl_image_format &format) {
    cl_image_desc wanted{};
    wanted.image_type = type;
    wanted.image_width = size[0];
    wanted.image_height = size[1];
    wanted.image_depth = wanted.image_array_size = size[2];
    cl_int code = 1;
    Mem made = clCreateImage(context, 0, &format, &wanted, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return made;
  }
  std::vector<unsigned char> read(cl_mem from, std::array<size_t, 3> size, size_t element) {
    const size_t zero[3] = {};
    std::vector<unsigned char> bytes(size[0] * size[1] * size[2] * element);
    EXPECT_EQ(clEnqueueReadImage(queue, from, CL_TRUE, zero, size.data(), 0, 0, bytes.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return bytes;
  }
};
ON_EVERY_DEVICE(DeviceImages);

TEST_P(DeviceImages, FillsOfBoxes) {
  for (const auto &[type, size] :
       {std::pair(CL_MEM_OBJECT_IMAGE2D, std::array<size_t, 3>{301, 97, 1}), {CL_MEM_OBJECT_IMAGE3D, {61, 23, 19}}})
    for (const auto &[format, element] : Formats) {
      std::mt19937 random{unsigned(element)};
      Mem made = image(type, size, format);
      std::vector<unsigned char> model = randomBytes(size[0] * size[1] * size[2] * element, 1);
      const size_t zero[3] = {};
      ASSERT_EQ(clEnqueueWriteImage(queue, made, CL_TRUE, zero, size.data(), 0, 0, model.data(), 0, nullptr, nullptr),
                CL_SUCCESS);
      for (int round = 0; round < 12; ++round) {
        size_t origin[3], region[3];
        for (int d = 0; d < 3; ++d) {
          region[d] = round == 0 || (round == 1 && d < 2) || (round == 2 && d == 0) ? size[d] : 1 + random() % size[d];
          origin[d] = random() % (size[d] - region[d] + 1);
        }
        cl_uint color[4];
        unsigned char pixel[16];
        for (int i = 0; i < 4; ++i) {
          color[i] = round % 4 == 3 ? 7 : random() % 256;
          if (format.image_channel_data_type == CL_UNORM_INT8) { // 0 and 1 are the same in sRGB
            const float value = color[i] % 2 ? 1.f : 0.f;
            pixel[i] = color[i] % 2 ? 255 : 0;
            std::memcpy(&color[i], &value, 4);
          } else {
            std::memcpy(pixel + i * (element > 4 ? element / 4 : 1), &color[i], element > 4 ? element / 4 : 1);
          }
        }
        ASSERT_EQ(clEnqueueFillImage(queue, made, color, origin, region, 0, nullptr, nullptr), CL_SUCCESS);
        for (size_t z = 0; z < region[2]; ++z)
          for (size_t y = 0; y < region[1]; ++y)
            for (size_t x = 0; x < region[0]; ++x)
              std::memcpy(&model[(((origin[2] + z) * size[1] + origin[1] + y) * size[0] + origin[0] + x) * element],
                          pixel, element);
        ASSERT_EQ(read(made, size, element), model) << element << " bytes, round " << round;
      }
    }
}

TEST_P(DeviceImages, CopiesOfBoxes) {
  const std::array<size_t, 3> size{61, 23, 9};
  for (const auto &[format, element] : Formats) {
    Mem from = image(CL_MEM_OBJECT_IMAGE3D, size, format), to = image(CL_MEM_OBJECT_IMAGE2D_ARRAY, size, format);
    std::vector<unsigned char> source = randomBytes(size[0] * size[1] * size[2] * element, 2),
                               target = randomBytes(source.size(), 3);
    const size_t zero[3] = {}, at[3] = {5, 2, 1}, toAt[3] = {11, 7, 3}, region[3] = {40, 15, 5};
    for (const auto &[made, bytes] : {std::pair(from.get(), &source), {to.get(), &target}})
      ASSERT_EQ(clEnqueueWriteImage(queue, made, CL_TRUE, zero, size.data(), 0, 0, bytes->data(), 0, nullptr, nullptr),
                CL_SUCCESS);
    ASSERT_EQ(clEnqueueCopyImage(queue, from, to, at, toAt, region, 0, nullptr, nullptr), CL_SUCCESS);
    for (size_t z = 0; z < region[2]; ++z)
      for (size_t y = 0; y < region[1]; ++y)
        std::memcpy(&target[(((toAt[2] + z) * size[1] + toAt[1] + y) * size[0] + toAt[0]) * element],
                    &source[(((at[2] + z) * size[1] + at[1] + y) * size[0] + at[0]) * element], region[0] * element);
    EXPECT_EQ(read(to, size, element), target) << element;
    const size_t bytes = region[0] * region[1] * region[2] * element;
    Mem between = buffer(bytes + 16);
    ASSERT_EQ(clEnqueueCopyImageToBuffer(queue, to, between, toAt, region, 16, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueCopyBufferToImage(queue, between, from, 16, zero, region, 0, nullptr, nullptr), CL_SUCCESS);
    std::vector<unsigned char> moved = source;
    for (size_t z = 0; z < region[2]; ++z)
      for (size_t y = 0; y < region[1]; ++y)
        std::memcpy(&moved[(z * size[1] + y) * size[0] * element],
                    &source[(((at[2] + z) * size[1] + at[1] + y) * size[0] + at[0]) * element], region[0] * element);
    EXPECT_EQ(read(from, size, element), moved) << element;
  }
}

// The orders of channels share cases of one large switch. LLVM 22's AMDGPU backend stored nothing for sBGRA.
TEST_P(DeviceImages, ChannelOrdersOfWrites) {
  Program program = build("kernel void run(write_only image2d_t to) { write_imagef(to, (int2)(get_global_id(0), 0), "
                          "(float4)(1, get_global_id(0) == 1, 0, get_global_id(0) == 2)); }");
  ASSERT_NE(program, nullptr);
  struct {
    cl_channel_order order;
    const char *channels; // in memory; `x` is red, ...
  } const orders[] = {{CL_R, "x"},       {CL_RG, "xy"},     {CL_RGBA, "xyzw"},  {CL_BGRA, "zyxw"},
                      {CL_ARGB, "wxyz"}, {CL_ABGR, "wzyx"}, {CL_sRGBA, "xyzw"}, {CL_sBGRA, "zyxw"}};
  for (const auto &[order, channels] : orders) {
    const cl_image_format format{order, CL_UNORM_INT8};
    const std::string names = channels;
    Mem made = image(CL_MEM_OBJECT_IMAGE2D, {3, 1, 1}, format);
    Kernel run = kernel(program, "run");
    set(run, 0, made);
    launch(run, {3}, {});
    const std::vector<unsigned char> bytes = read(made, {3, 1, 1}, names.size());
    for (size_t x = 0; x < 3; ++x)
      for (size_t i = 0; i < names.size(); ++i) {
        const bool one = names[i] == 'x' || (names[i] == 'y' && x == 1) || (names[i] == 'w' && x == 2);
        EXPECT_EQ(bytes[x * names.size() + i], one ? 255 : 0)
            << "order " << order << ", pixel " << x << ' ' << names[i];
      }
  }
}

// Filtered reads of every format and address mode, compared with a filter in the kernel. The precision of filters is
// the implementation's (OpenCL C 3.2): a texture unit may filter UNORM_INT8, with the conformance suite's bound.
TEST_P(DeviceImages, FiltersOfEveryFormat) {
  Program program = build(R"(
constant sampler_t pick = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
int addressed(int i, int size, uint mode) { // in the order of CL_ADDRESS_CLAMP_TO_EDGE and the following values
  return mode == 1 ? clamp(i, -1, size) : mode == 2 ? (i + size) % size : clamp(i, 0, size - 1);
}
kernel void run(read_only image2d_t image, sampler_t how, uint mode, global const float2 *at, global float4 *found,
                global float4 *expected) {
  const size_t i = get_global_id(0);
  float2 s = at[i];
  found[i] = read_imagef(image, how, s);
  const int2 size = get_image_dim(image);
  s = mode == 2 ? s - floor(s) : mode == 3 ? fabs(s - 2 * rint(0.5f * s)) : s;
  const float2 u = s * convert_float2(size) - 0.5f, weight = u - floor(u);
  const int2 first = convert_int2_rtn(u);
  const int x0 = addressed(first.x, size.x, mode), x1 = addressed(first.x + 1, size.x, mode);
  const int y0 = addressed(first.y, size.y, mode), y1 = addressed(first.y + 1, size.y, mode);
  const float4 upper = mix(read_imagef(image, pick, (int2)(x0, y0)), read_imagef(image, pick, (int2)(x1, y0)), weight.x),
               lower = mix(read_imagef(image, pick, (int2)(x0, y1)), read_imagef(image, pick, (int2)(x1, y1)), weight.x);
  expected[i] = mix(upper, lower, weight.y);
})");
  ASSERT_NE(program, nullptr);
  constexpr std::array<size_t, 3> Size{37, 23, 1};
  constexpr size_t Count = 100;
  const size_t zero[3] = {};
  std::mt19937 random(1);
  std::vector<cl_float2> at(Count);
  for (cl_float2 &place : at)
    for (float &s : place.s)
      s = float(random() >> 8) * 0x1p-24f * 3 - 1;
  cl_uint count = 0;
  ASSERT_EQ(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count),
            CL_SUCCESS);
  std::vector<cl_image_format> formats(count);
  ASSERT_EQ(
      clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, count, formats.data(), nullptr),
      CL_SUCCESS);
  Kernel run = kernel(program, "run");
  for (const cl_image_format &format : formats) {
    const cl_channel_type type = format.image_channel_data_type;
    if ((type >= CL_SIGNED_INT8 && type <= CL_UNSIGNED_INT32) || format.image_channel_order == CL_DEPTH)
      continue; // integers have no filter, and depth images another type
    Mem made = image(CL_MEM_OBJECT_IMAGE2D, Size, format);
    const size_t element = query<size_t>(clGetImageInfo, made.get(), CL_IMAGE_ELEMENT_SIZE);
    std::vector<unsigned char> pixels = randomBytes(Size[0] * Size[1] * element, 6);
    for (size_t i = 1; i < pixels.size(); ++i) // halves and floats below 1 in magnitude
      if ((type == CL_HALF_FLOAT && i % 2) || (type == CL_FLOAT && i % 4 == 3))
        pixels[i] = pixels[i] & 0x80 ? 0xb8 : 0x38;
    ASSERT_EQ(clEnqueueWriteImage(queue, made, CL_TRUE, zero, Size.data(), 0, 0, pixels.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    for (cl_uint mode = 0; mode < 4; ++mode) {
      SCOPED_TRACE(testing::Message() << "order " << format.image_channel_order << ", type " << type << ", mode "
                                      << mode);
      cl_int code = 1;
      const test::Held<cl_sampler, clReleaseSampler> how =
          clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP_TO_EDGE + mode, CL_FILTER_LINEAR, &code);
      ASSERT_EQ(code, CL_SUCCESS);
      Mem places = buffer(at), found = buffer(Count * sizeof(cl_float4)), expected = buffer(Count * sizeof(cl_float4));
      set(run, 0, made), set(run, 1, how.get()), set(run, 2, mode), set(run, 3, places), set(run, 4, found);
      set(run, 5, expected);
      launch(run, {Count}, {});
      const auto results = OnDevice::read<cl_float4>(found, Count), exact = OnDevice::read<cl_float4>(expected, Count);
      const double most = type == CL_UNORM_INT8 ? 0x1p-7 : 4e-5;
      size_t wrong = 0;
      for (size_t i = 0; i < Count; ++i)
        for (int c = 0; c < 4; ++c)
          wrong += !(std::fabs(results[i].s[c] - exact[i].s[c]) <= most);
      EXPECT_EQ(wrong, 0u);
    }
  }
}

// Pixels of 32-bit channels reach the kernel bit for bit: subnormals and NaN too. The first launch of a
// program runs the generic form, which reads them through the texture unit where there is one; later ones may load
// them.
TEST_P(DeviceImages, ReadsOfWordsAreExact) {
  Program program = build(R"(
constant sampler_t pick = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
#define AT (int2)(get_global_id(0), get_global_id(1))
#define TO to[get_global_id(1) * get_global_size(0) + get_global_id(0)]
kernel void floats(read_only image2d_t image, global uint4 *to) { TO = as_uint4(read_imagef(image, pick, AT)); }
kernel void ints(read_only image2d_t image, global uint4 *to) { TO = as_uint4(read_imagei(image, pick, AT)); }
kernel void uints(read_only image2d_t image, global uint4 *to) { TO = read_imageui(image, pick, AT); }
)");
  ASSERT_NE(program, nullptr);
  constexpr std::array<size_t, 3> Size{37, 23, 1};
  constexpr size_t Words = Size[0] * Size[1] * 4, zero[3] = {};
  std::mt19937 random(8);
  std::vector<cl_uint> pixels(Words);
  for (cl_uint &word : pixels) {
    word = cl_uint(random());
    if (word % 5 == 0)
      word &= 0x807fffff; // subnormal
    if (word % 7 == 0)
      word |= 0x7f800000;
    if ((word & 0x7f800000) == 0x7f800000)
      word |= 0x00400000; // NaN is quiet: arithmetic on a pixel may make it so
  }
  for (const auto &[name, type] :
       {std::pair("floats", CL_FLOAT), {"ints", CL_SIGNED_INT32}, {"uints", CL_UNSIGNED_INT32}}) {
    Mem made = image(CL_MEM_OBJECT_IMAGE2D, Size, {CL_RGBA, cl_channel_type(type)});
    ASSERT_EQ(clEnqueueWriteImage(queue, made, CL_TRUE, zero, Size.data(), 0, 0, pixels.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    Mem found = buffer(Words * 4);
    Kernel run = kernel(program, name);
    set(run, 0, made), set(run, 1, found);
    for (int round = 0; round < 3; ++round) {
      launch(run, {Size[0], Size[1]}, {});
      EXPECT_EQ(OnDevice::read<cl_uint>(found, Words), pixels) << name << ", round " << round;
    }
  }
}

// A device may pad the rows of its images. The application sees padding in mapped memory only.
TEST_P(DeviceImages, RowsWithoutPadding) {
  constexpr std::array<size_t, 3> Size{301, 17, 1};
  constexpr size_t Gap = 5; // pixels after each row of the application's memory
  const size_t zero[3] = {};
  for (const auto &[format, element] : Formats) {
    const size_t row = Size[0] * element, pitch = row + Gap * element;
    std::vector<unsigned char> pixels = randomBytes(row * Size[1], 4), given(pitch * Size[1]);
    for (size_t y = 0; y < Size[1]; ++y)
      std::memcpy(&given[y * pitch], &pixels[y * row], row);
    for (const bool hasGaps : {false, true}) {
      cl_image_desc wanted{};
      wanted.image_type = CL_MEM_OBJECT_IMAGE2D;
      wanted.image_width = Size[0];
      wanted.image_height = Size[1];
      wanted.image_row_pitch = hasGaps ? pitch : 0;
      cl_int code = 1;
      Mem made =
          clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &wanted, hasGaps ? given.data() : pixels.data(), &code);
      ASSERT_EQ(code, CL_SUCCESS);
      const size_t described = hasGaps ? pitch : row;
      EXPECT_EQ(query<size_t>(clGetImageInfo, made.get(), CL_IMAGE_ROW_PITCH), described);
      EXPECT_EQ(query<size_t>(clGetImageInfo, made.get(), CL_IMAGE_SLICE_PITCH), 0u);
      EXPECT_EQ(query<size_t>(clGetMemObjectInfo, made.get(), CL_MEM_SIZE), described * Size[1]);
      EXPECT_EQ(read(made, Size, element), pixels) << element;

      size_t mappedPitch = 0;
      auto *mapped = static_cast<unsigned char *>(clEnqueueMapImage(queue, made, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                                                    zero, Size.data(), &mappedPitch, nullptr, 0,
                                                                    nullptr, nullptr, &code));
      ASSERT_EQ(code, CL_SUCCESS);
      ASSERT_GE(mappedPitch, row);
      for (size_t y = 0; y < Size[1]; ++y) {
        EXPECT_EQ(std::memcmp(mapped + y * mappedPitch, &pixels[y * row], row), 0) << "row " << y;
        mapped[y * mappedPitch] ^= 0xff;
      }
      ASSERT_EQ(clEnqueueUnmapMemObject(queue, made, mapped, 0, nullptr, nullptr), CL_SUCCESS);
      std::vector<unsigned char> changed = pixels;
      for (size_t y = 0; y < Size[1]; ++y)
        changed[y * row] ^= 0xff;
      EXPECT_EQ(read(made, Size, element), changed) << element;
    }
  }
}

// An image that is created from another one has the same pixels.
TEST_P(DeviceImages, RowsOfView) {
  constexpr std::array<size_t, 3> Size{301, 17, 1};
  constexpr cl_image_format Format{CL_RGBA, CL_UNORM_INT8}, ViewFormat{CL_sRGBA, CL_UNORM_INT8};
  std::vector<unsigned char> pixels = randomBytes(Size[0] * Size[1] * 4, 5);
  const size_t zero[3] = {};
  Mem made = image(CL_MEM_OBJECT_IMAGE2D, Size, Format);
  cl_image_desc view{};
  view.image_type = CL_MEM_OBJECT_IMAGE2D;
  view.image_width = Size[0];
  view.image_height = Size[1];
  view.image_row_pitch = query<size_t>(clGetImageInfo, made.get(), CL_IMAGE_ROW_PITCH);
  view.mem_object = made;
  EXPECT_EQ(view.image_row_pitch, Size[0] * 4);
  cl_int code = 1;
  Mem seen = clCreateImage(context, 0, &ViewFormat, &view, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  ASSERT_EQ(clEnqueueWriteImage(queue, seen, CL_TRUE, zero, Size.data(), 0, 0, pixels.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(read(made, Size, 4), pixels);
  EXPECT_EQ(read(seen, Size, 4), pixels);
}

} // namespace kiln::suite
