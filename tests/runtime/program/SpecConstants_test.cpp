#include "runtime/program/SpecConstants.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace kiln;

namespace {

using Words = std::vector<uint32_t>;

wire::Bytes bytesOf(const Words &words) {
  auto *first = reinterpret_cast<const uint8_t *>(words.data());
  return {first, first + words.size() * 4};
}
uint32_t head(uint32_t opcode, uint32_t count) { return count << 16 | opcode; }
uint32_t wordOf(const wire::Bytes &bytes, size_t index) {
  uint32_t word;
  std::memcpy(&word, bytes.data() + index * 4, sizeof word);
  return word;
}

/// Constants with ids 7 (32 bits), 8 (64 bits), 9 (true), and one without an id.
const Words Module = {
    0x07230203,  0x00010000, 0,  20,         0, // header
    head(71, 4), 10,         1,  7,             // 5: decorations
    head(71, 4), 11,         1,  8,             // 9
    head(71, 4), 12,         1,  9,             // 13
    head(50, 4), 2,          10, 0x11111111,    // 17: constants
    head(50, 5), 3,          11, 1,          2, // 21
    head(48, 3), 4,          12,                // 26
    head(50, 4), 2,          13, 0x22222222,    // 29
};

} // namespace

TEST(SpecConstants, AreWrittenToTheirInstructions) {
  wire::Bytes done = withConstants(bytesOf(Module), {{7, {1, 2, 3, 4}}, {8, {8, 7, 6, 5, 4, 3, 2, 1}}, {9, {0}}});
  EXPECT_EQ(wordOf(done, 20), 0x04030201u);
  EXPECT_EQ(wordOf(done, 24), 0x05060708u);
  EXPECT_EQ(wordOf(done, 25), 0x01020304u);
  EXPECT_EQ(wordOf(done, 26), head(49, 3));
  EXPECT_EQ(wordOf(done, 32), 0x22222222u) << "without a number";
  EXPECT_EQ(wordOf(withConstants(done, {{9, {2}}}), 26), head(48, 3)) << "anything but 0 is true";
}

TEST(SpecConstants, ShorterThanAWord) {
  wire::Bytes done = withConstants(bytesOf(Module), {{7, {0xfe, 0xff}}});
  EXPECT_EQ(wordOf(done, 20), 0x0000fffeu);
}

TEST(SpecConstants, NoneChangesNothing) {
  EXPECT_EQ(withConstants(bytesOf(Module), {}), bytesOf(Module));
  EXPECT_EQ(withConstants(bytesOf(Module), {{1, {1, 1, 1, 1}}}), bytesOf(Module));
}

TEST(SpecConstants, DamagedModules) {
  const std::vector<protocol::SpecConstant> constants = {{7, wire::Bytes(64, 0xee)}, {8, {1}}, {9, {1}}};
  wire::Bytes whole = bytesOf(Module);
  for (size_t size = 0; size <= whole.size(); ++size)
    EXPECT_EQ(withConstants({whole.begin(), whole.begin() + ptrdiff_t(size)}, constants).size(), size);
  // Within an instruction that has a number: the rest of it stays as it is.
  for (size_t word : {20u, 24u, 28u}) {
    const wire::Bytes cut(whole.begin(), whole.begin() + ptrdiff_t(word * 4));
    const wire::Bytes changed = withConstants(cut, {{7, {1}}, {8, {1}}, {9, {0}}});
    const size_t start = word == 20 ? 17 : word == 24 ? 21 : 26;
    EXPECT_TRUE(std::equal(changed.begin() + ptrdiff_t(start * 4), changed.end(), cut.begin() + ptrdiff_t(start * 4)));
  }
  for (size_t word = 5; word < Module.size(); ++word)
    for (uint32_t other : {0u, 1u, 0xffffu, 0xffff0000u, 0xffffffffu, head(50, 3), head(50, 200), head(71, 2)}) {
      Words bad = Module;
      bad[word] = other;
      EXPECT_EQ(withConstants(bytesOf(bad), constants).size(), whole.size());
    }
}
