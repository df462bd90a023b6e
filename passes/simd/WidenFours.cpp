// Lanes in fours: where a vector's numbers lie in several pieces (i / 4, i % 8), each piece may still hold four
// neighbours at least. Rounds of sorting networks and Fourier transforms are such, the short ones. Then four lanes
// access memory at once:
//
//   %hold = %first & 3 == 0 and %mask & 3 == 3
//   scf.if %hold { llvm.store %part, %place : vector<4xf32>, four times } else { one by one }
#include "passes/simd/Widener.h"

using namespace mlir;

namespace kiln {
namespace {
constexpr unsigned Four = 4, LeastBits = 32; // every processor has masks for these
} // namespace

bool Widener::goesInFours(Value pointer, Type type) const {
  if (!fours_ || lanes_ % Four || lanes_ == Four)
    return false;
  const LaneShape where = fours_->of(pointer);
  return isConsecutive(where.riseIfGuardsHold(), type) &&
         getElementTypeOrSelf(type).getIntOrFloatBitWidth() >= LeastBits && !where.guards().empty() &&
         llvm::all_of(where.guards(), [&](Operation *guard) { return isDivRemOrMask(guard) && cutOf(guard); });
}

// Nothing if quads of this operation cannot be checked: the stride has to be a power of two that rests on nothing else.
std::optional<Widener::Cut> Widener::cutOf(Operation *divRemOrMask) const {
  Value rising = divRemOrMask->getOperand(0), by = divRemOrMask->getOperand(1);
  if (shape(rising).isUniform())
    std::swap(rising, by);
  const std::optional<Rise> rise = knownRise(shape(rising));
  if (!rise || rise->stride <= 0 || !llvm::isPowerOf2_64(uint64_t(rise->stride)) || !shape(by).isUniform())
    return {};
  return Cut{rising, by, *rise};
}

// Pieces begin at multiples of how far four lanes reach, and so do the fours.
Value Widener::foursHold(Value pointer) {
  if (isSkipped(Assumption::Quads))
    return arith::ConstantIntOp::create(b, loc, 1, 1);
  Value holds;
  for (Operation *cut : fours_->of(pointer).guards()) {
    const Cut known = *cutOf(cut);
    Value rising = first(known.rising), by = first(known.by);
    Type type = rising.getType();
    auto constant = [&](uint64_t value) {
      return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, int64_t(value))).getResult();
    };
    auto ask = [&](arith::CmpIPredicate predicate, Value a, Value bound) {
      Value one = arith::CmpIOp::create(b, loc, predicate, a, bound);
      holds = holds ? arith::AndIOp::create(b, loc, holds, one).getResult() : one;
    };
    const uint64_t reach = Four * uint64_t(known.rise.stride);
    auto low = [&](Value value) { return arith::AndIOp::create(b, loc, value, constant(reach - 1)).getResult(); };
    ask(arith::CmpIPredicate::eq, low(rising), constant(0));
    if (isa<arith::AndIOp>(cut)) {
      ask(arith::CmpIPredicate::eq, low(by), constant(reach - 1));
      continue;
    }
    const unsigned bits = type.getIntOrFloatBitWidth();
    const bool isSigned = isa<arith::DivSIOp, arith::RemSIOp, arith::ShRSIOp>(cut);
    const APInt most = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
    ask(arith::CmpIPredicate::ule, rising, constant((most - (reach / Four) * (lanes_ - 1)).getZExtValue()));
    if (isa<arith::ShRUIOp, arith::ShRSIOp>(cut))
      ask(arith::CmpIPredicate::uge, by, constant(llvm::Log2_64(reach)));
    else
      ask(arith::CmpIPredicate::eq, low(by), constant(0));
  }
  return holds;
}

Widener::Parts Widener::loadFours(Value pointer, Type type, unsigned alignment, Value mask,
                                  llvm::function_ref<Parts()> otherwise) {
  const unsigned count = componentCount(type);
  const SmallVector<Type> types(partCount(type), wide(partType(type)));
  auto branch = scf::IfOp::create(b, loc, types, foursHold(pointer), /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  auto row = VectorType::get({int64_t(Four) * count}, getElementTypeOrSelf(type));
  SmallVector<Value> rows;
  for (unsigned lane = 0; lane < lanes_; lane += Four) {
    Value from = this->lane(pointer, lane);
    rows.push_back(mask ? LLVM::MaskedLoadOp::create(b, loc, row, from, spread(slice(mask, lane, Four), count, Four),
                                                     /*pass_thru=*/Value(), alignment)
                              .getResult()
                        : LLVM::LoadOp::create(b, loc, row, from, alignment).getResult());
  }
  Value flat = sideBySide(rows);
  if (checksAssumptions_ && count == 1)
    expectLoaded(flat, pointer, type, alignment, mask, Assumption::Quads);
  scf::YieldOp::create(b, loc, isFlat_ || count == 1 ? Parts{flat} : deinterleave(flat, count));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, otherwise());
  return Parts(branch.getResults());
}

void Widener::storeFours(Value pointer, Type type, unsigned alignment, Value value, Value mask,
                         llvm::function_ref<void()> otherwise) {
  const unsigned count = componentCount(type);
  const Parts own = parts(value);
  auto branch = scf::IfOp::create(b, loc, TypeRange(), foursHold(pointer), /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value flat = isFlat_ || count == 1 ? own[0] : interleave(own);
  for (unsigned lane = 0; lane < lanes_; lane += Four) {
    Value to = this->lane(pointer, lane), row = slice(flat, lane * count, Four * count);
    if (mask)
      LLVM::MaskedStoreOp::create(b, loc, row, to, spread(slice(mask, lane, Four), count, Four),
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
