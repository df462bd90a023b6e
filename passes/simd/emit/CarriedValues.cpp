#include "passes/simd/emit/CarriedValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace kiln {
namespace {

Type maskIntegerType(VectorBody &body, Type type) {
  VectorBuilder &b = body.builder();
  if (!getElementTypeOrSelf(type).isInteger(1) || body.target().maskElementBits == 1)
    return type;
  Type flag = b.getIntegerType(body.target().maskElementBits);
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(flag)) : flag;
}

} // namespace

Carried carriedAs(VectorBody &body, Value value) {
  if (!body.hasLane0(value))
    return Carried::Lanes;
  return body.knownStrideInfo(body.shape(value)) ? Carried::Lane0 : Carried::Both;
}

SmallVector<Type> carriedTypes(VectorBody &body, Type type, Carried as) {
  VectorBuilder &b = body.builder();
  SmallVector<Type> types;
  if (as != Carried::Lanes)
    types.push_back(type);
  if (as != Carried::Lane0)
    types.append(b.vectorCount(type), b.wide(maskIntegerType(body, b.laneType(type))));
  return types;
}

Value toMaskInteger(VectorBody &body, Value vector) {
  VectorBuilder &b = body.builder();
  Type carried = maskIntegerType(body, vector.getType());
  return carried == vector.getType() ? vector : arith::ExtSIOp::create(b, carried, vector).getResult();
}

Value fromMaskInteger(VectorBody &body, Value vector, Type laneType) {
  VectorBuilder &b = body.builder();
  if (vector.getType() == b.wide(laneType))
    return vector;
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(vector.getType()));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, vector, zero);
}

void appendCarried(VectorBody &body, Value value, Carried as, Vectors &to) {
  if (as != Carried::Lanes)
    to.push_back(body.lane0(value));
  if (as != Carried::Lane0)
    for (Value vector : body.vectors(value))
      to.push_back(toMaskInteger(body, vector));
}

Vectors takeVectors(VectorBody &body, Type type, ArrayRef<Value> &from) {
  VectorBuilder &b = body.builder();
  Vectors own;
  for (unsigned component = 0; component < b.vectorCount(type); ++component)
    own.push_back(fromMaskInteger(body, from[component], b.laneType(type)));
  from = from.drop_front(own.size());
  return own;
}

void takeCarried(VectorBody &body, Value value, Carried as, ArrayRef<Value> &from) {
  Value lane0;
  if (as != Carried::Lanes) {
    lane0 = from.front();
    from = from.drop_front();
  }
  body.setCounterparts(value, lane0, as != Carried::Lane0 ? takeVectors(body, value.getType(), from) : Vectors());
}

void appendCarriedTypes(VectorBody &body, ValueRange targets, SmallVectorImpl<Type> &to) {
  for (Value target : targets)
    llvm::append_range(to, carriedTypes(body, target.getType(), carriedAs(body, target)));
}

void appendCarried(VectorBody &body, ValueRange values, ValueRange targets, Vectors &to) {
  for (auto [value, target] : llvm::zip(values, targets))
    appendCarried(body, value, carriedAs(body, target), to);
}

void takeCarried(VectorBody &body, ValueRange targets, ArrayRef<Value> &from) {
  for (Value target : targets)
    takeCarried(body, target, carriedAs(body, target), from);
}

} // namespace kiln
