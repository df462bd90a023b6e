// The option string of clBuildProgram, clCompileProgram and clLinkProgram: checked once, before any compiler starts,
// and split into what each compiler needs. An option that OpenCL does not know is an error, never passed on.
//
// Words are separated by white space. Double quotes group and vanish, anywhere in a word (-I "my dir",
// -D name="a b"); a backslash keeps a following quote, backslash or blank as it is (-D text=\"hello\"). Single quotes
// do so only around a whole word, for inside one they are character literals (-D letter='a').
#pragma once
#include "runtime/support/Status.h"
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// Which call the string came with: each accepts its own options and has its own error.
enum class BuildStep : uint8_t { Build, Compile, Link };

struct BuildOptions {
  std::vector<std::string> frontEnd; // words for kiln-clc; relative folders of -I already made absolute
  std::string workingFolder;         // CompileRequest::workingFolder; empty where the process has none, and at link
  std::string math;                  // BuildRequest::options: those that also hold for SPIR-V, separated by blanks
  unsigned languageVersion = 120;    // of OpenCL C: 100, 110, 120, 200, 300
  bool cPlusPlus = false;            // C++ for OpenCL
  bool kernelArgInfo = false;        // clGetKernelArgInfo may answer
  bool uniformWorkGroupSize = false; // or -cl-std=CL1.x, where only uniform work-groups exist
  bool noSubgroupIfp = false;
  bool correctlyRounded = false; // -cl-fp32-correctly-rounded-divide-sqrt: an error where the device is not
  bool optimise = true;
  bool debug = false;
  bool createLibrary = false;
  bool enableLinkOptions = false;
};

/// What comes before a program's own options.
struct BuildPreset {
  std::string_view options;
  bool keepsStandard = false; // -cl-std of the program has no effect
};

/// Fails with CL_INVALID_BUILD_OPTIONS, CL_INVALID_COMPILER_OPTIONS or CL_INVALID_LINKER_OPTIONS, after the step.
Result<BuildOptions> parseBuildOptions(std::string_view text, BuildStep step, const BuildPreset &preset = {});
/// The same, of words that a shell has split already.
Result<BuildOptions> parseBuildOptions(const std::vector<std::string> &words, BuildStep step);

} // namespace kiln
