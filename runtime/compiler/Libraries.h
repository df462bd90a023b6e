// Which shared objects a compiler ran with, as text that can be kept beside what it made: an update of LLVM makes other
// code of the same program, and Kiln's build id does not tell. The compiler says what it has mapped; whoever finds what
// it made compares that with the files, and starts no process for it.
#pragma once
#include <string>

namespace kiln {

/// A line for each shared object of this process: path, size and time of change.
std::string mappedLibraries();

/// Whether the files are still those. Looked at once in a process for each text: this process's compilers do not change
/// either while they run.
bool librariesUnchanged(const std::string &libraries);

} // namespace kiln
