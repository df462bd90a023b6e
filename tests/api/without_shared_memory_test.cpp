// The queries and errors of a device without SVM, alone in its context and next to one with SVM. ctest runs this file
// with the null device (KILN_DEVICES=cpu,null).
#include "base/support/OpenCL.h"
#include "tests/api/UsmTest.h"

namespace kiln::test {
struct WithoutSharedMemory : UsmTest {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(UsmTest::SetUp());
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_CUSTOM, 1, &deviceWithoutSvm, nullptr) != CL_SUCCESS)
      GTEST_SKIP() << "every device supports SVM";
    cl_int code = 1;
    contextWithoutSvm = clCreateContext(nullptr, 1, &deviceWithoutSvm, nullptr, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    cl_device_id both[] = {device, deviceWithoutSvm};
    mixedContext = clCreateContext(nullptr, 2, both, nullptr, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    queueWithoutSvm = clCreateCommandQueueWithProperties(contextWithoutSvm, deviceWithoutSvm, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    mixedQueue = clCreateCommandQueueWithProperties(mixedContext, deviceWithoutSvm, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
  }
  Kernel kernelIn(cl_context in) {
    Program program = source("kernel void k(global int *p) { *p = 1; }", in);
    EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
    return kernel(program, "k");
  }
  cl_device_id deviceWithoutSvm = nullptr;
  Context contextWithoutSvm, mixedContext;
  Queue queueWithoutSvm, mixedQueue;
  char bytes[64] = {};
};

TEST_F(WithoutSharedMemory, Queries) {
  PROVES("API-4.2k");
  EXPECT_EQ(query<cl_device_svm_capabilities>(clGetDeviceInfo, deviceWithoutSvm, CL_DEVICE_SVM_CAPABILITIES), 0u);
  cl_ulong value = 0;
  EXPECT_EQ(clGetDeviceInfo(deviceWithoutSvm, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, sizeof value, &value, nullptr),
            CL_INVALID_VALUE);
}

TEST_F(WithoutSharedMemory, Allocations) {
  PROVES("API-5.6.1a X-E29");
  EXPECT_EQ(clSVMAlloc(contextWithoutSvm, 0, 64, 0), nullptr);
  for (auto kind : Kinds) {
    cl_int code = 1;
    void *memory = kind == CL_MEM_TYPE_HOST_INTEL ? HostMemAlloc(contextWithoutSvm, nullptr, 64, 0, &code)
                   : kind == CL_MEM_TYPE_DEVICE_INTEL
                       ? DeviceMemAlloc(contextWithoutSvm, deviceWithoutSvm, nullptr, 64, 0, &code)
                       : SharedMemAlloc(contextWithoutSvm, deviceWithoutSvm, nullptr, 64, 0, &code);
    EXPECT_EQ(memory, nullptr);
    EXPECT_EQ(code, CL_INVALID_OPERATION) << kind;
  }
  cl_int code = 1;
  EXPECT_EQ(SharedMemAlloc(contextWithoutSvm, nullptr, nullptr, 64, 0, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_OPERATION);
}

// clSVMAlloc succeeds if at least one device of the context supports SVM.
TEST_F(WithoutSharedMemory, AllocationSucceedsIfAnotherDeviceHasSvm) {
  PROVES("API-5.6.1a");
  void *memory = clSVMAlloc(mixedContext, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 64, 0);
  EXPECT_NE(memory, nullptr);
  clSVMFree(mixedContext, memory);
}

TEST_F(WithoutSharedMemory, Commands) {
  PROVES("API-5.6.1d API-5.6.1e API-5.6.1f API-5.6.1g API-5.6.1h X-E29");
  void *list[] = {bytes};
  const void *constList[] = {bytes};
  for (cl_command_queue q : {queueWithoutSvm.get(), mixedQueue.get()}) {
    EXPECT_EQ(clEnqueueSVMFree(q, 1, list, nullptr, nullptr, 0, nullptr, nullptr), CL_INVALID_OPERATION);
    EXPECT_EQ(clEnqueueSVMMemcpy(q, CL_TRUE, bytes, bytes + 32, 8, 0, nullptr, nullptr), CL_INVALID_OPERATION);
    EXPECT_EQ(clEnqueueSVMMemFill(q, bytes, bytes, 4, 8, 0, nullptr, nullptr), CL_INVALID_OPERATION);
    EXPECT_EQ(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, bytes, 8, 0, nullptr, nullptr), CL_INVALID_OPERATION);
    EXPECT_EQ(clEnqueueSVMUnmap(q, bytes, 0, nullptr, nullptr), CL_INVALID_OPERATION);
    EXPECT_EQ(clEnqueueSVMMigrateMem(q, 1, constList, nullptr, 0, 0, nullptr, nullptr), CL_INVALID_OPERATION);
    EXPECT_EQ(EnqueueMemFill(q, bytes, bytes + 32, 4, 8, 0, nullptr, nullptr), CL_INVALID_OPERATION);
    EXPECT_EQ(EnqueueMemcpy(q, CL_TRUE, bytes, bytes + 32, 8, 0, nullptr, nullptr), CL_INVALID_OPERATION);
    EXPECT_EQ(EnqueueMigrateMem(q, bytes, 8, 0, 0, nullptr, nullptr), CL_INVALID_OPERATION);
    EXPECT_EQ(EnqueueMemAdvise(q, bytes, 8, 0, 0, nullptr, nullptr), CL_INVALID_OPERATION);
  }
}

TEST_F(WithoutSharedMemory, ArgumentsAndExecInfo) {
  PROVES("API-5.9.2e API-5.9.2f X-E29 X-E31");
  Kernel k = kernelIn(contextWithoutSvm);
  void *pointer = bytes;
  cl_bool yes = CL_TRUE, no = CL_FALSE;
  EXPECT_EQ(clSetKernelArgSVMPointer(k, 0, pointer), CL_INVALID_OPERATION);
  for (cl_kernel_exec_info name :
       {CL_KERNEL_EXEC_INFO_SVM_PTRS, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT})
    EXPECT_EQ(clSetKernelExecInfo(k, name, sizeof pointer, &pointer), CL_INVALID_OPERATION) << name;
  for (cl_kernel_exec_info name :
       {CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
        CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL})
    EXPECT_EQ(clSetKernelExecInfo(k, name, sizeof yes, &yes), CL_INVALID_OPERATION) << name;
  EXPECT_EQ(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof no, &no), CL_SUCCESS);
}

TEST_F(WithoutSharedMemory, FixedAddresses) {
  PROVES("X-E31");
  const cl_mem_properties list[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0};
  cl_int code = 1;
  EXPECT_EQ(clCreateBufferWithProperties(contextWithoutSvm, list, 0, 16, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_OPERATION);
}

// Launching a kernel that has an SVM argument, or fine-grain system access enabled, on a device without SVM returns
// CL_INVALID_OPERATION.
TEST_F(WithoutSharedMemory, LaunchWithSvmIsRefused) {
  PROVES("API-5.10b API-5.9.2f");
  Kernel k = kernelIn(mixedContext);
  cl_int code = 1;
  Queue other = clCreateCommandQueueWithProperties(mixedContext, device, nullptr, &code);
  int value = 0;
  const size_t one = 1;
  auto launch = [&](cl_command_queue on) {
    return clEnqueueNDRangeKernel(on, k, 1, nullptr, &one, nullptr, 0, nullptr, nullptr);
  };
  ASSERT_EQ(clSetKernelArgSVMPointer(k, 0, &value), CL_SUCCESS);
  EXPECT_EQ(launch(mixedQueue), CL_INVALID_OPERATION) << "an SVM argument";
  ASSERT_EQ(launch(other), CL_SUCCESS);
  ASSERT_EQ(clFinish(other), CL_SUCCESS);
  EXPECT_EQ(value, 1);
  Mem plain = buffer(4, 0, nullptr, mixedContext);
  ASSERT_EQ(set(k, 0, plain), CL_SUCCESS);
  EXPECT_EQ(launch(mixedQueue), CL_SUCCESS);
  cl_bool yes = CL_TRUE;
  ASSERT_EQ(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes), CL_SUCCESS);
  EXPECT_EQ(launch(mixedQueue), CL_INVALID_OPERATION) << "system memory";
  EXPECT_EQ(launch(other), CL_SUCCESS);
  EXPECT_EQ(clFinish(other), CL_SUCCESS);
  EXPECT_EQ(clFinish(mixedQueue), CL_SUCCESS);
}
} // namespace kiln::test
