// The processors that kiln-bench --processors chooses.
#include "bench/measure/Processors.h"
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

namespace bench {
namespace {

TEST(ProcessorOrder, OneOfEachCoreFirst) {
  const std::filesystem::path root = testing::TempDir() + "kiln-topology";
  std::filesystem::remove_all(root);
  for (int processor : {0, 1, 2, 3, 4}) { // 0 and 1 share a core, 2 and 3 as well; 4 has no topology
    const std::filesystem::path folder = root / ("cpu" + std::to_string(processor)) / "topology";
    std::filesystem::create_directories(folder);
    if (processor < 4)
      std::ofstream(folder / "thread_siblings_list") << (processor < 2 ? "0-1\n" : "2-3\n");
  }
  EXPECT_EQ(oneOfEachCoreFirst({0, 1, 2, 3, 4}, root), (std::vector<int>{0, 2, 4, 1, 3}));
  EXPECT_EQ(oneOfEachCoreFirst({1, 3}, root), (std::vector<int>{1, 3})) << "the others are not in the mask";
  std::filesystem::remove_all(root);
}

TEST(ProcessorOrder, RestrictsTheThreadAndThoseThatItStarts) {
  std::thread([] {
    const std::vector<int> all = usableProcessors();
    ASSERT_FALSE(all.empty());
    useProcessors(1);
    EXPECT_EQ(usableProcessors().size(), 1u);
    std::thread([] { EXPECT_EQ(usableProcessors().size(), 1u); }).join();
    try {
      useProcessors(2);
      ADD_FAILURE() << "the thread has one processor";
    } catch (const std::exception &error) {
      EXPECT_STREQ(error.what(), "--processors is 2, must be 1 to 1, the processors on which kiln-bench may run");
    }
    EXPECT_THROW(useProcessors(0), std::runtime_error);
    EXPECT_EQ(usableProcessors().size(), 1u);
  }).join();
}

} // namespace
} // namespace bench
