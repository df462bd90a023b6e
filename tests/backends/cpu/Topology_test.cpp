#include "backends/cpu/driver/Topology.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace kiln::cpu;
namespace fs = std::filesystem;

namespace {

using Parts = std::vector<std::vector<unsigned>>;

/// A folder in the place of the machine's root.
class TopologyTest : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "kiln-topology-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
  }
  void TearDown() override { fs::remove_all(root); }
  void write(const std::string &path, const std::string &text) {
    fs::path file = root + "/sys/devices/system/" + path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }
  void cache(unsigned processor, unsigned index, const char *level, const char *type, const char *sharing) {
    std::string folder = "cpu/cpu" + std::to_string(processor) + "/cache/index" + std::to_string(index);
    write(folder + "/level", level);
    write(folder + "/type", type);
    write(folder + "/shared_cpu_list", sharing);
  }
  Parts sharing(cl_device_affinity_domain domain, std::vector<unsigned> processors) {
    return Topology(root).sharing(domain, processors);
  }
  std::string root;
};

} // namespace

TEST(Processors, Lists) {
  EXPECT_EQ(parseProcessors("0"), (std::vector<unsigned>{0}));
  EXPECT_EQ(parseProcessors("0-2,8,10-11"), (std::vector<unsigned>{0, 1, 2, 8, 10, 11}));
  EXPECT_EQ(parseProcessors(""), std::vector<unsigned>());
  EXPECT_EQ(parseProcessors("x"), std::vector<unsigned>());
  EXPECT_EQ(parseProcessors("1,4-"), (std::vector<unsigned>{1}));
  EXPECT_EQ(parseProcessors("3-1"), std::vector<unsigned>());
  EXPECT_EQ(parseProcessors("4294967295"), std::vector<unsigned>()) << "no processor has that number";
}

TEST_F(TopologyTest, EmptyRoot) {
  for (cl_device_affinity_domain domain : {CL_DEVICE_AFFINITY_DOMAIN_NUMA, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE})
    EXPECT_TRUE(sharing(domain, {0, 1}).empty());
}

// Two nodes, one of them without processors, and folders with similar names.
TEST_F(TopologyTest, Nodes) {
  write("node/node0/cpulist", "0-1,4");
  write("node/node2/cpulist", "2-3");
  write("node/node3/cpulist", "");
  write("node/nodes/cpulist", "0-4");
  EXPECT_EQ(sharing(CL_DEVICE_AFFINITY_DOMAIN_NUMA, {0, 1, 2, 3, 4}), (Parts{{0, 1, 4}, {2, 3}}));
  EXPECT_EQ(sharing(CL_DEVICE_AFFINITY_DOMAIN_NUMA, {3, 4, 2}), (Parts{{0, 2}, {1}})) << "positions, not processors";
  EXPECT_TRUE(sharing(CL_DEVICE_AFFINITY_DOMAIN_NUMA, {0, 7}).empty()) << "the description has no processor 7";
}

// Two cores of two threads with a cache each and a shared one; instruction caches do not count.
TEST_F(TopologyTest, Caches) {
  for (unsigned processor : {0, 1, 2, 3}) {
    cache(processor, 0, "1", "Instruction", "0-3");
    cache(processor, 1, "1", "Data", processor % 2 ? "1,3" : "0,2");
    cache(processor, 2, "2", "Unified", processor % 2 ? "1,3" : "0,2");
    cache(processor, 3, "3", "Unified", "0-3");
  }
  EXPECT_EQ(sharing(CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, {0, 1, 2, 3}), (Parts{{0, 2}, {1, 3}}));
  EXPECT_EQ(sharing(CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, {1, 2}), (Parts{{0}, {1}}));
  EXPECT_EQ(sharing(CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, {0, 1, 2, 3}), (Parts{{0, 1, 2, 3}}));
  EXPECT_TRUE(sharing(CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, {0, 1}).empty());
}

// A processor is in the list twice if there are more threads than processors.
TEST_F(TopologyTest, ProcessorsWithSeveralUnits) {
  cache(0, 0, "1", "Data", "0");
  cache(1, 0, "1", "Data", "1");
  EXPECT_EQ(sharing(CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, {0, 1, 0, 1}), (Parts{{0, 2}, {1, 3}}));
}

TEST(Processors, AllowedOnes) {
  const std::vector<unsigned> allowed = allowedProcessors();
  EXPECT_FALSE(allowed.empty());
  EXPECT_TRUE(std::ranges::is_sorted(allowed));
}
