// Loop strength reduction for loops that are worth it.
#pragma once
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace kiln {

/// Runs LLVM's loop strength reduction over small loops. It saves the additions that lead from one address to the next,
/// which a large body does not feel, in time that grows with more than the square of a loop's body: a loop of 300
/// calls, inlined, took 1.2 of 1.4 seconds. Code generators that run it by themselves run it over all loops; GPUs' do,
/// as they change addresses before.
void reduceSmallLoops(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace kiln
