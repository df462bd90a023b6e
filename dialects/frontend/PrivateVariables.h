// Private variables as SSA values, before translation.
//
//   %n = alloca i32                     %s = phi i32 [0, %entry], [%t, %loop]
//   store i32 0, ptr %n          ==>    %t = add i32 %s, 1
//   loop: load, add, store
//
// Clang keeps each variable in memory, and most of its instructions are loads and stores of private variables. Without
// them SPIR-V modules are half as long, and so is the time that the translator, the validator and the importer take.
// MLIR's mem2reg, which Kiln's passes run later, is ten times slower: it scans the function for each variable.
//
// Legal because only non-volatile loads and stores of the variable's own type use its address. A load before the first
// store returns zero, as it does for variables that Kiln's passes promote (passes/ocl/ZeroUndefined.cpp).
//
// Not handled: structs and arrays, which Kiln's passes split; handles, which SPIR-V restricts in OpPhi; variables that
// hold the result of a conversion with saturation or rounding mode, which the translator loses; with opaque pointers
// also pointers, whose element types the translator derives from loads and stores of variables.
#pragma once
#include <llvm/IR/Module.h>

namespace kiln::frontend {

/// Promotes the private variables of all functions. Functions in which a phi could exceed the longest instruction of
/// SPIR-V stay as they are.
void promotePrivateVariables(llvm::Module &module);

} // namespace kiln::frontend
