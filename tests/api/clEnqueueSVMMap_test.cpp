// clEnqueueSVMMap and clEnqueueSVMUnmap.
#include "tests/api/SharedMemoryTest.h"

namespace kiln::test {
struct EnqueueSvmMap : SharedMemoryTest {
  cl_int map(cl_map_flags flags, void *pointer, size_t size) {
    return clEnqueueSVMMap(queue, CL_TRUE, flags, pointer, size, 0, nullptr, nullptr);
  }
  cl_int unmap(void *pointer) { return clEnqueueSVMUnmap(queue, pointer, 0, nullptr, nullptr); }
};

TEST_F(EnqueueSvmMap, EnqueueRules) {
  PROVES("R6 API-5.6.1g API-5.11e");
  auto a = svm(16);
  expectEnqueueRules(
      [&](auto q, auto n, auto w, auto e) { return clEnqueueSVMMap(q, CL_FALSE, CL_MAP_READ, a.get(), 64, n, w, e); },
      CL_COMMAND_SVM_MAP);
  expectEnqueueRules([&](auto q, auto n, auto w, auto e) { return clEnqueueSVMUnmap(q, a.get(), n, w, e); },
                     CL_COMMAND_SVM_UNMAP);
}

TEST_F(EnqueueSvmMap, BlockingAfterFailure) {
  PROVES("R7 API-5.6.1g");
  auto a = svm(16);
  Event failed = userEvent();
  clSetUserEventStatus(failed, -42);
  EXPECT_EQ(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, a.get(), 64, 1, failed.address(), nullptr),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

TEST_F(EnqueueSvmMap, NullPointer) {
  PROVES("API-5.6.1g");
  EXPECT_EQ(map(CL_MAP_READ, nullptr, 4), CL_INVALID_VALUE);
  EXPECT_EQ(unmap(nullptr), CL_INVALID_VALUE);
}

TEST_F(EnqueueSvmMap, SizeOrFlags) {
  PROVES("API-5.6.1g");
  auto a = svm(16);
  EXPECT_EQ(map(CL_MAP_READ, a.get(), 0), CL_INVALID_VALUE);
  EXPECT_EQ(map(CL_MAP_READ, a.get() + 1, 64), CL_INVALID_VALUE) << "past the end of the allocation";
  EXPECT_EQ(map(1 << 10, a.get(), 64), CL_INVALID_VALUE);
  EXPECT_EQ(map(CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_READ, a.get(), 64), CL_INVALID_VALUE);
  EXPECT_EQ(map(CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_WRITE, a.get(), 64), CL_INVALID_VALUE);
}

// A map makes earlier device writes visible to the host. An unmap makes host writes visible to later commands.
TEST_F(EnqueueSvmMap, MakesWritesVisible) {
  PROVES("API-5.6.1g API-5.2.4c EXEC-3.3.3a");
  Program program = built("kernel void twice(global int *p) { p[get_global_id(0)] *= 2; }");
  Kernel twice = kernel(program, "twice");
  auto a = svm(100);
  ASSERT_EQ(clSetKernelArgSVMPointer(twice, 0, a.get()), CL_SUCCESS);
  ASSERT_EQ(map(CL_MAP_WRITE_INVALIDATE_REGION, a.get(), 400), CL_SUCCESS);
  for (int i = 0; i < 100; ++i)
    a.get()[i] = i;
  ASSERT_EQ(unmap(a.get()), CL_SUCCESS);
  for (int round = 0; round < 5; ++round) {
    ASSERT_EQ(launch(twice, 100), CL_SUCCESS);
    ASSERT_EQ(map(CL_MAP_READ | CL_MAP_WRITE, a.get() + 50, 200), CL_SUCCESS);
    ASSERT_EQ(a.get()[99], (99 + round) * 2) << round;
    a.get()[99] = 100 + round;
    ASSERT_EQ(unmap(a.get() + 50), CL_SUCCESS);
  }
  EXPECT_EQ(finish(), CL_SUCCESS);
  EXPECT_EQ(a.get()[1], 32);
}

TEST_F(EnqueueSvmMap, FineGrainIsStillACommand) {
  PROVES("API-5.6.1g");
  auto a = svm(16, CL_MEM_SVM_FINE_GRAIN_BUFFER);
  Event wait = gate(), mapped;
  ASSERT_EQ(clEnqueueSVMMap(queue, CL_FALSE, CL_MAP_READ, a.get(), 64, 0, nullptr, mapped.out()), CL_SUCCESS);
  EXPECT_NE(query<cl_int>(clGetEventInfo, mapped.get(), CL_EVENT_COMMAND_EXECUTION_STATUS), CL_COMPLETE);
  open(wait);
  EXPECT_EQ(clWaitForEvents(1, mapped.address()), CL_SUCCESS);
  if (!sharesSystemMemory())
    return;
  std::vector<int> host(4);
  EXPECT_EQ(map(CL_MAP_READ, host.data(), 16), CL_SUCCESS) << "memory that is no SVM allocation";
  EXPECT_EQ(unmap(host.data()), CL_SUCCESS);
}

TEST_F(EnqueueSvmMap, Profiling) {
  PROVES("API-5.14a");
  auto a = svm(16);
  Event mapped;
  ASSERT_EQ(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, a.get(), 64, 0, nullptr, mapped.out()), CL_SUCCESS);
  cl_ulong last = 0;
  for (cl_profiling_info name : {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
                                 CL_PROFILING_COMMAND_END}) {
    auto time = query<cl_ulong>(clGetEventProfilingInfo, mapped.get(), name);
    EXPECT_LE(last, time);
    last = time;
  }
  EXPECT_GT(last, 0u);
}
} // namespace kiln::test
