// clMemFreeINTEL and clMemBlockingFreeINTEL.
#include "tests/api/UsmTest.h"
#include <algorithm>
#include <thread>

namespace kiln::test {
struct UsmFree : UsmTest {
  bool isAllocatedUsm(const void *pointer) {
    return query<cl_unified_shared_memory_type_intel>(GetMemAllocInfo, context.get(), pointer,
                                                      CL_MEM_ALLOC_TYPE_INTEL) != CL_MEM_TYPE_UNKNOWN_INTEL;
  }
};

TEST_F(UsmFree, ContextInvalid) {
  PROVES("X-E29");
  auto memory = usm(16);
  EXPECT_EQ(MemFree(nullptr, memory.get()), CL_INVALID_CONTEXT);
  EXPECT_EQ(MemBlockingFree(nullptr, memory.get()), CL_INVALID_CONTEXT);
}

TEST_F(UsmFree, NullIsIgnored) {
  PROVES("X-E29");
  EXPECT_EQ(MemFree(context, nullptr), CL_SUCCESS);
  EXPECT_EQ(MemBlockingFree(context, nullptr), CL_SUCCESS);
}

TEST_F(UsmFree, UnallocatedPointer) {
  PROVES("X-E29");
  auto memory = usm(16);
  auto other = svm(16);
  int local = 0;
  for (auto *free : {MemFree, MemBlockingFree}) {
    EXPECT_EQ(free(context, &local), CL_INVALID_VALUE);
    EXPECT_EQ(free(context, memory.get() + 1), CL_INVALID_VALUE);
    EXPECT_EQ(free(context, other.get()), CL_INVALID_VALUE) << "shared virtual memory";
    EXPECT_EQ(free(otherContext, memory.get()), CL_INVALID_VALUE);
    void *once = allocate(CL_MEM_TYPE_HOST_INTEL, 64);
    EXPECT_EQ(free(context, once), CL_SUCCESS);
    EXPECT_EQ(free(context, once), CL_INVALID_VALUE);
  }
  EXPECT_TRUE(isAllocatedUsm(memory.get()));
}

TEST_F(UsmFree, KeptForCommandsThatUseIt) {
  PROVES("X-E29 R13");
  for (auto kind : Kinds) {
    void *memory = allocate(kind, Large);
    std::vector<char> seen(Large);
    Event wait = gate();
    const char value = 5;
    ASSERT_EQ(EnqueueMemFill(queue, memory, &value, 1, Large, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(EnqueueMemcpy(queue, CL_FALSE, seen.data(), memory, Large, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(MemFree(context, memory), CL_SUCCESS);
    EXPECT_FALSE(isAllocatedUsm(memory));
    EXPECT_TRUE(isKept(memory));
    open(wait);
    ASSERT_EQ(finish(), CL_SUCCESS);
    EXPECT_EQ(seen, std::vector<char>(Large, 5));
  }
}

// A kernel with indirect access counts as using all allocations that existed at its enqueue.
TEST_F(UsmFree, KeptForKernelsWithIndirectAccess) {
  PROVES("X-E29");
  Program program = built("kernel void follow(global const ulong *at, global int *out) {"
                          "  *out = *(global const int *)at[0]; }");
  Kernel follow = kernel(program, "follow");
  auto at = usm<cl_ulong>(1);
  auto *memory = static_cast<int *>(allocate(CL_MEM_TYPE_SHARED_INTEL, Large));
  *memory = 12;
  *at = cl_ulong(memory);
  Mem out = buffer(4);
  ASSERT_EQ(SetKernelArgMemPointer(follow, 0, at.get()), CL_SUCCESS);
  ASSERT_EQ(set(follow, 1, out), CL_SUCCESS);
  cl_bool yes = CL_TRUE;
  ASSERT_EQ(clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, sizeof yes, &yes),
            CL_SUCCESS);
  Event wait = gate();
  ASSERT_EQ(launch(follow, 1), CL_SUCCESS);
  ASSERT_EQ(MemFree(context, memory), CL_SUCCESS);
  for (int i = 0; i < 1000; ++i) // each one ends an epoch
    ASSERT_EQ(MemFree(context, allocate(CL_MEM_TYPE_HOST_INTEL, 64)), CL_SUCCESS);
  EXPECT_TRUE(isKept(memory));
  open(wait);
  EXPECT_EQ(read<int>(out, 1)[0], 12);
}

TEST_F(UsmFree, BlockingWaitsForItsUsers) {
  PROVES("X-E29");
  for (bool indirect : {false, true}) {
    Program program = built("kernel void follow(global const ulong *at, global int *out) {"
                            "  *out += *(global const int *)at[0]; }");
    Kernel follow = kernel(program, "follow");
    auto at = usm<cl_ulong>(1);
    auto *memory = static_cast<int *>(allocate(CL_MEM_TYPE_HOST_INTEL, 64));
    *memory = 3;
    *at = cl_ulong(memory);
    auto out = usm(1);
    *out = 0;
    ASSERT_EQ(SetKernelArgMemPointer(follow, 0, at.get()), CL_SUCCESS);
    ASSERT_EQ(SetKernelArgMemPointer(follow, 1, out.get()), CL_SUCCESS);
    cl_bool yes = CL_TRUE;
    if (indirect)
      ASSERT_EQ(clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, sizeof yes, &yes),
                CL_SUCCESS);
    else
      ASSERT_EQ(clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof memory, &memory), CL_SUCCESS);
    Event wait = gate();
    for (int i = 0; i < 100; ++i)
      ASSERT_EQ(launch(follow, 1), CL_SUCCESS); // not flushed
    std::atomic<bool> freed{false};
    std::thread freeing([&] {
      EXPECT_EQ(MemBlockingFree(context, memory), CL_SUCCESS);
      EXPECT_EQ(*out, 300);
      freed = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(freed);
    open(wait);
    freeing.join();
  }
}

TEST_F(UsmFree, BlockingWithoutUsers) {
  PROVES("X-E29");
  for (auto kind : Kinds)
    EXPECT_EQ(MemBlockingFree(context, allocate(kind, 64)), CL_SUCCESS);
}

// Concurrent launches with indirect access, frees and blocking frees.
TEST_F(UsmFree, UnderLoad) {
  PROVES("X-E29 R16");
  Program program = built("kernel void follow(global const ulong *at, global int *out, int n) {"
                          "  size_t i = get_global_id(0); out[i] = ((global const int *)at[0])[i] + n; }");
  std::atomic<unsigned> wrong{0};
  auto work = [&](unsigned number) {
    Queue own = makeQueue(number % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    Kernel follow = kernel(program, "follow");
    cl_bool yes = CL_TRUE;
    (void)clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, sizeof yes, &yes);
    for (int round = 0; round < 150; ++round) {
      const size_t count = 1 + (number * 7919 + size_t(round) * 104729) % 5000;
      auto *at = static_cast<cl_ulong *>(allocate(CL_MEM_TYPE_HOST_INTEL, 8));
      auto *in = static_cast<int *>(allocate(CL_MEM_TYPE_SHARED_INTEL, count * 4));
      auto *out = static_cast<int *>(allocate(CL_MEM_TYPE_DEVICE_INTEL, count * 4));
      std::fill_n(in, count, round);
      *at = cl_ulong(in);
      std::vector<int> seen(count);
      Event ran, copied;
      bool fine = SetKernelArgMemPointer(follow, 0, at) == CL_SUCCESS &&
                  SetKernelArgMemPointer(follow, 1, out) == CL_SUCCESS &&
                  clSetKernelArg(follow, 2, sizeof number, &number) == CL_SUCCESS;
      fine &= clEnqueueNDRangeKernel(own, follow, 1, nullptr, &count, nullptr, 0, nullptr, ran.out()) == CL_SUCCESS;
      fine &= EnqueueMemcpy(own, CL_FALSE, seen.data(), out, count * 4, 1, ran.address(), copied.out()) == CL_SUCCESS;
      fine &= (round % 3 ? MemFree : MemBlockingFree)(context, in) == CL_SUCCESS;
      fine &= MemFree(context, at) == CL_SUCCESS && MemFree(context, out) == CL_SUCCESS;
      fine &= clWaitForEvents(1, copied.address()) == CL_SUCCESS;
      wrong += !fine || seen != std::vector<int>(count, round + int(number));
    }
  };
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < 4; ++number)
    threads.emplace_back(work, number);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0u);
}
} // namespace kiln::test
