// Fixes translator output that spirv-val rejects, because other consumers read kiln-clc's SPIR-V as well.
#pragma once
#include "base/spirv/Words.h"
#include <llvm/IR/Module.h>

namespace kiln::frontend {

/// Before translation: replaces get_global_id(3), which the language defines, by its value. The translator would
/// extract the fourth component of a vector of three.
void foldOutOfRangeQueries(llvm::Module &module);

/// Before translation: splats scalar conditions of vector selects, which SPIR-V has only since 1.4.
void splatConditions(llvm::Module &module);

/// Removes OpLoopMerge and OpSelectionMerge whose merge block has another header, and OpLoopMerge whose merge block is
/// its continue target. Kernels need no merge instructions.
spirv::Words withUniqueMergeBlocks(const spirv::Words &words);

/// Removes lines between a merge instruction and the branch that it must precede. They are the branch's.
spirv::Words withoutLinesAfterMerges(const spirv::Words &words);

/// Removes the debug instruction set and keeps OpLine, from which Kiln reads lines. For modules without described
/// variables.
spirv::Words withoutDebugInstructions(const spirv::Words &words);

} // namespace kiln::frontend
