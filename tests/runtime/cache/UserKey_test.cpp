// The key is created once, and a file is accepted only if no other user can have read or written it.
#include "runtime/cache/UserKey.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace kiln {
namespace {
namespace fs = std::filesystem;

struct UserKeyTest : testing::Test {
  UserKeyTest() {
    std::string name = (fs::temp_directory_path() / "kiln-test-XXXXXX").string();
    parent = mkdtemp(name.data());
    folder = parent + "/settings/kiln";
    path = folder + "/key";
  }
  ~UserKeyTest() override { fs::remove_all(parent); }
  std::string parent, folder, path;
};

TEST_F(UserKeyTest, CreatedOnceForThisUserOnly) {
  std::optional<UserKey> key = userKeyIn(folder);
  ASSERT_TRUE(key);
  EXPECT_NE(*key, UserKey{});
  struct stat about;
  ASSERT_EQ(stat(path.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0600u);
  EXPECT_EQ(about.st_size, 32);
  EXPECT_EQ(userKeyIn(folder), key);
  EXPECT_NE(userKeyIn(parent + "/other"), key);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1) << "nothing else is left there";
}

TEST_F(UserKeyTest, ConcurrentProcessesAgree) {
  for (int round = 0; round < 20; ++round) {
    std::string where = folder + std::to_string(round);
    std::vector<std::optional<UserKey>> keys(8);
    std::vector<std::thread> threads;
    for (auto &key : keys)
      threads.emplace_back([&] { key = userKeyIn(where); });
    for (std::thread &thread : threads)
      thread.join();
    ASSERT_TRUE(keys[0]);
    for (const auto &key : keys)
      EXPECT_EQ(key, keys[0]);
  }
}

TEST_F(UserKeyTest, OthersMayReadIt) {
  ASSERT_TRUE(userKeyIn(folder));
  for (mode_t mode : {0640, 0604, 0620, 0602}) {
    chmod(path.c_str(), mode);
    EXPECT_FALSE(userKeyIn(folder)) << std::oct << mode;
  }
  chmod(path.c_str(), 0600);
  EXPECT_TRUE(userKeyIn(folder));
}

TEST_F(UserKeyTest, OthersMayWriteToItsFolder) {
  ASSERT_TRUE(userKeyIn(folder));
  chmod(folder.c_str(), 0777);
  EXPECT_FALSE(userKeyIn(folder));
}

TEST_F(UserKeyTest, NotAFileOf32Bytes) {
  ASSERT_TRUE(userKeyIn(folder));
  fs::resize_file(path, 31);
  EXPECT_FALSE(userKeyIn(folder));
  fs::resize_file(path, 33);
  EXPECT_FALSE(userKeyIn(folder));
  fs::resize_file(path, 32);
  EXPECT_TRUE(userKeyIn(folder));
  fs::rename(path, folder + "/elsewhere");
  fs::create_symlink(folder + "/elsewhere", path);
  EXPECT_FALSE(userKeyIn(folder));
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_FALSE(userKeyIn(folder));
}

TEST_F(UserKeyTest, NoFolder) {
  EXPECT_FALSE(userKeyIn(""));
  EXPECT_FALSE(userKeyIn("/proc/kiln"));
}

} // namespace
} // namespace kiln
