// KILN_BUILD_MEMORY limits all the processes that compile the parts of one program together.
#include "backends/cpu/codegen/MemoryShare.h"
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kiln {
namespace {

constexpr uint64_t MiB = 1 << 20;

TEST(MemoryShare, AllSharesAreWhatIsLeft) {
  uint64_t left = 1000 * MiB;
  EXPECT_EQ(memoryShare(left, 1, 5, 5), left);
  EXPECT_EQ(memoryShare(left, 2, 3, 4), 250 * MiB + 375 * MiB);
  EXPECT_EQ(memoryShare(left, 2, 1, 4), 250 * MiB + 125 * MiB);
  uint64_t sum = 0;
  for (uint64_t work : {1, 10, 100, 889})
    sum += memoryShare(left, 4, work, 1000);
  EXPECT_LE(sum, left);
  EXPECT_GE(sum, left - MiB);
}

TEST(MemoryShare, SmallPartsGetMemoryAsWell) { EXPECT_GE(memoryShare(4096 * MiB, 16, 0, 1000), 128 * MiB); }

/// How many MiB the process can still map.
unsigned mappable() {
  unsigned count = 0;
  while (count < 1000 && mmap(nullptr, MiB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
    ++count;
  return count;
}

/// Runs the function in a process that may grow by 200 MiB.
template <typename Function> int inLimitedProcess(Function function) {
  pid_t process = fork();
  if (process == 0) {
    rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
    if (memoryLeft())
      _exit(1); // no limit, so nothing to divide
    GrowthLimit all(200 * MiB);
    _exit(function());
  }
  int status = -1;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(MemoryShare, AProcessGrowsByItsShareOnly) {
  EXPECT_EQ(inLimitedProcess([] {
              uint64_t left = memoryLeft().value_or(0);
              if (left < 195 * MiB || left > 201 * MiB) // memory that reading the size used may be free again
                return 2;
              GrowthLimit share(50 * MiB);
              unsigned grown = mappable();
              return grown >= 45 && grown <= 50 ? 0 : 3;
            }),
            0);
}

TEST(MemoryShare, TheLimitBeforeReturns) {
  EXPECT_EQ(inLimitedProcess([] {
              {
                GrowthLimit share(50 * MiB);
              }
              unsigned grown = mappable();
              return grown >= 190 && grown <= 200 ? 0 : 2;
            }),
            0);
}

TEST(MemoryShare, AShareIsNotMoreThanIsLeft) {
  EXPECT_EQ(inLimitedProcess([] {
              GrowthLimit share(1000 * MiB);
              return mappable() <= 200 ? 0 : 2;
            }),
            0);
}

} // namespace
} // namespace kiln
