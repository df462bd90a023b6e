// The exit gate of the threads that run streams. They use LLVM, whose exit handlers free its state, so they must not
// run then. At `exit` a running kernel is given up: its waves look for the end after some instructions.
#pragma once
#include "base/support/ExitGate.h"

namespace kiln::emulator {

using StreamGate = ExitGate<struct StreamThreads>;

} // namespace kiln::emulator
