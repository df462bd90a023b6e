// Gives numbers that are undefined the value zero.
//
//   %x = llvm.mlir.undef : f32      ==>      %x = arith.constant 0.0 : f32
//
// MLIR's mem2reg makes an undefined value of a private variable that is read before it is written. It may be anything,
// but it must be the same in every form of a kernel for the forms to be comparable, and the fold of `vector.insert` in
// LLVM 22 ends the process over an undefined element. (The importer takes OpUndef for zero as well.)
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Passes.h"

using namespace mlir;

namespace kiln {
#define GEN_PASS_DEF_ZEROUNDEFINED
#include "passes/Passes.h.inc"
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
