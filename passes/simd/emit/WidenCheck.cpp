#include "passes/simd/emit/WidenCheck.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "passes/simd/emit/LaneAccesses.h"

using namespace mlir;

namespace kiln {
namespace {

// The value of the lane with a number that is computed.
Value valueOf(VectorBody &body, Value value, Value lane) {
  VectorBuilder &b = body.builder();
  const LaneShape shape = body.shape(value);
  if (shape.isUniform())
    return body.lane0(value);
  const std::optional<StrideInfo> info = body.knownStrideInfo(shape);
  if (!info || !value.getType().isInteger(64))
    return LLVM::ExtractElementOp::create(b, body.vectors(value)[0], lane);
  Value number = arith::ExtUIOp::create(b, b.getI64Type(), lane);
  return arith::AddIOp::create(b, body.lane0(value),
                               arith::MulIOp::create(b, number, intConstant(b, info->stride, 64)));
}

// One check for all lanes. Its report names the first active lane.
Value checkUniform(VectorBody &body, ocl::CheckAccessOp check, Value mask) {
  VectorBuilder &b = body.builder();
  Value lane = intConstant(b, 0, 32);
  if (mask) {
    lane = math::CountTrailingZerosOp::create(b, b.maskBits(mask));
    if (b.lanes() < 32)
      lane = arith::ExtUIOp::create(b, b.getI32Type(), lane);
    else if (b.lanes() > 32)
      lane = arith::TruncIOp::create(b, b.getI32Type(), lane);
  }
  IRMapping mapping;
  for (Value operand : check->getOperands())
    mapping.map(operand, valueOf(body, operand, lane));
  return b.clone(*check, mapping)->getResult(0);
}

} // namespace

void widenCheck(VectorBody &body, ocl::CheckAccessOp check, Value mask) {
  VectorBuilder &b = body.builder();
  const Value result = check.getResult(), pointer = check.getPointer();
  if (body.groups().covers(check))
    return;
  if (body.shape(result).isUniform())
    return body.setLane0(result, checkUniform(body, check, mask));
  body.checks().setMask(check, mask);
  if (!body.hasLane0(result)) {
    Value anyFails;
    body.setVectors(result, {checkLanes(body, check, body.vectors(pointer)[0], mask, &anyFails)});
    return body.checks().setFailure(check, anyFails);
  }
  // The result is another value than the pointer. VectorBody would otherwise reuse vectors that it has made from the
  // pointer before it knew the mask.
  Value here = LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), body.lane0(pointer), LLVM::GEPArg(0));
  body.setLane0(result, here);
}

// The active lanes whose bytes are not in the object.
static Value failingLanes(VectorBody &body, ocl::CheckAccessOp check, Value pointers, Value bytes, Value mask) {
  VectorBuilder &b = body.builder();
  auto compare = [&](Value a, Value other) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ule, a, other).getResult();
  };
  auto addresses = [&](Value vector) {
    return LLVM::PtrToIntOp::create(b, b.wide(b.getI64Type()), vector).getResult();
  };
  const Value size = body.vectors(check.getSize())[0];
  Value offsets = arith::SubIOp::create(b, addresses(pointers), addresses(body.vectors(check.getBase())[0]));
  Value fits = b.andMask(compare(bytes, size), compare(offsets, arith::SubIOp::create(b, size, bytes)));
  return b.andMask(mask, b.notMask(fits));
}

Value anyLaneFails(VectorBody &body, ocl::CheckAccessOp check, Value pointers, Value total, Value mask) {
  VectorBuilder &b = body.builder();
  return b.any(failingLanes(body, check, pointers, b.splat(total), mask));
}

Value checkLanes(VectorBody &body, ocl::CheckAccessOp check, Value pointers, Value mask, Value *anyFails,
                 std::optional<Location> where) {
  VectorBuilder &b = body.builder();
  Value wrong = failingLanes(body, check, pointers, body.vectors(check.getBytes())[0], mask), isAnyWrong = b.any(wrong);
  if (anyFails)
    *anyFails = isAnyWrong;
  auto branch = scf::IfOp::create(b, pointers.getType(), isAnyWrong, /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, pointers);
  b.setInsertionPointToStart(branch.thenBlock());
  auto checked = forEachLane(b, wrong, pointers, [&](Value lane, ValueRange made) {
    IRMapping mapping;
    mapping.map(check.getPointer(), LLVM::ExtractElementOp::create(b, pointers, lane).getResult());
    for (Value operand : llvm::drop_begin(check->getOperands()))
      if (!mapping.contains(operand))
        mapping.map(operand, valueOf(body, operand, lane));
    Operation *own = b.clone(*check, mapping);
    own->setLoc(where.value_or(check.getLoc()));
    return SmallVector<Value>{LLVM::InsertElementOp::create(b, made[0], own->getResult(0), lane)};
  });
  scf::YieldOp::create(b, checked);
  return branch.getResult(0);
}

} // namespace kiln
