// The arguments that kernels receive for images, and the rules of images as arguments.
#include "runtime/memory/Image.h"
#include "runtime/memory/Sampler.h"
#include "runtime/program/ImageArguments.h"
#include "tests/runtime/NullPlatform.h"

namespace kiln {
namespace {

struct ImageTest : test::OnNullDevice {
  void prepare(null::NullDevice &device) override {
    DeviceInfo &info = device.info_;
    info.images = true;
    info.image2dMaxWidth = info.image2dMaxHeight = info.image3dMaxWidth = info.image3dMaxHeight = info.image3dMaxDepth =
        64;
    info.imageMaxArraySize = 16;
    info.imageMaxBufferSize = 256;
    info.imagePitchAlignment = 4; // stricter than real devices are
    info.imageBaseAddressAlignment = 8;
    info.maxReadImageArgs = info.maxWriteImageArgs = info.maxReadWriteImageArgs = 2;
    info.maxSamplers = 2;
  }
  static cl_image_desc description(cl_mem_object_type type, size_t width, size_t height, size_t slices) {
    cl_image_desc made{};
    made.image_type = type;
    made.image_width = width;
    made.image_height = height;
    made.image_depth = made.image_array_size = slices;
    return made;
  }
  Result<Ref<Image>> make(const cl_image_desc &description, cl_image_format format = {CL_RGBA, CL_UNORM_INT8},
                          MemObject *source = nullptr, cl_mem_flags flags = 0, void *host = nullptr) {
    return Image::create(*context, flags, format, description, source, host);
  }
  static ArgInfo argument(AccessQualifier access, cl_mem_object_type type = 0) {
    ArgInfo info;
    info.kind = ArgKind::Image;
    info.access = access;
    info.size = sizeof(abi::Image);
    info.imageType = type;
    return info;
  }
  static constexpr auto Read = AccessQualifier::ReadOnly, Write = AccessQualifier::WriteOnly,
                        Both = AccessQualifier::ReadWrite;
};

} // namespace

TEST_F(ImageTest, KernelArguments) {
  char host[4096];
  struct {
    cl_mem_object_type type;
    uint32_t height, slices;
    uint64_t slicePitch;
  } const rows[] = {{CL_MEM_OBJECT_IMAGE1D, 1, 1, 40},
                    {CL_MEM_OBJECT_IMAGE2D, 4, 1, 160},
                    {CL_MEM_OBJECT_IMAGE3D, 4, 3, 200},
                    {CL_MEM_OBJECT_IMAGE1D_ARRAY, 1, 3, 80},
                    {CL_MEM_OBJECT_IMAGE2D_ARRAY, 4, 3, 200}};
  for (const auto &row : rows) {
    cl_image_desc given = description(row.type, 8, 4, 3);
    given.image_row_pitch = 40;
    given.image_slice_pitch = row.slices > 1 ? row.slicePitch : 0;
    Ref<Image> image = *make(given, {CL_RGBA, CL_UNORM_INT8}, nullptr, CL_MEM_USE_HOST_PTR, host);
    const abi::Image told = *image->describe(*device);
    EXPECT_EQ(told.pixels, uint64_t(host));
    EXPECT_EQ(told.rowPitch, 40u);
    EXPECT_EQ(told.slicePitch, row.slicePitch);
    EXPECT_EQ(told.width, 8u);
    EXPECT_EQ(told.height, row.height);
    EXPECT_EQ(told.slices, row.slices);
    EXPECT_EQ(told.pixelBytes, 4u);
    EXPECT_EQ(abi::imageOrder(told.format), uint32_t(CL_RGBA));
    EXPECT_EQ(abi::imageType(told.format), uint32_t(CL_UNORM_INT8));
  }
  Ref<Buffer> bytes = buffer(1024), part = *Buffer::createSub(*bytes, 0, {256, 256});
  Ref<Image> over = *make(description(CL_MEM_OBJECT_IMAGE1D_BUFFER, 16, 0, 0), {CL_R, CL_FLOAT}, part.get());
  EXPECT_EQ((*over->describe(*device)).pixels, *part->address(*device));
}

// Rows are padded for the device in the image's own storage only, and the queries are of rows without padding.
TEST_F(ImageTest, PaddedRows) {
  null->imageRowAlignment_ = 32;
  alignas(128) char host[4096];
  const cl_image_desc flat = description(CL_MEM_OBJECT_IMAGE2D, 10, 4, 0);
  auto pitchOf = [&](const Ref<Image> &image) { return image->describe(*device)->rowPitch; };
  for (const cl_mem_flags flags : {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_ALLOC_HOST_PTR}) {
    Ref<Image> image = *make(flat, {CL_RGBA, CL_UNORM_INT8}, nullptr, flags);
    EXPECT_EQ(pitchOf(image), 64u);
    EXPECT_EQ(image->describe(*device)->slicePitch, 256u);
    EXPECT_EQ(image->storage().size(), 256u);
    EXPECT_EQ(image->storedRowPitch(), 64u);
    EXPECT_EQ(image->rowPitch(), 40u);
    EXPECT_EQ(image->size(), 160u);
  }
  Ref<Image> full = *make(description(CL_MEM_OBJECT_IMAGE2D, 16, 4, 0));
  EXPECT_EQ(pitchOf(full), 64u);
  // The application's memory has its own pitch; images that kernels only write have no texture, and a single row needs
  // no pitch.
  EXPECT_EQ(pitchOf(*make(flat, {CL_RGBA, CL_UNORM_INT8}, nullptr, CL_MEM_USE_HOST_PTR, host)), 40u);
  EXPECT_EQ(pitchOf(*make(flat, {CL_RGBA, CL_UNORM_INT8}, nullptr, CL_MEM_WRITE_ONLY)), 40u);
  EXPECT_EQ(pitchOf(*make(description(CL_MEM_OBJECT_IMAGE1D, 10, 1, 0))), 40u);
  const struct {
    cl_mem_object_type type;
    uint32_t slicePitch, sliceRows;
  } deep[] = {
      {CL_MEM_OBJECT_IMAGE1D_ARRAY, 64, 1}, {CL_MEM_OBJECT_IMAGE2D_ARRAY, 256, 4}, {CL_MEM_OBJECT_IMAGE3D, 256, 4}};
  for (const auto &[type, slicePitch, sliceRows] : deep) {
    Ref<Image> image = *make(description(type, 10, 4, 3));
    const abi::Image seen = *image->describe(*device);
    EXPECT_EQ(seen.rowPitch, 64u) << type;
    EXPECT_EQ(seen.slicePitch, slicePitch) << type;
    EXPECT_EQ(seen.sliceRows, sliceRows) << type;
    EXPECT_EQ(image->storedSlicePitch(), slicePitch) << type;
    EXPECT_EQ(image->slicePitch(), slicePitch / 64 * 40) << type;
    EXPECT_EQ(image->storage().size(), slicePitch * 3) << type;
  }
  Ref<Buffer> bytes = buffer(1024);
  cl_image_desc inBuffer = flat;
  inBuffer.image_row_pitch = 48;
  EXPECT_EQ(pitchOf(*make(inBuffer, {CL_RGBA, CL_UNORM_INT8}, bytes.get())), 48u);
  // A view has the rows of its image.
  cl_image_desc view = flat;
  view.image_row_pitch = 40;
  Ref<Image> image = *make(flat), seen = *make(view, {CL_RGBA, CL_UNORM_INT8}, image.get());
  EXPECT_EQ(pitchOf(seen), 64u);
  EXPECT_EQ(seen->describe(*device)->pixels, image->describe(*device)->pixels);
}

TEST_F(ImageTest, AlignmentOfImagesInABuffer) {
  alignas(128) char host[4096];
  auto code = [&](size_t width, size_t pitch, size_t offset) {
    Ref<Buffer> bytes = *Buffer::create(*context, CL_MEM_USE_HOST_PTR, 1024, host + offset);
    cl_image_desc given = description(CL_MEM_OBJECT_IMAGE2D, width, 4, 0);
    given.image_row_pitch = pitch;
    return make(given, {CL_RGBA, CL_UNORM_INT8}, bytes.get()).code();
  };
  EXPECT_EQ(code(8, 0, 0), CL_SUCCESS);
  EXPECT_EQ(code(6, 0, 0), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR) << "the tight pitch is no multiple";
  EXPECT_EQ(code(6, 32, 0), CL_SUCCESS);
  EXPECT_EQ(code(6, 36, 0), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  EXPECT_EQ(code(8, 0, 32), CL_SUCCESS);
  EXPECT_EQ(code(8, 0, 16), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
}

TEST_F(ImageTest, ArgumentsTakeTheirKindOfImage) {
  Ref<Image> flat = *make(description(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0)),
             depth = *make(description(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0), {CL_DEPTH, CL_FLOAT}),
             deep = *make(description(CL_MEM_OBJECT_IMAGE3D, 4, 4, 4));
  EXPECT_TRUE(checkImageArgument(argument(Read, CL_MEM_OBJECT_IMAGE2D), *flat).ok());
  EXPECT_TRUE(checkImageArgument(argument(Read), *deep).ok()) << "the compiler did not say";
  EXPECT_EQ(checkImageArgument(argument(Read, CL_MEM_OBJECT_IMAGE2D), *deep).code(), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(checkImageArgument(argument(Read, CL_MEM_OBJECT_IMAGE2D_ARRAY), *flat).code(), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(checkImageArgument(argument(Read, CL_MEM_OBJECT_IMAGE2D), *depth).code(), CL_INVALID_MEM_OBJECT);
  ArgInfo depths = argument(Read, CL_MEM_OBJECT_IMAGE2D);
  depths.depth = true;
  EXPECT_TRUE(checkImageArgument(depths, *depth).ok());
  EXPECT_EQ(checkImageArgument(depths, *flat).code(), CL_INVALID_MEM_OBJECT);
}

TEST_F(ImageTest, ArgumentsRespectTheFlags) {
  const cl_image_desc flat = description(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0);
  struct {
    cl_mem_flags flags;
    bool read, written;
  } const rows[] = {{CL_MEM_READ_WRITE, true, true}, {CL_MEM_READ_ONLY, true, false}, {CL_MEM_WRITE_ONLY, false, true}};
  for (const auto &row : rows) {
    Ref<Image> image = *make(flat, {CL_RGBA, CL_UNORM_INT8}, nullptr, row.flags);
    auto code = [&](AccessQualifier access) { return checkImageArgument(argument(access), *image).code(); };
    EXPECT_EQ(code(Read), row.read ? CL_SUCCESS : CL_INVALID_ARG_VALUE);
    EXPECT_EQ(code(Write), row.written ? CL_SUCCESS : CL_INVALID_ARG_VALUE);
    EXPECT_EQ(code(Both), row.read && row.written ? CL_SUCCESS : CL_INVALID_ARG_VALUE);
  }
}

TEST_F(ImageTest, LaunchesCountAndCompare) {
  Ref<Image> a = *make(description(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0)),
             b = *make(description(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0)),
             srgb = *make(description(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0), {CL_sRGBA, CL_UNORM_INT8});
  Ref<Buffer> plain = buffer();
  auto code = [&](const std::vector<std::pair<AccessQualifier, MemObject *>> &given, size_t samplers = 0) {
    KernelInfo kernel;
    std::vector<MemObject *> objects;
    kernel.args.emplace_back().kind = ArgKind::Global;
    objects.push_back(plain.get());
    for (auto [access, object] : given) {
      kernel.args.push_back(argument(access));
      objects.push_back(object);
    }
    for (size_t i = 0; i < samplers; ++i) {
      kernel.args.emplace_back().kind = ArgKind::Sampler;
      objects.push_back(nullptr);
    }
    return checkImagesOfLaunch(*device, kernel, objects).code();
  };
  EXPECT_EQ(code({}), CL_SUCCESS);
  EXPECT_EQ(code({{Read, a.get()}, {Read, a.get()}, {Write, b.get()}, {Write, b.get()}}, 2), CL_SUCCESS);
  EXPECT_EQ(code({{Read, a.get()}, {Read, a.get()}, {Read, b.get()}}), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(code({{Write, a.get()}, {Write, a.get()}, {Write, b.get()}}), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(code({}, 3), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(code({{Read, a.get()}, {Write, a.get()}}), CL_INVALID_KERNEL_ARGS);
  EXPECT_EQ(code({{Both, a.get()}, {Read, a.get()}}), CL_INVALID_KERNEL_ARGS);
  EXPECT_EQ(code({{Both, a.get()}, {Both, a.get()}}), CL_INVALID_KERNEL_ARGS);
  EXPECT_EQ(code({{Both, a.get()}, {Both, b.get()}}), CL_SUCCESS);
  EXPECT_EQ(code({{Read, srgb.get()}}), CL_SUCCESS);
  EXPECT_EQ(code({{Write, srgb.get()}}), CL_SUCCESS);
  EXPECT_EQ(code({{Both, srgb.get()}}), CL_IMAGE_FORMAT_NOT_SUPPORTED);
}

TEST_F(ImageTest, NumbersOfSamplers) {
  auto number = [&](cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter) {
    return (*Sampler::create(*context, Sampler::Modes{normalized, addressing, filter}))->abiSampler();
  };
  EXPECT_EQ(number(CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST), 0u);
  EXPECT_EQ(number(CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR),
            abi::AddressRepeat | abi::SamplerNormalized | abi::SamplerLinear);
  EXPECT_EQ(number(CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR), abi::AddressClampToEdge | abi::SamplerLinear);
  EXPECT_EQ(number(CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST), abi::AddressClamp | abi::SamplerNormalized);
  EXPECT_EQ(number(CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST),
            abi::AddressMirroredRepeat | abi::SamplerNormalized);
}

} // namespace kiln
