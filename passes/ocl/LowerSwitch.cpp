#include "passes/ocl/LowerSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace kiln {

void lowerSwitch(scf::IndexSwitchOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  scf::IfOp outermost;
  auto take = [](Region &from, Block *to) {
    Block &block = from.front();
    to->getOperations().splice(to->end(), block.getOperations());
  };
  for (auto [value, region] : llvm::zip(op.getCases(), op.getCaseRegions())) {
    Value label = arith::ConstantOp::create(builder, loc, builder.getIndexAttr(value));
    Value equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, op.getArg(), label);
    auto branch =
        scf::IfOp::create(builder, loc, op.getResultTypes(), equal, /*addThenBlock=*/true, /*addElseBlock=*/true);
    if (outermost)
      scf::YieldOp::create(builder, loc, branch.getResults());
    else
      outermost = branch;
    take(region, branch.thenBlock());
    builder.setInsertionPointToStart(branch.elseBlock());
  }
  if (!outermost) { // a switch with no case but the default
    Block &block = op.getDefaultRegion().front();
    auto results = block.getTerminator()->getOperands();
    op.replaceAllUsesWith(results);
    block.getTerminator()->erase();
    op->getBlock()->getOperations().splice(op->getIterator(), block.getOperations());
    op.erase();
    return;
  }
  take(op.getDefaultRegion(), builder.getInsertionBlock());
  op.replaceAllUsesWith(outermost.getResults());
  op.erase();
}

} // namespace kiln
