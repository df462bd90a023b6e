// Two pointer arguments into the same memory. A work-item's reads through one pointer return its earlier writes through
// the other.
#include "tests/api/SharedMemoryTest.h"

namespace kiln::test {

struct OverlappingArguments : SharedMemoryTest {
  static constexpr int Items = 40, Stride = 8, Fields = 4, Room = Items * Stride + 32;
  static constexpr const char *Text = R"(
kernel void shift(global const int *from, global int *to) {
  const int i = get_global_id(0);
  for (int field = 0; field < 4; ++field)
    to[8 * i + field] = from[8 * i + field] * 3 + 1;
}
kernel void sum(global const int *from, global int *to) {
  const int i = get_global_id(0);
  to[8 * i] = from[8 * i] + 1;
  to[8 * i + 1] = from[8 * i] + from[8 * i + 1];
}
)";

  template <typename Step> void expectInOrder(const char *name, const Step &step) {
    Program program = built(Text);
    Kernel kernel = this->kernel(program, name);
    for (int distance : {-4, -3, -2, -1, 0, 1, 2, 3, 4}) {
      auto memory = svm(Room);
      int *const numbers = memory.get() + 16, *const to = numbers + distance;
      std::vector<int> expected(Room);
      for (int at = 0; at < Room; ++at)
        expected[at] = at * 7;
      ASSERT_EQ(
          clEnqueueSVMMemcpy(queue, CL_TRUE, memory.get(), expected.data(), Room * sizeof(int), 0, nullptr, nullptr),
          CL_SUCCESS);
      for (int item = 0; item < Items; ++item)
        step(&expected[16 + Stride * item], &expected[16 + Stride * item + distance]);
      ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 0, numbers), CL_SUCCESS);
      ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 1, to), CL_SUCCESS);
      ASSERT_EQ(launch(kernel, Items), CL_SUCCESS);
      std::vector<int> seen(Room);
      ASSERT_EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, seen.data(), memory.get(), Room * sizeof(int), 0, nullptr, nullptr),
                CL_SUCCESS);
      EXPECT_EQ(seen, expected) << distance;
    }
  }
};

// At these distances no two work-items access the same bytes, because each has space for twice its fields.
TEST_F(OverlappingArguments, LoadsSeeEarlierStores) {
  PROVES("EXEC-3.2.2b");
  expectInOrder("shift", [](int *from, int *to) {
    for (int field = 0; field < Fields; ++field)
      to[field] = from[field] * 3 + 1;
  });
}

// With equal pointers, a field is read again after it was written.
TEST_F(OverlappingArguments, EqualPointers) {
  PROVES("EXEC-3.2.2b");
  expectInOrder("sum", [](int *from, int *to) {
    to[0] = from[0] + 1;
    to[1] = from[0] + from[1];
  });
}

} // namespace kiln::test
