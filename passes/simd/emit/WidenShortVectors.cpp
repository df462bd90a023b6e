#include "passes/simd/emit/WidenShortVectors.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/ocl/LowerDynamicIndex.h"
#include "passes/simd/emit/Transpose.h"

using namespace mlir;

namespace kiln {
namespace {

// The component that an extract or insert names by one constant.
template <typename Access> std::optional<size_t> staticIndex(Access access) {
  if (!access.getDynamicPosition().empty() || access.getStaticPosition().size() != 1)
    return {};
  return size_t(access.getStaticPosition()[0]);
}

// Returns true if each component was truncated from an integer at least as wide as `whole`.
bool isTruncatedFrom(Value components, Type whole) {
  Operation *op = components.getDefiningOp();
  return isa_and_nonnull<arith::TruncIOp, ocl::ConvertOp>(op) && isa<IntegerType>(getElementTypeOrSelf(components)) &&
         getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth() >= whole.getIntOrFloatBitWidth();
}

// Packs components into one integer by shifts and ors. LLVM folds the extension of a component with its truncation.
Value pack(VectorBuilder &b, ArrayRef<Value> vectors, Type to) {
  const unsigned bits = getElementTypeOrSelf(vectors[0]).getIntOrFloatBitWidth();
  Value made;
  for (auto [at, vector] : llvm::enumerate(vectors)) {
    Value one = arith::ExtUIOp::create(b, b.wide(to), vector);
    if (at)
      one = arith::ShLIOp::create(b, one,
                                  b.splat(arith::ConstantOp::create(b, b.getIntegerAttr(to, int64_t(at * bits)))));
    made = made ? arith::OrIOp::create(b, made, one).getResult() : one;
  }
  return made;
}

} // namespace

bool widenExtract(VectorBody &body, vector::ExtractOp op) {
  VectorBuilder &b = body.builder();
  if (const auto at = staticIndex(op)) {
    body.setVectors(op.getResult(), {body.vectors(op->getOperand(0))[*at]});
    return true;
  }
  if (op.getDynamicPosition().size() != 1)
    return false;
  Value number = body.vectors(op.getDynamicPosition()[0])[0];
  number = arith::IndexCastUIOp::create(b, b.wide(b.getI32Type()), number);
  body.setVectors(op.getResult(),
                  {selectByIndex(b, b.getLoc(), llvm::to_vector_of<Value>(body.vectors(op->getOperand(0))), number)});
  return true;
}

bool widenInsert(VectorBody &body, vector::InsertOp op) {
  const auto at = staticIndex(op);
  if (!at)
    return false;
  Vectors made = body.vectors(op.getDest());
  made[*at] = body.vectors(op.getValueToStore())[0];
  body.setVectors(op.getResult(), made);
  return true;
}

void widenFromElements(VectorBody &body, vector::FromElementsOp op) {
  Vectors made;
  for (Value element : op.getElements())
    made.push_back(body.vectors(element)[0]);
  body.setVectors(op.getResult(), made);
}

bool widenBroadcast(VectorBody &body, vector::BroadcastOp op) {
  VectorBuilder &b = body.builder();
  if (isa<VectorType>(op.getSourceType()))
    return false;
  Value lanes = body.vectors(op->getOperand(0))[0];
  const unsigned count = componentCount(op.getType());
  body.setVectors(op.getResult(), b.isAos() ? Vectors{b.repeatLanes(lanes, count)} : Vectors(count, lanes));
  return true;
}

void widenShuffle(VectorBody &body, vector::ShuffleOp op) {
  Vectors all = body.vectors(op.getV1());
  llvm::append_range(all, body.vectors(op.getV2()));
  Vectors made;
  for (int64_t at : op.getMask())
    made.push_back(at < 0 ? body.builder().poison(all[0].getType()) : all[size_t(at)]);
  body.setVectors(op.getResult(), made);
}

bool widenBitcast(VectorBody &body, Operation *op) {
  VectorBuilder &b = body.builder();
  Value source = op->getOperand(0), result = op->getResult(0);
  Type from = source.getType(), to = result.getType();
  if (b.isAos()) {
    body.setVectors(result, {LLVM::BitcastOp::create(b, b.wide(to), body.vectors(source)[0])});
    return true;
  }
  const unsigned fromCount = b.vectorCount(from), toCount = b.vectorCount(to);
  if (fromCount == toCount)
    return false; // element-wise
  if (isa<LLVM::LLVMPointerType>(b.laneType(from)) || isa<LLVM::LLVMPointerType>(b.laneType(to)))
    return false;
  if (toCount == 1 && isa<IntegerType>(b.laneType(to)) && isTruncatedFrom(source, b.laneType(to))) {
    body.setVectors(result, {pack(b, body.vectors(source), b.laneType(to))});
    return true;
  }
  Value interleaved = fromCount == 1 ? body.vectors(source)[0] : interleave(b, body.vectors(source));
  auto interleavedType = VectorType::get({int64_t(toCount) * b.lanes()}, b.laneType(to));
  interleaved = LLVM::BitcastOp::create(b, interleavedType, interleaved);
  body.setVectors(result, toCount == 1 ? Vectors{interleaved} : deinterleave(b, interleaved, toCount));
  return true;
}

} // namespace kiln
