// Prefetches what loops read at strides that the processor's own prefetchers do not follow.
#pragma once
#include "llvm/IR/PassManager.h"

namespace kiln {

/// Kernels that share data among all work-items step by the number of work-items (`i += get_global_size(0)`), so that
/// each iteration of a work-item reads another page. Processors prefetch strides below half a page, and execute loads
/// of a few iterations ahead if iterations are short. For the loads of longer iterations, at strides that are unknown
/// or large, this pass adds a prefetch of the address some iterations later.
struct PrefetchStridesPass : llvm::PassInfoMixin<PrefetchStridesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace kiln
