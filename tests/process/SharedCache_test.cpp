// Many processes with one cache folder: they start at once, are killed while they build, or have separate networks.
#include "tests/process/ProcessTest.h"
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace kiln::test {
namespace {

struct SharedCache : ProcessTest {
  /// Starts a process that builds and runs programs [first, first + count). It waits until every process has
  /// closed the writing end of the pipe `start`, unless that is null.
  pid_t startBuilder(int first, int count, const std::string &name, const int *start = nullptr) const {
    fflush(stdout);
    pid_t process = fork();
    if (process == 0) {
      alarm(60);
      setenv("KILN_CACHE_DIR", (folder + "/cache").c_str(), 1);
      setenv("KILN_TRACE", (folder + "/" + name + ".json").c_str(), 1);
      setenv("KILN_LOG", "warn,cache", 1);
      (void)!freopen((folder + "/" + name + ".log").c_str(), "w", stderr);
      if (start) {
        close(start[1]);
        char byte;
        (void)!read(start[0], &byte, 1);
      }
      bool right = true;
      {
        App app;
        for (int i = first; i < first + count; ++i)
          right = app.works(i) && right;
      }
      _exit(right && !HasFailure() ? 0 : 1);
    }
    return process;
  }
  static int statusOf(pid_t process) {
    int status = -1;
    EXPECT_EQ(waitpid(process, &status, 0), process);
    return status;
  }
  /// The lines that contain `word` in the files of the folder with this ending.
  int countLines(const std::string &ending, const std::string &word) const {
    int count = 0;
    for (const auto &file : std::filesystem::directory_iterator(folder))
      if (file.path().extension() == ending)
        for (const std::string &line : linesOf(file.path()))
          count += line.find(word) != std::string::npos;
    return count;
  }
  void killBuilders(int rounds);
};

// As the ranks of an MPI run do.
TEST_F(SharedCache, ManyProcessesStartAtOnce) {
  PROVES("API-5.8.4a");
  constexpr int Processes = 32;
  int start[2];
  ASSERT_EQ(pipe(start), 0);
  std::vector<pid_t> processes;
  for (int i = 0; i < Processes; ++i)
    if (pid_t process = startBuilder(1, 2, "rank" + std::to_string(i), start); process > 0)
      processes.push_back(process);
  close(start[0]);
  close(start[1]);
  for (pid_t process : processes)
    EXPECT_EQ(statusOf(process), 0);
  EXPECT_EQ(processes.size(), size_t(Processes));
  EXPECT_EQ(countLines(".log", "damaged"), 0);
  // Two programs, each compiled once; a process may find neither the entry nor the turn, between a lookup and a turn.
  for (const char *compiler : {"\"kiln-clc\"", "\"kilnc\""}) {
    const int runs = countLines(".json", compiler);
    EXPECT_GE(runs, 2) << compiler;
    EXPECT_LE(runs, 6) << compiler;
    RecordProperty(compiler, runs);
  }
}

// As containers are: no network, and for an application that is not root, another user.
TEST_F(SharedCache, ProcessesInSeparateNetworkNamespaces) {
  PROVES("API-5.8.4a");
  for (int i = 0; i < 3; ++i)
    inNewProcess([] {
      if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
        GTEST_SKIP() << "the system allows no network namespace";
      App app;
      EXPECT_TRUE(app.works(1));
      EXPECT_TRUE(app.works(2));
    });
}

/// Kills a process at a moment of its builds, and lets another one build the same programs.
void SharedCache::killBuilders(int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const int first = 100 * (round + 1);
    pid_t victim = startBuilder(first, 100, "victim");
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + round * 37 % 400));
    ASSERT_EQ(kill(victim, SIGKILL), 0);
    EXPECT_EQ(WTERMSIG(statusOf(victim)), SIGKILL);
    EXPECT_EQ(statusOf(startBuilder(first, 3, "next")), 0) << "round " << round;
    EXPECT_EQ(countLines(".log", "damaged"), 0) << "round " << round;
  }
}

TEST_F(SharedCache, SurvivesKilledProcesses) {
  PROVES("API-5.8.4a");
  killBuilders(6);
}
TEST_F(SharedCache, SurvivesManyKilledProcessesSlow) { killBuilders(100); }

} // namespace
} // namespace kiln::test
