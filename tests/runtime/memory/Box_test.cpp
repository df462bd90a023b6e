#include "runtime/memory/Box.h"
#include <bitset>
#include <gtest/gtest.h>
#include <random>

using namespace kiln;

namespace {

using Memory = std::bitset<4096>;

struct Some {
  BoxLayout layout;
  Extent extent;
};

/// Its bytes, one at a time.
Memory bytesOf(const Some &box) {
  Memory memory;
  const size_t row = box.layout.rowPitch ? box.layout.rowPitch : box.extent[0];
  const size_t slice = box.layout.slicePitch ? box.layout.slicePitch : row * box.extent[1];
  for (size_t z = 0; z < box.extent[2]; ++z)
    for (size_t y = 0; y < box.extent[1]; ++y)
      for (size_t x = 0; x < box.extent[0]; ++x)
        memory.set(box.layout.offset + z * slice + y * row + x);
  return memory;
}

Some randomBox(std::mt19937 &random) {
  auto upTo = [&](size_t most) { return 1 + random() % most; };
  Some box{{random() % 200, 0, 0}, {upTo(9), upTo(6), upTo(5)}};
  if (random() % 3)
    box.layout.rowPitch = box.extent[0] + random() % 9;
  const size_t row = box.layout.rowPitch ? box.layout.rowPitch : box.extent[0];
  if (random() % 3)
    box.layout.slicePitch = row * box.extent[1] + random() % 20;
  return box;
}

} // namespace

TEST(Box, OverlapIsOfBytes) {
  std::mt19937 random(1);
  size_t disjoint = 0, inGaps = 0;
  for (int round = 0; round < 50'000; ++round) {
    const Some a = randomBox(random), b = randomBox(random);
    const Memory aBytes = bytesOf(a), bBytes = bytesOf(b);
    const bool expected = (aBytes & bBytes).any();
    ASSERT_EQ(overlap(a.layout, a.extent, b.layout, b.extent), expected) << round;
    const BoxRows aRows(a.layout, a.extent), bRows(b.layout, b.extent);
    disjoint += !expected;
    inGaps += !expected && aRows.begin < bRows.end() && bRows.begin < aRows.end();
  }
  EXPECT_GT(disjoint, 1000u);
  EXPECT_GT(inGaps, 500u) << "the case that is hard";
}

TEST(Box, RowsAreItsBytes) {
  std::mt19937 random(2);
  for (int round = 0; round < 20'000; ++round) {
    const Some box = randomBox(random);
    const Memory expected = bytesOf(box);
    Memory found;
    forEachRow(box.layout, box.extent, [&](size_t begin, size_t end) {
      for (size_t at = begin; at < end; ++at)
        found.set(at);
    });
    ASSERT_EQ(found, expected) << round;
    const BoxRows rows(box.layout, box.extent);
    EXPECT_EQ(rows.isContiguous(), isContiguous(box.layout, box.extent)) << round;
    EXPECT_EQ(rows.isContiguous(), expected.count() == rows.end() - rows.begin) << round;
  }
}
