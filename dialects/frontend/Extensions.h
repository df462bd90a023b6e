// The extensions and features for which the front end can compile, from base/abi/Extensions.def and Clang.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kiln::frontend {

/// Returns the command line's default: all that a device of Kiln can have, and what Clang has beyond this.
std::vector<std::string> allExtensions();

/// Returns the extensions of a device with those whose equivalent it has: Clang rejects a device that has only one of
/// an equivalent extension and feature.
std::vector<std::string> completed(std::vector<std::string> extensions);

/// Returns the first version of OpenCL C that defines the macro of an extension or feature; 100 for unknown ones.
unsigned macroSince(std::string_view name);

} // namespace kiln::frontend
