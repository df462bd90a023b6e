// Copies that several threads divide.
#include "backends/gpu/driver/HostCopy.h"
#include "tests/backends/gpu/GpuTest.h"
#include <thread>

namespace kiln {
namespace {

void copyAndCompare(size_t bytes, unsigned seed) {
  const std::vector<std::byte> from = randomBytes(bytes, seed);
  std::vector<std::byte> to(bytes + 1, std::byte(0xee));
  gpu::copyHost(to.data(), from.data(), bytes);
  ASSERT_TRUE(std::equal(from.begin(), from.end(), to.begin())) << bytes;
  ASSERT_EQ(to.back(), std::byte(0xee)) << bytes;
}

} // namespace

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
        copyAndCompare((size_t(256) << 10) + i * 10007, thread * 100 + i);
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace kiln
