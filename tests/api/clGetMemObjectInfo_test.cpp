#include "tests/api/ApiTest.h"

namespace kiln::test {
struct GetMemObjectInfo : WithQueue {};

TEST_F(GetMemObjectInfo, InfoRules) {
  PROVES("R3 API-5.5.5a");
  Mem made = buffer(64);
  expectInfoRules(clGetMemObjectInfo, made.get(), CL_MEM_SIZE);
  EXPECT_EQ(clGetMemObjectInfo(nullptr, CL_MEM_SIZE, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
}

TEST_F(GetMemObjectInfo, OfBufferAndSubBuffer) {
  PROVES("API-5.5.5a");
  alignas(4096) static char storage[4096];
  size_t align = query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  Mem whole = buffer(sizeof storage, CL_MEM_USE_HOST_PTR, storage);
  cl_buffer_region region{align, align};
  Mem window = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
  cl_mem b = whole, s = window;
  EXPECT_EQ(query<cl_mem_object_type>(clGetMemObjectInfo, b, CL_MEM_TYPE), cl_mem_object_type(CL_MEM_OBJECT_BUFFER));
  EXPECT_EQ(query<cl_mem_flags>(clGetMemObjectInfo, b, CL_MEM_FLAGS),
            cl_mem_flags(CL_MEM_USE_HOST_PTR | CL_MEM_READ_WRITE));
  EXPECT_EQ(query<size_t>(clGetMemObjectInfo, b, CL_MEM_SIZE), sizeof storage);
  EXPECT_EQ(query<void *>(clGetMemObjectInfo, b, CL_MEM_HOST_PTR), storage);
  EXPECT_EQ(query<cl_context>(clGetMemObjectInfo, b, CL_MEM_CONTEXT), context);
  EXPECT_EQ(query<cl_mem>(clGetMemObjectInfo, b, CL_MEM_ASSOCIATED_MEMOBJECT), nullptr);
  EXPECT_EQ(query<size_t>(clGetMemObjectInfo, b, CL_MEM_OFFSET), 0u);
  EXPECT_EQ(query<cl_bool>(clGetMemObjectInfo, b, CL_MEM_USES_SVM_POINTER), cl_bool(CL_FALSE));
  EXPECT_EQ(query<cl_mem>(clGetMemObjectInfo, s, CL_MEM_ASSOCIATED_MEMOBJECT), b);
  EXPECT_EQ(query<size_t>(clGetMemObjectInfo, s, CL_MEM_OFFSET), align);
  EXPECT_EQ(query<size_t>(clGetMemObjectInfo, s, CL_MEM_SIZE), align);
  EXPECT_EQ(query<void *>(clGetMemObjectInfo, s, CL_MEM_HOST_PTR), storage + align);
}

TEST_F(GetMemObjectInfo, MapAndReferenceCounts) {
  PROVES("API-5.5.5a API-5.5.2a R13");
  Mem made = buffer(64);
  cl_mem b = made;
  EXPECT_EQ(query<cl_uint>(clGetMemObjectInfo, b, CL_MEM_MAP_COUNT), 0u);
  void *first = clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_READ, 0, 16, 0, nullptr, nullptr, nullptr);
  void *second = clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_READ, 8, 16, 0, nullptr, nullptr, nullptr);
  EXPECT_EQ(query<cl_uint>(clGetMemObjectInfo, b, CL_MEM_MAP_COUNT), 2u);
  EXPECT_EQ(clEnqueueUnmapMemObject(queue, b, first, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clEnqueueUnmapMemObject(queue, b, second, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  EXPECT_EQ(query<cl_uint>(clGetMemObjectInfo, b, CL_MEM_MAP_COUNT), 0u);
  EXPECT_EQ(query<cl_uint>(clGetMemObjectInfo, b, CL_MEM_REFERENCE_COUNT), 1u);
  EXPECT_EQ(clRetainMemObject(b), CL_SUCCESS);
  EXPECT_EQ(query<cl_uint>(clGetMemObjectInfo, b, CL_MEM_REFERENCE_COUNT), 2u);
  EXPECT_EQ(clReleaseMemObject(b), CL_SUCCESS);
}
} // namespace kiln::test
