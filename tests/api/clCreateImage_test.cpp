// clCreateImage, clCreateImageWithProperties, clCreateImage2D and clCreateImage3D.
#include "tests/api/ImageTest.h"
#include <algorithm>
#include <thread>

namespace kiln::test {

struct CreateImage : WithImages {
  template <typename T> T memInfo(cl_mem of, cl_mem_info what) { return query<T>(clGetMemObjectInfo, of, what); }
  const Triple zero{};
  const cl_image_desc flat = description(CL_MEM_OBJECT_IMAGE2D, {8, 4, 1});
};

TEST_F(CreateImage, InvalidContextOrNullPointers) {
  PROVES("API-5.3.1a R2");
  cl_int code = 1;
  EXPECT_EQ(clCreateImage(nullptr, 0, &Rgba8, &flat, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_CONTEXT);
  EXPECT_EQ(clCreateImage(nullptr, 0, &Rgba8, &flat, nullptr, nullptr), nullptr);
  EXPECT_EQ(clCreateImage(context, 0, nullptr, &flat, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  EXPECT_EQ(clCreateImage(context, 0, &Rgba8, nullptr, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_IMAGE_DESCRIPTOR);
}

TEST_F(CreateImage, Flags) {
  PROVES("API-5.3.1a API-5.2.1a");
  char host[128];
  for (cl_mem_flags flags : {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
                             CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
                             1 << 30, CL_MEM_KERNEL_READ_AND_WRITE})
    create(CL_INVALID_VALUE, flags, Rgba8, flat, host);
  create(CL_INVALID_HOST_PTR, CL_MEM_USE_HOST_PTR, Rgba8, flat);
  create(CL_INVALID_HOST_PTR, CL_MEM_COPY_HOST_PTR, Rgba8, flat);
  create(CL_INVALID_HOST_PTR, 0, Rgba8, flat, host);
  create(CL_INVALID_HOST_PTR, CL_MEM_ALLOC_HOST_PTR, Rgba8, flat, host);
  Mem made = create(CL_SUCCESS, 0, Rgba8, flat);
  EXPECT_EQ(memInfo<cl_mem_flags>(made, CL_MEM_FLAGS), cl_mem_flags(CL_MEM_READ_WRITE));
}

TEST_F(CreateImage, Formats) {
  PROVES("API-5.3.1a API-5.3.1c");
  for (cl_image_format format : {cl_image_format{CL_RGBA, 0},
                                 {0, CL_UNORM_INT8},
                                 {CL_RGB, CL_UNORM_INT8},
                                 {CL_RGBA, CL_UNORM_SHORT_565},
                                 {CL_RGBA, CL_UNORM_INT_101010},
                                 {CL_RGB, CL_UNORM_INT_101010_2},
                                 {CL_INTENSITY, CL_SIGNED_INT8},
                                 {CL_LUMINANCE, CL_UNSIGNED_INT32},
                                 {CL_DEPTH, CL_UNORM_INT8},
                                 {CL_BGRA, CL_FLOAT},
                                 {CL_ARGB, CL_HALF_FLOAT},
                                 {CL_ABGR, CL_UNORM_INT16},
                                 {CL_sRGBA, CL_UNORM_INT16},
                                 {CL_sRGB, CL_SNORM_INT8},
                                 {~0u, ~0u},
                                 {CL_R, 0x10CF},
                                 {CL_R, 0x10FF}})
    create(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, format, flat);
  create(CL_IMAGE_FORMAT_NOT_SUPPORTED, 0, {CL_sRGBx, CL_UNORM_INT8}, flat);
  create(CL_IMAGE_FORMAT_NOT_SUPPORTED, 0, {CL_DEPTH, CL_FLOAT}, description(CL_MEM_OBJECT_IMAGE3D, {4, 4, 4}));
  create(CL_IMAGE_FORMAT_NOT_SUPPORTED, 0, {CL_DEPTH, CL_FLOAT}, description(CL_MEM_OBJECT_IMAGE1D, {4, 1, 1}));
  cl_image_desc over = description(CL_MEM_OBJECT_IMAGE1D_BUFFER, {4, 1, 1});
  Mem under = buffer(64);
  over.mem_object = under;
  create(CL_IMAGE_FORMAT_NOT_SUPPORTED, 0, {CL_sRGBA, CL_UNORM_INT8}, over);
}

// An image can be created with every supported format, and CL_IMAGE_ELEMENT_SIZE is the format's pixel size.
TEST_F(CreateImage, EveryListedFormat) {
  PROVES("API-5.3.1c LIM-42");
  auto isOne = [](cl_uint what, std::initializer_list<cl_uint> of) { return std::ranges::find(of, what) != of.end(); };
  auto bytesOf = [&](const cl_image_format &format) -> size_t {
    const cl_uint order = format.image_channel_order, type = format.image_channel_data_type;
    if (isOne(type, {CL_UNORM_SHORT_565, CL_UNORM_SHORT_555}))
      return 2;
    if (isOne(type, {CL_UNORM_INT_101010, CL_UNORM_INT_101010_2}))
      return 4;
    const size_t channels = isOne(order, {CL_R, CL_Rx, CL_A, CL_INTENSITY, CL_LUMINANCE, CL_DEPTH}) ? 1
                            : isOne(order, {CL_RG, CL_RGx, CL_RA})                                  ? 2
                            : order == CL_sRGB                                                      ? 3
                                                                                                    : 4;
    const size_t bytes = isOne(type, {CL_SNORM_INT8, CL_UNORM_INT8, CL_SIGNED_INT8, CL_UNSIGNED_INT8}) ? 1
                         : isOne(type, {CL_FLOAT, CL_SIGNED_INT32, CL_UNSIGNED_INT32})                 ? 4
                                                                                                       : 2;
    return channels * bytes;
  };
  for (cl_mem_object_type type : ImageTypes) {
    cl_uint count = 0;
    ASSERT_EQ(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, type, 0, nullptr, &count), CL_SUCCESS);
    std::vector<cl_image_format> formats(count);
    ASSERT_EQ(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, type, count, formats.data(), nullptr), CL_SUCCESS);
    for (const cl_image_format &format : formats) {
      const size_t element = bytesOf(format);
      Mem made = image(type, {3, 5, 2}, format, element);
      ASSERT_NE(made.get(), nullptr) << std::hex << format.image_channel_order << " " << format.image_channel_data_type;
      EXPECT_EQ(info<size_t>(made, CL_IMAGE_ELEMENT_SIZE), element);
      EXPECT_EQ(info<size_t>(made, CL_IMAGE_ROW_PITCH), 3 * element);
      const Triple all = reach(type, {3, 5, 2});
      EXPECT_EQ(memInfo<size_t>(made, CL_MEM_SIZE), all[0] * all[1] * all[2] * element);
      Bytes pixels = randomBytes(all[0] * all[1] * all[2] * element, 5);
      ASSERT_EQ(write(made, zero, all, pixels.data()), CL_SUCCESS);
      EXPECT_EQ(readImage(made, zero, all, element), pixels);
    }
  }
}

TEST_F(CreateImage, Descriptor) {
  PROVES("API-5.3.1a API-5.3.1b");
  for (cl_mem_object_type type : {CL_MEM_OBJECT_BUFFER, CL_MEM_OBJECT_PIPE, 0, -1}) {
    cl_image_desc wrong = flat;
    wrong.image_type = type;
    create(CL_INVALID_IMAGE_DESCRIPTOR, 0, Rgba8, wrong);
  }
  cl_image_desc levels = flat, samples = flat;
  levels.num_mip_levels = 1;
  samples.num_samples = 1;
  create(CL_INVALID_IMAGE_DESCRIPTOR, 0, Rgba8, levels);
  create(CL_INVALID_IMAGE_DESCRIPTOR, 0, Rgba8, samples);
  for (cl_mem_object_type type : ImageTypes) {
    if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
      continue;
    create(CL_INVALID_IMAGE_DESCRIPTOR, 0, Rgba8, description(type, {0, 4, 4}));
    if (hasRows(type))
      create(CL_INVALID_IMAGE_DESCRIPTOR, 0, Rgba8, description(type, {4, 0, 4}));
    if (is3d(type) || isArray(type))
      create(CL_INVALID_IMAGE_DESCRIPTOR, 0, Rgba8, description(type, {4, 4, 0}));
  }
}

// Without a host pointer the pitches must be 0.
TEST_F(CreateImage, PitchesWithoutHostPointer) {
  PROVES("API-5.3.1b");
  for (cl_mem_object_type type : ImageTypes) {
    if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
      continue;
    cl_image_desc row = description(type, {8, 4, 2}), slice = row;
    row.image_row_pitch = 32;
    slice.image_slice_pitch = 128;
    create(CL_INVALID_IMAGE_DESCRIPTOR, 0, Rgba8, row);
    create(CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_ALLOC_HOST_PTR, Rgba8, slice);
  }
}

TEST_F(CreateImage, PitchesWithHostPointer) {
  PROVES("API-5.3.1b");
  Bytes host(4096);
  auto expect = [&](cl_int code, cl_mem_object_type type, size_t row, size_t slice) {
    cl_image_desc given = description(type, {8, 4, 2});
    given.image_row_pitch = row;
    given.image_slice_pitch = slice;
    for (cl_mem_flags flags : {CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR}) {
      Mem made = create(code, flags, Rgba8, given, host.data());
      if (!made)
        continue;
      const size_t rowPitch = row ? row : 32, rows = hasRows(type) ? 4 : 1;
      EXPECT_EQ(info<size_t>(made, CL_IMAGE_ROW_PITCH), rowPitch);
      EXPECT_EQ(info<size_t>(made, CL_IMAGE_SLICE_PITCH),
                is3d(type) || isArray(type) ? (slice ? slice : rowPitch * rows) : 0);
    }
  };
  for (cl_mem_object_type type : ImageTypes) {
    if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
      continue;
    expect(CL_SUCCESS, type, 0, 0);
    expect(CL_SUCCESS, type, 32, 0);
    expect(CL_SUCCESS, type, 36, 0);
    expect(CL_INVALID_IMAGE_DESCRIPTOR, type, 28, 0);
    expect(CL_INVALID_IMAGE_DESCRIPTOR, type, 34, 0);
    expect(CL_INVALID_IMAGE_DESCRIPTOR, type, 4, 0);
    if (!is3d(type) && !isArray(type))
      continue;
    const size_t rows = hasRows(type) ? 4 : 1;
    expect(CL_SUCCESS, type, 0, 32 * rows);
    expect(CL_SUCCESS, type, 40, 40 * (rows + 1));
    expect(CL_INVALID_IMAGE_DESCRIPTOR, type, 0, 32 * rows + 4);
    expect(CL_INVALID_IMAGE_DESCRIPTOR, type, 40, 32 * rows);
    expect(CL_INVALID_IMAGE_DESCRIPTOR, type, 0, 1);
  }
}

// Pitches for which the computed image size overflows to a small number.
TEST_F(CreateImage, HugePitches) {
  PROVES("API-5.3.1b");
  Bytes host(4096);
  constexpr size_t Huge[] = {size_t(1) << 62, size_t(1) << 63, SIZE_MAX - 3};
  auto expectNone = [&](cl_mem_object_type type, size_t row, size_t slice) {
    cl_image_desc huge = description(type, {8, 4, 4});
    huge.image_row_pitch = row;
    huge.image_slice_pitch = slice;
    for (cl_mem_flags flags : {CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR}) {
      cl_int code = 1;
      EXPECT_EQ(clCreateImage(context, flags, &Rgba8, &huge, host.data(), &code), nullptr);
      EXPECT_TRUE(code == CL_INVALID_IMAGE_DESCRIPTOR || code == CL_MEM_OBJECT_ALLOCATION_FAILURE) << code;
    }
  };
  for (cl_mem_object_type type : ImageTypes)
    for (size_t huge : Huge) {
      if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
        continue;
      expectNone(type, huge, 0);
      if (!is3d(type) && !isArray(type))
        continue;
      expectNone(type, 0, huge);
      for (size_t slice : Huge)
        expectNone(type, huge, slice);
    }
}

TEST_F(CreateImage, Sizes) {
  PROVES("API-5.3.1a LIM-10 LIM-11 LIM-12 LIM-13");
  auto limit = [&](cl_device_info what) { return query<size_t>(clGetDeviceInfo, device, what); };
  const size_t width = limit(CL_DEVICE_IMAGE2D_MAX_WIDTH), height = limit(CL_DEVICE_IMAGE2D_MAX_HEIGHT),
               layers = limit(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE);
  const Triple box{limit(CL_DEVICE_IMAGE3D_MAX_WIDTH), limit(CL_DEVICE_IMAGE3D_MAX_HEIGHT),
                   limit(CL_DEVICE_IMAGE3D_MAX_DEPTH)};
  const cl_image_format small{CL_R, CL_UNORM_INT8};
  struct {
    cl_mem_object_type type;
    Triple most;
  } const cases[] = {{CL_MEM_OBJECT_IMAGE1D, {width, 1, 1}},
                     {CL_MEM_OBJECT_IMAGE1D_ARRAY, {width, 1, layers}},
                     {CL_MEM_OBJECT_IMAGE2D, {width, height, 1}},
                     {CL_MEM_OBJECT_IMAGE2D_ARRAY, {width, height, layers}},
                     {CL_MEM_OBJECT_IMAGE3D, box}};
  for (const auto &[type, most] : cases)
    for (size_t d = 0; d < 3; ++d) {
      if (d == 1 && !hasRows(type))
        continue;
      if (d == 2 && !is3d(type) && !isArray(type))
        continue;
      Triple size{1, 1, 1};
      size[d] = most[d];
      Mem made = image(type, size, small, 1);
      Triple last{};
      last[type == CL_MEM_OBJECT_IMAGE1D_ARRAY && d == 2 ? 1 : d] = most[d] - 1;
      unsigned char pixel = 77;
      EXPECT_EQ(write(made, last, {1, 1, 1}, &pixel), CL_SUCCESS);
      EXPECT_EQ(readImage(made, last, {1, 1, 1}, 1), Bytes(1, 77));
      for (size_t more : {most[d] + 1, SIZE_MAX, SIZE_MAX / 2 + 1, size_t(1) << 32}) {
        size[d] = more;
        create(CL_INVALID_IMAGE_SIZE, 0, small, description(type, size));
      }
    }
  Mem under = buffer(64);
  cl_image_desc over = description(CL_MEM_OBJECT_IMAGE1D_BUFFER, {limit(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE) + 1, 1, 1});
  over.mem_object = under;
  create(CL_INVALID_IMAGE_SIZE, 0, small, over);
}

TEST_F(CreateImage, MoreThanTheDeviceAllocates) {
  PROVES("API-5.3.1a R9");
  auto limit = [&](cl_device_info what) { return query<size_t>(clGetDeviceInfo, device, what); };
  const Triple most{limit(CL_DEVICE_IMAGE2D_MAX_WIDTH), limit(CL_DEVICE_IMAGE2D_MAX_HEIGHT),
                    limit(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE)};
  create(CL_MEM_OBJECT_ALLOCATION_FAILURE, 0, {CL_RGBA, CL_FLOAT}, description(CL_MEM_OBJECT_IMAGE2D_ARRAY, most));
  char host[16];
  create(CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_MEM_COPY_HOST_PTR, {CL_RGBA, CL_FLOAT},
         description(CL_MEM_OBJECT_IMAGE2D_ARRAY, most), host);
}

TEST_F(CreateImage, CopiesHostPointerAtOnce) {
  PROVES("API-5.3.1b API-5.2.1b");
  for (cl_mem_object_type type : ImageTypes) {
    if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
      continue;
    cl_image_desc given = description(type, {5, 3, 2});
    given.image_row_pitch = 24;
    given.image_slice_pitch = is3d(type) || isArray(type) ? 24 * 4 : 0;
    Bytes host = randomBytes(24 * 4 * 2, 3), before = host;
    Mem made = create(CL_SUCCESS, CL_MEM_COPY_HOST_PTR, Rgba8, given, host.data());
    std::fill(host.begin(), host.end(), 0);
    Model model(reach(type, {5, 3, 2}), 4);
    const size_t rowPitch = type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 24 * 4 : 24;
    for (size_t z = 0; z < model.size[2]; ++z)
      for (size_t y = 0; y < model.size[1]; ++y)
        std::memcpy(model.at(0, y, z), &before[z * 24 * 4 + y * rowPitch], 20);
    EXPECT_EQ(readImage(made, zero, model.size), model.bytes) << type;
    EXPECT_EQ(memInfo<void *>(made, CL_MEM_HOST_PTR), nullptr);
  }
}

// With CL_MEM_USE_HOST_PTR, results are in the application's memory after a map, and padding bytes are unchanged.
TEST_F(CreateImage, UsesHostPointer) {
  PROVES("API-5.3.1b API-5.2.1c API-5.5.5a");
  alignas(128) unsigned char host[40 * 5 * 2];
  std::iota(std::begin(host), std::end(host), 1);
  Bytes expected(std::begin(host), std::end(host));
  cl_image_desc given = description(CL_MEM_OBJECT_IMAGE3D, {8, 4, 2});
  given.image_row_pitch = 40;
  given.image_slice_pitch = 200;
  Mem made = create(CL_SUCCESS, CL_MEM_USE_HOST_PTR, Rgba8, given, host);
  EXPECT_EQ(memInfo<void *>(made, CL_MEM_HOST_PTR), host);
  EXPECT_EQ(memInfo<size_t>(made, CL_MEM_SIZE), sizeof host);
  Bytes pixels = randomBytes(8 * 4 * 2 * 4, 1);
  ASSERT_EQ(write(made, zero, {8, 4, 2}, pixels.data()), CL_SUCCESS);
  for (size_t row = 0; row < 8; ++row)
    std::memcpy(&expected[row / 4 * 200 + row % 4 * 40], &pixels[row * 32], 32);
  const Triple all{8, 4, 2};
  size_t row = 0, slice = 0;
  cl_int code = 1;
  void *mapped = clEnqueueMapImage(queue, made, CL_TRUE, CL_MAP_READ, zero.data(), all.data(), &row, &slice, 0, nullptr,
                                   nullptr, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(mapped, host);
  EXPECT_EQ(Bytes(std::begin(host), std::end(host)), expected);
  EXPECT_EQ(clEnqueueUnmapMemObject(queue, made, mapped, 0, nullptr, nullptr), CL_SUCCESS);
}

TEST_F(CreateImage, Properties) {
  PROVES("X-30a R15");
  const cl_mem_properties none[] = {0}, some[] = {CL_MEM_OBJECT_IMAGE2D, 1, 0};
  cl_int code = 1;
  Mem made = clCreateImageWithProperties(context, none, 0, &Rgba8, &flat, nullptr, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(queryList<cl_mem_properties>(clGetMemObjectInfo, made.get(), CL_MEM_PROPERTIES),
            std::vector<cl_mem_properties>{0});
  made = clCreateImageWithProperties(context, nullptr, 0, &Rgba8, &flat, nullptr, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  EXPECT_TRUE(queryList<cl_mem_properties>(clGetMemObjectInfo, made.get(), CL_MEM_PROPERTIES).empty());
  EXPECT_EQ(clCreateImageWithProperties(context, some, 0, &Rgba8, &flat, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_PROPERTY);
}

TEST_F(CreateImage, DeprecatedCalls) {
  PROVES("API-ICDc");
  cl_int code = 1;
  Bytes host(4096);
  Mem made = clCreateImage2D(context, CL_MEM_COPY_HOST_PTR, &Rgba8, 8, 4, 40, host.data(), &code);
  EXPECT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(info<size_t>(made, CL_IMAGE_ROW_PITCH), 40u);
  made = clCreateImage3D(context, CL_MEM_COPY_HOST_PTR, &Rgba8, 8, 4, 2, 40, 200, host.data(), &code);
  EXPECT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(info<size_t>(made, CL_IMAGE_DEPTH), 2u);
  EXPECT_EQ(info<size_t>(made, CL_IMAGE_SLICE_PITCH), 200u);
  for (size_t row : {28, 34}) {
    EXPECT_EQ(clCreateImage2D(context, CL_MEM_COPY_HOST_PTR, &Rgba8, 8, 4, row, host.data(), &code), nullptr);
    EXPECT_EQ(code, CL_INVALID_IMAGE_SIZE);
  }
  EXPECT_EQ(clCreateImage2D(context, 0, &Rgba8, 0, 4, 0, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_IMAGE_SIZE);
  EXPECT_EQ(clCreateImage3D(context, 0, &Rgba8, 4, 4, 0, 0, 0, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_IMAGE_SIZE);
  EXPECT_EQ(clCreateImage3D(context, 0, nullptr, 4, 4, 4, 0, 0, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  EXPECT_EQ(clCreateImage2D(nullptr, 0, &Rgba8, 4, 4, 0, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_CONTEXT);
}

TEST_F(CreateImage, DestructorCallbacksAndCounts) {
  PROVES("API-5.5.1a API-5.5.1b");
  static std::vector<int> order;
  order.clear();
  Mem made = create(CL_SUCCESS, 0, Rgba8, flat);
  for (int i : {1, 2})
    ASSERT_EQ(clSetMemObjectDestructorCallback(
                  made, [](cl_mem, void *number) { order.push_back(int(reinterpret_cast<intptr_t>(number))); },
                  reinterpret_cast<void *>(intptr_t(i))),
              CL_SUCCESS);
  EXPECT_EQ(clRetainMemObject(made), CL_SUCCESS);
  EXPECT_EQ(memInfo<cl_uint>(made, CL_MEM_REFERENCE_COUNT), 2u);
  EXPECT_EQ(clReleaseMemObject(made), CL_SUCCESS);
  // A queued command keeps the image alive.
  Event gate = userEvent();
  const Triple one{1, 1, 1};
  const float color[4] = {};
  ASSERT_EQ(clEnqueueFillImage(queue, made, color, zero.data(), one.data(), 1, gate.address(), nullptr), CL_SUCCESS);
  made.reset();
  EXPECT_TRUE(order.empty());
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  queue.reset();
  for (int i = 0; i < 1000 && order.size() < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(order, (std::vector<int>{2, 1}));
}

TEST_F(CreateImage, BufferCommandsRejectIt) {
  PROVES("API-5.5.1a");
  Mem made = create(CL_SUCCESS, 0, Rgba8, flat), plain = buffer(64);
  char bytes[64] = {};
  cl_int code = 1;
  EXPECT_EQ(clEnqueueReadBuffer(queue, made, CL_TRUE, 0, 4, bytes, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueWriteBuffer(queue, made, CL_TRUE, 0, 4, bytes, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueCopyBuffer(queue, made, plain, 0, 0, 4, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueFillBuffer(queue, made, bytes, 4, 0, 4, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueMapBuffer(queue, made, CL_TRUE, CL_MAP_READ, 0, 4, 0, nullptr, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_MEM_OBJECT);
  cl_buffer_region region{0, 4};
  EXPECT_EQ(clCreateSubBuffer(made, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_MEM_OBJECT);
  cl_mem object = made;
  EXPECT_EQ(clEnqueueMigrateMemObjects(queue, 1, &object, CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr, nullptr), CL_SUCCESS);
}
} // namespace kiln::test
