// cl_ext_buffer_device_address: buffers with a fixed address on each device, which the host can query.
#include "base/support/OpenCL.h"
#include "tests/api/SharedMemoryTest.h"

namespace kiln::test {
struct BufferDeviceAddress : SharedMemoryTest {
  using SetPointer = cl_int CL_API_CALL(cl_kernel, cl_uint, cl_mem_device_address_ext);
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(SharedMemoryTest::SetUp());
    ASSERT_NE(setPointer = entry<SetPointer>("clSetKernelArgDevicePointerEXT"), nullptr);
  }
  Mem fixed(size_t size, cl_mem_flags flags = 0, void *host = nullptr, cl_context in = nullptr) {
    const cl_mem_properties list[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0};
    cl_int code = 1;
    Mem made = clCreateBufferWithProperties(in ? in : context.get(), list, flags, size, host, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return made;
  }
  std::vector<cl_mem_device_address_ext> addresses(cl_mem buffer) {
    return queryList<cl_mem_device_address_ext>(clGetMemObjectInfo, buffer, CL_MEM_DEVICE_ADDRESS_EXT);
  }
  SetPointer *setPointer = nullptr;
};

TEST_F(BufferDeviceAddress, Properties) {
  PROVES("X-E31 R15");
  auto refused = [&](std::vector<cl_mem_properties> list) {
    cl_int code = 1;
    EXPECT_EQ(clCreateBufferWithProperties(context, list.data(), 0, 16, nullptr, &code), nullptr);
    EXPECT_EQ(code, CL_INVALID_PROPERTY);
  };
  refused({CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 2, 0});
  refused({CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1, CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1, 0});
  refused({CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1, 0x4242, 1, 0});
  Mem made = fixed(16);
  EXPECT_EQ(queryList<cl_mem_properties>(clGetMemObjectInfo, made.get(), CL_MEM_PROPERTIES),
            (std::vector<cl_mem_properties>{CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0}));
}

TEST_F(BufferDeviceAddress, WithoutTheProperty) {
  PROVES("X-E31");
  Mem plain = buffer(16);
  cl_mem_device_address_ext address;
  EXPECT_EQ(clGetMemObjectInfo(plain, CL_MEM_DEVICE_ADDRESS_EXT, sizeof address, &address, nullptr),
            CL_INVALID_OPERATION);
  const cl_mem_properties no[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_FALSE, 0};
  Mem declined = clCreateBufferWithProperties(context, no, 0, 16, nullptr, nullptr);
  EXPECT_EQ(clGetMemObjectInfo(declined, CL_MEM_DEVICE_ADDRESS_EXT, sizeof address, &address, nullptr),
            CL_INVALID_OPERATION);
}

TEST_F(BufferDeviceAddress, ArgumentInvalid) {
  PROVES("X-E31");
  Program program = built("kernel void k(global int *p, constant int *c, local int *l, ulong v) {}");
  Kernel k = kernel(program, "k");
  EXPECT_EQ(setPointer(nullptr, 0, 0), CL_INVALID_KERNEL);
  for (cl_uint index : {1, 2, 3, 4})
    EXPECT_EQ(setPointer(k, index, 64), CL_INVALID_ARG_INDEX) << index;
  EXPECT_EQ(setPointer(k, 0, 0), CL_SUCCESS);
  EXPECT_EQ(setPointer(k, 0, 0xdeadbeef), CL_SUCCESS) << "any address is allowed until it is used";
}

TEST_F(BufferDeviceAddress, AddressMatchesTheKernel) {
  PROVES("X-E31");
  Program program = built("kernel void at(global int *p, global ulong *out) { *out = (ulong)p; }");
  Kernel at = kernel(program, "at");
  Mem memory = fixed(4096), out = buffer(8);
  cl_buffer_region region{1024, 1024};
  Mem part = clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
  const auto whole = addresses(memory);
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_EQ(addresses(part), std::vector<cl_mem_device_address_ext>{whole[0] + 1024});
  for (const Mem *one : {&memory, &part}) {
    ASSERT_EQ(set(at, 0, *one), CL_SUCCESS);
    ASSERT_EQ(set(at, 1, out), CL_SUCCESS);
    ASSERT_EQ(launch(at, 1), CL_SUCCESS);
    EXPECT_EQ(read<cl_ulong>(out, 1), addresses(*one));
  }
}

TEST_F(BufferDeviceAddress, OverSharedVirtualMemory) {
  PROVES("X-E31 API-5.2.1d");
  auto a = svm(16);
  EXPECT_EQ(addresses(fixed(64, CL_MEM_USE_HOST_PTR, a.get())),
            std::vector<cl_mem_device_address_ext>{cl_mem_device_address_ext(a.get())});
}

// A kernel uses the buffer through an argument that points into its middle, and through an address in other memory.
TEST_F(BufferDeviceAddress, KernelsUseIt) {
  PROVES("X-E31");
  Program program = built("kernel void back(global int *p, global int *out) { *out = p[-3]; p[1] = 50; }"
                          "kernel void follow(global const ulong *at, global int *out) {"
                          "  *out = ((global int *)at[0])[5]; ((global int *)at[0])[6] = 60; }");
  Kernel back = kernel(program, "back"), follow = kernel(program, "follow");
  std::vector<int> numbers = this->numbers(64);
  Mem memory = fixed(256, CL_MEM_COPY_HOST_PTR, numbers.data()), out = buffer(4);
  const cl_mem_device_address_ext address = addresses(memory)[0];
  ASSERT_EQ(setPointer(back, 0, address + 40), CL_SUCCESS);
  ASSERT_EQ(set(back, 1, out), CL_SUCCESS);
  ASSERT_EQ(launch(back, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], 7);
  EXPECT_EQ(read<int>(memory, 64)[11], 50);
  Mem at = buffer(8, CL_MEM_COPY_HOST_PTR, const_cast<cl_ulong *>(&address));
  ASSERT_EQ(set(follow, 0, at), CL_SUCCESS);
  ASSERT_EQ(set(follow, 1, out), CL_SUCCESS);
  ASSERT_EQ(clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, sizeof address, &address), CL_SUCCESS);
  ASSERT_EQ(launch(follow, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], 5);
  EXPECT_EQ(read<int>(memory, 64)[6], 60);
}

