#include "runtime/check/AccessTracker.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <thread>
#include <tuple>

namespace kiln::check {
namespace {

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

constexpr uintptr_t Base = 0x40000;
constexpr uint64_t AllOf16 = 0xffff;

/// A launch of 4 groups of 64 work-items, of which this thread runs group 0.
struct AccessTrackerTest : testing::TestWithParam<Space> {
  Reports reports;
  AccessTracker tracker{{4, 64, true, false}, reports};
  AccessTrackerTest() { tracker.enter(0); }

  const Space space = GetParam();
  const uint64_t fence = space == Local ? abi::CheckOfLocal : abi::CheckOfGlobal;
  const TestSite read{1, Read, space}, write{2, Write, space}, otherRead{3, Read, space}, count{4, Atomic, space};

  /// Work-items 0 to 63 access elements of 4 bytes, 16 at once.
  void all(const TestSite &site, uintptr_t pointer, int64_t stride = 4) {
    for (uint64_t item = 0; item < 64; item += 16)
      tracker.track(site, pointer + uintptr_t(stride) * item, 4, stride, AllOf16, item);
  }
  void one(const TestSite &site, uintptr_t pointer, uint64_t item) { tracker.track(site, pointer, 4, 0, 1, item); }
  size_t found() {
    tracker.leave();
    return reports.races.size();
  }
};

TEST_P(AccessTrackerTest, OwnElementsAreNoRace) {
  all(read, Base);
  all(write, Base);
  all(read, Base);
  EXPECT_EQ(found(), 0u);
}

TEST_P(AccessTrackerTest, ReadersAreNoRace) {
  all(read, Base);
  all(otherRead, Base + 252, -4);
  all(read, Base, 0);
  EXPECT_EQ(found(), 0u);
}

// Atomic operations of two work-items, and then an access of one of them that is not atomic.
TEST_P(AccessTrackerTest, AnAtomicOperationOfAnotherIsARace) {
  for (const TestSite *plain : {&read, &write}) {
    one(count, Base, 5), one(count, Base, 3), one(*plain, Base, 5); // the first one's
    tracker.synchronise(fence);
    EXPECT_EQ(reports.races, (std::vector<Race>{{4, plain->number, 0, 3, 0, 5, Base}}));
    reports.races.clear();
  }
}

TEST_P(AccessTrackerTest, AnAtomicOperationBeforeTheOwnIsARace) {
  if (space == Global)
    GTEST_SKIP() << "of global memory, the last atomic operation is known";
  for (const TestSite *plain : {&read, &write}) {
    one(count, Base, 5), one(count, Base, 3), one(count, Base, 3), one(*plain, Base, 3);
    tracker.synchronise(fence);
    EXPECT_EQ(reports.races, (std::vector<Race>{{4, plain->number, 0, 5, 0, 3, Base}}));
    reports.races.clear();
  }
  for (uint64_t item : {63, 0, 17}) {
    all(count, Base, 0), one(read, Base, item);
    tracker.synchronise(fence);
    EXPECT_EQ(reports.races.size(), 1u) << item;
    reports.races.clear();
  }
}

// A read that is atomic does not take the place of what two work-items have written.
TEST_P(AccessTrackerTest, AtomicReadsAfterAtomicOperationsOfTwo) {
  if (space == Global)
    GTEST_SKIP() << "of global memory, the last atomic operation is known";
  const TestSite load{5, Atomic, space, abi::CheckOnlyReads};
  one(count, Base, 5), one(count, Base, 3), one(load, Base, 5), one(load, Base, 3), one(load, Base, 7);
  EXPECT_EQ(reports.races.size(), 0u);
  one(read, Base, 3);
  tracker.synchronise(fence);
  EXPECT_EQ(reports.races, (std::vector<Race>{{4, 1, 0, 5, 0, 3, Base}}));
}

TEST_P(AccessTrackerTest, NeighboursAreARace) {
  all(write, Base);
  all(read, Base + 4);
  ASSERT_EQ(found(), 63u);
  EXPECT_EQ(reports.races[0], (Race{2, 1, 0, 1, 0, 0, Base + 4}));
  EXPECT_EQ(reports.races[62], (Race{2, 1, 0, 63, 0, 62, Base + 252}));
}

TEST_P(AccessTrackerTest, ABarrierOrdersNeighbours) {
  all(write, Base);
  tracker.synchronise(fence);
  all(read, Base + 4);
  tracker.synchronise(fence);
  all(write, Base);
  EXPECT_EQ(found(), 0u);
}

TEST_P(AccessTrackerTest, ABarrierOfOtherMemoryOrdersNothing) {
  all(write, Base);
  tracker.synchronise(space == Local ? abi::CheckOfGlobal : abi::CheckOfLocal);
  all(read, Base + 4);
  EXPECT_EQ(found(), 63u);
}

TEST_P(AccessTrackerTest, OneElementOfAllIsARace) {
  all(write, Base, 0);
  EXPECT_EQ(found(), 63u);
}

TEST_P(AccessTrackerTest, HalvesOfATreeAreNoRace) {
  for (uint64_t width = 32; width; width /= 2) {
    const uint64_t lanes = width == 32 ? 0xffffffff : (uint64_t(1) << width) - 1;
    tracker.track(read, Base, 4, 4, lanes, 0);
    tracker.track(otherRead, Base + 4 * width, 4, 4, lanes, 0);
    tracker.track(write, Base, 4, 4, lanes, 0);
    tracker.synchronise(fence);
  }
  EXPECT_EQ(found(), 0u);
}

TEST_P(AccessTrackerTest, ATreeWithoutABarrierIsARace) {
  for (uint64_t width : {32, 16}) {
    const uint64_t lanes = (uint64_t(1) << width) - 1;
    tracker.track(otherRead, Base + 4 * width, 4, 4, lanes, 0);
    tracker.track(write, Base, 4, 4, lanes, 0);
  }
  EXPECT_EQ(found(), 16u);
}

TEST_P(AccessTrackerTest, InactiveLanesAccessNothing) {
  tracker.track(write, Base, 4, 0, 1, 0);
  tracker.track(write, Base, 4, 4, 0xaaaa, 0);    // odd elements
  tracker.track(read, Base + 4, 4, 4, 0xaaaa, 0); // even elements
  EXPECT_EQ(found(), 0u);
}

TEST_P(AccessTrackerTest, FieldsOfStructsAreNoRace) {
  all(write, Base, 8);
  all(read, Base + 4, 8);
  EXPECT_EQ(found(), 0u);
}

TEST_P(AccessTrackerTest, ScalarCodeIsComparedAsVectorCodeIs) {
  for (uint64_t item = 0; item < 64; ++item) {
    one(write, Base + 4 * item, item);
    one(read, Base + 4 * ((item + 1) % 64), item);
  }
  EXPECT_EQ(found(), 64u);
}

TEST_P(AccessTrackerTest, ScatteredLanesAreComparedWithOthers) {
  std::array<uintptr_t, 16> addresses;
  for (size_t lane = 0; lane < 16; ++lane)
    addresses[lane] = Base + 4 * (lane ^ 1);
  tracker.track(read, Base, 4, 4, AllOf16, 0);
  tracker.trackLanes(write, addresses.data(), 4, 0x0003, 0);
  ASSERT_EQ(found(), 2u);
  EXPECT_EQ(reports.races[0], (Race{1, 2, 0, 1, 0, 0, Base + 4}));
  EXPECT_EQ(reports.races[1], (Race{1, 2, 0, 0, 0, 1, Base}));
}

TEST_P(AccessTrackerTest, LinearLanesAreComparedWithEarlierScatteredOnes) {
  std::array<uintptr_t, 16> addresses;
  for (size_t lane = 0; lane < 16; ++lane)
    addresses[lane] = Base + 4 * (lane ^ 1);
  tracker.trackLanes(write, addresses.data(), 4, AllOf16, 0);
  tracker.track(read, Base, 4, 4, AllOf16, 0);
  EXPECT_EQ(found(), 16u);
}

TEST_P(AccessTrackerTest, AtomicOperationsAreNoRaceWithEachOther) {
  all(count, Base, 0);
  EXPECT_EQ(found(), 0u);
}

TEST_P(AccessTrackerTest, AnAtomicOperationAndAWriteAreARace) {
  tracker.track(write, Base, 4, 0, 1, 0);
  tracker.track(count, Base, 4, 0, AllOf16, 0);
  ASSERT_GE(found(), 1u);
  EXPECT_EQ(reports.races[0].first, 2);
  EXPECT_EQ(reports.races[0].second, 4);
}

TEST_P(AccessTrackerTest, AReadOfWhatManyCountIsARace) {
  const TestSite otherCount(5, Atomic, space);
  std::array<uintptr_t, 16> bins{};
  for (size_t lane = 0; lane < 16; ++lane)
    bins[lane] = Base + 4 * (lane * 5 % 7);
  for (uint64_t item = 0; item < 64; item += 16) {
    tracker.trackLanes(count, bins.data(), 4, AllOf16, item);
    tracker.trackLanes(otherCount, bins.data(), 4, item ? AllOf16 : 0x00ff, item);
  }
  EXPECT_TRUE(reports.races.empty());
  one(read, Base + 8, 40);
  EXPECT_EQ(found(), 1u);
  reports.races.clear();
  for (uintptr_t &bin : bins)
    bin += 1024;
  tracker.enter(0);
  tracker.trackLanes(count, bins.data(), 4, AllOf16, 0);
  tracker.synchronise(fence);
  one(read, Base + 1032, 40);
  tracker.trackLanes(otherCount, bins.data(), 4, AllOf16, 0); // by the lanes 6 and 13
  EXPECT_EQ(found(), 2u);
}

TEST_P(AccessTrackerTest, ReleaseAndAcquireOrder) {
  const TestSite release(5, Atomic, space, abi::CheckReleases | abi::CheckOfDevice | abi::CheckOnlyWrites),
      acquire(6, Atomic, space, abi::CheckAcquires | abi::CheckOfDevice | abi::CheckOnlyReads);
  one(write, Base, 0);
  one(release, Base + 64, 0);
  one(acquire, Base + 64, 1);
  one(read, Base, 1);
  EXPECT_EQ(found(), 0u);
  tracker.enter(0);
  one(write, Base + 128, 0);
  one(acquire, Base + 64, 1);
  one(read, Base + 128, 1); // nothing was released after the write
  EXPECT_EQ(found(), 1u);
}

// More maps of work-items to addresses than entries.
TEST_P(AccessTrackerTest, AccessesWithoutAPatternAreCompared) {
  for (uint64_t k = 0; k < 1000; ++k)
    tracker.track(read, Base + 4096 * k, 4, 4, AllOf16, 0);
  EXPECT_EQ(found(), 0u);
  tracker.enter(0);
  for (uint64_t k = 0; k < 1000; ++k)
    tracker.track(write, Base + 64 * k, 4, 4, AllOf16, (k * 16) % 64);
  tracker.track(read, Base + 192, 4, 4, AllOf16, 0);
  EXPECT_EQ(found(), 16u);
}

// A race is reported if there is one, and none of other pairs of sites.
void expectOnly(const std::set<std::pair<uint16_t, uint16_t>> &expected, const Reports &reports, size_t round) {
  ASSERT_EQ(reports.races.empty(), expected.empty()) << "round " << round;
  for (const Race &race : reports.races)
    ASSERT_TRUE(expected.contains({race.first, race.second})) << "round " << round;
}

// Against all pairs of accesses, one by one.
TEST_P(AccessTrackerTest, AgreesWithAComparisonOfAllPairs) {
  std::mt19937 random(7);
  std::vector<TestSite> sites;
  for (uint16_t number = 0; number < 6; ++number)
    sites.emplace_back(number + 1, number % 2 ? Write : Read, space);
  size_t withRace = 0;
  for (int round = 0; round < 3000; ++round) {
    struct Known {
      const TestSite *site;
      uint64_t item;
      uintptr_t begin, end;
    };
    std::vector<Known> known;
    reports.races.clear();
    tracker.synchronise(fence);
    for (int k = 0; k < 6; ++k) {
      const TestSite &site = sites[random() % sites.size()];
      const uint64_t bytes = 4 << random() % 2, item = random() % 48,
                     lanes = random() % 3 ? AllOf16 : random() & AllOf16;
      const int64_t stride = std::array{0, 4, 8, -4, 12, 4, 8}[random() % 7];
      const uintptr_t pointer = Base + 4 * (random() % 256) + 512;
      if (!lanes)
        continue;
      std::array<uintptr_t, 16> addresses{};
      for (uint64_t lane = 0; lane < 16; ++lane) {
        addresses[lane] = pointer + uintptr_t(stride) * lane;
        if (lanes >> lane & 1)
          known.push_back({&site, item + lane, addresses[lane], addresses[lane] + bytes});
      }
      if (random() % 5)
        tracker.track(site, pointer, bytes, stride, lanes, item);
      else
        tracker.trackLanes(site, addresses.data(), bytes, lanes, item);
    }
    tracker.synchronise(fence);
    std::set<std::pair<uint16_t, uint16_t>> expected;
    for (const Known &a : known)
      for (const Known &b : known)
        if (a.item != b.item && (a.site->access == Write || b.site->access == Write) && a.begin < b.end &&
            b.begin < a.end)
          expected.insert({a.site->number, b.site->number});
    withRace += !expected.empty();
    expectOnly(expected, reports, round);
  }
  EXPECT_GT(withRace, 100u);
  EXPECT_LT(withRace, 2900u);
}

INSTANTIATE_TEST_SUITE_P(Spaces, AccessTrackerTest, testing::Values(Global, Local),
                         [](const auto &info) { return info.param == Local ? "Local" : "Global"; });

// ---- groups

struct AccessTrackerGroupsTest : testing::Test {
  Reports reports;
  AccessTracker tracker{{4, 64, true, false}, reports};
  const TestSite globalWrite{1, Write, Global}, localWrite{2, Write, Local}, globalRead{3, Read, Global};

