// A block that is found unreachable while the canonicalizer runs stays until it has finished, and cf's patterns go on
// joining such blocks. Where two of a cycle become one, its values are made from themselves, and a fold to one's own
// result (`x = x + 0`) counts as progress for ever: a loop behind `if (0)` would hang the compiler. So the whole dead
// code goes as soon as somebody is about to close such a cycle.
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
  // Ahead of the pattern that joins a block with its only successor.
  explicit DropDeadCycles(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(cf::BranchOp branch, PatternRewriter &rewriter) const override {
    Block *block = branch->getBlock();
    // Without arguments nothing is replaced, and no cycle comes of it.
    if (branch.getDestOperands().empty() || branch.getDest()->getSinglePredecessor() != block || isReachable(block))
      return failure();
    return eraseUnreachableBlocks(rewriter, *block->getParent());
  }
};

} // namespace

void OclDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  patterns.add<DropDeadCycles>(getContext());
  populateConstantSums(patterns);
}

} // namespace kiln::ocl
