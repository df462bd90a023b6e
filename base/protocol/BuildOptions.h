// Parses the option strings of clBuildProgram, clCompileProgram and clLinkProgram once, before a compiler starts, and
// splits them into the options of each compiler. Unknown options are errors and are never passed on.
//
// Words are separated by white space. Double quotes group and are removed, anywhere in a word (-I "my dir", -D name="a
// b"). A backslash escapes a following quote, backslash or blank (-D text=\"hello\"). Single quotes group only around a
// whole word, because inside a word they are character literals (-D letter='a').
#pragma once
#include "base/protocol/CodeFlags.h"
#include "base/support/Status.h"
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// The call that the string came with. Each accepts its own options and has its own error.
enum class BuildStep : uint8_t { Build, Compile, Link };

struct BuildOptions {
  std::vector<std::string> frontEnd; // words for kiln-clc; relative folders of -I are made absolute
  std::string workingFolder;         // CompileRequest::workingFolder; empty at link and if the process has none
  protocol::CodeFlags flags;         // those that apply to SPIR-V as well
  unsigned languageVersion = 120;    // of OpenCL C: 100, 110, 120, 200, 300
  bool cPlusPlus = false;            // C++ for OpenCL
  bool kernelArgInfo = false;        // clGetKernelArgInfo returns information
  bool createLibrary = false;
  bool enableLinkOptions = false;
  std::string schedules; // -kiln-schedules: the folder that replaces that of KILN_SCHEDULES; absolute, empty without it
};

/// Options that precede the program's own.
struct BuildPreset {
  std::string_view options;
  bool keepsStandard = false; // the program's -cl-std has no effect
};

/// Fails with CL_INVALID_BUILD_OPTIONS, CL_INVALID_COMPILER_OPTIONS or CL_INVALID_LINKER_OPTIONS, depending on the
/// step.
Result<BuildOptions> parseBuildOptions(std::string_view text, BuildStep step, const BuildPreset &preset = {});
/// Parses words that a shell has split.
Result<BuildOptions> parseBuildOptions(const std::vector<std::string> &words, BuildStep step);
/// The options that set these flags, as clBuildProgram takes them.
std::string optionsOf(const protocol::CodeFlags &flags);

} // namespace kiln
