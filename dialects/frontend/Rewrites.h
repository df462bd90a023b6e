// Rewrites of Clang's LLVM IR: forms that the SPIR-V translator ends its process over become forms that it knows.
#pragma once
#include "dialects/spirv/Words.h"
#include <llvm/IR/Module.h>

namespace kiln::frontend {

/// Gives each function that uses a compound literal a variable of its own. Clang makes one private constant of the
/// module of it, and SPIR-V has no such variables.
void moveLiteralsIntoFunctions(llvm::Module &module);

/// Gives private and local variables that are arrays without elements one element, as SPIR-V has no such arrays. C does
/// not have them either, but programs size arrays by macros. Their sizes are constants already.
void giveEmptyVariablesElements(llvm::Module &module);

/// Compares and exchanges floats as integers of the same bits, as OpAtomicCompareExchange takes integers only.
void exchangeFloatsAsIntegers(llvm::Module &module);

/// Replaces CLK_NULL_QUEUE and CLK_NULL_EVENT by calls, since the translator asserts that neither is a null constant.
void nullsToCalls(llvm::Module &module);
/// Replaces those calls by OpConstantNull.
spirv::Words withNulls(const spirv::Words &words);

} // namespace kiln::frontend