  void group(uint64_t group, const TestSite &site, uintptr_t pointer) {
    tracker.enter(group);
    for (uint64_t item = 0; item < 64; item += 16)
      tracker.track(site, pointer + 4 * item, 4, 4, AllOf16, item);
    tracker.leave();
  }
};

TEST_F(AccessTrackerGroupsTest, ShareGlobalMemory) {
  group(0, globalWrite, Base);
  group(1, globalWrite, Base + 256);
  EXPECT_TRUE(reports.races.empty());
  group(2, globalWrite, Base + 500);
  ASSERT_EQ(reports.races.size(), 3u);
  EXPECT_EQ(reports.races[0], (Race{1, 1, 1, 61, 2, 0, Base + 500}));
}

TEST_F(AccessTrackerGroupsTest, HaveTheirOwnLocalMemory) {
  for (uint64_t number = 0; number < 4; ++number)
    group(number, localWrite, Base + 4 * number);
  EXPECT_TRUE(reports.races.empty());
}

TEST_F(AccessTrackerGroupsTest, OnOtherThreadsAreSeen) {
  std::thread([&] { group(0, globalWrite, Base); }).join();
  std::thread([&] { group(1, globalRead, Base); }).join();
  EXPECT_EQ(reports.races.size(), 64u);
}

TEST_F(AccessTrackerGroupsTest, BarriersOrderNoOtherGroup) {
  tracker.enter(0);
  tracker.track(globalWrite, Base, 4, 4, AllOf16, 0);
  tracker.synchronise(abi::CheckOfGlobal | abi::CheckOfLocal);
  tracker.leave();
  tracker.enter(1);
  tracker.synchronise(abi::CheckOfGlobal | abi::CheckOfLocal);
  tracker.track(globalRead, Base, 4, 4, AllOf16, 0);
  tracker.leave();
  EXPECT_EQ(reports.races.size(), 16u);
}

TEST_F(AccessTrackerGroupsTest, TwoReadersOfOneGroupDoNotHideThatOfAnother) {
  for (const uint32_t lanes : {uint32_t(1), uint32_t(AllOf16)}) {
    Reports found;
    AccessTracker own({4, 64, true, false}, found);
    own.enter(0);
    own.track(globalRead, Base, 4, 0, lanes, 0);
    own.track(globalRead, Base, 4, 0, lanes, 32);
    own.synchronise(abi::CheckOfGlobal | abi::CheckOfLocal);
    std::thread([&] {
      own.enter(1);
      own.track(globalRead, Base, 4, 0, 1, 3);
      own.leave();
    }).join();
    own.track(globalWrite, Base, 4, 4, 1, 0);
    own.leave();
    EXPECT_EQ(found.races.size(), 1u) << lanes;
  }
}

TEST_F(AccessTrackerGroupsTest, LaunchesAreApart) {
  group(0, globalWrite, Base);
  Reports next;
  AccessTracker second({4, 64, true, false}, next);
  second.enter(1);
  second.track(globalWrite, Base, 4, 4, AllOf16, 0);
  second.leave();
  EXPECT_TRUE(next.races.empty());
}

// A fault ended the group before `leave`.
TEST_F(AccessTrackerGroupsTest, AnAbandonedGroupLeavesNothing) {
  tracker.enter(0);
  tracker.track(globalWrite, Base, 4, 4, AllOf16, 0);
  tracker.enter(1);
  tracker.track(globalWrite, Base, 4, 4, AllOf16, 0);
  tracker.leave();
  EXPECT_TRUE(reports.races.empty());
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
    struct Known {
      const TestSite *site;
      uint64_t group, item, time;
      uintptr_t begin, end;
    };
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
    for (const Known &a : known)
      for (const Known &b : known) {
        const bool isOrdered = a.group == b.group && (a.item == b.item || a.time != b.time);
        if (!isOrdered && (a.site->access == Write || b.site->access == Write) && a.begin < b.end && b.begin < a.end)
          expected.insert({a.site->number, b.site->number});
      }
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
    struct Known {
      const TestSite *site;
      uint64_t group, item;
      uintptr_t address;
    };
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
            known.push_back({&site, group, item, pointer + pitch * (item / 16) + uintptr_t(stride) * (item % 16)});
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
              known.push_back({&site, group, row * 16 + lane, addresses[lane]});
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
    for (const Known &a : known)
      for (const Known &b : known)
        if ((a.group != b.group || a.item != b.item) && (a.site->access == Write || b.site->access == Write) &&
            a.address == b.address)
          expected.insert({a.site->number, b.site->number});
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
    struct Known {
      const TestSite *site;
      uint64_t group, item, time;
      uintptr_t address;
    };
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
        known.push_back({&site, group, item, time, address});
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
    for (const Known &a : known)
      for (const Known &b : known) {
        const bool isOrdered = a.group == b.group && (a.item == b.item || a.time != b.time);
        if (!isOrdered && a.site == &write && a.address == b.address)
          expected.insert({a.site->number, b.site->number}), expected.insert({b.site->number, a.site->number}),
              raced.insert(a.address);
      }
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

// The writer's group is ordered with the other one and with its own readers before the barrier, and not with the last
// one.
TEST_F(AccessTrackerGroupsTest, AReaderAfterABarrierIsKept) {
  const TestSite flag{4, Atomic, Global, abi::CheckReleases | abi::CheckAcquires | abi::CheckOfDevice};
  const auto readAll = [&] { EXPECT_TRUE(tracker.trackGroup(globalRead, Base, 4, 0, 64, 0, 1)); };
  tracker.enter(1);
  readAll();
  tracker.track(flag, Base + 4096, 4, 0, 1, 0);
  tracker.leave();
  tracker.enter(0);
  readAll();
  tracker.synchronise(abi::CheckOfGlobal);
  tracker.track(flag, Base + 4096, 4, 0, 1, 0);
  tracker.track(globalRead, Base, 4, 0, 1, 5);
  tracker.track(globalWrite, Base, 4, 4, 1, 6);
  tracker.leave();
  ASSERT_EQ(reports.races.size(), 1u);
  EXPECT_EQ(reports.races[0], (Race{3, 1, 0, 5, 0, 6, Base}));
}

TEST_F(AccessTrackerGroupsTest, ANoteOfTheGroupIsThatOfEachWorkItem) {
  tracker.enter(0);
  EXPECT_TRUE(tracker.trackGroup(globalWrite, Base, 4, 4, 16, 256, 4));
  tracker.leave();
  tracker.enter(1);
  constexpr uintptr_t Last = Base + 0x300 + 60;
  tracker.track(globalRead, Last, 4, 4, 0b11, 7);
  tracker.leave();
  ASSERT_EQ(reports.races.size(), 1u);
  EXPECT_EQ(reports.races[0], (Race{1, 3, 0, 63, 1, 7, Last}));
  const TestSite atomic{4, Atomic, Global};
  EXPECT_FALSE(tracker.trackGroup(atomic, Base, 4, 4, 16, 256, 4));
  EXPECT_FALSE(tracker.trackGroup(localWrite, Base, 4, 4, 16, 256, 4));
  EXPECT_FALSE(tracker.trackGroup(globalWrite, Base, 4, 4, 16, 256, 400)) << "more than the work-items of a group";
}

// ---- groups that access local memory alike

/// An access of 16 lanes, or a barrier.
struct Step {
  const TestSite *site = nullptr; // null: a barrier
  uintptr_t pointer = 0;
  int64_t stride = 4;
  uint64_t lanes = AllOf16;
  bool scatters = false;
};

struct LaunchOfGroups {
  Reports reports;
  AccessTracker tracker{{100, 64, true, false}, reports};
  const TestSite read{1, Read, Local}, write{2, Write, Local}, other{3, Write, Local}, count{4, Atomic, Local};

  size_t racesOf(uint64_t group, const std::vector<Step> &steps) {
    reports.races.clear();
    tracker.enter(group);
    for (const Step &step : steps) {
      std::array<uintptr_t, 16> addresses;
      for (size_t lane = 0; lane < 16; ++lane)
        addresses[lane] = step.pointer + uintptr_t(step.stride) * (lane ^ 1);
      if (!step.site)
        tracker.synchronise(abi::CheckOfLocal);
      else if (step.scatters)
        tracker.trackLanes(*step.site, addresses.data(), 4, step.lanes, 0);
      else
        tracker.track(*step.site, step.pointer, 4, step.stride, step.lanes, 0);
    }
    tracker.leave();
    return reports.races.size();
  }
};

struct AccessTrackerPatternTest : testing::Test, LaunchOfGroups {};

TEST_F(AccessTrackerPatternTest, ADifferentGroupIsCompared) {
  const std::vector<Step> right{{&write, Base}, {}, {&read, Base + 4}, {}, {&write, Base}, {&other, Base + 64}};
  for (uint64_t group = 0; group < 3; ++group)
    EXPECT_EQ(racesOf(group, right), 0u);
  std::vector<Step> wrong = right;
  wrong[5].pointer = Base + 60;
  EXPECT_EQ(racesOf(3, wrong), 1u);
  wrong = right;
  wrong[4].pointer = Base + 8;
  EXPECT_EQ(racesOf(4, wrong), 2u);
  wrong = right;
  wrong.erase(wrong.begin() + 1); // no barrier
  EXPECT_EQ(racesOf(5, wrong), 15u);
  EXPECT_EQ(racesOf(6, right), 0u);
  wrong = right;
  wrong.push_back({&read, Base + 4}); // after what the others have accessed
  EXPECT_EQ(racesOf(7, wrong), 16u);
}

TEST_F(AccessTrackerPatternTest, ARaceOfEachGroupIsFoundInEach) {
  const std::vector<Step> steps{{&write, Base}, {}, {&write, Base}, {&read, Base + 4}, {}, {&write, Base, 0}};
  for (uint64_t group = 0; group < 4; ++group) {
    EXPECT_EQ(racesOf(group, steps), 30u);
    for (const Race &race : reports.races)
      EXPECT_EQ(race.firstGroup, group);
  }
}

TEST_F(AccessTrackerPatternTest, ScatteredLanesArePartOfIt) {
  const std::vector<Step> right{{&write, Base, 4, AllOf16, true}, {&read, Base + 64, 4, 0x00f0}, {&write, Base + 64}};
  for (uint64_t group = 0; group < 3; ++group)
    EXPECT_EQ(racesOf(group, right), 0u);
  std::vector<Step> wrong = right;
  wrong[0].pointer = Base + 4;
  EXPECT_EQ(racesOf(3, wrong), 1u);
  wrong = right;
  wrong[2].pointer = Base + 60;
  wrong[2].lanes = 1;
  EXPECT_EQ(racesOf(4, wrong), 1u);
}

TEST_F(AccessTrackerPatternTest, AnAtomicOperationEndsIt) {
  const std::vector<Step> steps{{&write, Base}, {}, {&read, Base}, {&count, Base + 64}, {}, {&write, Base, 0}};
  for (uint64_t group = 0; group < 3; ++group)
    EXPECT_EQ(racesOf(group, steps), 15u);
  std::vector<Step> wrong = steps;
  wrong[3].pointer = Base + 4;
  EXPECT_EQ(racesOf(3, wrong), 15u + 15u);
}

// The groups differ in a few accesses.
TEST_F(AccessTrackerPatternTest, AgreesWithATrackerThatHasSeenNoOtherGroup) {
  std::mt19937 random(5);
  const auto step = [&]() -> Step {
    if (random() % 3 == 0)
      return {};
    return {std::array{&read, &write, &other}[random() % 3], Base + 64 * (random() % 4) + (random() % 20 ? 0 : 4),
            random() % 20 ? 4 : 8, random() % 10 ? AllOf16 : random() & AllOf16, random() % 5 == 0};
  };
  size_t withRace = 0, groups = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<Step> steps(2 + random() % 12);
    for (Step &own : steps)
      own = step();
    for (uint64_t group = 0; group < 8; ++group, ++groups) {
      std::vector<Step> now = steps;
      if (random() % 2)
        now[random() % now.size()] = step();
      LaunchOfGroups fresh; // its sites are others, with the same numbers
      size_t expected = 0;
      std::thread([&] { expected = fresh.racesOf(group, now); }).join(); // this thread keeps its pattern
      ASSERT_EQ(racesOf(group, now), expected) << "round " << round << ", group " << group;
      ASSERT_EQ(reports.races, fresh.reports.races);
      withRace += expected != 0;
    }
  }
  EXPECT_GT(withRace, groups / 10);
  EXPECT_LT(withRace, groups - groups / 10);
}

// ---- memory that was never written

struct AccessTrackerInitTest : testing::TestWithParam<bool> {
  Reports reports;
  AccessTracker tracker{{2, 16, GetParam(), true}, reports};
  const TestSite read{1, Read, Local}, write{2, Write, Local};
  AccessTrackerInitTest() { tracker.enter(0); }
};

TEST_P(AccessTrackerInitTest, WrittenBytesAreDefined) {
  tracker.track(write, Base, 4, 4, AllOf16, 0);
  tracker.synchronise(abi::CheckOfLocal);
  tracker.track(read, Base + 60, 4, -4, AllOf16, 0);
  tracker.leave();
  EXPECT_TRUE(reports.undefinedReads.empty());
}

TEST_P(AccessTrackerInitTest, TheOneThatIsMissingIsFound) {
  tracker.track(write, Base, 4, 4, 0xffdf, 0);
  tracker.synchronise(abi::CheckOfLocal);
  tracker.track(read, Base, 4, 4, AllOf16, 0);
  tracker.leave();
  ASSERT_EQ(reports.undefinedReads.size(), 1u);
  EXPECT_EQ(reports.undefinedReads[0], std::tuple(uint16_t(1), uint64_t(5), Base + 20));
}

TEST_P(AccessTrackerInitTest, AReadBeforeTheWriteIsFound) {
  tracker.track(read, Base, 4, 4, AllOf16, 0);
  tracker.track(write, Base, 4, 4, AllOf16, 0);
  tracker.leave();
  EXPECT_EQ(reports.undefinedReads.size(), 16u);
}

TEST_P(AccessTrackerInitTest, AnotherGroupHasWrittenNothing) {
  tracker.track(write, Base, 4, 4, AllOf16, 0);
  tracker.leave();
  tracker.enter(1);
  tracker.track(read, Base, 4, 4, AllOf16, 0);
  tracker.leave();
  EXPECT_EQ(reports.undefinedReads.size(), 16u);
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutRaces, AccessTrackerInitTest, testing::Bool());

} // namespace
} // namespace kiln::check
