#include "tests/guest/shortage/Shortage.h"
#include <algorithm>
#include <iostream>

namespace kiln::test {
namespace {

/// The number of blocks that Kiln holds once its threads are idle; returns early if it is at most the expected number.
size_t settled(size_t expected) {
  size_t now = shortage::held();
  for (int quiet = 0; quiet < 200 && now > expected; ++quiet) {
    std::this_thread::sleep_for(std::chrono::milliseconds(expected ? 1 : 2));
    now = std::min(now, shortage::held());
  }
  return now;
}

void everywhereHere(const Scenario &scenario) {
  shortage::OwnCode own;
  ASSERT_NE(platform(), nullptr);
  uint64_t asked = 0;
  for (int warmUp = 0; warmUp < 12; ++warmUp) { // fills caches and thread-local lists
    shortage::begin(UINT64_MAX, true);
    Calls run;
    scenario(run);
    asked = shortage::asked();
  }
  size_t held = settled(0);
  int struck = 0;
  auto strike = [&](uint64_t nth, bool once) {
    shortage::begin(nth, once);
    {
      Calls run;
      scenario(run);
    }
    shortage::over();
    struck += shortage::struck();
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
        uint64_t before = shortage::sequence();
        held = now;
        strike(nth, once);
        if (times == 7) {
          ADD_FAILURE() << "blocks are held that were not, and more each time";
          shortage::tellHeldSince(before);
        }
      }
    }
  EXPECT_GE(struck, int(asked)) << "the shortage hardly ever came";
  std::cout << "             " << asked << " requests, " << struck << " shortages" << std::endl;
}

} // namespace

void Shortage::everywhere(const Scenario &scenario, Environment environment) {
  environment.insert(environment.begin(), {"KILN_LOG", "off"}); // the failures are expected
  apart([&] { everywhereHere(scenario); }, environment);
}

} // namespace kiln::test
