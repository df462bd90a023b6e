#include "tests/runtime/check/AccessTrackerTest.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <thread>

namespace kiln::check {
namespace {

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
