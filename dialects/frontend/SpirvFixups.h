// What the translator writes and spirv-val refuses: SPIR-V of kiln-clc goes to other consumers as well.
#pragma once
#include "dialects/spirv/Words.h"
#include <llvm/IR/Module.h>

namespace kiln::frontend {

/// Before the translation: get_global_id(3), which the language defines, becomes its value. The translator takes the
/// fourth component of a vector of three.
void answerQueriesBeyondRange(llvm::Module &module);

/// Before the translation: a number that picks one of two vectors becomes a vector of itself. Before 1.4, SPIR-V has no
/// other choice.
void splatConditions(llvm::Module &module);

/// The module in which no two loops name one block as their end, and none a block that it also goes on with. Kernels
/// need no such names: a loop that cannot have one has none.
spirv::Words withMergesApart(const spirv::Words &words);

/// Keeps OpLine, and drops the instruction set that describes scopes and types where it describes no variables: Kiln's
/// lines come from OpLine alone.
spirv::Words withoutDebugInstructions(const spirv::Words &words);

} // namespace kiln::frontend
