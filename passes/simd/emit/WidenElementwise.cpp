#include "passes/simd/emit/WidenElementwise.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "passes/simd/prepare/PoisonFlags.h"

using namespace mlir;

namespace kiln {
namespace {

// Compares and converts 64-bit integers that fit 31 bits as 32-bit ones: half as many vectors, and many processors
// convert vectors of 32-bit integers only.
bool widenAs32Bits(VectorBody &body, Operation *op) {
  VectorBuilder &b = body.builder();
  auto isNarrow = [&](Value value) {
    return value.getType().isInteger(64) && body.shape(value).max() <= uint64_t(std::numeric_limits<int32_t>::max());
  };
  const bool converts = isa<arith::UIToFPOp, arith::SIToFPOp>(op);
  if ((!converts && !isa<arith::CmpIOp>(op)) || !llvm::all_of(op->getOperands(), isNarrow))
    return false;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    const LaneShape own = body.shape(operand);
    const std::optional<StrideInfo> info =
        body.isSkipped(Assumption::GuardedLanes) ? own.strideInfoIfGuardsHold() : body.knownStrideInfo(own);
    if (!info) {
      operands.push_back(arith::TruncIOp::create(b, b.wide(b.getI32Type()), body.vectors(operand)[0]));
      continue;
    }
    Value number = arith::TruncIOp::create(b, b.getI32Type(), body.lane0(operand));
    operands.push_back(info->stride == 0 ? b.splat(number) : b.stepVector(number, info->stride));
  }
  if (converts)
    body.setVectors(op->getResult(0), {arith::SIToFPOp::create(b, b.wide(op->getResult(0).getType()), operands[0])});
  else
    body.setVectors(op->getResult(0),
                    {arith::CmpIOp::create(b, cast<arith::CmpIOp>(op).getPredicate(), operands[0], operands[1])});
  return true;
}

// Returns the divisor with 1 in inactive lanes, where a division may not trap. The importer makes each division total,
// but the canonicalizer removes its comparison inside a branch that has compared the same divisor:
//
//   if (d == 0) q = 0; else q = n / (d == 0 ? 1 : d);   ==>   ... else q = n / d;
Value maskedDivisor(VectorBuilder &b, Value mask, Value divisor) {
  auto type = cast<VectorType>(divisor.getType());
  Value one = arith::ConstantOp::create(b, DenseElementsAttr::get(type, b.getIntegerAttr(type.getElementType(), 1)));
  return arith::SelectOp::create(b, b.repeatLanes(mask, type.getNumElements() / b.lanes()), divisor, one);
}

} // namespace

void widenElementwise(VectorBody &body, Operation *op, Value mask) {
  VectorBuilder &b = body.builder();
  if (widenAs32Bits(body, op))
    return;
  unsigned count = b.vectorCount(op->getResult(0).getType());
  SmallVector<Vectors> results(op->getNumResults());
  for (unsigned component = 0; component < count; ++component) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      const Vectors own = body.vectors(operand);
      operands.push_back(own.size() == 1 ? own[0] : own[component]);
    }
    if (mask && isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) &&
        !matchPattern(op->getOperand(1), m_Constant()))
      operands[1] = maskedDivisor(b, mask, operands[1]);
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(b.wide(b.laneType(type)));
    Operation *made = b.createLike(op, types, operands);
    if (mask)
      dropPoisonGeneratingFlags(made);
    for (auto [index, value] : llvm::enumerate(made->getResults()))
      results[index].push_back(value);
  }
  for (auto [value, own] : llvm::zip(op->getResults(), results))
    body.setVectors(value, own);
}

} // namespace kiln
