// The initialisation that the platform does on first use, for tests of the drivers below it; and switches that are off
// by default.
#include "base/support/Thread.h"
#include <cstdlib>
#include <gtest/gtest.h>

namespace {
struct Environment : testing::Environment {
  void SetUp() override {
    setenv("KILN_GPU_MACHINE_CODE", "on", 1);
    kiln::installForkHandlers();
  }
};
[[maybe_unused]] auto *const environment = testing::AddGlobalTestEnvironment(new Environment);
} // namespace
