// Random accesses of rows of work-items, compared with all pairs of accesses of single work-items.
#include "tests/runtime/check/AccessTrackerTest.h"
#include <algorithm>
#include <array>
#include <numeric>
#include <random>

namespace kiln::check {
namespace {

/// An access of one work-item. `time`: the barriers that its group has passed.
struct Known {
  const TestSite *site;
  uint64_t group, item, time;
  uintptr_t begin, end;
};

Known ofFour(const TestSite &site, uint64_t group, uint64_t item, uintptr_t address) {
  return {&site, group, item, 0, address, address + 4};
}

/// Calls `each` with every two accesses that race, in both orders.
template <typename Each> void forEachRace(const std::vector<Known> &known, Each each) {
  for (const Known &write : known) {
    if (write.site->access != Write)
      continue;
    for (const Known &other : known) {
      const bool isOrdered = write.group == other.group && (write.item == other.item || write.time != other.time);
      if (!isOrdered && write.begin < other.end && other.begin < write.end) {
        each(write, other);
        each(other, write);
      }
    }
  }
}

// Against all pairs of accesses, one by one. Without a second reader of the same bytes that is forgotten, the tracker
// finds a race wherever there is one.
TEST(AccessTrackerRows, AgreeWithAComparisonOfAllPairs) {
  std::mt19937 random(11);
  std::vector<TestSite> sites;
  for (uint16_t number = 0; number < 6; ++number)
    sites.emplace_back(number + 1, number % 2 ? Write : Read, Global, 0, 1); // granules of 2 bytes
  size_t withRace = 0, rounds = 2000;
  for (size_t round = 0; round < rounds; ++round) {
    std::vector<Known> known;
    Reports reports;
    AccessTracker tracker({6, 48, true, false}, reports);
    for (uint64_t group = 0; group < 6; ++group) {
      tracker.enter(group);
      uint64_t time = 0;
      for (int k = 0; k < 3; ++k) {
        if (random() % 3)
          tracker.synchronise(abi::CheckOfGlobal), ++time;
        const TestSite &site = sites[random() % sites.size()];
        const uint64_t bytes = 2 << random() % 3, item = random() % 32,
                       lanes = random() % 3 ? AllOf16 : random() & AllOf16;
        // Mostly no other work-item's memory.
        const int64_t stride = random() % 20
                                   ? std::max<int64_t>(int64_t(bytes), std::array{2, 4, 8, 16, 32, 6}[random() % 6])
                                   : std::array{0, 2, -2}[random() % 3];
        const uintptr_t pointer = Base + (random() % 20 ? group : random() % 6) * 8192 + 2 * (random() % 256) + 512;
        if (!lanes)
          continue;
        for (uint64_t lane = 0; lane < 16; ++lane) {
          const uintptr_t begin = pointer + uintptr_t(stride) * lane;
          if (lanes >> lane & 1)
            known.push_back({&site, group, item + lane, time, begin, begin + bytes});
        }
        tracker.track(site, pointer, bytes, stride, lanes, item);
      }
      tracker.leave();
    }
    std::set<std::pair<uint16_t, uint16_t>> expected;
    forEachRace(known, [&](const Known &a, const Known &b) { expected.insert({a.site->number, b.site->number}); });
    withRace += !expected.empty();
    expectOnly(expected, reports, round);
  }
  EXPECT_GT(withRace, rounds / 10);
  EXPECT_LT(withRace, rounds - rounds / 10);
}

// The same for groups of 4 rows of 16 work-items, whose accesses have a pitch.
TEST(AccessTrackerRows, OfTwoDimensionsAgreeWithAComparisonOfAllPairs) {
  std::mt19937 random(13);
  std::vector<TestSite> sites;
  for (uint16_t number = 0; number < 6; ++number)
    sites.emplace_back(number + 1, number % 2 ? Write : Read, Global);
  size_t withRace = 0, rounds = 2000;
  for (size_t round = 0; round < rounds; ++round) {
    std::vector<Known> known;
    Reports reports;
    AccessTracker tracker({4, 64, true, false}, reports);
    for (uint64_t group = 0; group < 4; ++group) {
      tracker.enter(group);
      for (unsigned k = 0; k < 2; ++k) {
        const TestSite &site = sites[random() % sites.size()];
        const uintptr_t area = Base + (random() % 10 ? k * 4096 : 0);
        const int64_t stride = random() % 40 ? 4 : std::array{0, 8, -4}[random() % 3];
        const uintptr_t pitch = random() % 40 ? 256 : std::array{0, 60, 64}[random() % 3],
                        pointer = area + 64 * (random() % 40 ? group : random() % 4) + (random() % 40 ? 0 : 4);
        const bool swaps = random() % 3 == 0;
        const unsigned apart = std::array{1, 2, 4}[random() % 3];
        if (random() % 3 == 0) { // one note of all work-items
          for (uint64_t item = 0; item < 64; ++item)
            known.push_back(ofFour(site, group, item, pointer + pitch * (item / 16) + uintptr_t(stride) * (item % 16)));
          ASSERT_TRUE(tracker.trackGroup(site, pointer, 4, stride, 16, int64_t(pitch), 4));
          continue;
        }
        for (uint64_t row = 0; row < 4; ++row) {
          const uint64_t lanes = random() % 3 ? AllOf16 : random() & AllOf16;
          if (!lanes)
            continue;
          std::array<uintptr_t, 16> addresses{};
          for (uint64_t lane = 0; lane < 16; ++lane) {
            const uint64_t element = swaps ? lane ^ apart : lane;
            addresses[lane] = pointer + pitch * row + uintptr_t(stride) * element;
            if (lanes >> lane & 1)
              known.push_back(ofFour(site, group, row * 16 + lane, addresses[lane]));
          }
          if (swaps || random() % 3 == 0)
            tracker.trackLanes(site, addresses.data(), 4, lanes, row * 16);
          else
            tracker.track(site, addresses[0], 4, stride, lanes, row * 16);
        }
      }
      tracker.leave();
    }
    std::set<std::pair<uint16_t, uint16_t>> expected;
    forEachRace(known, [&](const Known &a, const Known &b) { expected.insert({a.site->number, b.site->number}); });
    withRace += !expected.empty();
    expectOnly(expected, reports, round);
  }
  EXPECT_GT(withRace, rounds / 10);
  EXPECT_LT(withRace, rounds - rounds / 10);
}

// Rows and columns that all groups read, and elements that few work-items write: after two groups, the tracker keeps no
// further readers.
TEST(AccessTrackerRows, OfSharedReadsAgreeWithAComparisonOfAllPairs) {
  std::mt19937 random(17);
  const TestSite readRow{1, Read, Global}, readColumn{2, Read, Global}, write{3, Write, Global};
  constexpr uintptr_t Pitch = 256;
  size_t withRace = 0, rounds = 2000;
  for (size_t round = 0; round < rounds; ++round) {
    std::vector<Known> known;
    Reports reports;
    AccessTracker tracker({16, 64, true, false}, reports);
    const uint64_t middle = random() % 64, writes = random() % 3;
    // Groups of 16 x 4 work-items of a matrix of 64 x 16.
    std::array<uint64_t, 16> order{};
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for (const uint64_t group : order) {
      tracker.enter(group);
      const uintptr_t x = 16 * (group % 4), y = 4 * (group / 4);
      uint64_t time = 0;
      const auto add = [&](const TestSite &site, uint64_t item, uintptr_t address) {
        known.push_back({&site, group, item, time, address, address + 4});
      };
      const uintptr_t row = Base + Pitch * (middle % 16) + 4 * x, column = Base + Pitch * y + 4 * middle;
      for (uint64_t item = 0; item < 64; ++item)
        add(readRow, item, row + 4 * (item % 16)), add(readColumn, item, column + Pitch * (item / 16));
      if (random() % 2) {
        ASSERT_TRUE(tracker.trackGroup(readRow, row, 4, 4, 16, 0, 4));
        ASSERT_TRUE(tracker.trackGroup(readColumn, column, 4, 0, 16, Pitch, 4));
      } else {
        for (uint64_t y = 0; y < 4; ++y) {
          tracker.track(readRow, row, 4, 4, AllOf16, 16 * y);
          tracker.track(readColumn, column + Pitch * y, 4, 0, AllOf16, 16 * y);
        }
      }
      if (random() % 4 == 0)
        tracker.synchronise(abi::CheckOfGlobal), ++time;
      for (uint64_t k = 0; k < writes; ++k) {
        const uint64_t item = random() % 64;
        const uintptr_t column = x + item % 16, rowOfItem = y + item / 16;
        const bool isInCross = column == middle || rowOfItem == middle % 16;
        if (isInCross && random() % 8)
          continue;
        const uintptr_t address = Base + Pitch * rowOfItem + 4 * column;
        tracker.track(write, address, 4, 4, 1, item), add(write, item, address);
      }
      tracker.leave();
    }
    std::set<std::pair<uint16_t, uint16_t>> expected;
    std::set<uintptr_t> raced; // addresses of writes
    forEachRace(known, [&](const Known &a, const Known &b) {
      expected.insert({a.site->number, b.site->number});
      raced.insert(a.begin);
    });
    withRace += !expected.empty();
    std::set<uintptr_t> found;
    for (const Race &race : reports.races) {
      found.insert(race.address);
      ASSERT_TRUE(expected.contains({race.first, race.second})) << "round " << round;
    }
    ASSERT_EQ(found, raced) << "round " << round;
  }
  EXPECT_GT(withRace, rounds / 10);
  EXPECT_LT(withRace, rounds - rounds / 10);
}

} // namespace
} // namespace kiln::check
