// The application's processes, signals and descriptors are not affected by Kiln's processes.
#include "tests/process/ProcessTest.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace kiln::test {
namespace {

std::atomic<int> signals;

struct Processes : ProcessTest {
  /// Runs it in a child of the calling process. Returns how that ended.
  static int statusOfFork(const std::function<bool()> &body) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      bool right = body();
      fflush(stdout);
      _exit(right ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
  }
};

TEST_F(Processes, ChildSignalIgnored) {
  inNewProcess([] {
    signal(SIGCHLD, SIG_IGN);
    App app;
    EXPECT_TRUE(app.works(1));
    EXPECT_TRUE(app.works(2));
    EXPECT_EQ(signal(SIGCHLD, SIG_DFL), SIG_IGN) << "the application's setting was changed";
  });
}

TEST_F(Processes, ChildSignalHandled) {
  inNewProcess([] {
    struct sigaction action{};
    action.sa_handler = [](int) { ++signals; };
    sigaction(SIGCHLD, &action, nullptr);
    App app;
    EXPECT_TRUE(app.works(1));
    clUnloadPlatformCompiler(platform()); // its end is invisible as well
    EXPECT_TRUE(app.works(2));
    EXPECT_EQ(signals, 0);
  });
}

TEST_F(Processes, WaitSeesTheApplicationsOwnChildrenOnly) {
  inNewProcess([] {
    std::atomic<bool> over = false;
    std::atomic<int> strangers = 0;
    std::thread waiter([&] {
      while (!over)
        if (waitpid(-1, nullptr, 0) > 0 || errno != ECHILD)
          ++strangers;
    });
    App app;
    for (int i = 0; i < 5; ++i)
      EXPECT_TRUE(app.works(i));
    over = true;
    waiter.join();
    EXPECT_EQ(strangers, 0);

    pid_t own = fork();
    if (own == 0)
      _exit(7);
    EXPECT_TRUE(app.works(100));
    int status = 0;
    EXPECT_EQ(wait(&status), own);
    EXPECT_EQ(WEXITSTATUS(status), 7);
    EXPECT_EQ(wait(&status), -1);
    EXPECT_EQ(errno, ECHILD);
  });
}

TEST_F(Processes, StandardDescriptorsClosed) {
  for (const char *cache : {"on", "off"})
    inNewProcess(
        [] {
          int errors = fcntl(2, F_DUPFD, 10);
          for (int number : {0, 1, 2})
            close(number);
          bool right;
          int open = 0;
          {
            App app;
            Program program = app.source(sourceOf(5));
            right = app.build(program) == CL_SUCCESS && app.run(program) == resultsOf(5);
            for (int number : {0, 1, 2})
              open += fcntl(number, F_GETFD) >= 0;
          }
          dup2(errors, 1);
          dup2(errors, 2);
          EXPECT_TRUE(right);
          EXPECT_EQ(open, 0) << "Kiln keeps something where an application expects its standard descriptors";
        },
        {{"KILN_CACHE", cache}});
}

// Descriptors that leak to the application's children would keep its pipes open.
TEST_F(Processes, DescriptorsCloseOnExec) {
  for (const char *cache : {"on", "off"})
    inNewProcess(
        [] {
          std::vector<bool> before(256);
          for (int number = 0; number < 256; ++number)
            before[number] = fcntl(number, F_GETFD) >= 0;
          App app;
          Program program = app.source(sourceOf(6));
          EXPECT_EQ(app.build(program), CL_SUCCESS);
          EXPECT_EQ(app.run(program), resultsOf(6));
          for (int number = 0; number < 256; ++number)
            if (int flags = fcntl(number, F_GETFD); flags >= 0 && !before[number])
              EXPECT_TRUE(flags & FD_CLOEXEC) << "descriptor " << number;
        },
        {{"KILN_CACHE", cache}});
}

TEST_F(Processes, ChildOfAForkUsesKilnAgain) {
  inNewProcess([] {
    App app;
    EXPECT_TRUE(app.works(1));
    EXPECT_EQ(statusOfFork([] {
                App own;
                return own.works(1) && own.works(2);
              }),
              0);
    EXPECT_TRUE(app.works(3));
  });
}

TEST_F(Processes, ChildOfAForkUsesWhatItInherited) {
  inNewProcess([] {
    App app;
    Program program = app.source(sourceOf(1));
    ASSERT_EQ(app.build(program), CL_SUCCESS);
    EXPECT_EQ(app.run(program, 4096), resultsOf(1, 4096));
    EXPECT_EQ(statusOfFork([&] { return app.run(program, 4096) == resultsOf(1, 4096) && app.works(2); }), 0);
    EXPECT_EQ(app.run(program, 4096), resultsOf(1, 4096));
    EXPECT_TRUE(app.works(3));
  });
}

TEST_F(Processes, BothSidesOfAForkAtOnce) {
  inNewProcess([] {
    App app;
    EXPECT_TRUE(app.works(1));
    pid_t child = fork();
    bool right = true;
    App own;
    for (int i = 0; i < 10; ++i)
      right = own.works((child ? 100 : 200) + i) && right;
    if (child == 0)
      _exit(right ? 0 : 1);
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(right);
  });
}

// As Python's multiprocessing does. The state of other threads at the fork must not affect the child.
TEST_F(Processes, ForkWhileOtherThreadsLaunch) {
  inNewProcess([] {
    App app;
    Program program = app.source(sourceOf(1));
    ASSERT_EQ(app.build(program), CL_SUCCESS);
    std::atomic<bool> over = false;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&] {
        while (!over)
          wrong += app.run(program, 2048) != resultsOf(1, 2048);
      });
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(statusOfFork([&] {
                  App own;
                  Program again = own.source(sourceOf(1));
                  return own.build(again) == CL_SUCCESS && own.run(again, 2048) == resultsOf(1, 2048);
                }),
                0);
    over = true;
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(wrong, 0);
  });
}

