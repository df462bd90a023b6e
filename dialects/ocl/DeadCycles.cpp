// A block that becomes unreachable while the canonicalizer runs is removed only at its end, and cf's patterns continue
// to merge such blocks. If two blocks of a cycle are merged, their values are defined by themselves, and a fold to the
// own result (`x = x + 0`) counts as progress for ever: a loop after `if (0)` would hang the compiler. So all
// unreachable code is removed before a pattern merges blocks of such a cycle.
#include "dialects/ocl/Ocl.h"
#include "dialects/ocl/Patterns.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace kiln::ocl {
namespace {

bool isReachable(Block *block) {
  llvm::SmallPtrSet<Block *, 16> seen{block};
  llvm::SmallVector<Block *> left{block};
  while (!left.empty()) {
    Block *next = left.pop_back_val();
    if (next->isEntryBlock())
      return true;
    for (Block *before : next->getPredecessors())
      if (seen.insert(before).second)
        left.push_back(before);
  }
  return false;
}

struct DropDeadCycles : OpRewritePattern<cf::BranchOp> {
  // Before the pattern that merges a block with its only successor.
  explicit DropDeadCycles(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(cf::BranchOp branch, PatternRewriter &rewriter) const override {
    Block *block = branch->getBlock();
    // Without block arguments nothing is replaced, so no value is defined by itself.
    if (branch.getDestOperands().empty() || branch.getDest()->getSinglePredecessor() != block || isReachable(block))
      return failure();
    return eraseUnreachableBlocks(rewriter, *block->getParent());
  }
};

} // namespace

void OclDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  patterns.add<DropDeadCycles>(getContext());
  populateConstantPowers(patterns);
  populateConstantSums(patterns);
  populateWhileIfs(patterns);
}

} // namespace kiln::ocl
