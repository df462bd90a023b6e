#include "tests/process/out_of_memory/OutOfMemory.h"
#include <algorithm>
#include <iostream>

namespace kiln::test {
namespace {

/// The number of blocks that Kiln holds once its threads are idle; returns early if it is at most the expected number.
size_t settled(size_t expected) {
  size_t now = failing_malloc::held();
  for (int quiet = 0; quiet < 200 && now > expected; ++quiet) {
    std::this_thread::sleep_for(std::chrono::milliseconds(expected ? 1 : 2));
    now = std::min(now, failing_malloc::held());
  }
  return now;
}

void everywhereHere(const Scenario &scenario) {
  failing_malloc::OwnCode own;
  ASSERT_NE(platform(), nullptr);
  uint64_t asked = 0;
  for (int warmUp = 0; warmUp < 12; ++warmUp) { // fills caches and thread-local lists
    failing_malloc::begin(UINT64_MAX, true);
    Calls run;
    scenario(run);
    asked = failing_malloc::asked();
  }
  size_t held = settled(0);
  int struck = 0;
  auto strike = [&](uint64_t nth, bool once) {
    failing_malloc::begin(nth, once);
    {
      Calls run;
      scenario(run);
    }
    failing_malloc::over();
    struck += failing_malloc::struck();
  };
  for (bool once : {true, false})
    for (uint64_t nth = 1; nth <= asked + 8 && !testing::Test::HasFailure(); ++nth) {
      SCOPED_TRACE("request " + std::to_string(nth) + (once ? " failed" : " and those behind it failed"));
      strike(nth, once);
      // A leak grows with each run; cached blocks do not.
      for (int times = 0; times < 8; ++times) {
        size_t now = settled(held);
        if (now <= held)
          break;
        uint64_t before = failing_malloc::sequence();
        held = now;
        strike(nth, once);
        if (times == 7) {
          ADD_FAILURE() << "blocks are held that were not, and more each time";
          failing_malloc::tellHeldSince(before);
        }
      }
    }
  EXPECT_GE(struck, int(asked)) << "hardly any allocation failed";
  std::cout << "             " << asked << " requests, " << struck << " failures" << std::endl;
}

} // namespace

void OutOfMemory::everywhere(const Scenario &scenario, Environment environment) {
  environment.insert(environment.begin(), {"KILN_LOG", "off"}); // the failures are expected
  inNewProcess([&] { everywhereHere(scenario); }, environment);
}

} // namespace kiln::test
