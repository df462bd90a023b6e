#include "tests/api/ImageTest.h"

namespace kiln::test {

struct EnqueueMapImage : WithImages {
  struct Mapped {
    unsigned char *at = nullptr;
    size_t row = 77, slice = 77;
  };
  Mapped map(cl_mem m, cl_map_flags flags, Triple origin, Triple region, cl_int expected = CL_SUCCESS) {
    cl_int code = 1;
    Mapped made;
    made.at = static_cast<unsigned char *>(clEnqueueMapImage(queue, m, CL_TRUE, flags, origin.data(), region.data(),
                                                             &made.row, &made.slice, 0, nullptr, nullptr, &code));
    EXPECT_EQ(code, expected);
    EXPECT_EQ(made.at != nullptr, expected == CL_SUCCESS);
    if (expected != CL_SUCCESS) {
      EXPECT_EQ(made.row, 77u) << "a failing call wrote a pitch";
      EXPECT_EQ(made.slice, 77u);
    }
    return made;
  }
  void unmap(cl_mem m, const Mapped &mapped) {
    EXPECT_EQ(clEnqueueUnmapMemObject(queue, m, mapped.at, 0, nullptr, nullptr), CL_SUCCESS);
  }
  cl_uint maps(cl_mem m) { return query<cl_uint>(clGetMemObjectInfo, m, CL_MEM_MAP_COUNT); }
  const Triple zero{};
};

TEST_F(EnqueueMapImage, EnqueueRules) {
  PROVES("R5 R6 API-5.3.6a API-5.11e");
  Mem made = image(CL_MEM_OBJECT_IMAGE2D, {4, 4, 1}), plain = buffer(64);
  const Triple all{4, 4, 1};
  auto call = [&](cl_command_queue q, cl_mem m, cl_uint n, const cl_event *w, cl_event *e) {
    cl_int code = 1;
    size_t row;
    clEnqueueMapImage(q, m, CL_FALSE, CL_MAP_READ, zero.data(), all.data(), &row, nullptr, n, w, e, &code);
    return code;
  };
  expectEnqueueRules(call, made);
  expectEnqueueRules(
      [&](cl_command_queue q, cl_uint n, const cl_event *w, cl_event *e) { return call(q, made, n, w, e); },
      CL_COMMAND_MAP_IMAGE);
  EXPECT_EQ(call(queue, plain, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
}

TEST_F(EnqueueMapImage, BlockingAfterFailure) {
  PROVES("R7");
  Mem made = image(CL_MEM_OBJECT_IMAGE1D, {4, 1, 1});
  const Triple all{4, 1, 1};
  expectBlockingReportsFailure(
      [&](cl_command_queue q, cl_mem m, cl_uint n, const cl_event *w, cl_event *e) {
        cl_int code = 1;
        size_t row;
        EXPECT_EQ(
            clEnqueueMapImage(q, m, CL_TRUE, CL_MAP_WRITE, zero.data(), all.data(), &row, nullptr, n, w, e, &code),
            nullptr);
        return code;
      },
      made);
  EXPECT_EQ(maps(made), 0u);
}

TEST_F(EnqueueMapImage, OriginAndRegion) {
  PROVES("R11 API-5.3.6a");
  expectBoxRules([&](cl_mem m, auto origin, auto region) {
    cl_int code = 1;
    size_t row, slice;
    void *mapped =
        clEnqueueMapImage(queue, m, CL_TRUE, CL_MAP_READ, origin, region, &row, &slice, 0, nullptr, nullptr, &code);
    if (mapped)
      EXPECT_EQ(clEnqueueUnmapMemObject(queue, m, mapped, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(maps(m), 0u);
    return code;
  });
}

TEST_F(EnqueueMapImage, Flags) {
  PROVES("API-5.3.6a R12");
  const Triple all{4, 1, 1};
  Mem made = image(CL_MEM_OBJECT_IMAGE1D, all);
  map(made, 1 << 10, zero, all, CL_INVALID_VALUE);
  map(made, CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_READ, zero, all, CL_INVALID_VALUE);
  Mem reads = image(CL_MEM_OBJECT_IMAGE1D, all, Rgba8, 4, nullptr, CL_MEM_HOST_READ_ONLY),
      writes = image(CL_MEM_OBJECT_IMAGE1D, all, Rgba8, 4, nullptr, CL_MEM_HOST_WRITE_ONLY),
      neither = image(CL_MEM_OBJECT_IMAGE1D, all, Rgba8, 4, nullptr, CL_MEM_HOST_NO_ACCESS);
  for (cl_mem m : {writes.get(), neither.get()})
    map(m, CL_MAP_READ, zero, all, CL_INVALID_OPERATION);
  for (cl_mem m : {reads.get(), neither.get()}) {
    map(m, CL_MAP_WRITE, zero, all, CL_INVALID_OPERATION);
    map(m, CL_MAP_WRITE_INVALIDATE_REGION, zero, all, CL_INVALID_OPERATION);
  }
  unmap(reads, map(reads, CL_MAP_READ, zero, all));
  unmap(writes, map(writes, CL_MAP_WRITE, zero, all));
}

TEST_F(EnqueueMapImage, Pitches) {
  PROVES("API-5.3.6a");
  for (cl_mem_object_type type : ImageTypes) {
    auto [made, model] = randomImage(type, {7, 5, 3});
    const bool slices = is3d(type) || isArray(type);
    size_t row = 77, slice = 77;
    auto code = [&](size_t *rowPitch, size_t *slicePitch) {
      cl_int code = 1;
      void *mapped = clEnqueueMapImage(queue, made, CL_TRUE, CL_MAP_READ, zero.data(), model.size.data(), rowPitch,
                                       slicePitch, 0, nullptr, nullptr, &code);
      if (mapped)
        EXPECT_EQ(clEnqueueUnmapMemObject(queue, made, mapped, 0, nullptr, nullptr), CL_SUCCESS);
      return code;
    };
    EXPECT_EQ(code(nullptr, &slice), CL_INVALID_VALUE);
    EXPECT_EQ(slice, 77u);
    EXPECT_EQ(code(&row, nullptr), slices ? CL_INVALID_VALUE : CL_SUCCESS);
    EXPECT_EQ(code(&row, &slice), CL_SUCCESS);
    // The rows of mapped memory may have padding, which the image's own pitches do not contain.
    const size_t tightRow = info<size_t>(made, CL_IMAGE_ROW_PITCH),
                 tightSlice = info<size_t>(made, CL_IMAGE_SLICE_PITCH);
    EXPECT_GE(row, tightRow);
    EXPECT_GE(slice, tightSlice);
    EXPECT_EQ(slice % row, 0u);
    EXPECT_EQ(slice != 0, slices);
    if (query<cl_device_type>(clGetDeviceInfo, device, CL_DEVICE_TYPE) == CL_DEVICE_TYPE_CPU) {
      EXPECT_EQ(row, tightRow);
      EXPECT_EQ(slice, tightSlice);
    }
  }
}

// A mapped box contains the image's pixels, and pixels written to it reach the image after the unmap.
TEST_F(EnqueueMapImage, ReadsAndWritesThroughMap) {
  PROVES("API-5.3.6a API-5.5.2a");
  for (cl_mem_object_type type : ImageTypes) {
    auto [made, model] = randomImage(type, {9, 6, 4}, type);
    std::mt19937 random(type);
    for (int round = 0; round < 16; ++round) {
      Triple region, at;
      for (size_t d = 0; d < 3; ++d) {
        region[d] = 1 + random() % model.size[d];
        at[d] = random() % (model.size[d] - region[d] + 1);
      }
      const cl_map_flags flags = round % 4 == 0   ? CL_MAP_READ
                                 : round % 4 == 1 ? CL_MAP_READ | CL_MAP_WRITE
                                 : round % 4 == 2 ? CL_MAP_WRITE
                                                  : CL_MAP_WRITE_INVALIDATE_REGION;
      Mapped mapped = map(made, flags, at, region);
      const size_t rowPitch = type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? mapped.slice : mapped.row;
      for (size_t z = 0; z < region[2]; ++z)
        for (size_t y = 0; y < region[1]; ++y) {
          unsigned char *row = mapped.at + y * rowPitch + z * mapped.slice,
                        *known = model.at(at[0], at[1] + y, at[2] + z);
          if (flags & CL_MAP_READ)
            ASSERT_EQ(std::memcmp(row, known, region[0] * 4), 0) << type;
          if (flags == CL_MAP_READ)
            continue;
          for (size_t i = 0; i < region[0] * 4; ++i)
            row[i] = known[i] = (unsigned char)(random());
        }
      EXPECT_EQ(maps(made), 1u);
      unmap(made, mapped);
      ASSERT_EQ(readImage(made, zero, model.size), model.bytes) << type << ", round " << round;
      EXPECT_EQ(maps(made), 0u);
    }
  }
}

// Two maps overlap if their boxes share a pixel. The byte ranges of boxes side by side interleave, which is no overlap.
TEST_F(EnqueueMapImage, OverlappingMaps) {
  PROVES("API-5.2.4b API-5.3.6a API-5.5.3a");
  auto [made, model] = randomImage(CL_MEM_OBJECT_IMAGE2D, {16, 16, 1});
  Mapped left = map(made, CL_MAP_WRITE, zero, {8, 16, 1}), right = map(made, CL_MAP_WRITE, {8, 0, 0}, {4, 16, 1});
  map(made, CL_MAP_WRITE, {7, 15, 0}, {1, 1, 1}, CL_INVALID_OPERATION);
  map(made, CL_MAP_READ, {11, 0, 0}, {5, 1, 1}, CL_INVALID_OPERATION);
  Mapped reading = map(made, CL_MAP_READ, {12, 0, 0}, {4, 16, 1}),
         again = map(made, CL_MAP_READ, {13, 1, 0}, {2, 2, 1});
  map(made, CL_MAP_WRITE, {15, 15, 0}, {1, 1, 1}, CL_INVALID_OPERATION);
  EXPECT_EQ(maps(made), 4u);
  for (size_t y = 0; y < 16; ++y) {
    std::memset(left.at + y * left.row, 1, 32);
    std::memset(right.at + y * right.row, 2, 16);
    std::memset(model.at(0, y, 0), 1, 32);
    std::memset(model.at(8, y, 0), 2, 16);
  }
  for (const Mapped &mapped : {left, reading, right, again})
    unmap(made, mapped);
  EXPECT_EQ(readImage(made, zero, {16, 16, 1}), model.bytes);
  Mapped all = map(made, CL_MAP_WRITE, zero, {16, 16, 1});
  unmap(made, all);
}

// Maps of an image over a buffer, of the buffer, and of another image over it overlap if they share a byte.
TEST_F(EnqueueMapImage, OverlapsWithTheBuffer) {
  PROVES("API-5.2.4b");
  Mem bytes = buffer(1024);
  cl_image_desc flat = description(CL_MEM_OBJECT_IMAGE2D, {8, 4, 1}),
                line = description(CL_MEM_OBJECT_IMAGE1D_BUFFER, {256, 1, 1});
  flat.image_row_pitch = 64;
  flat.mem_object = line.mem_object = bytes;
  Mem rows = create(CL_SUCCESS, 0, Rgba8, flat), pixels = create(CL_SUCCESS, 0, Rgba8, line);
  Mapped mapped = map(rows, CL_MAP_WRITE, {4, 1, 0}, {4, 2, 1}); // bytes 80 to 96, and 144 to 160
  auto mapBytes = [&](size_t offset, size_t size) {
    cl_int code = 1;
    void *at = clEnqueueMapBuffer(queue, bytes, CL_TRUE, CL_MAP_WRITE, offset, size, 0, nullptr, nullptr, &code);
    if (at)
      EXPECT_EQ(clEnqueueUnmapMemObject(queue, bytes, at, 0, nullptr, nullptr), CL_SUCCESS);
    return code;
  };
  EXPECT_EQ(mapBytes(0, 80), CL_SUCCESS);
  EXPECT_EQ(mapBytes(0, 81), CL_INVALID_OPERATION);
  EXPECT_EQ(mapBytes(95, 10), CL_INVALID_OPERATION);
  EXPECT_EQ(mapBytes(96, 48), CL_SUCCESS);
  EXPECT_EQ(mapBytes(96, 49), CL_INVALID_OPERATION);
  EXPECT_EQ(mapBytes(159, 1), CL_INVALID_OPERATION);
  EXPECT_EQ(mapBytes(160, 800), CL_SUCCESS);
  map(pixels, CL_MAP_READ, {20, 0, 0}, {1, 1, 1}, CL_INVALID_OPERATION);
  unmap(pixels, map(pixels, CL_MAP_WRITE, {24, 0, 0}, {12, 1, 1}));
  EXPECT_EQ(maps(bytes), 0u);
  EXPECT_EQ(clEnqueueUnmapMemObject(queue, bytes, mapped.at, 0, nullptr, nullptr), CL_INVALID_VALUE)
      << "a map of another object";
  unmap(rows, mapped);
  EXPECT_EQ(clEnqueueUnmapMemObject(queue, rows, mapped.at, 0, nullptr, nullptr), CL_INVALID_VALUE) << "unmapped twice";
}

TEST_F(EnqueueMapImage, NonBlockingMapShowsPreviousCommands) {
  PROVES("API-5.3.6a");
  Mem made = image(CL_MEM_OBJECT_IMAGE1D, {4, 1, 1});
  Event gate = userEvent(), done;
  const float color[4] = {1, 1, 1, 1};
  const Triple all{4, 1, 1};
  ASSERT_EQ(clEnqueueFillImage(queue, made, color, zero.data(), all.data(), 1, gate.address(), nullptr), CL_SUCCESS);
  cl_int code = 1;
  size_t row;
  auto *mapped = static_cast<unsigned char *>(clEnqueueMapImage(
      queue, made, CL_FALSE, CL_MAP_READ, zero.data(), all.data(), &row, nullptr, 0, nullptr, done.out(), &code));
  ASSERT_EQ(code, CL_SUCCESS);
  clSetUserEventStatus(gate, CL_COMPLETE);
  ASSERT_EQ(clWaitForEvents(1, done.address()), CL_SUCCESS);
  EXPECT_EQ(mapped[15], 255);
  EXPECT_EQ(clEnqueueUnmapMemObject(queue, made, mapped, 0, nullptr, nullptr), CL_SUCCESS);
}
} // namespace kiln::test
