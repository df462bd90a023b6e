#include "tests/api/ApiTest.h"

namespace kiln::test {
struct CreateBuffer : WithQueue {
  cl_int create(cl_mem_flags flags, size_t size, void *host = nullptr) {
    cl_int code = 1;
    Mem made = clCreateBuffer(context, flags, size, host, &code);
    EXPECT_EQ(made != nullptr, code == CL_SUCCESS);
    return code;
  }
  char bytes[256];
};

TEST_F(CreateBuffer, ContextInvalid) {
  PROVES("API-5.2.1a");
  cl_int code = 1;
  EXPECT_EQ(clCreateBuffer(nullptr, 0, 16, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_CONTEXT);
}

TEST_F(CreateBuffer, FlagMixes) {
  PROVES("API-5.2.1a");
  EXPECT_EQ(create(CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 16), CL_INVALID_VALUE);
  EXPECT_EQ(create(CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY, 16), CL_INVALID_VALUE);
  EXPECT_EQ(create(CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 16, bytes), CL_INVALID_VALUE);
  EXPECT_EQ(create(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 16, bytes), CL_INVALID_VALUE);
  EXPECT_EQ(create(CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, 16), CL_INVALID_VALUE);
  EXPECT_EQ(create(CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 16), CL_INVALID_VALUE);
  EXPECT_EQ(create(cl_mem_flags(1) << 40, 16), CL_INVALID_VALUE);
}

TEST_F(CreateBuffer, SizeZeroOrAboveMaximum) {
  PROVES("API-5.2.1b");
  EXPECT_EQ(create(0, 0), CL_INVALID_BUFFER_SIZE);
  size_t most = query<cl_ulong>(clGetDeviceInfo, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  EXPECT_EQ(create(0, most + 1), CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(create(0, SIZE_MAX), CL_INVALID_BUFFER_SIZE);
}

TEST_F(CreateBuffer, HostPointerAgainstFlags) {
  PROVES("API-5.2.1b");
  EXPECT_EQ(create(CL_MEM_USE_HOST_PTR, 16), CL_INVALID_HOST_PTR);
  EXPECT_EQ(create(CL_MEM_COPY_HOST_PTR, 16), CL_INVALID_HOST_PTR);
  EXPECT_EQ(create(CL_MEM_READ_WRITE, 16, bytes), CL_INVALID_HOST_PTR);
}

TEST_F(CreateBuffer, CopiesBeforeItReturns) {
  PROVES("API-5.2.1b");
  std::vector<int> data{1, 2, 3, 4};
  for (cl_mem_flags with : {cl_mem_flags(0), cl_mem_flags(CL_MEM_ALLOC_HOST_PTR)}) {
    data = {1, 2, 3, 4};
    Mem made = buffer(16, CL_MEM_COPY_HOST_PTR | with, data.data());
    data.assign(4, 0);
    EXPECT_EQ(read<int>(made, 4), (std::vector<int>{1, 2, 3, 4}));
  }
}

// Kernels must not be able to read memory that the application has freed before.
TEST_F(CreateBuffer, NewMemoryOfTheCpuIsZero) {
  if (query<cl_device_type>(clGetDeviceInfo, device, CL_DEVICE_TYPE) != CL_DEVICE_TYPE_CPU)
    GTEST_SKIP() << "the contents of new GPU memory depend on the driver";
  for (size_t size : {1000, 60'000, 3'000'000}) {
    for (int i = 0; i < 4; ++i)
      std::vector<char>(size + 256, 'x');
    for (int i = 0; i < 4; ++i) {
      Mem made = buffer(size);
      EXPECT_EQ(read<char>(made, size), std::vector<char>(size)) << size;
      std::vector<char> used(size, 'y');
      ASSERT_EQ(clEnqueueWriteBuffer(queue, made, CL_TRUE, 0, size, used.data(), 0, nullptr, nullptr), CL_SUCCESS);
    }
  }
}

TEST_F(CreateBuffer, UsesHostMemoryWhenMapped) {
  PROVES("API-5.2.1c");
  alignas(4096) static int storage[256];
  std::iota(std::begin(storage), std::end(storage), 0);
  Mem made = buffer(sizeof storage, CL_MEM_USE_HOST_PTR, storage);
  int value = 77;
  ASSERT_EQ(clEnqueueWriteBuffer(queue, made, CL_TRUE, 40, 4, &value, 0, nullptr, nullptr), CL_SUCCESS);
  cl_int code = 1;
  void *mapped = clEnqueueMapBuffer(queue, made, CL_TRUE, CL_MAP_READ, 40, 8, 0, nullptr, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(mapped, storage + 10);
  EXPECT_EQ(storage[10], 77);
  EXPECT_EQ(clEnqueueUnmapMemObject(queue, made, mapped, 0, nullptr, nullptr), CL_SUCCESS);
}
} // namespace kiln::test
