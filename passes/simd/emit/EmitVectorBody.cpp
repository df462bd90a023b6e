#include "passes/simd/emit/EmitVectorBody.h"
#include "dialects/ocl/IntConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/analysis/SameForAll.h"
#include "passes/simd/emit/WidenOperations.h"

using namespace mlir;

namespace kiln {
namespace {

Progress emitBody(VectorBody &body) {
  body.checks().collectAddressGuards();
  if (!body.isSkipped(Assumption::NoAlias))
    for (const AccessGroups::AliasCheck &check : body.groups().aliasChecks())
      beginGuardedCode(body, checkAlias(body, check));
  widenBlock(body, body.from().getBody().front(), {});
  return endGuardedCode(body);
}

// Emits the fallback body at the insertion point of `at`, for vectors that are not done.
Progress emitFallbackBody(VectorBody &body, VectorBuilder &at, Progress progress) {
  VectorBuilder &b = body.builder();
  b.restoreInsertionPoint(at.saveInsertionPoint());
  body.fallback().masksBounds = true;
  Value no = arith::XOrIOp::create(b, progress.done, intConstant(b, 1, 1));
  auto branch = scf::IfOp::create(b, TypeRange{b.getI1Type(), b.getI1Type()},
                                  arith::AndIOp::create(b, no, progress.more), /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, ValueRange{progress.done, progress.more});
  b.setInsertionPointToStart(branch.thenBlock());
  Progress own = emitBody(body);
  if (!own.done)
    own.done = own.more = intConstant(b, 1, 1);
  scf::YieldOp::create(b, ValueRange{own.done, own.more});
  return {branch.getResult(0), branch.getResult(1)};
}

// Emits a region that only the work-items with a set flag execute.
void emitMaskedBody(VectorBody &body, Value maskSlot) {
  VectorBuilder &b = body.builder();
  Value address = wg::AddressOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), maskSlot);
  Value flags = LLVM::LoadOp::create(b, b.wide(b.getI8Type()), address, 1);
  Value zero = b.splat(intConstant(b, 0, 8));
  Value mask = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, flags, zero);
  auto branch = scf::IfOp::create(b, b.any(mask), /*withElseRegion=*/false);
  wg::YieldOp::create(b);
  b.setInsertionPointToStart(branch.thenBlock());
  widenBlock(body, body.from().getBody().front(), mask);
}

} // namespace

void emitVectorBody(VectorBody &body, VectorBody *conservative) {
  VectorBuilder &b = body.builder();
  b.createBlock(&body.to());
  if (Value maskSlot = body.from().getMask())
    return emitMaskedBody(body, maskSlot);
  Progress progress = emitBody(body);
  if (conservative && progress.done)
    progress = emitFallbackBody(*conservative, b, progress);
  if (isSameForAll(body.from().getBody(), body.shapes())) { // later vectors would repeat it
    Value yes = intConstant(b, 1, 1);
    if (!progress.done)
      progress.done = yes;
    progress.more = arith::XOrIOp::create(b, progress.done, yes);
  }
  if (progress.done)
    wg::YieldOp::create(b, progress.done, progress.more);
  else
    wg::YieldOp::create(b);
}

} // namespace kiln
