// A misbehaving compiler process fails one build, with a log, and nothing else.
#include "tests/runtime/compiler/CompilerTest.h"
#include <algorithm>
#include <atomic>
#include <csignal>
#include <thread>

namespace kiln {
namespace {

struct CompilerClientTest : CompilerTest {
  CompilerClient client{"fake", folder, limits};
  CompilerClient limited() {
    limits.processorSeconds = 1, limits.wallSeconds = 2, limits.memoryBytes = 256 << 20;
    return CompilerClient("fake", folder, limits);
  }
};

TEST_F(CompilerClientTest, Replies) { EXPECT_EQ(ask(client, "hello"), "hello"); }

TEST_F(CompilerClientTest, EmptyMessage) { EXPECT_EQ(ask(client, ""), ""); }

// Larger than any socket buffer, in both directions.
TEST_F(CompilerClientTest, LargeMessages) {
  std::string text(20 << 20, 'x');
  EXPECT_TRUE(ask(client, text) == text);
}

TEST_F(CompilerClientTest, ManyThreads) {
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 25; ++i) {
        std::string text = std::to_string(thread * 100 + i);
        right += ask(client, text) == text;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 200);
}

TEST_F(CompilerClientTest, CrashNamesItsSignal) {
  EXPECT_EQ(ask(client, "crash"), "failed: the compiler crashed (SIGSEGV)");
  EXPECT_TRUE(contains(ask(client, "abort"), "crashed (SIGABRT)"));
  EXPECT_TRUE(contains(ask(client, "overflow"), "used up its stack"));
}

TEST_F(CompilerClientTest, CrashIsABuildFailure) {
  EXPECT_EQ(client.request(bytes("crash")).code(), CL_BUILD_PROGRAM_FAILURE);
}

TEST_F(CompilerClientTest, FatalErrorsTextIsInTheLog) {
  EXPECT_EQ(ask(client, "exit"), "failed: the compiler stopped (exit status 3)\nsomething fatal\n");
  EXPECT_TRUE(contains(ask(client, "throw"), "thrown in the compiler"));
}

TEST_F(CompilerClientTest, EndWithoutAReply) {
  EXPECT_EQ(ask(client, "leave"), "failed: the compiler ended without a reply");
}

TEST_F(CompilerClientTest, HangIsStopped) {
  CompilerClient impatient = limited();
  EXPECT_EQ(ask(impatient, "sleep"), "failed: the compiler took longer than 2 s");
}

TEST_F(CompilerClientTest, StoppedBuildFails) {
  EXPECT_EQ(ask(client, "stop"), "failed: the compiler was stopped by a signal for 5 s");
}

TEST_F(CompilerClientTest, StoppedServerIsReplaced) {
  const std::string command = "stop server " + folder + "/stopped";
  EXPECT_EQ(ask(client, command), command);
}

TEST_F(CompilerClientTest, EndlessLoopIsStopped) {
  limits.processorSeconds = 1; // may be many seconds of wall time on a busy machine
  CompilerClient impatient("fake", folder, limits);
  EXPECT_EQ(ask(impatient, "spin"), "failed: the compiler took longer than 1 s of processor time");
}

TEST_F(CompilerClientTest, MemoryHogIsStopped) {
  limits.memoryBytes = 256 << 20; // a busy machine may take long to allocate them
  CompilerClient frugal("fake", folder, limits);
  EXPECT_EQ(ask(frugal, "hog"), "failed: the compiler ran out of memory (the limit is 256 MiB)");
}

// The server is not affected: it is the same process afterwards.
TEST_F(CompilerClientTest, ParallelBuildsFinishDespiteFailures) {
  CompilerClient shared = limited();
  std::string server = ask(shared, "server");
  std::vector<std::thread> threads;
  for (const char *bad : {"crash", "sleep", "spin", "hog", "exit", "leave"})
    threads.emplace_back([&, bad] { EXPECT_TRUE(contains(ask(shared, bad), "failed: ")) << bad; });
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(ask(shared, std::to_string(i)), std::to_string(i));
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(ask(shared, "server"), server);
}

TEST_F(CompilerClientTest, RestartsTheServer) {
  pid_t server = std::stoi(ask(client, "server"));
  kill(server, SIGKILL);
  std::string next = ask(client, "server");
  EXPECT_NE(next, std::to_string(server));
  EXPECT_GT(std::stoi(next), 0);
}

TEST_F(CompilerClientTest, GivesUpIfEveryBuildKillsTheServer) {
  EXPECT_EQ(client.request(bytes("kill server")).code(), CL_COMPILER_NOT_AVAILABLE);
  EXPECT_EQ(ask(client, "hello"), "hello");
}

TEST_F(CompilerClientTest, IdleServerEnds) {
  limits.idleSeconds = 1;
  CompilerClient idle("fake", folder, limits);
  pid_t server = std::stoi(ask(idle, "server"));
  EXPECT_TRUE(soon([&] { return gone(server); }));
  EXPECT_EQ(ask(idle, "hello"), "hello");
}

TEST_F(CompilerClientTest, StoppedServerEnds) {
  pid_t server = std::stoi(ask(client, "server"));
  client.stop();
  EXPECT_TRUE(soon([&] { return gone(server); }));
  EXPECT_EQ(ask(client, "hello"), "hello");
}

TEST_F(CompilerClientTest, StartedInBackground) {
  client.startInBackground();
  EXPECT_EQ(ask(client, "hello"), "hello");
}

TEST_F(CompilerClientTest, MissingProgram) {
  CompilerClient missing("no-such-compiler", folder, limits);
  missing.startInBackground();
  Result<wire::Bytes> reply = missing.request({});
  EXPECT_EQ(reply.code(), CL_COMPILER_NOT_AVAILABLE);
  EXPECT_TRUE(contains(reply.message(), "no-such-compiler is not in ")) << reply.message();
}

TEST_F(CompilerClientTest, ProgramOfAnotherBuildIsRejected) {
  CompilerClient stranger("stranger", folder, limits);
  Result<wire::Bytes> reply = stranger.request({});
  EXPECT_EQ(reply.code(), CL_COMPILER_NOT_AVAILABLE);
  EXPECT_TRUE(contains(reply.message(), "another build")) << reply.message();
}

// The program sends its build id once; all builds that were waiting for it fail with the same error.
TEST_F(CompilerClientTest, EveryThreadReportsAnotherBuild) {
  CompilerClient stranger("stranger", folder, limits);
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { refused += contains(stranger.request(bytes("hello")).message(), "another build"); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(refused, 4);
}

TEST_F(CompilerClientTest, ProgramThatCannotRunReportsWhy) {
  CompilerClient broken("broken", folder, limits);
  EXPECT_TRUE(contains(ask(broken, "hello"), "ended before it was ready: a library is missing"));
}

TEST_F(CompilerClientTest, MissingLibraryIsNamedWithItsPackage) {
  CompilerClient unlinked("unlinked", folder, limits), foreign("foreign", folder, limits);
  const std::string log = ask(unlinked, "hello");
  EXPECT_TRUE(contains(log, "ended before it was ready: unlinked: error while loading shared libraries: ")) << log;
  EXPECT_TRUE(contains(log, "; install the package that has libLLVM.so.22.1, on Debian libllvm22")) << log;
  EXPECT_TRUE(contains(ask(foreign, "hello"), "on Debian what 'apt-file search libother.so.3' names"));
}

TEST_F(CompilerClientTest, ProgramThatEndsWithoutOutput) {
  CompilerClient silent("silent", folder, limits);
  EXPECT_TRUE(contains(ask(silent, "hello"), "and wrote nothing; '" + folder + "/silent --help' in a shell"));
}

TEST_F(CompilerClientTest, FileThatIsNotAProgram) {
  std::filesystem::create_directory(folder + "/odd");
  CompilerClient odd("odd", folder, limits);
  EXPECT_TRUE(contains(ask(odd, "hello"), "cannot be started: "));
}

// ---- effects on the application's process -------------------------------------------------------------------------

std::atomic<int> childSignals;

TEST_F(CompilerClientTest, IsInvisibleToTheApplication) {
  EXPECT_TRUE(inChild([&] {
    signal(SIGCHLD, [](int) { ++childSignals; });
    CompilerClient own("fake", folder, limits);
    pid_t server = std::stoi(ask(own, "server"));
    bool unseen = waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
    own.stop();
    bool ended = soon([&] { return gone(server); });
    return unseen && ended && childSignals == 0 && waitpid(-1, nullptr, WNOHANG) == -1;
  }));
}

TEST_F(CompilerClientTest, ChildSignalIgnored) {
  EXPECT_TRUE(inChild([&] {
    signal(SIGCHLD, SIG_IGN);
    CompilerClient own("fake", folder, limits);
    return ask(own, "hello") == "hello" && contains(ask(own, "crash"), "SIGSEGV") && ask(own, "hello") == "hello";
  }));
}

TEST_F(CompilerClientTest, StandardDescriptorsClosed) {
  EXPECT_TRUE(inChild([&] {
    close(0), close(1), close(2);
    CompilerClient own("fake", folder, limits);
    bool answers = ask(own, "hello") == "hello" && contains(ask(own, "crash"), "SIGSEGV");
    // None of ours has taken their place: the application may open files there.
    return answers && fcntl(0, F_GETFD) < 0 && fcntl(1, F_GETFD) < 0 && fcntl(2, F_GETFD) < 0;
  }));
}

TEST_F(CompilerClientTest, InheritsNoDescriptors) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0); // without close-on-exec, as is common
  ASSERT_GE(fcntl(pipes[0], F_DUPFD, 100), 100);
  CompilerClient own("fake", folder, limits);
  std::string list = ask(own, "descriptors");
  EXPECT_LE(std::count(list.begin(), list.end(), ' '), 6) << list;
  EXPECT_FALSE(contains(list, "100")) << list;
}

