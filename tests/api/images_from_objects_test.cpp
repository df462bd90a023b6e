// Images created from buffers and from images, which share the storage.
#include "tests/api/ImageTest.h"

#include <algorithm>

namespace kiln::test {

struct ImagesFromObjects : WithImages {
  Mem over(cl_mem object, cl_mem_object_type type, Triple size, cl_int expected = CL_SUCCESS, size_t row = 0,
           const cl_image_format &format = Rgba8, cl_mem_flags flags = 0) {
    cl_image_desc wanted = description(type, size);
    wanted.image_row_pitch = row;
    wanted.mem_object = object;
    return create(expected, flags, format, wanted);
  }
  template <typename T> T memInfo(cl_mem of, cl_mem_info what) { return query<T>(clGetMemObjectInfo, of, what); }
  const Triple zero{};
};

TEST_F(ImagesFromObjects, AllowedParents) {
  PROVES("API-5.3.1a API-5.3.1d API-5.3.1e");
  Mem bytes = buffer(4096), flat = image(CL_MEM_OBJECT_IMAGE2D, {8, 4, 1}),
      deep = image(CL_MEM_OBJECT_IMAGE3D, {8, 4, 2});
  for (cl_mem_object_type type : ImageTypes) {
    const bool takesBuffer = type == CL_MEM_OBJECT_IMAGE1D_BUFFER || type == CL_MEM_OBJECT_IMAGE2D;
    over(bytes, type, {8, 4, 2}, takesBuffer ? CL_SUCCESS : CL_INVALID_IMAGE_DESCRIPTOR);
    over(deep, type, {8, 4, 2}, CL_INVALID_IMAGE_DESCRIPTOR);
    if (type != CL_MEM_OBJECT_IMAGE2D)
      over(flat, type, {8, 4, 2}, CL_INVALID_IMAGE_DESCRIPTOR);
    over(reinterpret_cast<cl_mem>(queue.get()), type, {8, 4, 2}, CL_INVALID_IMAGE_DESCRIPTOR);
  }
  over(nullptr, CL_MEM_OBJECT_IMAGE1D_BUFFER, {8, 1, 1}, CL_INVALID_IMAGE_DESCRIPTOR);
  Mem foreign = buffer(4096, 0, nullptr, otherContext);
  over(foreign, CL_MEM_OBJECT_IMAGE2D, {8, 4, 1}, CL_INVALID_IMAGE_DESCRIPTOR);
}

TEST_F(ImagesFromObjects, SizeOfTheBuffer) {
  PROVES("API-5.3.1d");
  Mem bytes = buffer(1024);
  over(bytes, CL_MEM_OBJECT_IMAGE1D_BUFFER, {256, 1, 1});
  over(bytes, CL_MEM_OBJECT_IMAGE1D_BUFFER, {257, 1, 1}, CL_INVALID_IMAGE_DESCRIPTOR);
  over(bytes, CL_MEM_OBJECT_IMAGE2D, {64, 4, 1});
  over(bytes, CL_MEM_OBJECT_IMAGE2D, {63, 4, 1}, CL_SUCCESS, 256);
  over(bytes, CL_MEM_OBJECT_IMAGE2D, {63, 4, 1}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 260);
  over(bytes, CL_MEM_OBJECT_IMAGE2D, {64, 5, 1}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  over(bytes, CL_MEM_OBJECT_IMAGE2D, {64, 4, 1}, CL_INVALID_IMAGE_DESCRIPTOR, 252);
  over(bytes, CL_MEM_OBJECT_IMAGE2D, {64, 4, 1}, CL_INVALID_IMAGE_DESCRIPTOR, 258);
  for (size_t row : {size_t(1) << 62, size_t(1) << 63, SIZE_MAX - 3}) {
    over(bytes, CL_MEM_OBJECT_IMAGE2D, {64, 4, 1}, CL_INVALID_IMAGE_DESCRIPTOR,
         row); // 4 * row overflows to a small size
    over(bytes, CL_MEM_OBJECT_IMAGE1D_BUFFER, {64, 1, 1}, CL_INVALID_IMAGE_DESCRIPTOR, row);
  }
}

TEST_F(ImagesFromObjects, AlignmentOfPitchAndMemory) {
  PROVES("API-5.3.1d LIM-15 API-4.2i");
  auto pixels = [&](cl_device_info what) { return query<cl_uint>(clGetDeviceInfo, device, what); };
  const cl_uint pitch = pixels(CL_DEVICE_IMAGE_PITCH_ALIGNMENT), base = pixels(CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT);
  for (cl_uint alignment : {pitch, base}) {
    EXPECT_GT(alignment, 0u);
    EXPECT_EQ(alignment & (alignment - 1), 0u);
  }
  Mem bytes = buffer(4096);
  over(bytes, CL_MEM_OBJECT_IMAGE2D, {pitch, 4, 1}, CL_SUCCESS, 4 * pitch);
  over(bytes, CL_MEM_OBJECT_IMAGE2D, {pitch, 4, 1}, CL_SUCCESS, 8 * pitch);
  alignas(128) unsigned char host[4096];
  const size_t alignment = base * 16;
  auto expect = [&](cl_int code, size_t offset, const cl_image_format &format) {
    Mem used = buffer(1024, CL_MEM_USE_HOST_PTR, host + offset);
    over(used, CL_MEM_OBJECT_IMAGE2D, {4, 4, 1}, code, 0, format);
  };
  const cl_image_format wide{CL_RGBA, CL_FLOAT}, three{CL_sRGB, CL_UNORM_INT8};
  expect(CL_SUCCESS, 0, wide);
  expect(CL_SUCCESS, alignment, wide);
  expect(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, alignment / 2, wide);
  expect(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 1, wide);
  expect(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 2 * base, Rgba8);
  expect(CL_SUCCESS, 4 * base, Rgba8);
  expect(CL_SUCCESS, base, three); // pixels of 3 bytes need no alignment
}

TEST_F(ImagesFromObjects, FlagsAreInheritedAndNeverWidened) {
  PROVES("API-5.3.1d API-5.5.5a");
  auto from = [&](cl_mem_flags own, cl_mem_flags given, cl_int code, cl_mem_flags expected = 0) {
    Mem bytes = buffer(64, own), seen;
    for (cl_mem_object_type type : {CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE2D}) {
      Mem made = over(bytes, type, {4, 1, 1}, code, 0, Rgba8, given);
      if (made)
        EXPECT_EQ(memInfo<cl_mem_flags>(made, CL_MEM_FLAGS), expected);
    }
  };
  from(CL_MEM_READ_WRITE, 0, CL_SUCCESS, CL_MEM_READ_WRITE);
  from(CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 0, CL_SUCCESS, CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS);
  from(CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, CL_MEM_WRITE_ONLY, CL_SUCCESS,
       CL_MEM_WRITE_ONLY | CL_MEM_ALLOC_HOST_PTR);
  from(CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY, CL_INVALID_VALUE);
  from(CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE, CL_INVALID_VALUE);
  from(CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, CL_INVALID_VALUE);
  from(CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_INVALID_VALUE);
  from(CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY, CL_INVALID_VALUE);
  from(CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_INVALID_VALUE);
  from(CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, CL_INVALID_VALUE);
  for (cl_mem_flags pointer : {CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR})
    from(0, pointer, CL_INVALID_VALUE);
  Mem bytes = buffer(64);
  cl_image_desc wanted = description(CL_MEM_OBJECT_IMAGE2D, {4, 1, 1});
  wanted.mem_object = bytes;
  char host[64];
  create(CL_INVALID_HOST_PTR, 0, Rgba8, wanted, host);
}

TEST_F(ImagesFromObjects, Queries) {
  PROVES("API-5.3.1d API-5.3.7a API-5.5.5a");
  alignas(128) unsigned char host[4096];
  Mem bytes = buffer(sizeof host, CL_MEM_USE_HOST_PTR, host);
  cl_buffer_region region{1024, 1024};
  Mem part = clCreateSubBuffer(bytes, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
  for (cl_mem under : {bytes.get(), part.get()}) {
    Mem line = over(under, CL_MEM_OBJECT_IMAGE1D_BUFFER, {64, 1, 1}),
        flat = over(under, CL_MEM_OBJECT_IMAGE2D, {8, 4, 1}, CL_SUCCESS, 64);
    void *at = under == part.get() ? host + 1024 : host;
    for (cl_mem made : {line.get(), flat.get()}) {
      EXPECT_EQ(memInfo<cl_mem>(made, CL_MEM_ASSOCIATED_MEMOBJECT), under);
      EXPECT_EQ(info<cl_mem>(made, CL_IMAGE_BUFFER), under);
      EXPECT_EQ(memInfo<size_t>(made, CL_MEM_OFFSET), 0u);
      EXPECT_EQ(memInfo<size_t>(made, CL_MEM_SIZE), 256u);
      EXPECT_EQ(memInfo<void *>(made, CL_MEM_HOST_PTR), at);
      EXPECT_EQ(memInfo<cl_uint>(under, CL_MEM_REFERENCE_COUNT), 1u);
    }
    EXPECT_EQ(info<size_t>(flat, CL_IMAGE_ROW_PITCH), 64u);
  }
}

// A write through one object is visible through all objects that share its storage.
TEST_F(ImagesFromObjects, ShareBytesWithTheBuffer) {
  PROVES("API-5.3.1d API-5.3.1f");
  Bytes model = randomBytes(4096, 1);
  void *svm = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0);
  Mem plain = buffer(4096, CL_MEM_COPY_HOST_PTR, model.data());
  Mem shared;
  if (svm) {
    ASSERT_EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, svm, model.data(), 4096, 0, nullptr, nullptr), CL_SUCCESS);
    shared = buffer(4096, CL_MEM_USE_HOST_PTR, svm);
  }
  const Bytes first = model;
  for (cl_mem whole : {plain.get(), shared.get()}) {
    if (!whole)
      continue;
    model = first;
    cl_buffer_region region{1024, 2048};
    cl_int code = 1;
    Mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    Mem flat = over(part, CL_MEM_OBJECT_IMAGE2D, {8, 6, 1}, CL_SUCCESS, 64),
        line = over(part, CL_MEM_OBJECT_IMAGE1D_BUFFER, {512, 1, 1});
    auto row = [&](size_t y) { return model.begin() + 1024 + ptrdiff_t(64 * y); };
    Bytes expected;
    for (size_t y = 0; y < 6; ++y)
      expected.insert(expected.end(), row(y), row(y) + 32);
    EXPECT_EQ(readImage(flat, zero, {8, 6, 1}), expected);
    const float color[4] = {1, 0, 1, 0};
    const Triple at{1, 2, 0}, size{3, 2, 1};
    ASSERT_EQ(clEnqueueFillImage(queue, flat, color, at.data(), size.data(), 0, nullptr, nullptr), CL_SUCCESS);
    for (size_t y : {2, 3})
      for (size_t x = 4; x < 16; ++x)
        row(y)[ptrdiff_t(x)] = x % 2 ? 0 : 255;
    EXPECT_EQ(read<unsigned char>(whole, 4096), model);
    EXPECT_EQ(readImage(line, zero, {512, 1, 1}), Bytes(row(0), row(32)));
    Bytes pixels = randomBytes(40, 9);
    ASSERT_EQ(write(line, {100, 0, 0}, {10, 1, 1}, pixels.data()), CL_SUCCESS);
    std::copy(pixels.begin(), pixels.end(), row(0) + 400);
    EXPECT_EQ(read<unsigned char>(whole, 4096), model);
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  }
  shared.reset();
  clSVMFree(context, svm);
}

