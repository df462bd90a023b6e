// Builds whose client ends before the reply: one goes on and keeps its result.
#include "runtime/cache/BuildTurn.h"
#include "tests/runtime/compiler/CompilerTest.h"
#include <fstream>
#include <thread>

namespace kiln {
namespace {

struct LeftBehind : CompilerTest {
  std::string path(const char *name) const { return folder + "/" + name; }
  static bool exists(const std::string &path) { return access(path.c_str(), F_OK) == 0; }
  static std::string contentOf(const std::string &path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// Runs a process that ends while its build naps. `name` is the file that the build creates first; it has the id of
  /// the build's process.
  void endDuringNap(const char *name, int milliseconds, const std::optional<CompilerClient::LeftBehind> &leftBehind) {
    EXPECT_TRUE(inChild([&] {
      CompilerClient client("fake", folder, limits);
      std::thread([&] {
        (void)client.request(bytes("nap " + path(name) + " " + std::to_string(milliseconds)), leftBehind);
      }).detach();
      const bool begun = soon([&] { return !contentOf(path(name)).empty(); });
      _exit(begun ? 0 : 1); // no destructor: the thread uses the client
      return begun;
    }));
  }
  pid_t buildOf(const char *name) const { return std::stoi(contentOf(path(name))); }
};

TEST_F(LeftBehind, GoesOnWithTheLowestPriority) {
  const BuildTurn turn(folder, {1}, std::chrono::seconds(1));
  endDuringNap("build", 300, CompilerClient::LeftBehind{turn.descriptor(), bytes(path("kept"))});
  EXPECT_FALSE(exists(path("kept")));
  EXPECT_TRUE(soon([&] { return contentOf(path("kept")) == "priority 19"; })) << contentOf(path("kept"));
  EXPECT_TRUE(soon([&] { return gone(buildOf("build")); }));
}

TEST_F(LeftBehind, OneAtATime) {
  const BuildTurn first(folder, {1}, std::chrono::seconds(1)), second(folder, {0, 1}, std::chrono::seconds(1));
  endDuringNap("first", 1500, CompilerClient::LeftBehind{first.descriptor(), bytes(path("kept first"))});
  endDuringNap("second", 1500, CompilerClient::LeftBehind{second.descriptor(), bytes(path("kept second"))});
  EXPECT_TRUE(soon([&] { return gone(buildOf("second")); }));
  EXPECT_TRUE(soon([&] { return exists(path("kept first")); }));
  EXPECT_FALSE(exists(path("kept second")));
}

TEST_F(LeftBehind, EndsWithItsClientWithoutATurn) {
  endDuringNap("build", 100'000, std::nullopt);
  EXPECT_TRUE(soon([&] { return gone(buildOf("build")); }));
}

// A process that needs the same entry waits for the build, as it would for one of a process that goes on.
TEST_F(LeftBehind, KeepsTheTurnOfItsKey) {
  EXPECT_TRUE(inChild([&] {
    const BuildTurn turn(folder, {1}, std::chrono::seconds(1));
    endDuringNap("build", 300, CompilerClient::LeftBehind{turn.descriptor(), bytes(path("kept"))});
    _exit(0); // the lock is not released by this process
    return true;
  }));
  const BuildTurn next(folder, {1}, std::chrono::seconds(20));
  EXPECT_TRUE(next.waited());
  EXPECT_TRUE(exists(path("kept")));
}

TEST_F(LeftBehind, BuildsWithARunningClientAreNotKept) {
  CompilerClient client("fake", folder, limits);
  const BuildTurn turn(folder, {1}, std::chrono::seconds(1));
  const CompilerClient::LeftBehind leftBehind{turn.descriptor(), bytes(path("kept"))};
  EXPECT_TRUE(client.request(bytes("nap " + path("build") + " 1"), leftBehind).ok());
  EXPECT_FALSE(exists(path("kept")));
}

} // namespace
} // namespace kiln
