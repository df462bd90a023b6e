#include "passes/simd/emit/LaneValues.h"
#include "dialects/ocl/IntConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/analysis/Constants.h"
#include "passes/simd/emit/WidenCheck.h"
#include "passes/simd/prepare/PoisonFlags.h"

using namespace mlir;

namespace kiln {
namespace {

// One lane of a strided value times a uniform factor: lane 0's product plus `factor * lane * stride`. Null for other
// products.
Value laneOfMultiple(VectorBody &body, arith::MulIOp product, unsigned lane) {
  VectorBuilder &b = body.builder();
  Value strided = product.getLhs(), factor = product.getRhs();
  if (body.shape(strided).isUniform())
    std::swap(strided, factor);
  const std::optional<StrideInfo> info = body.knownStrideInfo(body.shape(strided));
  if (!info || !body.shape(factor).isUniform())
    return {};
  Value ofLane0 = arith::MulIOp::create(b, body.lane0(strided), body.lane0(factor));
  Value lanes = arith::ConstantOp::create(b, b.getIntegerAttr(factor.getType(), int64_t(lane) * info->stride));
  return arith::AddIOp::create(b, ofLane0, arith::MulIOp::create(b, body.lane0(factor), lanes));
}

Value laneOfVectors(VectorBody &body, ArrayRef<Value> vectors, Type type, unsigned lane) {
  VectorBuilder &b = body.builder();
  if (!isa<VectorType>(type))
    return b.extractLane(vectors[0], lane);
  SmallVector<Value> components;
  for (Value vector : vectors)
    components.push_back(b.extractLane(vector, lane));
  return vector::FromElementsOp::create(b, cast<VectorType>(type), components);
}

} // namespace

Vectors vectorsFromLane0(VectorBody &body, Value value) {
  VectorBuilder &b = body.builder();
  const std::optional<StrideInfo> info = body.knownStrideInfo(body.shape(value));
  if (!info) // the guards may fail: each lane computes its value
    return {widenCopy(body, value.getDefiningOp())};
  if (info->stride == 0 || isa<VectorType>(value.getType()))
    return b.splatVectors(body.lane0(value));
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    return {b.stepAddresses(body.lane0(value), info->stride)};
  return {b.stepVector(body.lane0(value), info->stride)};
}

// The lanes' pointers. Strided ones are made of numbers: BasicAA of LLVM 22 crashes on loops with a getelementptr of
// one scalar pointer and a constant vector of distances (GVN, sha256 with a check of each access).
static Value addressesOf(VectorBody &body, Value pointer, bool kept) {
  VectorBuilder &b = body.builder();
  const std::optional<StrideInfo> info = body.knownStrideInfo(body.shape(pointer));
  if (!info || body.hasVectors(pointer))
    return kept ? Value(body.vectors(pointer)[0]) : recomputeHere(body, pointer);
  Value lane0 = LLVM::PtrToIntOp::create(b, b.getI64Type(), body.lane0(pointer));
  return LLVM::IntToPtrOp::create(b, b.wide(pointer.getType()), b.stepVector(lane0, info->stride));
}

Value widenCopy(VectorBody &body, Operation *op, bool kept) {
  if (auto check = dyn_cast<ocl::CheckAccessOp>(op))
    return checkLanes(body, check, addressesOf(body, check.getPointer(), kept), body.checks().maskOf(check));
  VectorBuilder &b = body.builder();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (isa<LLVM::GEPOp>(op) && body.shape(operand).isUniform())
      operands.push_back(body.lane0(operand));
    else
      operands.push_back(kept ? Value(body.vectors(operand)[0]) : recomputeHere(body, operand));
  }
  Operation *copy = b.createLike(op, b.wide(op->getResult(0).getType()), operands);
  dropPoisonGeneratingFlags(copy);
  return copy->getResult(0);
}

Value recomputeHere(VectorBody &body, Value value) {
  if (!body.hasLane0(value) || body.shape(value).isStridedAlways() || !value.getDefiningOp() || body.hasVectors(value))
    return body.vectors(value)[0];
  return widenCopy(body, value.getDefiningOp(), /*kept=*/false);
}

Value laneOf(VectorBody &body, Value value, unsigned lane) {
  VectorBuilder &b = body.builder();
  LaneShape known = body.shape(value);
  if (value.getDefiningOp<ocl::CheckAccessOp>() && !body.knownStrideInfo(known)) // lane 0's pointer is not checked
    return laneOfVectors(body, body.vectors(value), value.getType(), lane);
  if (known.isUniform() || (lane == 0 && known.isStrided()))
    return body.lane0(value);
  if (const std::optional<StrideInfo> info = body.knownStrideInfo(known)) {
    if (info->stride == 0)
      return body.lane0(value);
    if (isa<LLVM::LLVMPointerType>(value.getType()))
      return stridedAddress(body, value, *info, lane);
    Value step = arith::ConstantOp::create(b, b.getIntegerAttr(value.getType(), int64_t(lane) * info->stride));
    return arith::AddIOp::create(b, body.lane0(value), step);
  }
  auto product = value.getDefiningOp<arith::MulIOp>();
  if (product && !known.isStrided())
    if (Value number = laneOfMultiple(body, product, lane))
      return number;
  // An address is computed from the lane's narrow indices: addressing modes scale them and add them to the base for
  // free.
  Operation *op = value.getDefiningOp();
  auto widens = [](Operation *one) { return isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(one); };
  const auto by = product ? constantOf(product.getRhs()) : std::nullopt;
  const bool isMultiple = by && *by > 0 && *by <= body.target().maxIndexScale && llvm::isPowerOf2_64(*by) &&
                          widens(product.getLhs().getDefiningOp());
  if (op && (widens(op) || isMultiple || !body.hasVectors(value))) {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, laneOf(body, operand, lane));
    return b.clone(*op, mapping)->getResult(0);
  }
  return laneOfVectors(body, body.vectors(value), value.getType(), lane);
}

Value stridedAddress(VectorBody &body, Value pointer, const StrideInfo &info, unsigned lane) {
  VectorBuilder &b = body.builder();
  if (lane == 0 || info.stride == 0)
    return body.lane0(pointer);
  Value distance = intConstant(b, int64_t(lane) * info.stride, 64);
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), body.lane0(pointer), ValueRange{distance});
}

} // namespace kiln
