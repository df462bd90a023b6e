// Lanes that lie close together, in no order that is known: the memory from the first one's place on is loaded, a
// window of twice as many elements as there are lanes, and each lane picks its own. That they do lie so is asked first:
//
//   %near = %number - %number[0] <u 32, in all lanes, and the window does not leave the page
//   %v = scf.if %near { %window = llvm.load %place : vector<32xi32>, of which each lane takes one } else { one by one }
//
// Lane 0 is there, so its page is, and nobody sees what of the rest is nobody's.
#include "passes/simd/Near.h"
#include "passes/simd/Widener.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr unsigned ElementBits = 32;
constexpr int64_t Page = 4096;

} // namespace

// Lanes that pick from one window; none: the machine has no such instruction, or not for these.
unsigned Widener::pickers(Value pointer, Type type, Value mask) const {
  if (mask || !nearIndex(pointer, type, shapes_, layout_))
    return 0;
  for (unsigned count : {pickFrom_ / 2, 8u})
    if (count && 2 * count <= pickFrom_ && lanes_ % count == 0)
      return count;
  return 0;
}

// Element index[n] of the window in lane n.
Value Widener::pick(Value window, Value index, unsigned count) {
  SmallVector<int64_t> low(count), high(count);
  for (unsigned lane = 0; lane < count; ++lane)
    low[lane] = lane, high[lane] = count + lane;
  Value a = shuffle(window, window, low), other = shuffle(window, window, high);
  auto call = [&](StringRef name, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(b, loc, index.getType(), b.getStringAttr(name), operands).getResult(0);
  };
  if (count == 16)
    return call("llvm.x86.avx512.vpermi2var.d.512", {a, index, other});
  auto bound = DenseElementsAttr::get(cast<VectorType>(index.getType()), b.getI32IntegerAttr(int32_t(count)));
  Value isLow =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, arith::ConstantOp::create(b, loc, bound));
  return arith::SelectOp::create(b, loc, isLow, call("llvm.x86.avx2.permd", {a, index}),
                                 call("llvm.x86.avx2.permd", {other, index}));
}

Value Widener::loadNear(Value pointer, Type type, unsigned alignment, unsigned count,
                        llvm::function_ref<Value()> oneByOne) {
  const LinearAddress address(pointer, layout_);
  const LinearAddress::Term index = *nearIndex(pointer, type, shapes_, layout_);
  const unsigned bits = index.number.getType().getIntOrFloatBitWidth(), window = 2 * count;
  Value number = parts(index.number)[0];
  // The first of each window's lanes, for all of them.
  SmallVector<int64_t> firsts(lanes_);
  for (unsigned lane = 0; lane < lanes_; ++lane)
    firsts[lane] = lane / count * count;
  Value steps = arith::SubIOp::create(b, loc, number, shuffle(number, number, firsts));
  Value limit = splat(arith::ConstantIntOp::create(b, loc, window, bits));
  Value holds = isSkipped(Assumption::Window)
                    ? arith::ConstantIntOp::create(b, loc, 1, 1).getResult()
                    : all(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, steps, limit));
  SmallVector<Value> places;
  for (unsigned lane = 0; lane < lanes_; lane += count) {
    auto ask = [&](arith::CmpIPredicate predicate, Value a, Value bound) {
      holds = arith::AndIOp::create(b, loc, holds, arith::CmpIOp::create(b, loc, predicate, a, bound));
    };
    if (bits < 64) { // a narrow number may wrap around where the address does not
      const APInt most = index.isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
      ask(index.isSigned ? arith::CmpIPredicate::sle : arith::CmpIPredicate::ule, extract(number, lane),
          arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getIntegerType(bits), most - window)));
    }
    Value place = rowOf(address, lane);
    Value offset = arith::AndIOp::create(b, loc, LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), place),
                                         arith::ConstantIntOp::create(b, loc, Page - 1, 64));
    ask(arith::CmpIPredicate::ule, offset,
        arith::ConstantIntOp::create(b, loc, Page - int64_t(window * ElementBits / 8), 64));
    places.push_back(place);
  }
  auto branch = scf::IfOp::create(b, loc, TypeRange(wide(type)), holds, /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Type element = b.getI32Type();
  if (bits > ElementBits)
    steps = arith::TruncIOp::create(b, loc, wide(element), steps);
  else if (bits < ElementBits)
    steps = arith::ExtUIOp::create(b, loc, wide(element), steps);
  SmallVector<Value> picked;
  for (auto [at, place] : llvm::enumerate(places)) {
    Value whole = LLVM::LoadOp::create(b, loc, VectorType::get({int64_t(window)}, element), place, alignment);
    picked.push_back(pick(whole, slice(steps, unsigned(at) * count, count), count));
  }
  Value made = LLVM::BitcastOp::create(b, loc, wide(type), sideBySide(picked));
  if (checksAssumptions_)
    expectLoaded(made, pointer, type, alignment, {}, Assumption::Window);
  scf::YieldOp::create(b, loc, made);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, oneByOne());
  return branch.getResult(0);
}

} // namespace kiln
