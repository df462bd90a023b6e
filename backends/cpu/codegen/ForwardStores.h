// Replaces loads by lanes of vectors that were stored just before.
#pragma once
#include "llvm/IR/PassManager.h"

namespace kiln {

/// Scans and trees in local memory load at `p[i - distance]` what the work-items before have stored at `p[i]`: once
/// their loops are unrolled, a vector that begins in one stored vector and ends in another. A processor cannot forward
/// such a load from its store buffer, and waits until both stores are in the cache. The lanes are in registers, so a
/// shuffle takes the load's place. LLVM forwards only from one store that covers the load.
///
///   store <4 x i32> %a, ptr %p                            the same stores
///   store <4 x i32> %b, ptr %p + 16               ==>
///   %v = load <4 x i32>, ptr %p + 12                      %v = shufflevector %a, %b, <3, 4, 5, 6>
struct ForwardStoresPass : llvm::PassInfoMixin<ForwardStoresPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace kiln
