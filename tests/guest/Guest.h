// Runs all of Kiln in a process that is in some situation.
//
// The test program itself never calls OpenCL: what it forks is a process that has not met Kiln yet, and options are read
// from the environment that the situation sets.
#pragma once
#include "tests/api/ApiTest.h"
#include <functional>
#include <sys/types.h>

namespace kiln::test {

/// What an application has at hand once it has begun. Expectations name what went wrong.
struct App {
  App();
  Program source(const std::string &text) const;
  /// The code of clBuildProgram.
  cl_int build(cl_program program, const char *options = nullptr) const;
  std::string log(cl_program program) const;
  /// Runs `kernel` of the program over `items` ints; what they hold afterwards, nothing where a call failed.
  std::vector<int> run(cl_program program, size_t items = 64, const char *kernel = "k") const;
  /// Builds and runs a kernel that nobody has built before where `number` is new; whether all of it worked.
  bool works(int number) const;

  cl_device_id device = nullptr;
  Context context;
  Queue queue;
};

/// A kernel `k` with results of its own for every number, and those results.
std::string sourceOf(int number);
std::vector<int> resultsOf(int number, size_t items = 64);

/// Calls that make processes, or threads, refused to the calling process from now on.
enum class Refusal {
  Exec,      // execve gives EPERM
  Processes, // so do fork and clone, but for threads
  Threads,   // no thread can be had (EAGAIN); processes can
  ExecKills, // the process that calls execve dies
  AllKills,  // the process that tries any of them dies
};
void refuse(Refusal refusal);

struct Guest : testing::Test {
  using Environment = std::vector<std::pair<std::string, std::string>>;
  void SetUp() override;
  void TearDown() override;

  /// Runs the situation in a process of its own, with a cache in `folder`; its expectations are the test's. It leaves
  /// by exit(), as applications do.
  void apart(const std::function<void()> &situation, const Environment &environment = {});
  /// In the situation: leave by _exit(), where leaving otherwise takes what the situation forbids.
  static void leaveAtOnce();

  std::string folder; // empty at first, removed at the end
};

/// Lines of a file of /proc.
std::vector<std::string> linesOf(const std::string &path);
/// Descriptors that this process has open.
size_t openDescriptors();
/// KiB of memory that this process holds.
size_t residentKilobytes();

} // namespace kiln::test
