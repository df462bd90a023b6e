// Lists the shared objects of a compiler as text, which is stored with its results: an update of LLVM changes the
// generated code, and Kiln's build id does not cover it. The compiler reports the objects that it has mapped; the
// reader of a cache entry compares them with the files, without starting a process.
#pragma once
#include <string>

namespace kiln {

/// Returns one line per shared object of this process: path, size and modification time.
std::string mappedLibraries();

/// Returns true if the files are unchanged. Each text is checked once per process, because running compilers do not
/// change either.
bool librariesUnchanged(const std::string &libraries);

} // namespace kiln
