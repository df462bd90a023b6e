// clEnqueueReadImage and clEnqueueWriteImage, which have the same rules.
#include "tests/api/ImageTest.h"

namespace kiln::test {

struct EnqueueReadImage : WithImages {
  const Triple zero{};
};

TEST_F(EnqueueReadImage, EnqueueRules) {
  PROVES("R5 R6 API-5.3.3a API-5.11e");
  Mem made = image(CL_MEM_OBJECT_IMAGE2D, {4, 4, 1});
  const Triple all{4, 4, 1};
  char bytes[64] = {};
  auto read = [&](cl_command_queue q, cl_mem m, cl_uint n, const cl_event *w, cl_event *e) {
    return clEnqueueReadImage(q, m, CL_FALSE, zero.data(), all.data(), 0, 0, bytes, n, w, e);
  };
  auto write = [&](cl_command_queue q, cl_mem m, cl_uint n, const cl_event *w, cl_event *e) {
    return clEnqueueWriteImage(q, m, CL_FALSE, zero.data(), all.data(), 0, 0, bytes, n, w, e);
  };
  expectEnqueueRules(read, made);
  expectEnqueueRules(write, made);
  expectEnqueueRules(
      [&](cl_command_queue q, cl_uint n, const cl_event *w, cl_event *e) { return read(q, made, n, w, e); },
      CL_COMMAND_READ_IMAGE);
  expectEnqueueRules(
      [&](cl_command_queue q, cl_uint n, const cl_event *w, cl_event *e) { return write(q, made, n, w, e); },
      CL_COMMAND_WRITE_IMAGE);
  Mem plain = buffer(64);
  EXPECT_EQ(read(queue, plain, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(write(queue, plain, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
}

TEST_F(EnqueueReadImage, BlockingAfterFailure) {
  PROVES("R7");
  Mem made = image(CL_MEM_OBJECT_IMAGE1D, {4, 1, 1});
  const Triple all{4, 1, 1};
  char bytes[16] = {};
  expectBlockingReportsFailure(
      [&](cl_command_queue q, cl_mem m, cl_uint n, const cl_event *w, cl_event *e) {
        return clEnqueueReadImage(q, m, CL_TRUE, zero.data(), all.data(), 0, 0, bytes, n, w, e);
      },
      made);
  expectBlockingReportsFailure(
      [&](cl_command_queue q, cl_mem m, cl_uint n, const cl_event *w, cl_event *e) {
        return clEnqueueWriteImage(q, m, CL_TRUE, zero.data(), all.data(), 0, 0, bytes, n, w, e);
      },
      made);
}

TEST_F(EnqueueReadImage, OriginAndRegion) {
  PROVES("R11 API-5.3.3a");
  Bytes bytes(7 * 5 * 3 * 4);
  expectBoxRules([&](cl_mem m, auto origin, auto region) {
    return clEnqueueReadImage(queue, m, CL_TRUE, origin, region, 0, 0, bytes.data(), 0, nullptr, nullptr);
  });
  expectBoxRules([&](cl_mem m, auto origin, auto region) {
    return clEnqueueWriteImage(queue, m, CL_TRUE, origin, region, 0, 0, bytes.data(), 0, nullptr, nullptr);
  });
}

TEST_F(EnqueueReadImage, NullPointer) {
  PROVES("API-5.3.3a");
  Mem made = image(CL_MEM_OBJECT_IMAGE1D, {4, 1, 1});
  EXPECT_EQ(readTo(nullptr, made, zero, {4, 1, 1}), CL_INVALID_VALUE);
  EXPECT_EQ(write(made, zero, {4, 1, 1}, nullptr), CL_INVALID_VALUE);
}

TEST_F(EnqueueReadImage, HostAccess) {
  PROVES("R12");
  const Triple all{4, 1, 1};
  char bytes[16] = {};
  struct {
    cl_mem_flags flags;
    bool reads, writes;
  } const cases[] = {{CL_MEM_HOST_READ_ONLY, true, false},
                     {CL_MEM_HOST_WRITE_ONLY, false, true},
                     {CL_MEM_HOST_NO_ACCESS, false, false}};
  for (const auto &one : cases) {
    Mem made = image(CL_MEM_OBJECT_IMAGE1D, all, Rgba8, 4, nullptr, one.flags);
    EXPECT_EQ(readTo(bytes, made, zero, all), one.reads ? CL_SUCCESS : CL_INVALID_OPERATION);
    EXPECT_EQ(write(made, zero, all, bytes), one.writes ? CL_SUCCESS : CL_INVALID_OPERATION);
  }
}

TEST_F(EnqueueReadImage, Pitches) {
  PROVES("API-5.3.3a");
  Bytes bytes(1 << 16);
  for (cl_mem_object_type type : ImageTypes) {
    const Triple all = reach(type, {7, 5, 3});
    Mem made = image(type, {7, 5, 3});
    const bool slices = is3d(type) || isArray(type);
    const size_t rows = hasRows(type) ? 5 : 1;
    auto expect = [&](cl_int code, size_t row, size_t slice) {
      EXPECT_EQ(readTo(bytes.data(), made, zero, all, row, slice), code) << type << " " << row << " " << slice;
      EXPECT_EQ(write(made, zero, all, bytes.data(), row, slice), code) << type << " " << row << " " << slice;
    };
    expect(CL_SUCCESS, 28, 0);
    expect(CL_SUCCESS, 29, 0); // not a multiple of the pixel size
    expect(CL_INVALID_VALUE, 27, 0);
    expect(CL_INVALID_VALUE, 1, 0);
    expect(slices ? CL_SUCCESS : CL_INVALID_VALUE, 0, 28 * rows);
    expect(slices ? CL_SUCCESS : CL_INVALID_VALUE, 30, 30 * rows + 1);
    expect(CL_INVALID_VALUE, 0, 28 * rows - 1);
    expect(CL_INVALID_VALUE, 30, 30 * rows - 1);
    if (slices) {
      expect(CL_INVALID_VALUE, 0, SIZE_MAX);
      expect(CL_INVALID_VALUE, 0, SIZE_MAX / 2);
    }
    if (rows > 1)
      for (size_t row : {SIZE_MAX, SIZE_MAX / 4, SIZE_MAX / 2 + 1})
        expect(CL_INVALID_VALUE, row, 0);
  }
}

// Reads and writes of random boxes, for every image type, with and without padding after the host's rows and slices.
// Pixels outside the box and host bytes outside the rows do not change.
TEST_F(EnqueueReadImage, ExactlyTheBox) {
  PROVES("API-5.3.3a R11");
  for (cl_mem_object_type type : ImageTypes) {
    const Triple all = reach(type, {9, 6, 4});
    auto [made, model] = randomImage(type, {9, 6, 4});
    const bool slices = is3d(type) || isArray(type), layersAreRows = type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    for (unsigned round = 0; round < 40; ++round) {
      std::mt19937 random(round);
      auto below = [&](size_t end) { return random() % end; };
      Triple origin, region;
      for (size_t d = 0; d < 3; ++d) {
        origin[d] = below(all[d]);
        region[d] = 1 + below(all[d] - origin[d]);
      }
      const size_t row = region[0] * 4 + below(9), rowsOfSlice = layersAreRows ? 1 : region[1];
      const size_t slice = slices ? row * rowsOfSlice + below(11) : 0;
      // Offset of a row of the box in host memory.
      auto place = [&](size_t y, size_t z) { return layersAreRows ? y * slice : y * row + z * (slices ? slice : 0); };
      const size_t size = place(region[1] - 1, region[2] - 1) + region[0] * 4;
      Bytes host = randomBytes(size + 64, round + 100), expected = host;
      if (round % 2) {
        for (size_t z = 0; z < region[2]; ++z)
          for (size_t y = 0; y < region[1]; ++y)
            std::memcpy(model.at(origin[0], origin[1] + y, origin[2] + z), &host[32 + place(y, z)], region[0] * 4);
        ASSERT_EQ(write(made, origin, region, &host[32], row, slice), CL_SUCCESS);
      } else {
        for (size_t z = 0; z < region[2]; ++z)
          for (size_t y = 0; y < region[1]; ++y)
            std::memcpy(&expected[32 + place(y, z)], model.at(origin[0], origin[1] + y, origin[2] + z), region[0] * 4);
        ASSERT_EQ(readTo(&host[32], made, origin, region, row, slice), CL_SUCCESS);
      }
      ASSERT_EQ(host, expected) << "type " << type << ", round " << round;
      ASSERT_EQ(readImage(made, {0, 0, 0}, all), model.bytes) << "type " << type << ", round " << round;
    }
  }
}

// Reads and writes an image created with CL_MEM_USE_HOST_PTR, with its own host memory as ptr.
TEST_F(EnqueueReadImage, ToItsOwnHostPointer) {
  PROVES("API-5.3.3a");
  alignas(128) unsigned char host[16 * 4 * 4];
  std::iota(std::begin(host), std::end(host), 0);
  Bytes before(std::begin(host), std::end(host));
  Mem made = create(CL_SUCCESS, CL_MEM_USE_HOST_PTR, Rgba8, description(CL_MEM_OBJECT_IMAGE2D, {16, 4, 1}), host);
  EXPECT_EQ(readTo(host + 64 + 8, made, {2, 1, 0}, {8, 3, 1}, 64), CL_SUCCESS);
  EXPECT_EQ(Bytes(std::begin(host), std::end(host)), before);
  EXPECT_EQ(write(made, {2, 1, 0}, {8, 3, 1}, host + 64 + 8, 64), CL_SUCCESS);
  EXPECT_EQ(readImage(made, {0, 0, 0}, {16, 4, 1}), before);
}
} // namespace kiln::test
