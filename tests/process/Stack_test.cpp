// A waiting thread of the application runs kernels itself, unless its stack is too small.
#include "tests/process/ProcessTest.h"
#include <pthread.h>

namespace kiln::test {
namespace {

struct Stack : ProcessTest {
  // Long vectors that are live at the same time, in a frame of nearly the maximal size.
  static std::string manyValues(int count) {
    std::string reads, writes;
    for (int i = 0; i < count; ++i) {
      const std::string value = "v" + std::to_string(i);
      reads += "  const ulong16 " + value + " = p[" + std::to_string(i) + "];\n";
      writes = "  p[" + std::to_string(i) + "] = " + value + " + 1;\n" + writes;
    }
    return "kernel void k(volatile global ulong16 *p) {\n  if (get_global_id(0))\n    return;\n" + reads + writes +
           "}\n";
  }

  static constexpr int Values = 1600;
  static constexpr size_t StackBytes = 160 << 10;
};

TEST_F(Stack, LessThanAFrame) {
  inNewProcess([] {
    App app;
    Program program = app.source(manyValues(Values));
    ASSERT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
    struct Waiter {
      App &app;
      cl_program program;
      std::vector<int> found;
    } waiter{app, program, {}};
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, StackBytes), 0);
    pthread_t thread;
    auto wait = [](void *self) -> void * {
      auto &waiter = *static_cast<Waiter *>(self);
      waiter.found = waiter.app.run(waiter.program, Values * 32);
      return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, &attributes, wait, &waiter), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    EXPECT_EQ(waiter.found, std::vector<int>(Values * 32)); // each was decremented
  });
}

} // namespace
} // namespace kiln::test