TEST_F(ImagesFromObjects, ViewsOfImages) {
  PROVES("API-5.3.1e");
  struct {
    cl_channel_order view, of;
    cl_channel_type type;
    size_t element;
  } const pairs[] = {{CL_sBGRA, CL_BGRA, CL_UNORM_INT8, 4}, {CL_BGRA, CL_sBGRA, CL_UNORM_INT8, 4},
                     {CL_sRGBA, CL_RGBA, CL_UNORM_INT8, 4}, {CL_RGBA, CL_sRGBA, CL_UNORM_INT8, 4},
                     {CL_DEPTH, CL_R, CL_FLOAT, 4},         {CL_DEPTH, CL_R, CL_UNORM_INT16, 2}};
  for (const auto &pair : pairs) {
    Mem parent = image(CL_MEM_OBJECT_IMAGE2D, {8, 4, 1}, {pair.of, pair.type}, pair.element);
    Mem view = over(parent, CL_MEM_OBJECT_IMAGE2D, {8, 4, 1}, CL_SUCCESS, 8 * pair.element, {pair.view, pair.type});
    EXPECT_EQ(memInfo<cl_mem>(view, CL_MEM_ASSOCIATED_MEMOBJECT), parent.get());
    EXPECT_EQ(info<cl_mem>(view, CL_IMAGE_BUFFER), nullptr);
    Bytes pixels = randomBytes(8 * 4 * pair.element, 4);
    ASSERT_EQ(write(view, zero, {8, 4, 1}, pixels.data()), CL_SUCCESS);
    EXPECT_EQ(readImage(parent, zero, {8, 4, 1}, pair.element), pixels);
    parent.reset();
    EXPECT_EQ(readImage(view, zero, {8, 4, 1}, pair.element), pixels) << "it keeps what it shares";
  }
}

