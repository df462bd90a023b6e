#include "passes/analysis/Elementwise.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kiln {

using namespace mlir;

bool isElementwise(Operation *op) {
  if (op->getNumResults() == 0 || op->getNumRegions() || !isMemoryEffectFree(op))
    return false;
  auto isNumber = [](Type type) {
    return isa<IntegerType, FloatType, IndexType, LLVM::LLVMPointerType>(getElementTypeOrSelf(type));
  };
  if (!llvm::all_of(op->getOperandTypes(), isNumber) || !llvm::all_of(op->getResultTypes(), isNumber))
    return false;
  return OpTrait::hasElementwiseMappableTraits(op) ||
         isa<ocl::MathOp, ocl::ConvertOp, LLVM::BitReverseOp, LLVM::ICmpOp, LLVM::PtrToIntOp, LLVM::IntToPtrOp,
             LLVM::AddrSpaceCastOp, LLVM::FreezeOp, LLVM::FshlOp, LLVM::FshrOp>(op);
}

} // namespace kiln
