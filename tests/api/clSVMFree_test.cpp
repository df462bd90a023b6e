#include "tests/api/SharedMemoryTest.h"
#include <algorithm>
#include <random>
#include <thread>

namespace kiln::test {
struct SvmFree : SharedMemoryTest {
  char *allocate() { return static_cast<char *>(clSVMAlloc(context, 0, Large, 0)); }
};

TEST_F(SvmFree, NullIsIgnored) {
  PROVES("API-5.6.1b");
  clSVMFree(context, nullptr);
  clSVMFree(nullptr, nullptr);
}

// clSVMFree returns no error. Pointers that are not allocations are ignored.
TEST_F(SvmFree, UnallocatedPointer) {
  PROVES("API-5.6.1b");
  auto memory = svm(16);
  int local = 0;
  clSVMFree(context, &local);
  clSVMFree(context, memory.get() + 1);
  clSVMFree(otherContext, memory.get());
  memory.get()[15] = 3;
  EXPECT_TRUE(isAllocated(memory.get()));
  int *twice = static_cast<int *>(clSVMAlloc(context, 0, 64, 0));
  clSVMFree(context, twice);
  clSVMFree(context, twice);
}

TEST_F(SvmFree, KeptForCommandsThatUseIt) {
  PROVES("API-5.6.1b R13");
  char *memory = allocate();
  ASSERT_NE(memory, nullptr);
  std::vector<char> copy(Large);
  Event wait = gate();
  const char seven = 7;
  ASSERT_EQ(clEnqueueSVMMemFill(queue, memory, &seven, 1, Large, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueSVMMemcpy(queue, CL_FALSE, copy.data(), memory, Large, 0, nullptr, nullptr), CL_SUCCESS);
  clSVMFree(context, memory);
  EXPECT_TRUE(isKept(memory));
  open(wait);
  ASSERT_EQ(finish(), CL_SUCCESS);
  EXPECT_EQ(copy, std::vector<char>(Large, 7));
}

TEST_F(SvmFree, KeptForKernelsThatUseIt) {
  PROVES("API-5.6.1b R13");
  Program program = built("kernel void sum(global const char *p, global const ulong *other, global int *out) {"
                          "  *out = p[0] + p[8388607] + *(global const char *)other[0]; }");
  Kernel sum = kernel(program, "sum");
  char *direct = allocate(), *listed = allocate();
  ASSERT_TRUE(direct && listed);
  direct[0] = 1, direct[Large - 1] = 2, *listed = 4;
  auto pointers = svm<cl_ulong>(1);
  *pointers = cl_ulong(listed);
  Mem out = buffer(4);
  ASSERT_EQ(clSetKernelArgSVMPointer(sum, 0, direct), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(sum, 1, pointers.get()), CL_SUCCESS);
  ASSERT_EQ(set(sum, 2, out), CL_SUCCESS);
  const void *list[] = {listed + 100};
  ASSERT_EQ(clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof list, list), CL_SUCCESS);
  Event wait = gate();
  ASSERT_EQ(launch(sum, 1), CL_SUCCESS);
  clSVMFree(context, direct);
  clSVMFree(context, listed);
  EXPECT_TRUE(isKept(direct));
  EXPECT_TRUE(isKept(listed));
  open(wait);
  EXPECT_EQ(read<int>(out, 1)[0], 7);
}

TEST_F(SvmFree, KeptForBuffersOverIt) {
  PROVES("API-5.6.1b API-5.2.1d R13");
  char *memory = allocate();
  Mem over = buffer(Large, CL_MEM_USE_HOST_PTR, memory);
  std::fill_n(memory, Large, 9);
  clSVMFree(context, memory);
  EXPECT_TRUE(isKept(memory));
  EXPECT_EQ(read<char>(over, Large), std::vector<char>(Large, 9));
}

// Several threads free memory that their commands still use, and check the commands' results.
TEST_F(SvmFree, UnderLoad) {
  PROVES("API-5.6.1b R13 R16");
  Program program = built("kernel void add(global int *p, global int *out, int n) {"
                          "  size_t i = get_global_id(0); out[i] = p[i] + n; }");
  std::atomic<unsigned> wrong{0};
  auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    Queue own = makeQueue(seed % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    Kernel add = kernel(program, "add");
    for (int round = 0; round < 200; ++round) {
      const size_t count = 1 + random() % 20'000;
      const int fill = int(random() % 1000), n = int(random() % 1000);
      auto *in = static_cast<int *>(clSVMAlloc(context, 0, count * 4, 0));
      auto *out = static_cast<int *>(clSVMAlloc(context, 0, count * 4, 0));
      std::vector<int> result(count);
      Event filled, added, copied;
      bool fine = in && out;
      fine &= clEnqueueSVMMemFill(own, in, &fill, 4, count * 4, 0, nullptr, filled.out()) == CL_SUCCESS;
      fine &= clSetKernelArgSVMPointer(add, 0, in) == CL_SUCCESS && clSetKernelArgSVMPointer(add, 1, out) == CL_SUCCESS;
      fine &= clSetKernelArg(add, 2, sizeof n, &n) == CL_SUCCESS;
      fine &=
          clEnqueueNDRangeKernel(own, add, 1, nullptr, &count, nullptr, 1, filled.address(), added.out()) == CL_SUCCESS;
      fine &= clEnqueueSVMMemcpy(own, CL_FALSE, result.data(), out, count * 4, 1, added.address(), copied.out()) ==
              CL_SUCCESS;
      clSVMFree(context, in);
      clSVMFree(context, out);
      fine &= clWaitForEvents(1, copied.address()) == CL_SUCCESS && result == std::vector<int>(count, fill + n);
      wrong += !fine;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed)
    threads.emplace_back(work, seed);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0u);
}
} // namespace kiln::test
