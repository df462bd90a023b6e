#include "backends/cpu/driver/Machine.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace kiln::cpu;
namespace fs = std::filesystem;

namespace {

/// A folder in the place of the machine's root.
class Cgroup : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "kiln-cgroup-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
  }
  void TearDown() override { fs::remove_all(root); }
  void write(const std::string &path, const std::string &text) {
    fs::create_directories(fs::path(root + path).parent_path());
    std::ofstream(root + path) << text << "\n";
  }
  std::string root;
};

} // namespace

TEST_F(Cgroup, MissingFilesAreNoLimit) {
  EXPECT_FALSE(cgroupLimits(root).processors);
  EXPECT_FALSE(cgroupLimits(root).memory);
}

// The lowest of the group's own limits and its ancestors'.
TEST_F(Cgroup, VersionTwoAndItsParents) {
  write("/proc/self/cgroup", "0::/a/b");
  write("/sys/fs/cgroup/a/b/cpu.max", "max 100000");
  write("/sys/fs/cgroup/a/cpu.max", "250000 100000");
  write("/sys/fs/cgroup/a/b/memory.max", "1073741824");
  write("/sys/fs/cgroup/a/memory.max", "max");
  EXPECT_EQ(cgroupLimits(root).processors, 3u) << "two and a half";
  EXPECT_EQ(cgroupLimits(root).memory, 1u << 30);
}

TEST_F(Cgroup, VersionOne) {
  write("/proc/self/cgroup", "4:memory:/m\n3:cpu,cpuacct:/c");
  write("/sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "50000");
  write("/sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us", "100000");
  write("/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(cgroupLimits(root).processors, 1u);
  EXPECT_FALSE(cgroupLimits(root).memory) << "that number means none";
}

TEST_F(Cgroup, AvailableIsWhatTheSystemHas) {
  EXPECT_FALSE(availableBytes(root)) << "it does not say";
  write("/proc/meminfo", "MemTotal:       100 kB\nMemAvailable:        40 kB\nSwapTotal:  8 kB\nSwapFree:  2 kB");
  EXPECT_EQ(availableBytes(root), 42u << 10);
}

// The group's own available memory, if it is less: page cache counts as available.
TEST_F(Cgroup, AvailableIsWhatEachGroupHasLeft) {
  write("/proc/meminfo", "MemAvailable:        4096 kB\nSwapFree:  0 kB");
  write("/proc/self/cgroup", "0::/a/b");
  write("/sys/fs/cgroup/a/b/memory.max", "max");
  write("/sys/fs/cgroup/a/memory.max", "1000000");
  write("/sys/fs/cgroup/a/memory.current", "900000");
  write("/sys/fs/cgroup/a/memory.stat", "anon 700000\nfile 200000\ninactive_file 150000\nactive_file 50000");
  EXPECT_EQ(availableBytes(root), 300000u);
  write("/sys/fs/cgroup/a/memory.current", "2000000");
  EXPECT_EQ(availableBytes(root), 0u) << "more than its limit, for a moment";
}

TEST_F(Cgroup, AvailableInVersionOne) {
  write("/proc/self/cgroup", "4:memory:/m");
  write("/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "1000000");
  write("/sys/fs/cgroup/memory/m/memory.usage_in_bytes", "600000");
  write("/sys/fs/cgroup/memory/m/memory.stat", "inactive_file 7\ntotal_inactive_file 100000\ntotal_active_file 0");
  EXPECT_EQ(availableBytes(root), 500000u);
}

// In a container the path is the host's and does not exist; the mount's root has the limits.
TEST_F(Cgroup, ContainerWithoutItsPath) {
  write("/proc/self/cgroup", "0::/docker/0123");
  write("/sys/fs/cgroup/cpu.max", "100000 100000");
  EXPECT_EQ(cgroupLimits(root).processors, 1u);
}

TEST(VisibleProcessor, IsTheMachinesUnlessTheProcessLacksInstructions) {
  const std::string flags = "fpu sse4_2 avx avx2 avx512f avx512vl";
  EXPECT_EQ(visibleProcessor(flags, true, true), "");
  EXPECT_EQ(visibleProcessor(flags, false, true), "x86-64-v3");
  EXPECT_EQ(visibleProcessor(flags, false, false), "x86-64-v2");
  EXPECT_EQ(visibleProcessor("fpu sse4_2 avx avx2", false, true), "");
  EXPECT_EQ(visibleProcessor("fpu sse4_2", false, false), "");
}
