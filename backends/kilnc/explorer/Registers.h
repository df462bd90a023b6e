// Counts what a function of x86 assembly or PTX uses: registers by kind, spills and reloads. For AMD's GPUs LLVM
// reports these numbers as remarks.
#pragma once
#include "backends/kilnc/explorer/Recorder.h"

namespace kiln::explorer {

/// Adds the facts of each function. `assembly` has LLVM's comments, which name spills.
void countRegisters(llvm::StringRef assembly, Recorder &recorder);

} // namespace kiln::explorer
