// Replaces a gather of 32-bit elements by one window load and a permute, if all lanes' indices are within 2 * count of
// the window's first lane and the window does not cross a 4 KiB page:
//
//   %offset = %index - %index[0]
//   %holds = %offset <u 32 in all lanes, and the window does not leave the page
//   %v = scf.if %holds { permute (llvm.load %p0 : vector<32xi32>), %offset } else { one load per lane }
//
// A failing check falls back to one load per lane. Reading past the object cannot fault: the window starts at an
// address that an active lane reads (masked loads do not take this path) and ends on the same page. Elements outside
// the object are loaded and never selected.
#include "passes/simd/PermuteLoad.h"
#include "passes/simd/Widener.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr unsigned ElementBits = 32;
constexpr int64_t Page = 4096;

} // namespace

// The number of lanes that one window serves; 0 if this load is masked, its index is not nearly strided, or the machine
// has no permute for it.
unsigned Widener::permuteLanes(Value pointer, Type type, Value mask) const {
  if (mask || !permuteLoadIndex(pointer, type, shapes_, layout_))
    return 0;
  for (unsigned count : {permuteTableSize_ / 2, 8u})
    if (count && 2 * count <= permuteTableSize_ && lanes_ % count == 0)
      return count;
  return 0;
}

// Lane n of the result is element index[n] of the window.
Value Widener::permute(Value window, Value index, unsigned count) {
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

Value Widener::permuteLoad(Value pointer, Type type, unsigned alignment, unsigned count,
                           llvm::function_ref<Value()> scalarLoad) {
  const LinearAddress address(pointer, layout_);
  const LinearAddress::Term index = *permuteLoadIndex(pointer, type, shapes_, layout_);
  const unsigned bits = index.number.getType().getIntOrFloatBitWidth(), window = 2 * count;
  Value indices = vectors(index.number)[0];
  // Each lane's index relative to that of the first lane of its window.
  SmallVector<int64_t> firsts(lanes_);
  for (unsigned lane = 0; lane < lanes_; ++lane)
    firsts[lane] = lane / count * count;
  Value offsets = arith::SubIOp::create(b, loc, indices, shuffle(indices, indices, firsts));
  Value limit = splat(arith::ConstantIntOp::create(b, loc, window, bits));
  Value holds = isSkipped(Assumption::Window)
                    ? arith::ConstantIntOp::create(b, loc, 1, 1).getResult()
                    : all(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, offsets, limit));
  SmallVector<Value> windows;
  for (unsigned lane = 0; lane < lanes_; lane += count) {
    auto require = [&](arith::CmpIPredicate predicate, Value a, Value bound) {
      holds = arith::AndIOp::create(b, loc, holds, arith::CmpIOp::create(b, loc, predicate, a, bound));
    };
    if (bits < 64) { // a narrow index must not wrap within the window: the address would not
      const APInt max = index.isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
      require(index.isSigned ? arith::CmpIPredicate::sle : arith::CmpIPredicate::ule, extract(indices, lane),
              arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getIntegerType(bits), max - window)));
    }
    Value start = laneAddress(address, lane);
    Value pageOffset = arith::AndIOp::create(b, loc, LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), start),
                                             arith::ConstantIntOp::create(b, loc, Page - 1, 64));
    require(arith::CmpIPredicate::ule, pageOffset,
            arith::ConstantIntOp::create(b, loc, Page - int64_t(window * ElementBits / 8), 64));
    windows.push_back(start);
  }
  auto branch = scf::IfOp::create(b, loc, TypeRange(wide(type)), holds, /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Type element = b.getI32Type();
  if (bits > ElementBits)
    offsets = arith::TruncIOp::create(b, loc, wide(element), offsets);
  else if (bits < ElementBits)
    offsets = arith::ExtUIOp::create(b, loc, wide(element), offsets);
  SmallVector<Value> permuted;
  for (auto [at, start] : llvm::enumerate(windows)) {
    Value whole = LLVM::LoadOp::create(b, loc, VectorType::get({int64_t(window)}, element), start, alignment);
    permuted.push_back(permute(whole, slice(offsets, unsigned(at) * count, count), count));
  }
  Value made = LLVM::BitcastOp::create(b, loc, wide(type), concat(permuted));
  if (checksAssumptions_)
    expectLoaded(made, pointer, type, alignment, {}, Assumption::Window);
  scf::YieldOp::create(b, loc, made);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, scalarLoad());
  return branch.getResult(0);
}

} // namespace kiln
