// Assigns each enqueued block its index in the program, in the module's order, and replaces its name by the index.
//
//   func.func @f.block attributes {ocl.block, ...}   ==>   attributes {ocl.block = 0 : i64, ...}
//   ocl.block_number @f.block                        ==>   arith.constant 0
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Pass.h"

using namespace mlir;

namespace kiln {
#include "passes/NumberBlocks.pass.inc"
namespace {

struct NumberBlocks : impl::NumberBlocksBase<NumberBlocks> {
  void runOnOperation() override {
    llvm::StringMap<int64_t> numbers;
    Builder b(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(ocl::BlockAttr)) {
        int64_t number = int64_t(numbers.size());
        numbers[function.getSymName()] = number;
        function->setAttr(ocl::BlockAttr, b.getI64IntegerAttr(number));
      }
    getOperation().walk([&](ocl::BlockNumberOp op) {
      OpBuilder at(op);
      op.replaceAllUsesWith(intConstant(at, op.getLoc(), numbers.lookup(op.getBlock()), 32));
      op.erase();
    });
  }
};
} // namespace
} // namespace kiln
