// Texture objects: their descriptors, their lifetime, and images that have none.
#include "base/abi/ImageAbi.h"
#include "tests/backends/gpu/GpuTest.h"

namespace kiln {
namespace {

class GpuTexture : public GpuTest {
protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!GetParam().cuda)
      GTEST_SKIP() << "Kiln uses no texture objects of HIP";
  }
  static abi::Image image(uint64_t pixels, uint32_t order, uint32_t type, uint32_t width = 64, uint32_t height = 8) {
    const uint32_t format = abi::imageFormat(order, type), bytes = abi::pixelBytes(format);
    return {.pixels = pixels,
            .rowPitch = uint64_t(width) * bytes,
            .slicePitch = uint64_t(width) * height * bytes,
            .width = width,
            .height = height,
            .slices = 1,
            .format = format,
            .pixelBytes = bytes,
            .sliceRows = height,
            .texture = 0,
            .filter = 0};
  }
};
ON_FAKES(GpuTexture);

} // namespace

TEST_P(GpuTexture, DescriptorOfEachChannelType) {
  auto memory = allocate(1 << 20);
  constexpr unsigned AsInteger = 1;
  constexpr struct {
    uint32_t type;
    int element; // CUarray_format
    unsigned flags;
  } Rows[] = {{abi::TypeUnorm8, 0x01, 0},
              {abi::TypeUnorm16, 0x02, 0},
              {abi::TypeSnorm8, 0x08, 0},
              {abi::TypeSnorm16, 0x09, 0},
              {abi::TypeHalf, 0x10, 0},
              {abi::TypeFloat, 0x20, 0},
              {abi::TypeUnsigned8, 0x01, AsInteger},
              {abi::TypeUnsigned16, 0x02, AsInteger},
              {abi::TypeUnsigned32, 0x03, AsInteger},
              {abi::TypeSigned8, 0x08, AsInteger},
              {abi::TypeSigned16, 0x09, AsInteger},
              {abi::TypeSigned32, 0x0a, AsInteger}};
  for (const auto &row : Rows) {
    std::unique_ptr<Texture> texture = device->createTexture(image(memory->address, abi::OrderRG, row.type));
    ASSERT_NE(texture, nullptr) << row.type;
    EXPECT_NE(texture->handle, 0u);
    const bool isFiltered = row.type == abi::TypeUnorm8;
    ASSERT_EQ(fake->textures().size(), isFiltered ? 2u : 1u);
    EXPECT_EQ(texture->filter != 0, isFiltered);
    fake::Texture made = fake->textures().front();
    EXPECT_EQ(made.pixels, memory->address);
    EXPECT_EQ(made.element, row.element);
    EXPECT_EQ(made.channels, 2u);
    EXPECT_EQ(made.width, 64u);
    EXPECT_EQ(made.height, 8u);
    EXPECT_EQ(made.pitch, 64u * abi::channelBytes(row.type) * 2);
    EXPECT_EQ(made.addressing[0], 1) << "clamp to the edge";
    EXPECT_EQ(made.addressing[1], 1);
    EXPECT_EQ(made.filter, 0) << "nearest";
    EXPECT_EQ(made.flags, row.flags);
    if (isFiltered) {
      fake::Texture filter = fake->textures().back();
      EXPECT_EQ(filter.filter, 1) << "linear";
      filter.filter = made.filter;
      EXPECT_EQ(filter, made);
    }
    texture.reset();
    EXPECT_TRUE(fake->textures().empty());
  }
}

TEST_P(GpuTexture, FormatsWithout) {
  auto memory = allocate(1 << 20);
  auto has = [&](uint32_t order, uint32_t type) {
    return device->createTexture(image(memory->address, order, type)) != nullptr;
  };
  EXPECT_TRUE(has(abi::OrderABGR, abi::TypeUnorm8));
  EXPECT_TRUE(has(abi::OrderDepth, abi::TypeUnorm16));
  EXPECT_TRUE(has(abi::OrderRA, abi::TypeHalf));
  EXPECT_TRUE(has(abi::OrderRGBA, abi::TypeFloat));
  EXPECT_FALSE(has(abi::OrderSBGRA, abi::TypeUnorm8)) << "code converts sRGB";
  EXPECT_FALSE(has(abi::OrderSRGB, abi::TypeUnorm8));
  EXPECT_FALSE(has(abi::OrderRGB, abi::TypeUnorm565));
  EXPECT_FALSE(has(abi::OrderRGB, abi::TypeUnorm101010));
  EXPECT_FALSE(has(abi::OrderRGBA, abi::TypeUnorm101010_2));
}