TEST_F(ImagesFromObjects, InvalidViews) {
  PROVES("API-5.3.1e");
  Mem parent = image(CL_MEM_OBJECT_IMAGE2D, {8, 4, 1});
  auto expect = [&](cl_int code, Triple size, size_t row, cl_image_format format) {
    over(parent, CL_MEM_OBJECT_IMAGE2D, size, code, row, format);
  };
  const cl_image_format good{CL_sRGBA, CL_UNORM_INT8};
  const cl_int no = CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
  expect(CL_SUCCESS, {8, 4, 1}, 32, good);
  expect(no, {7, 4, 1}, 32, good);
  expect(no, {8, 3, 1}, 32, good);
  expect(no, {8, 4, 1}, 0, good);
  expect(no, {8, 4, 1}, 36, good);
  expect(no, {8, 4, 1}, 32, Rgba8); // must differ from the parent's format
  expect(no, {8, 4, 1}, 32, {CL_BGRA, CL_UNORM_INT8});
  expect(no, {8, 4, 1}, 32, {CL_RGBA, CL_SNORM_INT8});
  expect(no, {8, 4, 1}, 32, {CL_R, CL_FLOAT});
  expect(no, {8, 4, 1}, 32, {CL_DEPTH, CL_FLOAT});
}
} // namespace kiln::test
