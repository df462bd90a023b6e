// Copies that several threads divide.
#include "backends/gpu/driver/HostCopy.h"
#include "backends/gpu/driver/Staging.h"
#include "base/support/Futex.h"
#include "tests/backends/gpu/GpuTest.h"
#include <algorithm>
#include <filesystem>
#include <thread>

namespace kiln {
namespace {

void copyAndCompare(size_t bytes, unsigned seed) {
  const std::vector<std::byte> from = randomBytes(bytes, seed);
  for (const gpu::NextReader reader : {gpu::NextReader::Host, gpu::NextReader::Device})
    for (const size_t before : {size_t(0), size_t(13)}) { // aligned or not
      std::vector<std::byte> to(before + bytes + 1, std::byte(0xee));
      gpu::copyHost(to.data() + before, from.data(), bytes, reader);
      ASSERT_TRUE(std::equal(from.begin(), from.end(), to.begin() + ptrdiff_t(before))) << bytes;
      ASSERT_EQ(to.back(), std::byte(0xee)) << bytes;
      ASSERT_EQ(std::count(to.begin(), to.begin() + ptrdiff_t(before), std::byte(0xee)), ptrdiff_t(before));
    }
}

size_t threadsOfProcess() {
  size_t count = 0;
  for ([[maybe_unused]] const auto &thread : std::filesystem::directory_iterator("/proc/self/task"))
    ++count;
  return count;
}

/// Copies a chunk of a row; returns true if that started threads.
bool startsHelpers(bool toHost) {
  constexpr size_t Row = 8 << 20, Chunk = 512 << 10;
  std::vector<std::byte> row(Row), chunk(Chunk);
  const size_t before = threadsOfProcess();
  const gpu::HostRows rows{row.data() + Chunk, Row, Chunk, 1};
  toHost ? gpu::scatter(rows, chunk.data()) : gpu::gather(chunk.data(), rows);
  return threadsOfProcess() > before;
}

} // namespace

// A large transfer is one row, and each of its chunks is a part of that row. The test runs in a separate process,
// because an earlier copy would have started the helpers.
TEST(GpuHostCopyDeathTest, ChunksOfOneRowAreDivided) {
  if (processorCount() == 1)
    GTEST_SKIP() << "one processor: there are no helpers";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(startsHelpers(false) ? 0 : 1), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(std::exit(startsHelpers(true) ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST(GpuHostCopy, AnySize) {
  for (size_t bytes : {size_t(0), size_t(1), size_t(4096), size_t(256) << 10, (size_t(256) << 10) - 1,
                       (size_t(256) << 10) + 1, (size_t(512) << 10) + 77, size_t(3) << 20})
    copyAndCompare(bytes, unsigned(bytes));
}

// One copy has the helpers, the others do without.
TEST(GpuHostCopy, FromManyThreads) {
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 4; ++thread)
    threads.emplace_back([thread] {
      for (unsigned i = 0; i < 20; ++i)
        copyAndCompare((size_t(256) << 10) + size_t(i) * 10007, thread * 100 + i);
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace kiln
