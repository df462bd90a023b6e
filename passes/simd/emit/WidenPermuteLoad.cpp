#include "passes/simd/emit/WidenPermuteLoad.h"
#include "dialects/ocl/IntConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/simd/decide/PermuteLoad.h"
#include "passes/simd/emit/CheckAssumptions.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr unsigned ElementBits = 32;
constexpr int64_t Page = 4096;

// Lane n of the result is element index[n] of the window.
Value permute(VectorBuilder &b, Value window, Value index, unsigned count) {
  SmallVector<int64_t> low(count), high(count);
  for (unsigned lane = 0; lane < count; ++lane)
    low[lane] = lane, high[lane] = count + lane;
  Value a = b.shuffle(window, window, low), other = b.shuffle(window, window, high);
  return wg::PermuteOp::create(b, index.getType(), index, a, other);
}

} // namespace

unsigned permuteLanes(VectorBody &body, const MemoryAccess &access) {
  if (access.mask || !permuteLoadIndex(access.pointer, access.type, body.shapes(), body.dataLayout()))
    return 0;
  const unsigned tableSize = body.target().permuteTableSize;
  for (unsigned count : {tableSize / 2, 8u})
    if (count && 2 * count <= tableSize && body.builder().lanes() % count == 0)
      return count;
  return 0;
}

Value permuteLoad(VectorBody &body, const MemoryAccess &access, unsigned count,
                  llvm::function_ref<Value()> scalarLoad) {
  VectorBuilder &b = body.builder();
  const LinearAddress address(access.pointer, body.dataLayout());
  const LinearAddress::Term index = *permuteLoadIndex(access.pointer, access.type, body.shapes(), body.dataLayout());
  const unsigned bits = index.number.getType().getIntOrFloatBitWidth(), window = 2 * count;
  Value indices = body.vectors(index.number)[0];
  // Each lane's index relative to that of the first lane of its window.
  SmallVector<int64_t> firsts(b.lanes());
  for (unsigned lane = 0; lane < b.lanes(); ++lane)
    firsts[lane] = lane / count * count;
  Value offsets = arith::SubIOp::create(b, indices, b.shuffle(indices, indices, firsts));
  Value limit = b.splat(intConstant(b, window, bits));
  Value holds = body.isSkipped(Assumption::Window)
                    ? intConstant(b, 1, 1)
                    : b.all(arith::CmpIOp::create(b, arith::CmpIPredicate::ult, offsets, limit));
  SmallVector<Value> windows;
  for (unsigned lane = 0; lane < b.lanes(); lane += count) {
    auto require = [&](arith::CmpIPredicate predicate, Value a, Value bound) {
      holds = arith::AndIOp::create(b, holds, arith::CmpIOp::create(b, predicate, a, bound));
    };
    if (bits < 64) { // a narrow index must not wrap within the window: the address would not
      const APInt max = index.isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
      require(index.isSigned ? arith::CmpIPredicate::sle : arith::CmpIPredicate::ule, b.extractLane(indices, lane),
              arith::ConstantOp::create(b, b.getIntegerAttr(b.getIntegerType(bits), max - window)));
    }
    Value start = laneAddress(body, address, lane);
    Value pageOffset =
        arith::AndIOp::create(b, LLVM::PtrToIntOp::create(b, b.getI64Type(), start), intConstant(b, Page - 1, 64));
    require(arith::CmpIPredicate::ule, pageOffset, intConstant(b, Page - int64_t(window * ElementBits / 8), 64));
    windows.push_back(start);
  }
  auto branch =
      scf::IfOp::create(b, TypeRange(b.wide(access.type)), holds, /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Type element = b.getI32Type();
  if (bits > ElementBits)
    offsets = arith::TruncIOp::create(b, b.wide(element), offsets);
  else if (bits < ElementBits)
    offsets = arith::ExtUIOp::create(b, b.wide(element), offsets);
  SmallVector<Value> permuted;
  for (auto [at, start] : llvm::enumerate(windows)) {
    Value whole = LLVM::LoadOp::create(b, VectorType::get({int64_t(window)}, element), start, access.alignment);
    permuted.push_back(permute(b, whole, b.slice(offsets, unsigned(at) * count, count), count));
  }
  Value made = LLVM::BitcastOp::create(b, b.wide(access.type), b.concat(permuted));
  if (body.options().checksAssumptions)
    expectLoaded(body, made, access, Assumption::Window);
  scf::YieldOp::create(b, made);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, scalarLoad());
  return branch.getResult(0);
}

} // namespace kiln
