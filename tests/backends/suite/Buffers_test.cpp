// Buffers: creation, transfers, copies, fills and maps.
#include "tests/backends/suite/Suite.h"

#include <algorithm>

namespace kiln::suite {

class DeviceBuffers : public OnDevice {};
ON_EVERY_DEVICE(DeviceBuffers);

TEST_P(DeviceBuffers, WriteAndRead) {
  Mem memory = buffer(9 << 20);
  for (size_t bytes : {1u, 5u, 4096u, 100'001u, 8u << 20})
    for (size_t offset : {0u, 3u, 1024u}) {
      std::vector<unsigned char> data = randomBytes(bytes, unsigned(bytes + offset)), back(bytes);
      ASSERT_EQ(clEnqueueWriteBuffer(queue, memory, CL_FALSE, offset, bytes, data.data(), 0, nullptr, nullptr),
                CL_SUCCESS);
      ASSERT_EQ(clEnqueueReadBuffer(queue, memory, CL_TRUE, offset, bytes, back.data(), 0, nullptr, nullptr),
                CL_SUCCESS);
      ASSERT_EQ(back, data) << bytes << " bytes at " << offset;
    }
}

TEST_P(DeviceBuffers, InitialContents) {
  std::vector<cl_int> values = counted<cl_int>(10'000);
  Mem copied = buffer(values);
  EXPECT_EQ(read<cl_int>(copied, values.size()), values);
  std::vector<cl_int> own = values;
  Mem used = buffer(own.size() * 4, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, own.data());
  EXPECT_EQ(read<cl_int>(used, own.size()), values);
  runKernel("kernel void run(global int *a) { a[get_global_id(0)] *= 3; }", {values.size()}, {}, used);
  cl_int code = 1;
  void *mapped = clEnqueueMapBuffer(queue, used, CL_TRUE, CL_MAP_READ, 0, own.size() * 4, 0, nullptr, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(mapped, own.data()) << "the application's memory";
  for (size_t i = 0; i < own.size(); ++i)
    ASSERT_EQ(own[i], cl_int(3 * i));
  EXPECT_EQ(clEnqueueUnmapMemObject(queue, used, mapped, 0, nullptr, nullptr), CL_SUCCESS);
}

TEST_P(DeviceBuffers, Copy) {
  std::vector<unsigned char> data = randomBytes(100'000, 1), expected(100'000, 7);
  Mem from = buffer(data), to = buffer(expected);
  ASSERT_EQ(clEnqueueCopyBuffer(queue, from, to, 1'001, 77, 50'000, 0, nullptr, nullptr), CL_SUCCESS);
  std::copy_n(data.begin() + 1'001, 50'000, expected.begin() + 77);
  EXPECT_EQ(read<unsigned char>(to, 100'000), expected);
  // Inside one buffer.
  ASSERT_EQ(clEnqueueCopyBuffer(queue, to, to, 0, 60'000, 40'000, 0, nullptr, nullptr), CL_SUCCESS);
  std::copy_n(expected.begin(), 40'000, expected.begin() + 60'000);
  EXPECT_EQ(read<unsigned char>(to, 100'000), expected);
}

TEST_P(DeviceBuffers, Rects) {
  constexpr size_t Row = 97, Slice = Row * 31, Size = Slice * 11;
  std::vector<unsigned char> data = randomBytes(Size, 2), host = randomBytes(Size, 3);
  const size_t region[] = {40, 20, 5}, at[] = {3, 4, 2}, hostAt[] = {10, 1, 3};
  auto copyBox = [&](std::vector<unsigned char> &to, const size_t (&toAt)[3], const std::vector<unsigned char> &from,
                     const size_t (&fromAt)[3]) {
    for (size_t z = 0; z < region[2]; ++z)
      for (size_t y = 0; y < region[1]; ++y)
        for (size_t x = 0; x < region[0]; ++x)
          to[(toAt[2] + z) * Slice + (toAt[1] + y) * Row + toAt[0] + x] =
              from[(fromAt[2] + z) * Slice + (fromAt[1] + y) * Row + fromAt[0] + x];
  };
  Mem memory = buffer(data), other = buffer(host);
  ASSERT_EQ(clEnqueueWriteBufferRect(queue, memory, CL_TRUE, at, hostAt, region, Row, Slice, Row, Slice, host.data(), 0,
                                     nullptr, nullptr),
            CL_SUCCESS);
  copyBox(data, at, host, hostAt);
  ASSERT_EQ(read<unsigned char>(memory, Size), data);
  ASSERT_EQ(
      clEnqueueCopyBufferRect(queue, memory, other, at, hostAt, region, Row, Slice, Row, Slice, 0, nullptr, nullptr),
      CL_SUCCESS);
  std::vector<unsigned char> expected = host;
  copyBox(expected, hostAt, data, at);
  ASSERT_EQ(read<unsigned char>(other, Size), expected);
  std::vector<unsigned char> back = host;
  ASSERT_EQ(clEnqueueReadBufferRect(queue, memory, CL_TRUE, at, hostAt, region, Row, Slice, Row, Slice, back.data(), 0,
                                    nullptr, nullptr),
            CL_SUCCESS);
  expected = host;
  copyBox(expected, hostAt, data, at);
  EXPECT_EQ(back, expected) << "and nothing between the rows";
}

TEST_P(DeviceBuffers, FillWithEveryPatternSize) {
  for (size_t pattern : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u})
    for (size_t count : {1u, 7u, 5000u}) {
      std::vector<unsigned char> what = randomBytes(pattern, unsigned(pattern)), before = randomBytes(1 << 20, 4);
      Mem memory = buffer(before);
      ASSERT_EQ(
          clEnqueueFillBuffer(queue, memory, what.data(), pattern, pattern * 2, pattern * count, 0, nullptr, nullptr),
          CL_SUCCESS);
      for (size_t i = 0; i < pattern * count; ++i)
        before[pattern * 2 + i] = what[i % pattern];
      ASSERT_EQ(read<unsigned char>(memory, before.size()), before) << count << " of " << pattern << " bytes";
    }
}

TEST_P(DeviceBuffers, Map) {
  std::vector<cl_int> values = counted<cl_int>(4096);
  for (cl_mem_flags flags :
       {cl_mem_flags(CL_MEM_READ_WRITE), cl_mem_flags(CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR)}) {
    Mem memory = buffer(values.size() * 4, flags | CL_MEM_COPY_HOST_PTR, values.data());
    cl_int code = 1;
    auto *mapped = static_cast<cl_int *>(
        clEnqueueMapBuffer(queue, memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 400, 4000, 0, nullptr, nullptr, &code));
    ASSERT_EQ(code, CL_SUCCESS);
    ASSERT_NE(mapped, nullptr);
    EXPECT_EQ(mapped[5], 105);
    for (int i = 0; i < 1000; ++i)
      mapped[i] = -i;
    ASSERT_EQ(clEnqueueUnmapMemObject(queue, memory, mapped, 0, nullptr, nullptr), CL_SUCCESS);
    runKernel("kernel void run(global int *a) { a[get_global_id(0)] += 1; }", {values.size()}, {}, memory);
    std::vector<cl_int> result = read<cl_int>(memory, values.size());
    for (int i = 0; i < 4096; ++i)
      ASSERT_EQ(result[size_t(i)], (i >= 100 && i < 1100 ? 100 - i : i) + 1) << i;
    mapped = static_cast<cl_int *>(
        clEnqueueMapBuffer(queue, memory, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, 400, 0, nullptr, nullptr, &code));
    ASSERT_EQ(code, CL_SUCCESS);
    std::fill_n(mapped, 100, 9);
    ASSERT_EQ(clEnqueueUnmapMemObject(queue, memory, mapped, 0, nullptr, nullptr), CL_SUCCESS);
    result = read<cl_int>(memory, 101);
    EXPECT_EQ(result[99], 9);
    EXPECT_EQ(result[100], 1);
  }
}

TEST_P(DeviceBuffers, SubBuffers) {
  size_t align = query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  size_t ints = align / 4 + 1000;
  Mem parent = buffer(counted<cl_int>(2 * ints));
  cl_buffer_region region = {align, 4000};
  cl_int code = 1;
  Mem part = clCreateSubBuffer(parent, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  runKernel("kernel void run(global int *a) { a[get_global_id(0)] = -1; }", {1000}, {}, part);
  std::vector<cl_int> all = read<cl_int>(parent, 2 * ints);
  for (size_t i = 0; i < all.size(); ++i)
    ASSERT_EQ(all[i], i >= align / 4 && i < align / 4 + 1000 ? -1 : cl_int(i)) << i;
  EXPECT_EQ(read<cl_int>(part, 1000), std::vector<cl_int>(1000, -1));
}

TEST_P(DeviceBuffers, LargeBuffer) {
  size_t bytes = std::min<cl_ulong>(query<cl_ulong>(clGetDeviceInfo, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE), 256 << 20);
  Mem memory = buffer(bytes);
  cl_uint value = 0x01020304;
  ASSERT_EQ(clEnqueueFillBuffer(queue, memory, &value, 4, 0, bytes, 0, nullptr, nullptr), CL_SUCCESS);
  std::vector<cl_uint> back = read<cl_uint>(memory, bytes / 4);
  EXPECT_TRUE(std::all_of(back.begin(), back.end(), [&](cl_uint v) { return v == value; }));
}

TEST_P(DeviceBuffers, MoreThanTheDeviceHas) {
  size_t bytes = query<cl_ulong>(clGetDeviceInfo, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  cl_int code = 0;
  Mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes + 1, nullptr, &code);
  EXPECT_EQ(code, CL_INVALID_BUFFER_SIZE);
}

} // namespace kiln::suite
