#include "base/support/Mutex.h"
#include "gtest/gtest.h"
#include <utility>

namespace kiln {
namespace {

// The order of Kiln's locks (runtime/queue/README.md) is checked by all tests that run with ThreadSanitizer.
TEST(LockOrderDeathTest, LocksTakenInBothOrdersAreReported) {
#ifdef KILN_CHECKS_LOCK_ORDER
  auto lockInBothOrders = [] {
    Mutex a;
    Mutex b;
    for (auto [first, second] : {std::pair(&a, &b), std::pair(&b, &a)}) {
      Lock one(*first);
      Lock two(*second);
    }
  };
  EXPECT_DEATH(lockInBothOrders(), "lock-order-inversion");
#else
  GTEST_SKIP() << "needs ThreadSanitizer";
#endif
}

} // namespace
} // namespace kiln
