// Runs programs on an OpenCL device and compares their output with the evaluation.
#pragma once
#define CL_TARGET_OPENCL_VERSION 300
#include "tests/differential/Program.h"
#include <CL/cl.h>
#include <functional>
#include <span>

namespace kiln::differential {

struct Settings {
  Style style = Style::Operators;
  uint64_t first = 1, end = 101, batch = 8;
  std::string options, platform = "Kiln";
  size_t device = 0;
};

/// Prints the message and exits with status 2.
[[noreturn]] void fail(const std::string &message);

enum class Outcome { Agrees, Skipped, Differs, DoesNotBuild, DoesNotRun, Crashes };
struct Finding {
  Outcome outcome = Outcome::Agrees;
  std::string text; // describes the failure; empty if the outcome is not a failure
};
constexpr bool isWrong(Outcome outcome) { return outcome > Outcome::Skipped; }

class Runner {
public:
  explicit Runner(const Settings &settings);

  /// Builds the programs as one source, and each one alone if that fails. Calls `begins` before a build with the number
  /// of programs, and before each run with 0. Calls `ends` after each program, in order.
  void run(std::span<const Program> programs, const std::function<void(size_t)> &begins,
           const std::function<void(const Program &, const Finding &)> &ends);

private:
  Finding compare(cl_program code, const Program &program);
  Finding launch(cl_kernel kernel, const Program &program, const std::vector<cl_mem> &buffers);
  bool canRun(cl_kernel kernel, const Program &program);

  std::string options_;
  cl_device_id device_;
  cl_context context_;
  cl_command_queue queue_;
};

} // namespace kiln::differential
