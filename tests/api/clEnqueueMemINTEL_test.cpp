// The commands and the kernel arguments of cl_intel_unified_shared_memory.
#include "tests/api/UsmTest.h"

namespace kiln::test {

struct UsmFill : UsmTest {
  cl_int fill(void *to, const void *pattern, size_t patternSize, size_t size) {
    return EnqueueMemFill(queue, to, pattern, patternSize, size, 0, nullptr, nullptr);
  }
  unsigned char pattern[256] = {1, 2, 3, 4};
};

TEST_F(UsmFill, EnqueueRules) {
  PROVES("R6 X-E29");
  auto a = usm(16);
  expectEnqueueRules(
      [&](auto q, auto n, auto w, auto e) { return EnqueueMemFill(q, a.get(), pattern, 4, 64, n, w, e); },
      CL_COMMAND_MEMFILL_INTEL);
}

TEST_F(UsmFill, PointerPatternOrSize) {
  PROVES("X-E29");
  auto a = usm(16);
  EXPECT_EQ(fill(nullptr, pattern, 4, 64), CL_INVALID_VALUE);
  EXPECT_EQ(fill(a.get(), nullptr, 4, 64), CL_INVALID_VALUE);
  EXPECT_EQ(fill(a.get() + 1, pattern, 8, 8), CL_INVALID_VALUE) << "not aligned";
  EXPECT_EQ(fill(a.get(), pattern, 3, 48), CL_INVALID_VALUE);
  EXPECT_EQ(fill(a.get(), pattern, 256, 256), CL_INVALID_VALUE);
  EXPECT_EQ(fill(a.get(), pattern, 8, 12), CL_INVALID_VALUE) << "size is not a multiple of the pattern size";
  EXPECT_EQ(fill(a.get(), pattern, 4, 68), CL_INVALID_VALUE) << "past the end";
}

TEST_F(UsmFill, EveryKindAndPatternSize) {
  PROVES("X-E29");
  std::iota(std::begin(pattern), std::end(pattern), 1);
  for (auto kind : Kinds)
    for (size_t size = 1; size <= 128; size *= 2) {
      auto a = usm<unsigned char>(512, kind);
      std::vector<unsigned char> seen(512), zeros(512);
      ASSERT_EQ(copy(a.get(), zeros.data(), 512), CL_SUCCESS);
      ASSERT_EQ(fill(a.get() + 128, pattern, size, 256), CL_SUCCESS);
      ASSERT_EQ(copy(seen.data(), a.get(), 512), CL_SUCCESS);
      for (size_t i = 0; i < 512; ++i)
        ASSERT_EQ(seen[i], i >= 128 && i < 384 ? pattern[i % size] : 0) << size << " at " << i;
    }
}

struct UsmMemcpy : UsmTest {};

TEST_F(UsmMemcpy, EnqueueRules) {
  PROVES("R6 X-E29");
  auto a = usm(16), b = usm(16);
  expectEnqueueRules(
      [&](auto q, auto n, auto w, auto e) { return EnqueueMemcpy(q, CL_FALSE, a.get(), b.get(), 64, n, w, e); },
      CL_COMMAND_MEMCPY_INTEL);
}

TEST_F(UsmMemcpy, BlockingAfterFailure) {
  PROVES("R7 X-E29");
  auto a = usm(16), b = usm(16);
  Event failed = userEvent();
  clSetUserEventStatus(failed, -42);
  EXPECT_EQ(EnqueueMemcpy(queue, CL_TRUE, a.get(), b.get(), 64, 1, failed.address(), nullptr),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

TEST_F(UsmMemcpy, PointersOrOverlap) {
  PROVES("X-E29");
  auto a = usm(16);
  EXPECT_EQ(copy(nullptr, a.get(), 4), CL_INVALID_VALUE);
  EXPECT_EQ(copy(a.get(), nullptr, 4), CL_INVALID_VALUE);
  EXPECT_EQ(copy(a.get() + 1, a.get(), 8), CL_MEM_COPY_OVERLAP);
  std::vector<int> host(64);
  EXPECT_EQ(copy(a.get(), host.data(), 65), CL_INVALID_VALUE) << "past the end";
}

TEST_F(UsmMemcpy, BetweenAllKinds) {
  PROVES("X-E29");
  std::vector<int> numbers = this->numbers(1000);
  for (auto from : Kinds)
    for (auto to : Kinds) {
      auto a = usm(1000, from), b = usm(1000, to);
      std::vector<int> seen(1000);
      ASSERT_EQ(copy(a.get(), numbers.data(), 4000), CL_SUCCESS);
      ASSERT_EQ(copy(b.get(), a.get(), 4000), CL_SUCCESS);
      ASSERT_EQ(copy(seen.data(), b.get(), 4000), CL_SUCCESS);
      EXPECT_EQ(seen, numbers);
    }
}

struct UsmHints : UsmTest {};

TEST_F(UsmHints, EnqueueRules) {
  PROVES("R6 X-E29");
  auto a = usm(16);
  expectEnqueueRules([&](auto q, auto n, auto w, auto e) { return EnqueueMigrateMem(q, a.get(), 64, 0, n, w, e); },
                     CL_COMMAND_MIGRATEMEM_INTEL);
  expectEnqueueRules([&](auto q, auto n, auto w, auto e) { return EnqueueMemAdvise(q, a.get(), 64, 0, n, w, e); },
                     CL_COMMAND_MEMADVISE_INTEL);
}

TEST_F(UsmHints, FlagsAdviceOrRange) {
  PROVES("X-E29");
  auto a = usm(16);
  EXPECT_EQ(EnqueueMigrateMem(queue, a.get(), 64, 1 << 7, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(EnqueueMigrateMem(queue, nullptr, 64, 0, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(EnqueueMigrateMem(queue, a.get(), 65, 0, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(EnqueueMemAdvise(queue, a.get(), 64, 1, 0, nullptr, nullptr), CL_INVALID_VALUE)
      << "no advice values are defined";
  EXPECT_EQ(EnqueueMemAdvise(queue, a.get() + 1, 64, 0, 0, nullptr, nullptr), CL_INVALID_VALUE);
}

TEST_F(UsmHints, ChangeNothing) {
  PROVES("X-E29");
  for (auto kind : Kinds) {
    auto a = usm(1000, kind);
    std::vector<int> numbers = this->numbers(1000), seen(1000);
    ASSERT_EQ(copy(a.get(), numbers.data(), 4000), CL_SUCCESS);
    for (cl_mem_migration_flags flags : {0, CL_MIGRATE_MEM_OBJECT_HOST})
      EXPECT_EQ(EnqueueMigrateMem(queue, a.get() + 3, 100, flags, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(EnqueueMemAdvise(queue, a.get(), 4000, 0, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(copy(seen.data(), a.get(), 4000), CL_SUCCESS);
    EXPECT_EQ(seen, numbers);
  }
}

struct UsmArgument : UsmTest {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(UsmTest::SetUp());
    program = built("kernel void k(global int *out, constant int *in, local int *room) { if (out) *out = in[1]; }");
    k = kernel(program, "k");
  }
  Program program;
  Kernel k;
};

TEST_F(UsmArgument, Invalid) {
  PROVES("X-E29");
  auto a = usm(4);
  EXPECT_EQ(SetKernelArgMemPointer(nullptr, 0, a.get()), CL_INVALID_KERNEL);
  EXPECT_EQ(SetKernelArgMemPointer(k, 3, a.get()), CL_INVALID_ARG_INDEX);
  EXPECT_EQ(SetKernelArgMemPointer(k, 2, a.get()), CL_INVALID_ARG_VALUE);
}

// Any pointer value may be set, if the kernel does not dereference it.
TEST_F(UsmArgument, AnyPointer) {
  PROVES("X-E29");
  auto a = usm(4);
  a.get()[2] = 8;
  ASSERT_EQ(clSetKernelArg(k, 2, 4, nullptr), CL_SUCCESS);
  ASSERT_EQ(SetKernelArgMemPointer(k, 0, a.get()), CL_SUCCESS);
  ASSERT_EQ(SetKernelArgMemPointer(k, 1, a.get() + 1), CL_SUCCESS);
  ASSERT_EQ(launch(k, 1), CL_SUCCESS);
  ASSERT_EQ(finish(), CL_SUCCESS);
  EXPECT_EQ(a.get()[0], 8);
  ASSERT_EQ(SetKernelArgMemPointer(k, 0, nullptr), CL_SUCCESS);
  ASSERT_EQ(SetKernelArgMemPointer(k, 1, reinterpret_cast<void *>(0xdead'beef'0000)), CL_SUCCESS);
  EXPECT_EQ(launch(k, 1), CL_SUCCESS);
  EXPECT_EQ(finish(), CL_SUCCESS);
}
} // namespace kiln::test
