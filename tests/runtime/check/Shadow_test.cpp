#include "runtime/check/GlobalShadow.h"
#include "runtime/check/PendingAccesses.h"
#include "runtime/check/ShadowRows.h"
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace kiln::check {
namespace {

TEST(ShadowPage, IsEmptyWhenItIsUsedAgain) {
  for (int round = 0; round < 3; ++round) {
    ShadowPage *page = ShadowPage::acquire(2);
    ASSERT_NE(page, nullptr);
    EXPECT_EQ(page->count, 1024u);
    EXPECT_EQ(uintptr_t(page->writes()) % 64, 0u);
    for (uint32_t i = 0; i < page->count; ++i) {
      ASSERT_EQ(page->writes()[i], 0u);
      ASSERT_EQ(page->reads()[i], 0u);
      ASSERT_EQ(page->otherReads()[i], 0u);
      page->writes()[i] = page->reads()[i] = page->otherReads()[i] = 7;
    }
    ShadowPage::release(page);
  }
}

TEST(ShadowPage, HasNoGranulesOfSixteenBytes) { EXPECT_EQ(ShadowPage::acquire(4), nullptr); }

TEST(GlobalShadow, HasOnePageForAnAddress) {
  GlobalShadow shadow;
  RowPage *page = shadow.page(5, 2);
  ASSERT_NE(page, nullptr);
  EXPECT_EQ(shadow.page(5, 2), page);
  EXPECT_NE(shadow.page(6, 2), page);
  EXPECT_EQ(shadow.page(5, 3), nullptr) << "other granules";
}

TEST(GlobalShadow, RowsAreOfSixteenGranules) {
  GlobalShadow shadow;
  RowPage *page = shadow.page(5, 2);
  const uintptr_t begin = uintptr_t(5) << RowPage::AddressBits;
  EXPECT_EQ(&page->row(begin), &page->row(begin + 63));
  EXPECT_EQ(&page->row(begin) + 1, &page->row(begin + 64));
  EXPECT_EQ(&page->row(begin) + 255, &page->row(begin + (uintptr_t(1) << RowPage::AddressBits) - 1));
  EXPECT_EQ(uintptr_t(&page->row(begin)) % 64, 0u);
}

TEST(GlobalShadow, ADividedRowHasTheCellsOfItsMaps) {
  GlobalShadow shadow;
  RowPage *page = shadow.page(5, 2);
  ShadowRow &row = page->row(uintptr_t(5) << RowPage::AddressBits);
  const Cell write = Cell(100) << 32 | 8, read = Cell(7) << 32 | 4, otherRead = Cell(300) << 32 | 4;
  row.cells = {write, read, otherRead, 99};
  row.masks = {0x00ff, 0x8003, 0x0002, 0};
  row.shifts = {1, 0, 4, 0};
  row.writes = 1 | 8;
  ASSERT_TRUE(page->divide(row));
  EXPECT_EQ(row.own->writes[0], write);
  EXPECT_EQ(row.own->writes[7], write + 3 * ShadowRow::Step);
  EXPECT_EQ(row.own->writes[8], 0u);
  EXPECT_EQ(row.own->reads[0], read);
  EXPECT_EQ(row.own->reads[15], read + 15 * ShadowRow::Step);
  EXPECT_EQ(row.own->otherReads[1], otherRead);
  EXPECT_EQ(row.own->otherReads[0], 0u);
}

// ---- rows: the same as one cell after the other

template <typename Rows> struct Reference;
template <> struct Reference<LocalRows> {
  static constexpr Cell Step = Cell(1) << 16;
  static Cell barrier(Cell time) { return time << 32; }
  static Cell cell(Cell group, Cell time, Cell item) { return (time + (group != 1 ? 100 : 0)) << 32 | item << 16 | 8; }
  static bool isRight(Cell cell, Cell mine, Cell barrier) {
    return cell < barrier || (cell >> 16 & 0xffff) == (mine >> 16 & 0xffff);
  }
};
template <typename Rows> struct ShadowRowsTest : testing::Test {};
TYPED_TEST_SUITE(ShadowRowsTest, testing::Types<LocalRows>);

TYPED_TEST(ShadowRowsTest, AreAsSingleCells) {
  using Expected = Reference<TypeParam>;
  std::mt19937_64 random(3);
  int right = 0, seconds = 0;
  for (int round = 0; round < 20000; ++round) {
    const unsigned count = 1 + random() % 64;
    const Cell first = random() % (65 - count);
    const CellRow row{count, random() | (random() % 2 ? ~uint64_t(0) : 0), Expected::cell(1, 9, first),
                      Expected::barrier(9)};
    const bool isMixed = random() % 2;
    std::vector<Cell> cells(count), others(count);
    for (unsigned i = 0; i < count; ++i) {
      const Cell kind = random() % (isMixed ? 40 : 3);
      cells[i] = kind == 0   ? 0
                 : kind == 4 ? Expected::cell(1, 9, random() % 64)
                 : kind == 5 ? Expected::cell(2, 3, random() % 64)
                 : kind < 8  ? Expected::cell(1, 3, random() % 64)
                             : Expected::cell(1, 9, first + i);
    }
    bool isRight = true, hasSecond = false;
    std::vector<Cell> set = cells, readers = cells, otherReaders = others;
    for (unsigned i = 0; i < count; ++i) {
      const Cell mine = row.mine + i * Expected::Step;
      if (!(row.lanes >> i & 1))
        continue;
      const bool isOwnRight = Expected::isRight(cells[i], mine, row.barrier);
      isRight = isRight && isOwnRight;
      set[i] = mine;
      (isOwnRight ? readers : otherReaders)[i] = mine;
      hasSecond = hasSecond || !isOwnRight;
    }
    ASSERT_EQ(TypeParam::areRight(cells.data(), row), isRight);
    std::vector<Cell> madeSet = cells;
    TypeParam::set(madeSet.data(), row);
    ASSERT_EQ(madeSet, set);
    std::vector<Cell> madeReaders = cells, madeOthers = others;
    TypeParam::addReaders(madeReaders.data(), madeOthers.data(), row);
    ASSERT_EQ(madeReaders, readers);
    ASSERT_EQ(madeOthers, otherReaders);
    right += isRight, seconds += hasSecond;
  }
  EXPECT_GT(right, 1000);
  EXPECT_GT(seconds, 1000);
}

// Lanes count in elements of a page, and some in elements of another one or at no multiple of an element.
TEST(LocalRows, RepeatedAtomicsAreAsSingleCells) {
  constexpr uintptr_t Begin = 0x7000;
  constexpr Cell Now = 9, Before = 8, Barrier = Cell(9) << 32;
  const auto cellOf = [](Cell time, Cell item, Cell site, AtomicScope scope) {
    return time << 32 | item << 16 | site << 2 | scope;
  };
  std::mt19937_64 random(4);
  size_t repeated = 0, others = 0, outside = 0;
  for (const unsigned granule : {0u, 2u, 3u}) {
    ShadowPage *page = ShadowPage::acquire(granule);
    ASSERT_NE(page, nullptr);
    for (int round = 0; round < 3000; ++round) {
      const Cell mine = cellOf(Now, random() % 64, 3, random() % 8 ? AtomicInGroup : AtomicInDevice);
      const unsigned count = 1 + unsigned(random() % 64), used = 1 + unsigned(random() % 40);
      for (unsigned i = 0; i < used; ++i) {
        page->writes()[i] = cellOf(random() % 16 ? Now : Before, random() % 64, random() % 5,
                                   random() % 16 ? AtomicInGroup : NotAtomic);
        page->reads()[i] = cellOf(random() % 16 ? Before : Now, 1, 2, NotAtomic);
        page->otherReads()[i] = cellOf(random() % 16 ? Before : Now, 1, 2, NotAtomic);
      }
      std::array<uintptr_t, 64> pointers{};
      for (uintptr_t &pointer : pointers) {
        pointer = Begin + ((random() % used) << granule) + (random() % 30 ? 0 : 1);
        pointer += random() % 20 ? 0 : random() % 2 ? ShadowPage::Bytes : -ShadowPage::Bytes;
      }
      const LaneSets found = LocalRows::repeatedAtomics(*page, {pointers.data(), count, Begin, granule, mine, Barrier});
      for (unsigned i = 0; i < count; ++i) {
        const uintptr_t offset = pointers[i] - Begin, at = offset >> granule;
        const bool isIn = offset < ShadowPage::Bytes;
        ASSERT_EQ(found.inPage >> i & 1, uint64_t(isIn));
        const bool isRepeated = isIn && offset % (uintptr_t(1) << granule) == 0 && page->writes()[at] >> 32 == Now &&
                                atomicOf(page->writes()[at]) == atomicOf(mine) && page->reads()[at] < Barrier &&
                                page->otherReads()[at] < Barrier;
        ASSERT_EQ(found.repeated >> i & 1, uint64_t(isRepeated));
        ++(!isIn ? outside : isRepeated ? repeated : others);
      }
    }
    ShadowPage::release(page);
  }
  EXPECT_GT(repeated, 10000u);
  EXPECT_GT(others, 10000u);
  EXPECT_GT(outside, 10000u);
}

// ---- accesses that wait

const abi::CheckSite Read{1, 1, -1, 0, 3, 1, 2, 0, 0, 0}, Write{2, 1, -1, 1, 3, 2, 2, 0, 0, 0};

struct PendingAccessesTest : testing::Test {
  using Added = PendingAccesses::Added;
  PendingAccesses pending;
  PendingAccessesTest() { EXPECT_TRUE(pending.resize(256, false)); }
};

TEST_F(PendingAccessesTest, OneEntryForOneMap) {
  EXPECT_EQ(pending.add(Read, 0x1000, 4, 4, 0xffff, 0), Added::AsEntry);
  EXPECT_EQ(pending.add(Read, 0x1100, 4, 4, 0xffff, 64), Added::ToEntry);
  EXPECT_EQ(pending.add(Read, 0x1040, 4, 4, 0x0001, 16), Added::ToEntry);
  EXPECT_EQ(pending.add(Write, 0x1000, 4, 4, 0xffff, 0), Added::AsEntry);
  ASSERT_EQ(pending.entries().size(), 2u);
  const auto &entry = pending.entries()[0];
  EXPECT_EQ(entry.first, 0u);
  EXPECT_EQ(entry.end, 80u);
  EXPECT_EQ(pending.itemsOf(entry)[0], 0x1ffffu);
  EXPECT_EQ(pending.itemsOf(entry)[1], 0xffffu);
  EXPECT_EQ(entry.lowest(), 0x1000u);
  EXPECT_EQ(entry.highest(), 0x1000u + 4 * 80);
}

TEST_F(PendingAccessesTest, LanesMayCrossAWord) {
  pending.add(Read, 0x1000, 4, 4, 0xffff, 56);
  EXPECT_EQ(pending.itemsOf(pending.entries()[0])[0], uint64_t(0xff) << 56);
  EXPECT_EQ(pending.itemsOf(pending.entries()[0])[1], 0xffu);
}

TEST_F(PendingAccessesTest, MapsThatAlternateHaveOneEntryEach) {
  for (uint64_t item = 0; item < 64; item += 16)
    for (uintptr_t k = 0; k < 100; ++k)
      pending.add(Read, 0x1000 + 4 * k, 4, 0, 0xffff, item);
  EXPECT_EQ(pending.entries().size(), 100u);
}

TEST_F(PendingAccessesTest, ScalarCodeHasTheStrideOfItsFirstTwoWorkItems) {
  for (uint64_t item = 3; item < 20; ++item)
    pending.add(Read, 0x1000 + 12 * item, 4, 0, 1, item);
  ASSERT_EQ(pending.entries().size(), 1u);
  EXPECT_EQ(pending.entries()[0].stride, 12);
  EXPECT_EQ(pending.entries()[0].base, 0x1000u);
}

TEST_F(PendingAccessesTest, IsFullAtSomeTime) {
  for (uintptr_t k = 0; k < PendingAccesses::MostEntries; ++k)
    ASSERT_EQ(pending.add(Read, 0x1000 + 64 * k, 4, 4, 0xffff, 0), Added::AsEntry);
  EXPECT_EQ(pending.add(Read, 0x100000, 4, 4, 0xffff, 0), Added::No);
  EXPECT_EQ(pending.add(Read, 0x1000, 4, 4, 0xffff, 16), Added::No) << "another map";
  pending.clear();
  EXPECT_EQ(pending.add(Read, 0x100000, 4, 4, 0xffff, 0), Added::AsEntry);
}

TEST_F(PendingAccessesTest, WorkItemsOutsideOfTheGroupHaveNoRoom) {
  EXPECT_EQ(pending.add(Read, 0x1000, 4, 4, 0xffff, 4096), Added::No);
}

TEST_F(PendingAccessesTest, OverlapsAreExactForOneStride) {
  pending.add(Write, 0x1000, 4, 8, 0xffff, 0);
  pending.add(Read, 0x1004, 4, 8, 0xffff, 0);
  EXPECT_FALSE(pending.mayConflict());
  pending.add(Read, 0x1002, 4, 8, 0xffff, 0); // own bytes, and none of others
  EXPECT_FALSE(pending.mayConflict());
  pending.add(Read, 0x1006, 4, 8, 0xffff, 0); // the next one's
  EXPECT_TRUE(pending.mayConflict());
}

TEST_F(PendingAccessesTest, OverlapsAreOfWorkItemsInTheSets) {
  pending.add(Write, 0x1000, 4, 4, 0x5555, 0);
  pending.add(Read, 0x1004, 4, 4, 0x5555, 0); // odd elements
  EXPECT_FALSE(pending.mayConflict());
  pending.add(Read, 0x1004, 4, 4, 0x0002, 0);
  EXPECT_TRUE(pending.mayConflict());
}

TEST_F(PendingAccessesTest, NegativeStrides) {
  pending.add(Write, 0x1100, 4, -4, 0xffff, 0);
  EXPECT_EQ(pending.entries()[0].lowest(), 0x1100u - 60);
  EXPECT_EQ(pending.entries()[0].highest(), 0x1104u);
  EXPECT_FALSE(pending.mayConflict());
  EXPECT_TRUE(pending.mayAccess(0x1103, 0x1104));
  EXPECT_FALSE(pending.mayAccess(0x1104, 0x1200));
  pending.add(Read, 0x10fc, 4, -4, 0xffff, 0);
  EXPECT_TRUE(pending.mayConflict());
}

struct PendingRowsTest : testing::Test {
  using Added = PendingAccesses::Added;
  PendingAccesses pending;
  PendingRowsTest() { EXPECT_TRUE(pending.resize(256, true)); }
  std::multiset<std::pair<uint64_t, uintptr_t>> accesses() const {
    std::multiset<std::pair<uint64_t, uintptr_t>> all;
    for (const auto &entry : pending.entries())
      pending.forEachRun(
          entry,
          [&](uintptr_t pointer, uint64_t lanes, uint64_t item) {
            for (uint64_t lane = 0; lane < 64; ++lane)
              if (lanes >> lane & 1)
                all.emplace(item + lane, pointer + uintptr_t(entry.stride) * lane);
          },
          [](uintptr_t) { return false; });
    return all;
  }
};

TEST_F(PendingRowsTest, OneEntryForRowsOfOnePitch) {
  for (uint64_t row = 0; row < 8; ++row)
    for (uint64_t x = 0; x < 32; x += 16)
      EXPECT_EQ(pending.add(Write, 0x1000 + 400 * row + 4 * x, 4, 4, 0xffff, 32 * row + x),
                row || x ? Added::ToEntry : Added::AsEntry);
  ASSERT_EQ(pending.entries().size(), 1u);
  EXPECT_EQ(pending.entries()[0].lowest(), 0x1000u);
  EXPECT_EQ(pending.entries()[0].highest(), 0x1000u + 7 * 400 + 32 * 4);
  EXPECT_EQ(accesses().size(), 256u);
  EXPECT_TRUE(accesses().contains({32 * 5 + 7, 0x1000 + 400 * 5 + 4 * 7}));
}

// A line with several accesses is one site.
TEST_F(PendingRowsTest, AlternatingAccessesOfASiteHaveOneEntryEach) {
  for (uint64_t row = 0; row < 8; ++row) {
    pending.add(Write, 0x1000 + 400 * row, 4, 0, 0xffff, 16 * row);
    pending.add(Write, 0x8000, 4, 4, 0xffff, 16 * row);
    pending.add(Write, 0x9000 + 400 * row, 4, 4, 0xffff, 16 * row);
  }
  EXPECT_EQ(pending.entries().size(), 3u);
  EXPECT_EQ(accesses().size(), 3u * 128);
  pending.clear();
  for (uint64_t item = 0; item < 32; ++item)
    for (uintptr_t base : {0x1000, 0x2000, 0x5000})
      pending.add(Write, base + 8 * item, 4, 0, 1, item);
  EXPECT_EQ(pending.entries().size(), 3u);
}

TEST_F(PendingRowsTest, OfRowsThatReadTheSameBytesTwoAreKept) {
  for (uint64_t row = 0; row < 8; ++row)
    pending.add(Read, 0x1000, 4, 4, row == 1 ? 0xfffe : row == 7 ? 0x1 : 0xffff, 16 * row);
  ASSERT_EQ(pending.entries().size(), 1u);
  EXPECT_EQ(accesses().size(), 16u + 15 + 6); // element 0 has other readers than those of rows 0 and 1
}

TEST_F(PendingRowsTest, AnEntryMayBeOfAllRows) {
  EXPECT_TRUE(pending.addRows(Write, 0x1000, 4, 4, 16, 400, 8));
  EXPECT_EQ(pending.add(Write, 0x1000, 4, 4, 0xffff, 0), Added::AsEntry);
  ASSERT_EQ(pending.entries().size(), 2u);
  EXPECT_EQ(pending.entries()[0].highest(), 0x1000u + 7 * 400 + 16 * 4);
  EXPECT_EQ(accesses().size(), 128u + 16);
  EXPECT_TRUE(accesses().contains({16 * 5 + 7, 0x1000 + 400 * 5 + 4 * 7}));
}

TEST_F(PendingRowsTest, RowsWithoutADistanceAreOne) {
  EXPECT_TRUE(pending.addRows(Write, 0x1000, 4, 4, 16, 64, 8)); // adjacent
  EXPECT_TRUE(pending.addRows(Write, 0x2000, 4, 99, 1, 12, 8)); // columns
  EXPECT_TRUE(pending.addRows(Write, 0x3000, 4, -4, 100, 99, 1));
  for (const auto &entry : pending.entries())
    EXPECT_EQ(entry.rowItems, 0u);
  EXPECT_EQ(accesses().size(), 128u + 8 + 100);
  EXPECT_TRUE(accesses().contains({7, 0x2000 + 12 * 7}));
  EXPECT_TRUE(accesses().contains({99, 0x3000 - 4 * 99}));
}

TEST_F(PendingRowsTest, RowsThatAreTooLongHaveNoEntry) {
  EXPECT_FALSE(pending.addRows(Write, 0x1000, 4, 4, 16, 400, 17));
  EXPECT_FALSE(pending.addRows(Write, 0x1000, 4, 4, uint64_t(1) << 63, 400, 2));
  EXPECT_FALSE(pending.addRows(Write, 0x1000, 4, int64_t(1) << 50, 16, 400, 2));
  EXPECT_FALSE(pending.addRows(Write, 0x1000, 4, 4, 16, int64_t(1) << 62, 2));
  EXPECT_FALSE(pending.addRows(Write, 0x1000, 8192, 4, 16, 400, 2));
  EXPECT_FALSE(pending.addRows(Write, 0x1000, 4, 4, 0, 400, 2));
  EXPECT_TRUE(pending.empty());
}

// What entries have is what was added, each access as often as once.
TEST_F(PendingRowsTest, EntriesAreExact) {
  std::mt19937 random(3);
  size_t withRows = 0;
  for (int round = 0; round < 3000; ++round) {
    pending.clear();
    std::set<std::pair<uint64_t, uintptr_t>> expected;
    const uint64_t width = 1 + random() % 40;
    const int64_t stride = std::array{4, 8, 0, -4, 12}[random() % 5], pitch = 4 * int64_t(random() % 200) - 100;
    for (int k = 0; k < 24; ++k) {
      uint64_t item = random() % 5 ? uint64_t(k) * width : random() % 240;
      const uint64_t lanes =
          (random() % 3 ? ~uint64_t(0) : random()) & ((uint64_t(1) << std::min<uint64_t>(16, width)) - 1);
      uintptr_t pointer = 0x10000 + uintptr_t(pitch) * (item / width) + uintptr_t(stride) * (item % width);
      if (random() % 8 == 0)
        pointer += 4;
      if (item >= 240 || !lanes)
        continue;
      ASSERT_NE(pending.add(Write, pointer, 4, lanes == 1 ? 0 : stride, lanes, item), Added::No);
      for (uint64_t lane = 0; lane < 16; ++lane)
        if (lanes >> lane & 1)
          expected.emplace(item + lane, pointer + uintptr_t(stride) * lane);
    }
    const auto found = accesses();
    ASSERT_EQ(std::set(found.begin(), found.end()), expected) << "round " << round;
    for (const auto &entry : pending.entries())
      withRows += entry.rows > 2;
    for (const auto &[item, pointer] : found)
      ASSERT_TRUE(pending.mayAccess(pointer, pointer + 1));
  }
  EXPECT_GT(withRows, 1000u);
}

} // namespace
} // namespace kiln::check
