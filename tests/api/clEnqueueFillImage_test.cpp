#include "tests/api/ImageTest.h"
#include <algorithm>
#include <cmath>

namespace kiln::test {

struct EnqueueFillImage : WithImages {
  cl_int fill(cl_mem m, const void *color, Triple origin, Triple region) {
    return clEnqueueFillImage(queue, m, color, origin.data(), region.data(), 0, nullptr, nullptr);
  }
  /// Fills an image of this format, checks that all pixels are equal, and returns one.
  Bytes pixel(cl_channel_order order, cl_channel_type type, size_t element, const void *color) {
    Mem made = image(CL_MEM_OBJECT_IMAGE2D, {3, 2, 1}, {order, type}, element);
    EXPECT_EQ(fill(made, color, {0, 0, 0}, {3, 2, 1}), CL_SUCCESS);
    Bytes all = readImage(made, {0, 0, 0}, {3, 2, 1}, element), first(all.begin(), all.begin() + ptrdiff_t(element));
    for (size_t i = 1; i < 6; ++i)
      EXPECT_TRUE(std::equal(first.begin(), first.end(), all.begin() + ptrdiff_t(i * element)));
    return first;
  }
  const Triple zero{};
};

TEST_F(EnqueueFillImage, EnqueueRules) {
  PROVES("R5 R6 API-5.3.4a API-5.11e");
  Mem made = image(CL_MEM_OBJECT_IMAGE2D, {4, 4, 1}), plain = buffer(64);
  const Triple all{4, 4, 1};
  const float color[4] = {};
  auto call = [&](cl_command_queue q, cl_mem m, cl_uint n, const cl_event *w, cl_event *e) {
    return clEnqueueFillImage(q, m, color, zero.data(), all.data(), n, w, e);
  };
  expectEnqueueRules(call, made);
  expectEnqueueRules(
      [&](cl_command_queue q, cl_uint n, const cl_event *w, cl_event *e) { return call(q, made, n, w, e); },
      CL_COMMAND_FILL_IMAGE);
  EXPECT_EQ(call(queue, plain, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(fill(made, nullptr, zero, all), CL_INVALID_VALUE);
}

TEST_F(EnqueueFillImage, OriginAndRegion) {
  PROVES("R11 API-5.3.4a");
  const float color[4] = {};
  expectBoxRules([&](cl_mem m, auto origin, auto region) {
    return clEnqueueFillImage(queue, m, color, origin, region, 0, nullptr, nullptr);
  });
}

// Fills of boxes, for every image type and every pixel size (3 bytes is not a power of two). Other pixels do not
// change.
TEST_F(EnqueueFillImage, ExactlyTheBox) {
  PROVES("API-5.3.4a R12");
  struct {
    cl_image_format format;
    size_t element;
  } const formats[] = {{{CL_R, CL_UNSIGNED_INT8}, 1},    {{CL_RG, CL_UNSIGNED_INT8}, 2},  {{CL_sRGB, CL_UNORM_INT8}, 3},
                       {{CL_RGBA, CL_UNSIGNED_INT8}, 4}, {{CL_RG, CL_UNSIGNED_INT32}, 8}, {{CL_RGBA, CL_FLOAT}, 16}};
  for (cl_mem_object_type type : ImageTypes)
    for (const auto &[format, element] : formats) {
      if (format.image_channel_order == CL_sRGB && type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
        continue;
      const Triple size{11, 6, 4};
      Mem made = image(type, size, format, element, nullptr, CL_MEM_HOST_READ_ONLY);
      Model model(reach(type, size), element);
      const cl_uint clear[4] = {};
      ASSERT_EQ(fill(made, clear, zero, model.size), CL_SUCCESS);
      std::mt19937 random(type + cl_uint(element));
      for (int round = 0; round < 12; ++round) {
        Triple region, at;
        for (size_t d = 0; d < 3; ++d) {
          region[d] = 1 + random() % model.size[d];
          at[d] = random() % (model.size[d] - region[d] + 1);
        }
        Bytes color(16), box;
        for (size_t i = 0; i < 4; ++i) {
          const cl_uint value = format.image_channel_data_type == CL_UNSIGNED_INT8 ? random() % 256 : random();
          const float part = float(random() % 256) / 255;
          const bool floats = format.image_channel_data_type == CL_FLOAT || element == 3;
          std::memcpy(&color[4 * i], floats ? static_cast<const void *>(&part) : &value, 4);
        }
        ASSERT_EQ(fill(made, color.data(), at, region), CL_SUCCESS);
        const Bytes first = readImage(made, at, {1, 1, 1}, element);
        for (size_t i = 0; i < region[0] * region[1] * region[2]; ++i)
          box.insert(box.end(), first.begin(), first.end());
        if (element == 16)
          ASSERT_EQ(first, color);
        model.put(at, region, box);
        ASSERT_EQ(readImage(made, zero, model.size, element), model.bytes) << type << ", " << element << " bytes";
      }
    }
}

// Images that are filled by several threads, and rows longer than the block of repeated patterns that a fill copies.
TEST_F(EnqueueFillImage, LargeImages) {
  PROVES("API-5.3.4a");
  for (const auto &[format, element] : {std::pair(cl_image_format{CL_sRGB, CL_UNORM_INT8}, size_t(3)),
                                        {cl_image_format{CL_RGBA, CL_UNORM_INT8}, size_t(4)}}) {
    const Triple all{2047, 1033, 1}, inner{2001, 1009, 1};
    Mem made = image(CL_MEM_OBJECT_IMAGE2D, all, format, element);
    Model model(all, element);
    const float color[] = {1, 0, 1, 0}, other[] = {0, 1, 0, 1};
    ASSERT_EQ(fill(made, color, zero, all), CL_SUCCESS);
    ASSERT_EQ(fill(made, other, {13, 7, 0}, inner), CL_SUCCESS);
    for (size_t y = 0; y < all[1]; ++y)
      for (size_t x = 0; x < all[0]; ++x) {
        const bool inside = x >= 13 && x < 2014 && y >= 7 && y < 1016;
        for (size_t c = 0; c < element; ++c)
          model.at(x, y, 0)[c] = (c % 2 == 0) != inside ? 255 : 0;
      }
    ASSERT_TRUE(readImage(made, zero, all, element) == model.bytes);
  }
}

TEST_F(EnqueueFillImage, ChannelOrder) {
  PROVES("API-5.3.4a API-5.3.1c");
  const float color[4] = {0, 51 / 255.f, 102 / 255.f, 1}; // r 0, g 51, b 102, a 255
  auto bytes = [&](cl_channel_order order, size_t count) { return pixel(order, CL_UNORM_INT8, count, color); };
  EXPECT_EQ(bytes(CL_R, 1), (Bytes{0}));
  EXPECT_EQ(bytes(CL_A, 1), (Bytes{255}));
  EXPECT_EQ(bytes(CL_INTENSITY, 1), (Bytes{0}));
  EXPECT_EQ(bytes(CL_LUMINANCE, 1), (Bytes{0}));
  EXPECT_EQ(bytes(CL_RG, 2), (Bytes{0, 51}));
  EXPECT_EQ(bytes(CL_RA, 2), (Bytes{0, 255}));
  EXPECT_EQ(bytes(CL_RGBA, 4), (Bytes{0, 51, 102, 255}));
  EXPECT_EQ(bytes(CL_ARGB, 4), (Bytes{255, 0, 51, 102}));
  EXPECT_EQ(bytes(CL_BGRA, 4), (Bytes{102, 51, 0, 255}));
  EXPECT_EQ(bytes(CL_ABGR, 4), (Bytes{255, 102, 51, 0}));
}

TEST_F(EnqueueFillImage, ColoursAreConverted) {
  PROVES("API-5.3.4a IMG-3.3.1b IMG-3.3.4 IMG-3.3.5");
  const float beyond[4] = {-0.5f, 1.5f, NAN, 0.5f};
  EXPECT_EQ(pixel(CL_RGBA, CL_UNORM_INT8, 4, beyond), (Bytes{0, 255, 0, 128})); // 127.5 rounds to even
  EXPECT_EQ(pixel(CL_sRGBA, CL_UNORM_INT8, 4, beyond), (Bytes{0, 255, 0, 128}));
  const float half[4] = {0.5f, 0.5f, 0.5f, 0.5f};
  EXPECT_EQ(pixel(CL_sRGBA, CL_UNORM_INT8, 4, half), (Bytes{188, 188, 188, 128})) << "alpha is linear";
  EXPECT_EQ(pixel(CL_RGB, CL_UNORM_SHORT_565, 2, beyond), (Bytes{0xe0, 0x07}));
  const cl_int wide[4] = {-1000, 1000, 5, -6};
  EXPECT_EQ(pixel(CL_RGBA, CL_SIGNED_INT8, 4, wide), (Bytes{128, 127, 5, 250}));
  const cl_uint large[4] = {70000, 65535, 256, 0};
  EXPECT_EQ(pixel(CL_RGBA, CL_UNSIGNED_INT8, 4, large), (Bytes{255, 255, 255, 0}));
  EXPECT_EQ(pixel(CL_RGBA, CL_UNSIGNED_INT16, 8, large), (Bytes{255, 255, 255, 255, 0, 1, 0, 0}));
}

// For depth images fill_color is one float; nothing after it is read.
TEST_F(EnqueueFillImage, DepthIsOneFloat) {
  PROVES("API-5.3.4a");
  auto depth = std::make_unique<float>(0.25f);
  float found;
  Bytes bytes = pixel(CL_DEPTH, CL_FLOAT, 4, depth.get());
  std::memcpy(&found, bytes.data(), 4);
  EXPECT_EQ(found, 0.25f);
  EXPECT_EQ(pixel(CL_DEPTH, CL_UNORM_INT16, 2, depth.get()), (Bytes{0x00, 0x40})); // 16383.75
}

TEST_F(EnqueueFillImage, ColourIsCopiedAtTheCall) {
  PROVES("API-5.3.4a");
  Mem made = image(CL_MEM_OBJECT_IMAGE1D, {4, 1, 1});
  Event gate = userEvent();
  float color[4] = {1, 1, 1, 1};
  const Triple all{4, 1, 1};
  ASSERT_EQ(clEnqueueFillImage(queue, made, color, zero.data(), all.data(), 1, gate.address(), nullptr), CL_SUCCESS);
  color[0] = 0;
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(readImage(made, zero, all), Bytes(16, 255));
}
} // namespace kiln::test
