// What the tests of AccessTracker share: sites of accesses, and a list of what was reported.
#pragma once
#include "runtime/check/AccessTracker.h"
#include <gtest/gtest.h>
#include <set>
#include <tuple>
#include <vector>

namespace kiln::check {

enum Access : uint8_t { Read, Write, Atomic };
enum Space : uint8_t { Global = 1, Local = 3 };

struct TestSite : abi::CheckSite {
  TestSite(uint16_t number, Access access, Space space, uint8_t sync = 0, uint8_t granule = 2)
      : abi::CheckSite{number, 1, -1, access, space, number, granule, sync, 0, 0} {}
};

struct Race {
  uint16_t first, second; // numbers of sites
  uint64_t firstGroup, firstItem, secondGroup, secondItem;
  uintptr_t address;
  auto operator<=>(const Race &) const = default;
};

struct Reports final : TrackerReports {
  std::vector<Race> races;
  std::vector<std::tuple<uint16_t, uint64_t, uintptr_t>> undefinedReads; // site, item, address
  void race(const RaceSide &first, const RaceSide &second, uintptr_t address) noexcept override {
    races.push_back({first.site.number, second.site.number, first.item.group, first.item.item, second.item.group,
                     second.item.item, address});
  }
  void undefined(const abi::CheckSite &site, const ItemId &item, uintptr_t address) noexcept override {
    undefinedReads.push_back({site.number, item.item, address});
  }
};

inline constexpr uintptr_t Base = 0x40000;
inline constexpr uint64_t AllOf16 = 0xffff;

// A race is reported if there is one, and none of other pairs of sites.
inline void expectOnly(const std::set<std::pair<uint16_t, uint16_t>> &expected, const Reports &reports, size_t round) {
  ASSERT_EQ(reports.races.empty(), expected.empty()) << "round " << round;
  for (const Race &race : reports.races)
    ASSERT_TRUE(expected.contains({race.first, race.second})) << "round " << round;
}

} // namespace kiln::check