// The locks of handles' memory and of the trace file are held most of the time, and the child needs them.
TEST_F(Processes, ForkWhileOtherThreadsCreateHandles) {
  std::string trace = folder + "/trace.json";
  for (const char *file : {"", trace.c_str()})
    inNewProcess(
        [] {
          App app;
          auto createsBuffer = [](const App &user) {
            cl_int code = 1;
            Mem buffer = clCreateBuffer(user.context, 0, 64, nullptr, &code);
            return code == CL_SUCCESS;
          };
          std::atomic<bool> over = false;
          std::vector<std::thread> threads;
          for (int i = 0; i < 3; ++i)
            threads.emplace_back([&] {
              while (!over)
                EXPECT_TRUE(createsBuffer(app));
            });
          for (int i = 0; i < 200; ++i)
            EXPECT_EQ(statusOfFork([&] { return createsBuffer(App()); }), 0);
          over = true;
          for (std::thread &thread : threads)
            thread.join();
        },
        {{"KILN_TRACE", file}});
}

// The process exits during commands and a build: it must neither hang nor crash.
TEST_F(Processes, ExitInTheMiddleOfWork) {
  inNewProcess([] {
    auto *app = new App;
    auto *program = new Program(app->source(sourceOf(1)));
    ASSERT_EQ(app->build(*program), CL_SUCCESS);
    for (int i = 0; i < 2; ++i)
      std::thread([=] {
        for (;;)
          app->run(*program, 2048);
      }).detach();
    std::thread([=] {
      for (int i = 2;; ++i)
        app->works(i);
    }).detach();
    EXPECT_EQ(app->run(*program, 2048), resultsOf(1, 2048));
    exit(0);
  });
}

// Kiln does not change the rounding mode and signal mask of the application's threads.
TEST_F(Processes, SignalsStayWithTheApplicationsThreads) {
  inNewProcess([] {
    App app;
    Program program = app.source(sourceOf(1));
    ASSERT_EQ(app.build(program), CL_SUCCESS);
    EXPECT_EQ(app.run(program, 1 << 16), resultsOf(1, 1 << 16)); // starts threads
    struct sigaction action{};
    action.sa_handler = [](int) { signals += getpid() == gettid(); };
    sigaction(SIGUSR1, &action, nullptr);
    signals = 0;
    for (int i = 0; i < 100; ++i)
      kill(getpid(), SIGUSR1);
    EXPECT_GT(signals, 0);
    // Blocked in the application's only thread, so it stays pending: no thread of Kiln receives it.
    sigset_t usr1;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigprocmask(SIG_BLOCK, &usr1, nullptr);
    kill(getpid(), SIGUSR1);
    EXPECT_EQ(app.run(program, 1 << 16), resultsOf(1, 1 << 16));
    sigset_t waiting;
    sigpending(&waiting);
    EXPECT_EQ(sigismember(&waiting, SIGUSR1), 1);
  });
}

} // namespace
} // namespace kiln::test
