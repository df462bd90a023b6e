#include "passes/simd/emit/VectorBuilder.h"
#include "dialects/ocl/IntConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln {

VectorType VectorBuilder::wide(Type type) const {
  return VectorType::get({int64_t(lanes_) * componentCount(type)}, getElementTypeOrSelf(type));
}

Operation *VectorBuilder::createLike(Operation *op, TypeRange types, ValueRange operands) {
  return insert(Operation::create(getLoc(), op->getName(), types, operands,
                                  NamedAttrList(op->getDiscardableAttrDictionary()), op->getPropertiesStorage()));
}

Value VectorBuilder::splat(Value scalar) {
  if (isa<LLVM::LLVMPointerType>(scalar.getType())) { // vector.broadcast takes numbers only
    Value zero = constant(getI64Type(), SmallVector<Attribute>(lanes_, getI64IntegerAttr(0)));
    return LLVM::GEPOp::create(*this, wide(scalar.getType()), getI8Type(), scalar, ValueRange{zero});
  }
  if (Attribute number; matchPattern(scalar, m_Constant(&number)) && isa<IntegerAttr, FloatAttr>(number))
    return arith::ConstantOp::create(*this, DenseElementsAttr::get(wide(scalar.getType()), number));
  return vector::BroadcastOp::create(*this, wide(scalar.getType()), scalar);
}

Vectors VectorBuilder::splatVectors(Value uniform) {
  auto vector = dyn_cast<VectorType>(uniform.getType());
  if (!vector)
    return {splat(uniform)};
  const int64_t count = vector.getNumElements();
  if (isAos_) {
    SmallVector<int64_t> order;
    for (int64_t element = 0; element < count * lanes_; ++element)
      order.push_back(element % count);
    return {shuffle(uniform, uniform, order)};
  }
  Vectors made;
  for (int64_t component = 0; component < count; ++component)
    made.push_back(splat(vector::ExtractOp::create(*this, uniform, component)));
  return made;
}

Value VectorBuilder::stepVector(Value lane0, int64_t stride) {
  Type type = lane0.getType();
  SmallVector<Attribute> steps;
  const unsigned width = isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
  for (unsigned lane = 0; lane < lanes_; ++lane)
    steps.push_back(IntegerAttr::get(type, APInt(width, uint64_t(int64_t(lane) * stride), true, true)));
  return arith::AddIOp::create(*this, splat(lane0), constant(type, steps));
}

Value VectorBuilder::stepAddresses(Value lane0, int64_t stride) {
  SmallVector<Attribute> steps;
  for (unsigned lane = 0; lane < lanes_; ++lane)
    steps.push_back(getI64IntegerAttr(int64_t(lane) * stride));
  Value offsets = constant(getI64Type(), steps);
  return LLVM::GEPOp::create(*this, wide(lane0.getType()), getI8Type(), lane0, ValueRange{offsets});
}

Value VectorBuilder::constant(Type type, ArrayRef<Attribute> elements) {
  return arith::ConstantOp::create(*this,
                                   DenseElementsAttr::get(VectorType::get(int64_t(elements.size()), type), elements));
}

Value VectorBuilder::poison(Type type) { return ub::PoisonOp::create(*this, type); }

Value VectorBuilder::extractLane(Value vector, unsigned lane) {
  return vector::ExtractOp::create(*this, vector, int64_t(lane));
}

Value VectorBuilder::insertLane(Value scalar, Value vector, unsigned lane) {
  return vector::InsertOp::create(*this, scalar, vector, int64_t(lane));
}

Value VectorBuilder::shuffle(Value a, Value other, ArrayRef<int64_t> order) {
  SmallVector<int32_t> narrow(order.begin(), order.end());
  return LLVM::ShuffleVectorOp::create(*this, a, other, narrow);
}

Value VectorBuilder::slice(Value row, unsigned from, unsigned count) {
  const unsigned elements = componentCount(row.getType());
  SmallVector<int64_t> order;
  for (unsigned element = from; element < from + count; ++element)
    order.push_back(element < elements ? int64_t(element) : -1);
  return shuffle(row, row, order);
}

Value VectorBuilder::concat(ArrayRef<Value> rows) {
  SmallVector<Value> joined(rows);
  while (joined.size() > 1) {
    const auto length = int64_t(componentCount(joined[0].getType()));
    SmallVector<Value> next;
    for (size_t at = 0; at < joined.size(); at += 2)
      next.push_back(shuffle(joined[at], joined[at + 1], llvm::to_vector(llvm::seq<int64_t>(0, 2 * length))));
    joined = std::move(next);
  }
  return joined[0];
}

Value VectorBuilder::repeatLanes(Value lanes, unsigned count, unsigned from) {
  if (!lanes || count == 1)
    return lanes;
  SmallVector<int64_t> order;
  for (unsigned lane = 0; lane < from; ++lane)
    order.append(count, int64_t(lane));
  return shuffle(lanes, lanes, order);
}

Value VectorBuilder::maskBits(Value mask) { return LLVM::BitcastOp::create(*this, getIntegerType(lanes_), mask); }

Value VectorBuilder::any(Value mask) {
  Value none = intConstant(*this, 0, lanes_);
  return arith::CmpIOp::create(*this, arith::CmpIPredicate::ne, maskBits(mask), none);
}

Value VectorBuilder::all(Value mask) {
  Value everyLane = intConstant(*this, -1, lanes_);
  return arith::CmpIOp::create(*this, arith::CmpIPredicate::eq, maskBits(mask), everyLane);
}

// A select, because an inactive lane's condition may be poison: the results of a branch that the lane did not take.
Value VectorBuilder::andMask(Value mask, Value condition) {
  if (!mask)
    return condition;
  Value no = splat(intConstant(*this, 0, 1));
  return arith::SelectOp::create(*this, mask, condition, no);
}

Value VectorBuilder::notMask(Value mask) {
  Value yes = splat(intConstant(*this, 1, 1));
  return arith::XOrIOp::create(*this, mask, yes);
}

} // namespace kiln
