#include "tests/api/SharedMemoryTest.h"

#include <algorithm>

namespace kiln::test {
struct EnqueueSvmMigrateMem : SharedMemoryTest {
  cl_int migrate(std::vector<const void *> pointers, std::vector<size_t> sizes, cl_mem_migration_flags flags = 0) {
    return clEnqueueSVMMigrateMem(queue, cl_uint(pointers.size()), pointers.data(),
                                  sizes.empty() ? nullptr : sizes.data(), flags, 0, nullptr, nullptr);
  }
};

TEST_F(EnqueueSvmMigrateMem, EnqueueRules) {
  PROVES("R6 API-5.6.1h API-5.11e");
  auto a = svm(16);
  const void *list[] = {a.get()};
  expectEnqueueRules(
      [&](auto q, auto n, auto w, auto e) { return clEnqueueSVMMigrateMem(q, 1, list, nullptr, 0, n, w, e); },
      CL_COMMAND_SVM_MIGRATE_MEM);
}

TEST_F(EnqueueSvmMigrateMem, NoPointers) {
  PROVES("API-5.6.1h");
  auto a = svm(16);
  const void *list[] = {a.get()};
  EXPECT_EQ(clEnqueueSVMMigrateMem(queue, 0, list, nullptr, 0, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueSVMMigrateMem(queue, 1, nullptr, nullptr, 0, 0, nullptr, nullptr), CL_INVALID_VALUE);
}

TEST_F(EnqueueSvmMigrateMem, FlagsUnknown) {
  PROVES("API-5.6.1h");
  auto a = svm(16);
  EXPECT_EQ(migrate({a.get()}, {}, 1 << 7), CL_INVALID_VALUE);
}

TEST_F(EnqueueSvmMigrateMem, OutsideOfAllocations) {
  PROVES("API-5.6.1h");
  auto a = svm(16);
  int host = 0;
  EXPECT_EQ(migrate({&host}, {4}), CL_INVALID_VALUE);
  EXPECT_EQ(migrate({a.get(), &host}, {}), CL_INVALID_VALUE);
  EXPECT_EQ(migrate({nullptr}, {}), CL_INVALID_VALUE);
  EXPECT_EQ(migrate({a.get()}, {65}), CL_INVALID_VALUE);
  EXPECT_EQ(migrate({a.get() + 15}, {5}), CL_INVALID_VALUE);
  EXPECT_EQ(migrate({a.get() + 16}, {1}), CL_INVALID_VALUE) << "one past the end";
}

TEST_F(EnqueueSvmMigrateMem, RangesAndWholes) {
  PROVES("API-5.6.1h");
  auto a = svm(16), b = svm(1000);
  std::fill_n(b.get(), 1000, 4);
  EXPECT_EQ(migrate({a.get(), b.get() + 7, a.get() + 3}, {0, 12, 0}), CL_SUCCESS);
  EXPECT_EQ(migrate({b.get() + 999}, {}), CL_SUCCESS);
  EXPECT_EQ(migrate({b.get()}, {}, CL_MIGRATE_MEM_OBJECT_HOST), CL_SUCCESS);
  EXPECT_EQ(migrate({a.get()}, {64}, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED), CL_SUCCESS);
  EXPECT_EQ(finish(), CL_SUCCESS);
  EXPECT_EQ(std::count(b.get(), b.get() + 1000, 4), 1000);
}
} // namespace kiln::test