// A gather returns one channel of four pixels, so it is for filtered reads of formats with one.
TEST_P(GpuTexture, OneChannelIsGathered) {
  auto memory = allocate(1 << 20);
  for (const uint32_t type : {abi::TypeFloat, abi::TypeHalf, abi::TypeUnorm16, abi::TypeSnorm16, abi::TypeSnorm8}) {
    std::unique_ptr<Texture> texture = device->createTexture(image(memory->address, abi::OrderR, type));
    ASSERT_NE(texture, nullptr) << type;
    EXPECT_NE(texture->handle, 0u);
    EXPECT_NE(texture->filter, 0u);
    EXPECT_EQ(fake->textures().back().filter, 0) << "nearest";
    EXPECT_EQ(fake->textures().back().channels, 1u);
  }
  std::unique_ptr<Texture> integers = device->createTexture(image(memory->address, abi::OrderR, abi::TypeSigned8));
  ASSERT_NE(integers, nullptr);
  EXPECT_EQ(integers->filter, 0u);
}

// The fake fails a call that breaks these rules, so the driver is not called.
TEST_P(GpuTexture, ImagesWithout) {
  auto memory = allocate(1 << 20);
  const abi::Image good = image(memory->address, abi::OrderRGBA, abi::TypeUnorm8);
  EXPECT_NE(device->createTexture(good), nullptr);
  const unsigned calls = fake->calls("cuTexObjectCreate");
  abi::Image bad = good;
  bad.pixels += 256;
  EXPECT_EQ(device->createTexture(bad), nullptr) << "the address";
  bad = good;
  bad.rowPitch += 4;
  EXPECT_EQ(device->createTexture(bad), nullptr) << "the row pitch";
  bad = good;
  bad.rowPitch = 2097120 + 32;
  EXPECT_EQ(device->createTexture(bad), nullptr) << "a long row";
  bad = good;
  bad.height = 65001;
  EXPECT_EQ(device->createTexture(bad), nullptr) << "the height";
  EXPECT_EQ(fake->calls("cuTexObjectCreate"), calls);
}

// With rows of this alignment, images of every width have a texture object.
TEST_P(GpuTexture, RowAlignment) {
  auto alignment = [&](uint32_t order, uint32_t type) {
    return device->imageRowAlignment(abi::imageFormat(order, type));
  };
  EXPECT_EQ(alignment(abi::OrderRGBA, abi::TypeUnorm8), 32u);
  EXPECT_EQ(alignment(abi::OrderR, abi::TypeHalf), 32u);
  EXPECT_EQ(alignment(abi::OrderRGBA, abi::TypeFloat), 32u);
  EXPECT_EQ(alignment(abi::OrderSRGB, abi::TypeUnorm8), 1u) << "read by loads";
  auto memory = allocate(1 << 20);
  for (uint32_t width = 1; width < 70; ++width) {
    abi::Image padded = image(memory->address, abi::OrderRG, abi::TypeUnorm8, width);
    padded.rowPitch = (padded.rowPitch + 31) / 32 * 32;
    EXPECT_NE(device->createTexture(padded), nullptr) << width;
  }
}

// A texture object has two dimensions: the slices are one plane of rows.
TEST_P(GpuTexture, Slices) {
  auto memory = allocate(1 << 20);
  abi::Image deep = image(memory->address, abi::OrderR, abi::TypeHalf, 64, 8);
  deep.slices = 5;
  deep.sliceRows = 10;
  deep.slicePitch = 10 * deep.rowPitch;
  std::unique_ptr<Texture> texture = device->createTexture(deep);
  ASSERT_NE(texture, nullptr);
  EXPECT_EQ(fake->textures().front().height, 48u);
  EXPECT_EQ(fake->textures().front().pitch, 128u);
  // The layers of a 1D array are its rows.
  abi::Image layers = image(memory->address, abi::OrderR, abi::TypeHalf, 64, 1);
  layers.slices = 5;
  layers.slicePitch = 192;
  texture = device->createTexture(layers);
  ASSERT_NE(texture, nullptr);
  EXPECT_EQ(fake->textures().front().height, 5u);
  EXPECT_EQ(fake->textures().front().pitch, 192u);
  // One row has any pitch.
  texture = device->createTexture(image(memory->address, abi::OrderR, abi::TypeHalf, 33, 1));
  ASSERT_NE(texture, nullptr);
  EXPECT_EQ(fake->textures().front().pitch, 96u);
  // The limit is that of all rows.
  texture.reset();
  deep.sliceRows = 65000;
  EXPECT_EQ(device->createTexture(deep), nullptr);
  deep.sliceRows = UINT32_MAX;
  EXPECT_EQ(device->createTexture(deep), nullptr);
}

TEST_P(GpuTexture, CreationFails) {
  auto memory = allocate(1 << 20);
  const abi::Image good = image(memory->address, abi::OrderRGBA, abi::TypeUnorm8);
  for (unsigned nth : {1, 2}) { // the texture, and its filter
    fake->failCall("cuTexObjectCreate", nth, 2);
    EXPECT_EQ(device->createTexture(good), nullptr);
    EXPECT_TRUE(fake->textures().empty());
  }
  EXPECT_NE(device->createTexture(good), nullptr);
}

} // namespace kiln
