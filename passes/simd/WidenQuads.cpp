// Accesses by quads. If a vector's ids (i / 4, i % 8) lie in several tiles, each tile may still hold four consecutive
// ids or more, as in the short stages of sorting networks and Fourier transforms. Then each quad is one vector access:
//
//   %holds = %i0 & 3 == 0 and %mask & 3 == 3
//   scf.if %holds { llvm.store %quad, %p : vector<4xf32>, four times } else { one store per lane }
#include "passes/simd/Widener.h"

using namespace mlir;

namespace kiln {
namespace {
constexpr unsigned Quad = 4, MinElementBits = 32; // AVX2 has no masked accesses of narrower elements
} // namespace

bool Widener::canUseQuads(Value pointer, Type type) const {
  if (!quadShapes_ || lanes_ % Quad || lanes_ == Quad)
    return false;
  const LaneShape where = quadShapes_->of(pointer);
  return isConsecutive(where.strideInfoIfGuardsHold(), type) &&
         getElementTypeOrSelf(type).getIntOrFloatBitWidth() >= MinElementBits && !where.guards().empty() &&
         llvm::all_of(where.guards(), [&](Operation *guard) { return isDivRemOrMask(guard) && tileOperandsOf(guard); });
}

// Nothing if quads of this operation cannot be checked: the stride must be a power of two and have no guards.
std::optional<Widener::TileOperands> Widener::tileOperandsOf(Operation *divRemOrMask) const {
  Value strided = divRemOrMask->getOperand(0), uniform = divRemOrMask->getOperand(1);
  if (shape(strided).isUniform())
    std::swap(strided, uniform);
  const std::optional<StrideInfo> info = knownStrideInfo(shape(strided));
  if (!info || info->stride <= 0 || !llvm::isPowerOf2_64(uint64_t(info->stride)) || !shape(uniform).isUniform())
    return {};
  return TileOperands{strided, uniform, *info};
}

// Checks that tiles and quads start at multiples of `span`, the distance that four lanes cover.
Value Widener::checkQuads(Value pointer) {
  if (isSkipped(Assumption::Quads))
    return arith::ConstantIntOp::create(b, loc, 1, 1);
  Value holds;
  for (Operation *guard : quadShapes_->of(pointer).guards()) {
    const TileOperands operands = *tileOperandsOf(guard);
    Value strided = lane0(operands.strided), uniform = lane0(operands.uniform);
    Type type = strided.getType();
    auto constant = [&](uint64_t value) {
      return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, int64_t(value))).getResult();
    };
    auto require = [&](arith::CmpIPredicate predicate, Value a, Value bound) {
      Value one = arith::CmpIOp::create(b, loc, predicate, a, bound);
      holds = holds ? arith::AndIOp::create(b, loc, holds, one).getResult() : one;
    };
    const uint64_t span = Quad * uint64_t(operands.info.stride);
    auto low = [&](Value value) { return arith::AndIOp::create(b, loc, value, constant(span - 1)).getResult(); };
    require(arith::CmpIPredicate::eq, low(strided), constant(0));
    if (isa<arith::AndIOp>(guard)) {
      require(arith::CmpIPredicate::eq, low(uniform), constant(span - 1));
      continue;
    }
    const unsigned bits = type.getIntOrFloatBitWidth();
    const bool isSigned = isa<arith::DivSIOp, arith::RemSIOp, arith::ShRSIOp>(guard);
    const APInt max = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
    require(arith::CmpIPredicate::ule, strided, constant((max - (span / Quad) * (lanes_ - 1)).getZExtValue()));
    if (isa<arith::ShRUIOp, arith::ShRSIOp>(guard))
      require(arith::CmpIPredicate::uge, uniform, constant(llvm::Log2_64(span)));
    else
      require(arith::CmpIPredicate::eq, low(uniform), constant(0));
  }
  return holds;
}

Widener::Vectors Widener::loadQuads(Value pointer, Type type, unsigned alignment, Value mask,
                                    llvm::function_ref<Vectors()> otherwise) {
  const unsigned count = componentCount(type);
  const SmallVector<Type> types(vectorCount(type), wide(laneType(type)));
  auto branch = scf::IfOp::create(b, loc, types, checkQuads(pointer), /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  auto row = VectorType::get({int64_t(Quad) * count}, getElementTypeOrSelf(type));
  SmallVector<Value> rows;
  for (unsigned lane = 0; lane < lanes_; lane += Quad) {
    Value from = this->lane(pointer, lane);
    rows.push_back(mask ? LLVM::MaskedLoadOp::create(b, loc, row, from,
                                                     repeatLanes(slice(mask, lane, Quad), count, Quad),
                                                     /*pass_thru=*/Value(), alignment)
                              .getResult()
                        : LLVM::LoadOp::create(b, loc, row, from, alignment).getResult());
  }
  Value interleaved = concat(rows);
  if (checksAssumptions_ && count == 1)
    expectLoaded(interleaved, pointer, type, alignment, mask, Assumption::Quads);
  scf::YieldOp::create(b, loc, isAos_ || count == 1 ? Vectors{interleaved} : deinterleave(interleaved, count));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, otherwise());
  return Vectors(branch.getResults());
}

void Widener::storeQuads(Value pointer, Type type, unsigned alignment, Value value, Value mask,
                         llvm::function_ref<void()> otherwise) {
  const unsigned count = componentCount(type);
  const Vectors own = vectors(value);
  auto branch = scf::IfOp::create(b, loc, TypeRange(), checkQuads(pointer), /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value interleaved = isAos_ || count == 1 ? own[0] : interleave(own);
  for (unsigned lane = 0; lane < lanes_; lane += Quad) {
    Value to = this->lane(pointer, lane), row = slice(interleaved, lane * count, Quad * count);
    if (mask)
      LLVM::MaskedStoreOp::create(b, loc, row, to, repeatLanes(slice(mask, lane, Quad), count, Quad),
                                  b.getI32IntegerAttr(int32_t(alignment)));
    else
      LLVM::StoreOp::create(b, loc, row, to, alignment);
  }
  scf::YieldOp::create(b, loc);
  b.setInsertionPointToStart(branch.elseBlock());
  otherwise();
  scf::YieldOp::create(b, loc);
}

} // namespace kiln