TEST_F(CompilerClientTest, InheritsNoSettings) {
  EXPECT_TRUE(inChild([&] {
    setenv("LD_PRELOAD", "libc.so.6", 1);
    signal(SIGHUP, SIG_IGN);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, nullptr);
    CompilerClient own("fake", folder, limits);
    return ask(own, "preload") == "unset" && ask(own, "signals") == "open usual" && ask(own, "folder") == "/";
  }));
}

// The child of a fork has a separate server; the parent keeps its own.
TEST_F(CompilerClientTest, AfterFork) {
  std::string server = ask(client, "server");
  EXPECT_TRUE(inChild([&] {
    std::string own = ask(client, "server");
    return !contains(own, "failed") && own != server && ask(client, "hello") == "hello";
  }));
  EXPECT_EQ(ask(client, "server"), server);
}

TEST_F(CompilerClientTest, ForkDuringBuilds) {
  std::atomic<bool> done = false;
  std::thread busy([&] {
    while (!done)
      EXPECT_EQ(ask(client, "hello"), "hello"), client.stop();
  });
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(inChild([&] { return ask(client, "child") == "child"; }));
  done = true;
  busy.join();
}

// A living fork holds the control socket open, but the server watches the process of its client.
TEST_F(CompilerClientTest, ServerEndsWithTheApplication) {
  int lines[2];
  ASSERT_EQ(pipe(lines), 0);
  pid_t application = fork();
  if (application == 0) {
    CompilerClient own("fake", folder, limits);
    pid_t numbers[2] = {std::stoi(ask(own, "server")), 0};
    numbers[1] = fork();
    if (numbers[1] == 0) {
      pause();
      _exit(0);
    }
    _exit(write(lines[1], numbers, sizeof numbers) == sizeof numbers ? 0 : 1);
  }
  pid_t numbers[2] = {};
  ASSERT_EQ(read(lines[0], numbers, sizeof numbers), static_cast<ssize_t>(sizeof numbers));
  waitpid(application, nullptr, 0);
  EXPECT_TRUE(soon([&] { return gone(numbers[0]); }));
  kill(numbers[1], SIGKILL);
}

} // namespace
} // namespace kiln
