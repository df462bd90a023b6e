// The versions of Kiln and LLVM that a pass plug-in was compiled for. A plug-in uses C++ classes of both, whose layout
// changes between minor versions, so another version can crash when it is loaded. kiln_add_pass_plugin
// (cmake/KilnConfig.cmake.in) puts a mark into the file, which is read before the file is loaded.
#pragma once
#include <string>

namespace kiln {

/// Returns why the plug-in must not be loaded: "... was built for Kiln 0.1, LLVM 22.1, this is ...; build it again", or
/// "... does not fit ...: undefined symbol ...", as for a function that a patch release has removed. Empty if it may,
/// which includes files that cannot be read. A plug-in without a mark is only checked for its symbols. Opens the file,
/// which runs its constructors and binds all its symbols.
std::string pluginMismatch(const std::string &path);

} // namespace kiln
