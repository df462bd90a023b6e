#include "tests/api/PipeTest.h"
#include <unistd.h>

namespace kiln::test {

struct CreatePipe : WithPipes {
  void expect(cl_int wanted, cl_mem_flags flags, cl_uint packetSize, cl_uint maxPackets,
              const cl_pipe_properties *properties = nullptr) {
    cl_int code = 1;
    Mem made = clCreatePipe(context, flags, packetSize, maxPackets, properties, &code);
    EXPECT_EQ(code, wanted);
    EXPECT_EQ(made.get() != nullptr, wanted == CL_SUCCESS);
  }
};

TEST_F(CreatePipe, InvalidContext) {
  PROVES("API-5.4.1a");
  cl_int code = 1;
  EXPECT_EQ(clCreatePipe(nullptr, 0, 4, 4, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_CONTEXT);
  EXPECT_EQ(clCreatePipe(nullptr, 0, 4, 4, nullptr, nullptr), nullptr);
}

TEST_F(CreatePipe, Flags) {
  PROVES("API-5.4.1a");
  for (cl_mem_flags flags : {0, CL_MEM_READ_WRITE, CL_MEM_HOST_NO_ACCESS, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS})
    expect(CL_SUCCESS, flags, 4, 4);
  for (cl_mem_flags flags : {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR,
                             CL_MEM_COPY_HOST_PTR, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, 1 << 20})
    expect(CL_INVALID_VALUE, flags, 4, 4);
  Mem made = pipe(4, 4);
  EXPECT_EQ(query<cl_mem_flags>(clGetMemObjectInfo, made.get(), CL_MEM_FLAGS),
            cl_mem_flags(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS));
}

TEST_F(CreatePipe, Properties) {
  PROVES("API-5.4.1a");
  const cl_pipe_properties none[] = {0}, some[] = {CL_PIPE_PACKET_SIZE, 4, 0};
  expect(CL_INVALID_VALUE, 0, 4, 4, none);
  expect(CL_INVALID_VALUE, 0, 4, 4, some);
}

TEST_F(CreatePipe, Sizes) {
  PROVES("API-5.4.1a LIM-18");
  cl_uint largest = query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_PIPE_MAX_PACKET_SIZE);
  EXPECT_GE(largest, 1024u);
  expect(CL_INVALID_PIPE_SIZE, 0, 0, 4);
  expect(CL_INVALID_PIPE_SIZE, 0, largest + 1, 4);
  expect(CL_INVALID_PIPE_SIZE, 0, ~0u, 4);
  expect(CL_INVALID_PIPE_SIZE, 0, 4, 0);
  expect(CL_SUCCESS, 0, largest, 1);
  expect(CL_SUCCESS, 0, 1, 1);
  expect(CL_SUCCESS, 0, 3, 5);
}

TEST_F(CreatePipe, MoreThanTheDeviceHas) {
  PROVES("API-5.4.1a");
  expect(CL_MEM_OBJECT_ALLOCATION_FAILURE, 0, 65536, ~0u);
}

TEST_F(CreatePipe, IsAMemoryObject) {
  PROVES("API-5.5.1a");
  Mem made = pipe(8, 16);
  auto get = [&]<typename T>(cl_mem_info what, T) { return query<T>(clGetMemObjectInfo, made.get(), what); };
  EXPECT_EQ(get(CL_MEM_TYPE, cl_mem_object_type()), cl_mem_object_type(CL_MEM_OBJECT_PIPE));
  EXPECT_GE(get(CL_MEM_SIZE, size_t()), 8u * 16u);
  EXPECT_EQ(get(CL_MEM_HOST_PTR, static_cast<void *>(nullptr)), nullptr);
  EXPECT_EQ(get(CL_MEM_MAP_COUNT, cl_uint()), 0u);
  EXPECT_EQ(get(CL_MEM_CONTEXT, cl_context()), context.get());
  EXPECT_EQ(get(CL_MEM_ASSOCIATED_MEMOBJECT, cl_mem()), nullptr);
  EXPECT_EQ(clRetainMemObject(made), CL_SUCCESS);
  EXPECT_EQ(get(CL_MEM_REFERENCE_COUNT, cl_uint()), 2u);
  EXPECT_EQ(clReleaseMemObject(made), CL_SUCCESS);
}

// Commands that read, write, fill, copy or map buffers return CL_INVALID_MEM_OBJECT for a pipe.
TEST_F(CreatePipe, HostCommandsRejectIt) {
  PROVES("API-5.4.1a API-5.5.2a");
  Mem made = pipe(4, 64), other = buffer(1024);
  char bytes[64] = {};
  size_t zero[3] = {}, box[3] = {4, 1, 1};
  cl_command_queue q = queue;
  EXPECT_EQ(clEnqueueReadBuffer(q, made, CL_TRUE, 0, 4, bytes, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueWriteBuffer(q, made, CL_TRUE, 0, 4, bytes, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueFillBuffer(q, made, bytes, 4, 0, 4, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueCopyBuffer(q, made, other, 0, 0, 4, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueCopyBuffer(q, other, made, 0, 0, 4, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueReadBufferRect(q, made, CL_TRUE, zero, zero, box, 0, 0, 0, 0, bytes, 0, nullptr, nullptr),
            CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueWriteBufferRect(q, made, CL_TRUE, zero, zero, box, 0, 0, 0, 0, bytes, 0, nullptr, nullptr),
            CL_INVALID_MEM_OBJECT);
  cl_int code = 1;
  EXPECT_EQ(clEnqueueMapBuffer(q, made, CL_TRUE, CL_MAP_READ, 0, 4, 0, nullptr, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueUnmapMemObject(q, made, bytes, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  cl_buffer_region region = {0, 4};
  EXPECT_EQ(clCreateSubBuffer(made, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_MEM_OBJECT);
}

TEST_F(CreatePipe, LastsAsLongAsAKernelUsesIt) {
  PROVES("API-5.5.1a");
  static std::atomic<int> gone{0};
  gone = 0;
  Program program = builtWithPipes("kernel void put(write_only pipe int p) { int x = 1; write_pipe(p, &x); }");
  Kernel put = kernel(program, "put");
  Mem made = pipe(4, 4);
  ASSERT_EQ(clSetMemObjectDestructorCallback(made, [](cl_mem, void *) { ++gone; }, nullptr), CL_SUCCESS);
  ASSERT_EQ(set(put, 0, made), CL_SUCCESS);
  Event gate = userEvent();
  const size_t one = 1;
  cl_event wait = gate;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue, put, 1, nullptr, &one, nullptr, 1, &wait, nullptr), CL_SUCCESS);
  made.reset();
  EXPECT_EQ(gone, 0);
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  put.reset();
  queue.reset();
  for (int i = 0; i < 1000 && !gone; ++i)
    usleep(1000);
  EXPECT_EQ(gone, 1);
}

} // namespace kiln::test
