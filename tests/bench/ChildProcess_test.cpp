// What a child process sends, how its end is described, and that it ends with its parent process.
#include "bench/measure/ChildProcess.h"
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace bench {
namespace {

struct Ended {
  std::vector<std::string> messages;
  std::string brokenBy, kernel;
  int status;
};
Ended run(const std::function<int(Progress &, const Send &)> &work) {
  Ended ended;
  const ChildProcess child(work, [&](const std::string &message) { ended.messages.push_back(message); });
  ended.brokenBy = child.brokenBy();
  ended.kernel = child.progress().kernel;
  ended.status = child.progress().status;
  return ended;
}

TEST(ChildProcess, MessagesAndStatus) {
  const std::string large(100'000, 'x'); // more than a pipe holds
  const Ended ended = run([&](Progress &, const Send &send) {
    for (const std::string &message : {std::string("first"), std::string(), large})
      send(message);
    return 3;
  });
  EXPECT_EQ(ended.messages, (std::vector<std::string>{"first", "", large}));
  EXPECT_EQ(ended.brokenBy, "");
  EXPECT_EQ(ended.status, 3);
}

TEST(ChildProcess, AnEndBeforeTheWorkReturns) {
  const auto endBy = [](auto end) {
    return run([=](Progress &progress, const Send &send) {
      progress.setKernel(std::string(1000, 'k')); // is cut
      send("before");
      end();
      return 0;
    });
  };
  const Ended killed = endBy([] { std::raise(SIGKILL); }), left = endBy([] { std::exit(7); });
  EXPECT_EQ(killed.brokenBy, "signal 9 (Killed)");
  EXPECT_EQ(killed.messages, std::vector<std::string>{"before"});
  EXPECT_EQ(killed.kernel, std::string(511, 'k'));
  EXPECT_EQ(left.brokenBy, "exit status 7");
  const Ended thrown = run([](Progress &, const Send &) -> int { throw std::runtime_error("expected by this test"); });
  EXPECT_EQ(thrown.brokenBy, "");
  EXPECT_EQ(thrown.status, 1);
}

// Nothing measures on after kiln-bench was killed.
TEST(ChildProcess, EndsWithItsParent) {
  int held[2];
  ASSERT_EQ(pipe(held), 0);
  const pid_t parent = fork();
  ASSERT_GE(parent, 0);
  if (!parent) {
    close(held[0]);
    const ChildProcess child(
        [&](Progress &, const Send &) {
          const char byte = 'c';
          if (write(held[1], &byte, 1) == 1)
            sleep(60);
          return 0;
        },
        [](const std::string &) {});
    std::_Exit(0);
  }
  close(held[1]);
  char byte = 0;
  EXPECT_EQ(read(held[0], &byte, 1), 1); // the child runs
  EXPECT_EQ(kill(parent, SIGKILL), 0);
  EXPECT_EQ(waitpid(parent, nullptr, 0), parent);
  const auto killedAt = std::chrono::steady_clock::now();
  EXPECT_EQ(read(held[0], &byte, 1), 0) << "the child is the last that has the pipe's other end";
  EXPECT_LT(std::chrono::steady_clock::now() - killedAt, std::chrono::seconds(30));
  close(held[0]);
}

} // namespace
} // namespace bench