// The buffer's address differs between devices. Data that one device writes is visible to the next.
TEST_F(BufferDeviceAddress, OnSeveralDevices) {
  PROVES("X-E31");
  cl_device_id all[3];
  cl_uint found = 0;
  ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 3, all, &found), CL_SUCCESS);
  if (found < 3)
    GTEST_SKIP() << "needs three devices";
  cl_int code = 1;
  Context together = clCreateContext(nullptr, 3, all, nullptr, nullptr, &code);
  const char *text = "kernel void add(global int *p, int v) { p[get_global_id(0)] += v; }";
  Program program = clCreateProgramWithSource(together, 1, &text, nullptr, &code);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  std::vector<int> zeros(100);
  Mem memory = fixed(400, CL_MEM_COPY_HOST_PTR, zeros.data(), together);
  const auto where = addresses(memory);
  ASSERT_EQ(where.size(), 3u);
  EXPECT_NE(where[0], where[1]);
  int expected = 0;
  for (int round = 0; round < 4; ++round)
    for (size_t i = 0; i < 3; ++i) {
      Queue on = clCreateCommandQueueWithProperties(together, all[i], nullptr, &code);
      Kernel add = kernel(program, "add");
      ASSERT_EQ(setPointer(add, 0, where[i] + 40), CL_SUCCESS);
      ASSERT_EQ(set(add, 1, int(i + 1)), CL_SUCCESS);
      size_t count = 90;
      ASSERT_EQ(clEnqueueNDRangeKernel(on, add, 1, nullptr, &count, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
      ASSERT_EQ(clFinish(on), CL_SUCCESS);
      expected += int(i + 1);
      std::vector<int> seen(100);
      ASSERT_EQ(clEnqueueReadBuffer(on, memory, CL_TRUE, 0, 400, seen.data(), 0, nullptr, nullptr), CL_SUCCESS);
      ASSERT_EQ(seen[9], 0);
      ASSERT_EQ(seen[10], expected);
      ASSERT_EQ(seen[99], expected);
    }
}

// A launch keeps the buffer alive whose address is its argument.
TEST_F(BufferDeviceAddress, ReleasedWhileALaunchUsesIt) {
  PROVES("X-E31 R13");
  Program program = built("kernel void get(global int *p, global int *out) { *out = p[1048575]; }");
  Kernel get = kernel(program, "get");
  std::vector<int> numbers = this->numbers(1 << 20);
  Mem memory = fixed(4 << 20, CL_MEM_COPY_HOST_PTR, numbers.data()), out = buffer(4);
  const cl_mem_device_address_ext address = addresses(memory)[0];
  ASSERT_EQ(setPointer(get, 0, address), CL_SUCCESS);
  ASSERT_EQ(set(get, 1, out), CL_SUCCESS);
  Event wait = gate();
  ASSERT_EQ(launch(get, 1), CL_SUCCESS);
  memory.reset();
  std::vector<int> others(1 << 20, 7);
  Mem next = fixed(4 << 20, CL_MEM_COPY_HOST_PTR, others.data());
  EXPECT_NE(addresses(next)[0], address);
  open(wait);
  EXPECT_EQ(read<int>(out, 1)[0], 1048575);
}
} // namespace kiln::test
