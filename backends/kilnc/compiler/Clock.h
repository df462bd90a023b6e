// Clocks that measure the phases of a compilation.
#pragma once
#include <cstdint>
#include <string>

namespace kiln {

/// Returns this process's processor time in nanoseconds.
uint64_t processorTime();

/// Returns the instructions executed since `countInstructions` by this process and its ended child processes. The count
/// does not depend on the machine's load.
uint64_t instructions();
/// Starts counting. Returns false, with `error` set, if the system has no instruction counter.
bool countInstructions(std::string &error);

} // namespace kiln
