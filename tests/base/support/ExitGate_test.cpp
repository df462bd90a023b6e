// Each case is a process: its status says what its threads and handlers saw.
#include "base/support/ExitGate.h"
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace kiln {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct Library;
using Gate = ExitGate<Library>;

constexpr int Right = 0, Wrong = 7;

std::atomic<bool> isInside{false}, hasLeft{false};
Clock::time_point begin;

milliseconds elapsed() { return std::chrono::duration_cast<milliseconds>(Clock::now() - begin); }

/// Runs in a process, which ends with exit(0) unless a handler ends it otherwise. Returns its status.
template <typename Body> int statusOf(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    body();
    begin = Clock::now();
    std::exit(Right);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// A thread that is inside until `leave` returns.
template <typename Leave> void startThread(Leave leave) {
  std::thread([leave] {
    {
      const Gate::Pass pass;
      isInside = bool(pass);
      leave();
      hasLeft = true;
    }
    for (;;)
      pause();
  }).detach();
  while (!isInside)
    std::this_thread::yield();
}

/// The library's exit handler.
void expectAllOut() {
  if (!hasLeft || elapsed() > std::chrono::seconds(5))
    _exit(Wrong);
}

TEST(ExitGate, HandlerWaitsForThreadsInside) {
  EXPECT_EQ(statusOf([] {
              std::atexit(expectAllOut);
              EXPECT_TRUE(Gate::guard());
              startThread([] { std::this_thread::sleep_for(milliseconds(50)); });
            }),
            Right);
}

TEST(ExitGate, WaitingThreadsLeave) {
  EXPECT_EQ(statusOf([] {
              std::atexit([] {
                if (elapsed() > milliseconds(5000))
                  _exit(Wrong);
              });
              EXPECT_TRUE(Gate::guard());
              startThread([] {
                while (Gate::mayStay())
                  std::this_thread::yield();
              });
            }),
            Right);
}

// In the middle of a scope the gate stays open for the thread, also for inner scopes.
TEST(ExitGate, ScopesEndAsTheyBegan) {
  EXPECT_EQ(statusOf([] {
              std::atexit(expectAllOut);
              EXPECT_TRUE(Gate::guard());
              startThread([] {
                while (!Gate::isClosed())
                  std::this_thread::yield();
                const Gate::Pass inner;
                if (!inner || !Gate::admits())
                  _exit(Wrong);
              });
            }),
            Right);
}

TEST(ExitGate, ExitingThreadIsRefusedAtOnce) {
  EXPECT_EQ(statusOf([] {
              std::atexit([] {
                const Clock::time_point before = Clock::now();
                const Gate::Pass pass;
                if (pass || Gate::admits() || Clock::now() - before > milliseconds(50))
                  _exit(Wrong);
              });
              EXPECT_TRUE(Gate::guard());
            }),
            Right);
}

// A destructor may join such a thread.
TEST(ExitGate, OtherThreadsAreRefusedAfterAMoment) {
  EXPECT_EQ(statusOf([] {
              std::atexit([] {
                bool refused = false;
                std::thread([&refused] { refused = !Gate::admits(); }).join();
                if (!refused || elapsed() < milliseconds(90) || elapsed() > std::chrono::seconds(5))
                  _exit(Wrong);
              });
              EXPECT_TRUE(Gate::guard());
            }),
            Right);
}

// A signal handler may call exit while its thread is inside.
TEST(ExitGate, ExitFromInside) {
  EXPECT_EQ(statusOf([] {
              std::atexit([] {
                if (elapsed() > std::chrono::seconds(5))
                  _exit(Wrong);
              });
              EXPECT_TRUE(Gate::guard());
              const Gate::Pass pass;
              begin = Clock::now();
              std::exit(Right);
            }),
            Right);
}

TEST(ExitGate, ChildOfAForkDoesNotWait) {
  EXPECT_EQ(statusOf([] {
              EXPECT_TRUE(Gate::guard());
              startThread([] { std::this_thread::sleep_for(milliseconds(300)); });
              begin = Clock::now();
              if (statusOf([] {}) != Right || elapsed() > milliseconds(250))
                _exit(Wrong);
            }),
            Right);
}

} // namespace
} // namespace kiln
