#include "tests/api/ApiTest.h"

namespace kiln::test {
struct CreateSubBuffer : WithQueue {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(WithQueue::SetUp());
    align = query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
    parent = buffer(4 * align);
  }
  cl_int create(cl_mem from, cl_mem_flags flags, size_t origin, size_t size) {
    cl_buffer_region region{origin, size};
    cl_int code = 1;
    Mem made = clCreateSubBuffer(from, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    EXPECT_EQ(made != nullptr, code == CL_SUCCESS);
    return code;
  }
  Mem sub(size_t origin, size_t size) {
    cl_buffer_region region{origin, size};
    return clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
  }
  size_t align;
  Mem parent;
};

TEST_F(CreateSubBuffer, ParentInvalid) {
  PROVES("API-5.2.1e");
  EXPECT_EQ(create(nullptr, 0, 0, 16), CL_INVALID_MEM_OBJECT);
  Mem inner = sub(align, align);
  EXPECT_EQ(create(inner, 0, 0, 16), CL_INVALID_MEM_OBJECT) << "no sub-buffer of a sub-buffer";
}

TEST_F(CreateSubBuffer, TypeOrRegionInvalid) {
  PROVES("API-5.2.1e");
  cl_buffer_region region{0, 16};
  cl_int code = 1;
  EXPECT_EQ(clCreateSubBuffer(parent, 0, 0x4242, &region, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_VALUE);
}

TEST_F(CreateSubBuffer, RegionPastTheEnd) {
  PROVES("API-5.2.1e");
  EXPECT_EQ(create(parent, 0, 3 * align, align + 1), CL_INVALID_VALUE);
  EXPECT_EQ(create(parent, 0, align, SIZE_MAX), CL_INVALID_VALUE);
}

TEST_F(CreateSubBuffer, SizeZero) {
  PROVES("API-5.2.1e");
  EXPECT_EQ(create(parent, 0, align, 0), CL_INVALID_BUFFER_SIZE);
}

TEST_F(CreateSubBuffer, Misaligned) {
  PROVES("API-5.2.1f");
  EXPECT_EQ(create(parent, 0, align / 2, 16), CL_MISALIGNED_SUB_BUFFER_OFFSET);
}

TEST_F(CreateSubBuffer, AccessWidened) {
  PROVES("API-5.2.1e");
  Mem readOnly = buffer(4 * align, CL_MEM_READ_ONLY);
  EXPECT_EQ(create(readOnly, CL_MEM_READ_WRITE, 0, 16), CL_INVALID_VALUE);
  EXPECT_EQ(create(readOnly, CL_MEM_WRITE_ONLY, 0, 16), CL_INVALID_VALUE);
  Mem hostReads = buffer(4 * align, CL_MEM_HOST_READ_ONLY);
  EXPECT_EQ(create(hostReads, CL_MEM_HOST_WRITE_ONLY, 0, 16), CL_INVALID_VALUE);
  EXPECT_EQ(create(parent, CL_MEM_ALLOC_HOST_PTR, 0, 16), CL_INVALID_VALUE);
  EXPECT_EQ(create(parent, CL_MEM_READ_ONLY, 0, 16), CL_SUCCESS) << "flags may restrict access";
}

TEST_F(CreateSubBuffer, SharesStorageAndKeepsParentAlive) {
  PROVES("API-5.2.1f API-5.5.1a R13");
  Mem window = sub(align, align);
  ASSERT_NE(window, nullptr);
  std::vector<int> data(align / sizeof(int), 5);
  ASSERT_EQ(clEnqueueWriteBuffer(queue, parent, CL_TRUE, align, align, data.data(), 0, nullptr, nullptr), CL_SUCCESS);
  parent.reset();
  EXPECT_EQ(read<int>(window, data.size()), data);
}

TEST_F(CreateSubBuffer, InheritsFlags) {
  PROVES("API-5.5.5a API-5.2.1e");
  Mem whole = buffer(4 * align, CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY);
  cl_buffer_region region{align, align};
  Mem window = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
  ASSERT_NE(window, nullptr);
  EXPECT_EQ(query<cl_mem_flags>(clGetMemObjectInfo, window.get(), CL_MEM_FLAGS),
            cl_mem_flags(CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY));
}
} // namespace kiln::test
