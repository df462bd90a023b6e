// Rewrites Clang's LLVM IR that the SPIR-V translator does not support (it ends the process) to equivalent IR.
#pragma once
#include "base/spirv/Words.h"
#include <llvm/IR/Module.h>

namespace kiln::frontend {

/// Adds a local variable to each function that uses a compound literal. Clang makes the literal a private constant of
/// the module, which SPIR-V does not have.
void moveLiteralsIntoFunctions(llvm::Module &module);

/// Gives empty arrays in private and local memory one element, as SPIR-V has no empty arrays. C has none
/// either, but programs size arrays by macros. sizeof has been folded before.
void giveEmptyVariablesElements(llvm::Module &module);

/// Compares and exchanges floats as integers of the same bits, as OpAtomicCompareExchange takes integers only.
void exchangeFloatsAsIntegers(llvm::Module &module);

/// Replaces llvm.trap, which the translator drops, by the function of TrapName.h.
void trapsToCalls(llvm::Module &module);

/// Replaces CLK_NULL_QUEUE and CLK_NULL_EVENT by calls, since the translator asserts that neither is a null constant.
void nullsToCalls(llvm::Module &module);
/// Replaces those calls by OpConstantNull.
spirv::Words withNulls(const spirv::Words &words);

} // namespace kiln::frontend
