// The source of a program as a file, for debuggers and profilers (KILN_LINES, KILN_HOT_LINES, KILN_DEBUG). An
// application passes its source as text, which has no name.
//
// If a file below the current folder has the same contents, the application has most likely read that, and a person has
// it open: `break k.cl:12` and an editor's breakpoints are in it. Otherwise the text is written to
//
//   CACHE/sources/DIGEST/KERNEL.cl      KERNEL: the first kernel of the source
#pragma once
#include <string>
#include <string_view>

namespace kiln {

/// Returns the path of a file with this text; empty, with a line in the log, if there is none and none can be written.
std::string sourceFile(const std::string &source);

/// Returns the name of the first kernel of a source in OpenCL C, found without preprocessing; "program" if there is
/// none.
std::string firstKernel(std::string_view source);

/// The option of kiln-clc for this name in debug information.
std::string sourceFileOption(const std::string &path);

} // namespace kiln
