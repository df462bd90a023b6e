// Replaces undefined numbers by zero.
//
//   %x = llvm.mlir.undef : f32      ==>      %x = arith.constant 0.0 : f32
//
// MLIR's mem2reg creates an undefined value for a private variable that is read before it is written. Any value is
// legal, but all variants of a kernel should compute the same, or the cross-check cannot compare them. Also, LLVM 22's
// fold of `vector.insert` crashes on an undefined element. The importer replaces OpUndef by zero as well.
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Pass.h"

using namespace mlir;

namespace kiln {
#include "passes/ZeroUndefined.pass.inc"
namespace {

struct ZeroUndefined : impl::ZeroUndefinedBase<ZeroUndefined> {
  void runOnOperation() override {
    SmallVector<LLVM::UndefOp> found;
    getOperation().walk([&](LLVM::UndefOp undefined) {
      if (getElementTypeOrSelf(undefined.getType()).isIntOrIndexOrFloat())
        found.push_back(undefined);
    });
    for (LLVM::UndefOp undefined : found) {
      OpBuilder b(undefined);
      undefined.replaceAllUsesWith(
          arith::ConstantOp::create(b, undefined.getLoc(), b.getZeroAttr(undefined.getType())).getResult());
      undefined.erase();
    }
  }
};
} // namespace
} // namespace kiln
