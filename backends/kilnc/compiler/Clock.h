// What the parts of a compilation are measured with.
#pragma once
#include <cstdint>
#include <string>

namespace kiln {

/// Nanoseconds of processor time that this process has taken.
uint64_t processorTime();

/// Instructions of this process, and of those that it has started and that have ended, since `countInstructions`. What
/// else the machine does changes nothing about them.
uint64_t instructions();
/// False with a sentence where the system does not count.
bool countInstructions(std::string &error);

} // namespace kiln
