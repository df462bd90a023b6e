// Verifiers of enqueues.
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace kiln::ocl {

LogicalResult EnqueueKernelOp::verify() {
  if (getRange().size() != 9)
    return emitOpError("has a range of nine numbers, not of ") << getRange().size();
  return success();
}

LogicalResult BlockNumberOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto block = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getBlockAttr());
  if (!block || !block->hasAttr(BlockAttr))
    return emitOpError("names ") << getBlockAttr() << ", which is no block";
  return success();
}

} // namespace kiln::ocl
