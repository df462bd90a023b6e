// Works around a defect of LLVM 22's StructurizeCFG pass, which moves the values of phis incorrectly.
#pragma once
#include "llvm/Pass.h"

namespace kiln {

/// StructurizeCFG moves zero-cost instructions out of a block that computes them for a phi only. If the phi has three
/// or more incoming values, it then uses such a value on paths that do not come from this block, or poison on paths
/// that do. LLVM 23 does not move them any more (pull request 183792). For example, kernels did not write images whose
/// channel order shares its case of a switch with another one. This pass moves these instructions before StructurizeCFG
/// does, and changes no phi. It must run directly before, because other passes could move the instructions back.
llvm::FunctionPass *createHoistPhiValuesPass();

} // namespace kiln
