#include "passes/simd/emit/WidenNearlyConsecutive.h"
#include "dialects/ocl/IntConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/simd/decide/PermuteLoad.h"
#include "passes/simd/emit/CheckAssumptions.h"
#include "passes/simd/emit/ConsecutiveAccesses.h"

using namespace mlir;

namespace kiln {

bool isNearlyConsecutive(VectorBody &body, const MemoryAccess &access) {
  return !isPrivateAlloca(access.pointer) &&
         clampedIndex(access.pointer, access.type, body.shapes(), body.dataLayout());
}

Value loadNearlyConsecutive(VectorBody &body, const MemoryAccess &access, llvm::function_ref<Value()> scalarLoad) {
  VectorBuilder &b = body.builder();
  const LinearAddress address(access.pointer, body.dataLayout());
  const LinearAddress::Term index = *clampedIndex(access.pointer, access.type, body.shapes(), body.dataLayout());
  const unsigned bits = index.number.getType().getIntOrFloatBitWidth();
  const auto middle = int64_t(b.lanes() / 2), last = int64_t(b.lanes() - 1);
  auto number = [&](int64_t value) { return intConstant(b, value, bits); };
  Value indices = body.vectors(index.number)[0];
  Value first = arith::SubIOp::create(b, b.extractLane(indices, unsigned(middle)), number(middle));
  Value differs = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, indices, b.stepVector(first, 1));
  Value holds = arith::XOrIOp::create(b, b.any(b.andMask(access.mask, differs)), intConstant(b, 1, 1));
  if (body.isSkipped(Assumption::Window))
    holds = intConstant(b, 1, 1);
  if (bits < 64) { // a narrow index must not wrap between two lanes: the address would not
    Value end = arith::AddIOp::create(b, first, number(last));
    const auto order = index.isSigned ? arith::CmpIPredicate::sle : arith::CmpIPredicate::ule;
    holds = arith::AndIOp::create(b, holds, arith::CmpIOp::create(b, order, first, end));
  }
  auto branch =
      scf::IfOp::create(b, TypeRange(b.wide(access.type)), holds, /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value at = laneAddress(body, address, unsigned(middle));
  at = LLVM::GEPOp::create(b, at.getType(), b.getI8Type(), at, ValueRange{intConstant(b, -middle * index.bytes, 64)});
  Value loaded = loadConsecutiveAt(body, access, at)[0];
  if (body.options().checksAssumptions)
    expectLoaded(body, loaded, access, Assumption::Window);
  scf::YieldOp::create(b, loaded);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, scalarLoad());
  return branch.getResult(0);
}

} // namespace kiln
