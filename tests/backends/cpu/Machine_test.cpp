#include "backends/cpu/driver/Machine.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace kiln::cpu;
namespace fs = std::filesystem;

namespace {

/// A folder that stands in for the machine's root.
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

TEST_F(Cgroup, NothingThereIsNoLimit) {
  EXPECT_FALSE(cgroupLimits(root).processors);
  EXPECT_FALSE(cgroupLimits(root).memory);
}

// The tightest of the group's own limits and those above it holds.
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

// In a container the path is the host's and is not there; the mount's root has the limits.
TEST_F(Cgroup, ContainerWithoutItsPath) {
  write("/proc/self/cgroup", "0::/docker/0123");
  write("/sys/fs/cgroup/cpu.max", "100000 100000");
  EXPECT_EQ(cgroupLimits(root).processors, 1u);
}
