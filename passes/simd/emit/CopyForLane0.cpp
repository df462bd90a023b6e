#include "passes/simd/emit/CopyForLane0.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "passes/simd/prepare/PoisonFlags.h"

using namespace mlir;

namespace kiln {
namespace {

// Computes lane 0's extended value as `ext(x0 + k * stride) - k * stride`, where k is the first active lane. Lane 0 may
// be inactive, and then its narrow value may have wrapped, as in `if (i >= n) x = p[i - n]`. A no-wrap flag covers lane
// k, and the check of a guard compares active lanes only. If a check fails, only an active lane 0 uses the result, and
// then k is 0.
Value extendViaActiveLane(VectorBody &body, Operation *extension, Value mask) {
  VectorBuilder &b = body.builder();
  const int64_t stride = body.shape(extension->getOperand(0)).strideInfoIfGuardsHold()->stride;
  Value active = math::CountTrailingZerosOp::create(b, b.maskBits(mask));
  auto distance = [&](Type type) -> Value {
    Value lanes = active;
    if (isa<IndexType>(type))
      lanes = arith::IndexCastUIOp::create(b, type, lanes);
    else if (const unsigned width = type.getIntOrFloatBitWidth(); width > b.lanes())
      lanes = arith::ExtUIOp::create(b, type, lanes);
    else if (width < b.lanes())
      lanes = arith::TruncIOp::create(b, type, lanes);
    APInt step(isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth(), uint64_t(stride), /*isSigned=*/true,
               /*implicitTrunc=*/true);
    return arith::MulIOp::create(b, lanes, arith::ConstantOp::create(b, b.getIntegerAttr(type, step)));
  };
  Value narrow = extension->getOperand(0);
  IRMapping mapping;
  mapping.map(narrow, arith::AddIOp::create(b, body.lane0(narrow), distance(narrow.getType())).getResult());
  Value wide = b.clone(*extension, mapping)->getResult(0);
  return arith::SubIOp::create(b, wide, distance(wide.getType()));
}

// Lane 0's result of a comparison whose operands have lane 0's values. It varies itself if a select rests on a check of
// it.
Value comparisonOfLane0(VectorBody &body, arith::CmpIOp comparison) {
  IRMapping mapping;
  for (Value operand : comparison->getOperands())
    mapping.map(operand, body.lane0(operand));
  return body.builder().clone(*comparison, mapping)->getResult(0);
}

// Returns true if the extension is strided only if a runtime check of its operand passes.
bool isGuardedExtension(VectorBody &body, Operation *op) {
  return op->getNumResults() == 1 && !isDivRemOrMask(op) && !body.shapes().oneSide(op) &&
         llvm::is_contained(body.shape(op->getResult(0)).guards(), op);
}

} // namespace

void copyForLane0(VectorBody &body, Operation *op, Value mask) {
  VectorBuilder &b = body.builder();
  IRMapping mapping;
  bool isUniform = true;
  for (Value operand : op->getOperands()) {
    mapping.map(operand, body.hasLane0(operand)
                             ? body.lane0(operand)
                             : comparisonOfLane0(body, operand.getDefiningOp<arith::CmpIOp>())); // of a OneSide
    isUniform &= body.shape(operand).isUniform();
  }
  // No active lane has a negative dividend. Lane 0 may be inactive: INT_MIN / -1 would trap.
  if (mask && !isUniform && isa<arith::DivSIOp, arith::RemSIOp>(op)) {
    Value zero = arith::ConstantOp::create(b, b.getIntegerAttr(op->getResult(0).getType(), 0));
    mapping.map(op->getOperand(0), arith::MaxSIOp::create(b, body.lane0(op->getOperand(0)), zero));
  }
  if (body.shapes().isKnownUnequal(op)) {
    const bool differs = cast<arith::CmpIOp>(op).getPredicate() == arith::CmpIPredicate::ne;
    return body.setLane0(op->getResult(0), intConstant(b, differs, 1));
  }
  const bool isGuard = isGuardedExtension(body, op);
  if (isGuard)
    body.checks().setMask(op, mask);
  if (mask && (isGuard || body.shapes().reliesOnNoWrapFlag(op)) && !body.isSkipped(Assumption::ActiveLane))
    return body.setLane0(op->getResult(0), extendViaActiveLane(body, op, mask));
  Operation *copy = b.clone(*op, mapping);
  // Lane 0 may be inactive, and the flags hold for active lanes only.
  if (mask && !isUniform)
    dropPoisonGeneratingFlags(copy);
  for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults()))
    body.setLane0(from, to);
}

} // namespace kiln
