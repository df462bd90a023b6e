// Runs all of Kiln in a separate process.
//
// The test program itself never calls OpenCL. A forked process has not used Kiln yet, so it reads options from the
// environment that the situation sets.
#pragma once
#include "tests/api/ApiTest.h"
#include <functional>
#include <sys/types.h>

namespace kiln::test {

/// An application's OpenCL objects. Failed expectations name the call.
struct App {
  explicit App(cl_device_type type = CL_DEVICE_TYPE_CPU);
  Program source(const std::string &text) const;
  /// Returns the code of clBuildProgram.
  cl_int build(cl_program program, const char *options = nullptr) const;
  std::string log(cl_program program) const;
  /// Runs `kernel` over `items` ints. Returns their values, nothing if a call failed.
  std::vector<int> run(cl_program program, size_t items = 64, const char *kernel = "k") const;
  /// Builds and runs a kernel that is not in the cache if `number` is new. Returns true on success.
  bool works(int number) const;

  cl_device_id device = nullptr;
  Context context;
  Queue queue;
};

/// A kernel `k` with different results for each number, and those results.
std::string sourceOf(int number);
std::vector<int> resultsOf(int number, size_t items = 64);

/// System calls that fail in the calling process from now on.
enum class Refusal {
  Exec,      // execve fails with EPERM
  Processes, // also fork and clone, except for threads
  Threads,   // threads cannot be created (EAGAIN); processes can
  ExecKills, // execve kills the process
  AllKills,  // all of them kill the process
};
void refuse(Refusal refusal);

struct ProcessTest : testing::Test {
  using Environment = std::vector<std::pair<std::string, std::string>>;
  void SetUp() override;
  void TearDown() override;

  /// Runs `situation` in a new process, with a cache in `folder`. A failed expectation there fails the test. The
  /// process ends with exit(), as applications do.
  void inNewProcess(const std::function<void()> &situation, const Environment &environment = {});
  /// The same; `errors` receives what the process writes to standard error.
  void inNewProcessWithErrors(const std::function<void()> &situation, const Environment &environment);
  /// Ends the process of a situation with _exit(), for situations in which exit() would fail.
  static void leaveAtOnce();

  /// Runs a command of the shell and returns its status. `printed` has its output and errors.
  int shell(const std::string &command) const;
  std::string printed() const;

  std::string folder; // empty at first, removed at the end
  std::string errors; // of the last inNewProcessWithErrors
};

/// The bytes of a file; empty if there is none.
std::string contentOf(const std::string &path);
/// Lines of a file of /proc.
std::vector<std::string> linesOf(const std::string &path);
/// Descriptors that this process has open.
size_t openDescriptors();
/// KiB of memory that this process holds.
size_t residentKilobytes();

} // namespace kiln::test
