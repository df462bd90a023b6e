// A folder with the fake compiler under every name that a test needs.
#pragma once
#include "runtime/compiler/CompilerClient.h"
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kiln {

class CompilerTest : public testing::Test {
protected:
  CompilerTest() {
    std::string name = (std::filesystem::temp_directory_path() / "kiln-test-XXXXXX").string();
    folder = mkdtemp(name.data());
    for (const char *program : {"fake", "stranger", "broken", "silent", "unlinked", "foreign", "kiln-clc", "kilnc"})
      std::filesystem::create_symlink(FAKE_COMPILER, folder + "/" + program);
    limits.processorSeconds = 60, limits.wallSeconds = 60, limits.memoryBytes = 1ull << 30, limits.idleSeconds = 60;
  }
  ~CompilerTest() override { std::filesystem::remove_all(folder); }

  static wire::Bytes bytes(const std::string &text) { return {text.begin(), text.end()}; }
  /// The client's reply, or its error.
  static std::string ask(CompilerClient &client, const std::string &command) {
    Result<wire::Bytes> reply = client.request(bytes(command));
    return reply.ok() ? std::string(reply->begin(), reply->end()) : "failed: " + std::string(reply.message());
  }
  /// Runs in a child process, which keeps changes of signals and descriptors; returns true on success.
  template <typename Body> static bool inChild(Body body) {
    pid_t child = fork();
    if (child == 0)
      _exit(body() ? 0 : 1);
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  static bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
  }
  /// Returns true if a process has ended, even if init has not reaped it yet.
  static bool gone(pid_t process) {
    char state = 0;
    if (FILE *file = fopen(("/proc/" + std::to_string(process) + "/stat").c_str(), "r")) {
      if (fscanf(file, "%*d %*s %c", &state) != 1)
        state = 0;
      fclose(file);
    }
    return state == 0 || state == 'Z' || state == 'X';
  }
  /// Returns true if the condition becomes true soon.
  template <typename Condition> static bool soon(Condition condition) {
    for (int tries = 0; tries < 300; ++tries, usleep(10000))
      if (condition())
        return true;
    return false;
  }

  std::string folder;
  zygote::Limits limits;
};

} // namespace kiln
