// NVPTX's barrier that also combines a predicate of all work-items of the work-group (PTX `barrier.cta.red`).
#pragma once
#include "dialects/ocl/CallIntrinsic.h"
#include "dialects/ocl/IntConstant.h"
#include "llvm/Config/llvm-config.h"

namespace kiln::gpu {

/// Emits the vote: i1, true if the predicate is true for all work-items, or for any. LLVM 22 has renamed the intrinsic
/// functions, whose values were i32 before.
inline mlir::Value nvptxGroupVote(mlir::OpBuilder &b, mlir::Location loc, bool all, mlir::Value predicate) {
  using namespace mlir;
#if LLVM_VERSION_MAJOR < 22
  Value number = arith::ExtUIOp::create(b, loc, b.getI32Type(), predicate);
  StringRef name = all ? "llvm.nvvm.barrier0.and" : "llvm.nvvm.barrier0.or";
  Value voted = callIntrinsic(b, loc, name, b.getI32Type(), number);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, voted, intConstant(b, loc, 0, 32));
#else
  StringRef name = all ? "llvm.nvvm.barrier.cta.red.and.aligned.all" : "llvm.nvvm.barrier.cta.red.or.aligned.all";
  return callIntrinsic(b, loc, name, b.getI1Type(), {intConstant(b, loc, 0, 32), predicate});
#endif
}

} // namespace kiln::gpu
