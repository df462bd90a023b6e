// One of several processes builds, and the others wait for at most the given time.
#include "runtime/cache/BuildTurn.h"
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace kiln {
namespace {
using namespace std::chrono_literals;

struct BuildTurnTest : testing::Test {
  BuildTurnTest() {
    std::string name = (std::filesystem::temp_directory_path() / "kiln-test-XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  ~BuildTurnTest() override { std::filesystem::remove_all(folder); }
  static CacheKey key(int number) { return KeyBuilder().add(std::to_string(number)).finish(); }
  std::string folder;
};

TEST_F(BuildTurnTest, SecondWaitsUntilTheFirstEnds) {
  std::optional<BuildTurn> first(std::in_place, folder, key(1), 10s);
  EXPECT_FALSE(first->waited());
  std::atomic<bool> ended = false;
  std::thread second([&] {
    BuildTurn turn(folder, key(1), 10s);
    EXPECT_TRUE(turn.waited());
    EXPECT_TRUE(ended);
  });
  std::this_thread::sleep_for(30ms);
  ended = true;
  first.reset();
  second.join();
}

TEST_F(BuildTurnTest, OtherKeysDoNotWait) {
  BuildTurn first(folder, key(1), 10s), second(folder, key(2), 10s);
  EXPECT_FALSE(second.waited());
}

TEST_F(BuildTurnTest, GivesUpAfterTheLongestWait) {
  BuildTurn first(folder, key(1), 10s);
  const auto start = std::chrono::steady_clock::now();
  BuildTurn second(folder, key(1), 20ms);
  EXPECT_TRUE(second.waited());
  EXPECT_GE(std::chrono::steady_clock::now() - start, 20ms);
}

TEST_F(BuildTurnTest, FolderThatDoesNotExist) {
  BuildTurn turn(folder + "/none", key(1), 10s);
  EXPECT_FALSE(turn.waited());
}

TEST_F(BuildTurnTest, EndsWithAKilledProcess) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  pid_t child = fork();
  if (child == 0) {
    BuildTurn turn(folder, key(1), 10s);
    (void)!write(ready[1], "x", 1);
    pause();
    _exit(0);
  }
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  {
    BuildTurn turn(folder, key(1), 1ms);
    EXPECT_TRUE(turn.waited());
  }
  ASSERT_EQ(kill(child, SIGKILL), 0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  BuildTurn turn(folder, key(1), 10s);
  EXPECT_FALSE(turn.waited());
  close(ready[0]);
  close(ready[1]);
}

// The child has a copy of the descriptor, and with it a share of the lock.
TEST_F(BuildTurnTest, EndsAlthoughAForkedChildLives) {
  pid_t child;
  {
    BuildTurn turn(folder, key(1), 10s);
    child = fork();
    if (child == 0) {
      pause();
      _exit(0);
    }
  }
  BuildTurn turn(folder, key(1), 10s);
  EXPECT_FALSE(turn.waited());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

} // namespace
} // namespace kiln
