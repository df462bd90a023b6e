// The initialisation that the platform does on first use, for tests of the drivers below it.
#include "base/support/Thread.h"
#include <gtest/gtest.h>

namespace {
struct Environment : testing::Environment {
  void SetUp() override { kiln::installForkHandlers(); }
};
[[maybe_unused]] auto *const environment = testing::AddGlobalTestEnvironment(new Environment);
} // namespace
