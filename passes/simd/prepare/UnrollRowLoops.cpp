//   while (k < n) { ... a[row + k] ... ++k }
//     ==>
//   while (k + 7 < n) { ... a[row + k] ... a[row + k + 7] ... k += 8 }
//   while (k < n) { ... a[row + k] ... ++k }
#include "passes/simd/prepare/UnrollRowLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "passes/analysis/BasePointer.h"
#include "passes/ocl/UnrollWhile.h"
#include "passes/simd/decide/AccessGroups.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr unsigned MaxFactor = 8, MaxOperations = 40; // per iteration

struct Counter {
  unsigned carried; // index among the carried values
  arith::CmpIOp comparison;
};

// A uniform value that rises by one and is compared with a loop-invariant limit.
std::optional<Counter> counterOf(scf::WhileOp loop, const LaneShapes &shapes) {
  auto comparison = loop.getConditionOp().getCondition().getDefiningOp<arith::CmpIOp>();
  if (!comparison || comparison->getBlock() != loop.getBeforeBody() || !shapes.isUniform(comparison) ||
      (comparison.getPredicate() != arith::CmpIPredicate::slt &&
       comparison.getPredicate() != arith::CmpIPredicate::ult) ||
      loop->isAncestor(comparison.getRhs().getParentRegion()->getParentOp()))
    return {};
  auto number = dyn_cast<BlockArgument>(comparison.getLhs());
  if (!number || number.getOwner() != loop.getBeforeBody() || number.getType().getIntOrFloatBitWidth() > 64)
    return {};
  auto next = loop.getYieldOp().getOperand(number.getArgNumber()).getDefiningOp<arith::AddIOp>();
  if (!next || !matchPattern(next.getRhs(), m_One()) || conditionOperandOf(loop, next.getLhs()) != number)
    return {};
  return Counter{number.getArgNumber(), comparison};
}

// The unroll factor at which some load of the row fills an access group; 0 if there is no such load.
unsigned unrollFactor(scf::WhileOp loop, const Counter &counter, const LaneShapes &shapes, const CpuTargetInfo &target,
                      const DataLayout &layout) {
  unsigned factor = 0, operations = 0;
  for (Block *unroll : {loop.getBeforeBody(), loop.getAfterBody()})
    for (Operation &op : unroll->without_terminator()) {
      auto load = dyn_cast<LLVM::LoadOp>(op);
      const bool isPlain = load ? unroll == loop.getAfterBody() && !load.getVolatile_() : isMemoryEffectFree(&op);
      if (!isPlain || op.getNumRegions() || ++operations > MaxOperations)
        return 0;
      if (!load || shapes.of(load.getAddr()).isStrided() || !isa<IntegerType, FloatType>(load.getType()))
        continue;
      LinearAddress address(uncheckedPointer(load.getAddr()), layout);
      const auto bytes = int64_t(layout.getTypeSize(load.getType()).getFixedValue());
      for (const LinearAddress::Term &term : address.terms)
        if (conditionOperandOf(loop, term.number) == loop.getBeforeArguments()[counter.carried] && term.bytes == bytes)
          factor = std::max(factor, maxGroupSize(load.getType(), target, layout));
    }
  return std::min(factor, MaxFactor);
}

// A condition: at least `factor` iterations are left.
Value hasIterationsLeft(OpBuilder &b, arith::CmpIOp comparison, Value number, unsigned factor) {
  Location loc = comparison.getLoc();
  const bool isSigned = comparison.getPredicate() == arith::CmpIPredicate::slt;
  Type type = number.getType();
  auto constant = [&](int64_t value) { return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value)); };
  // If number < limit, limit - number is exact as an unsigned number, for both signednesses.
  Value distance = arith::SubIOp::create(b, loc, comparison.getRhs(), number);
  Value isBelow = arith::CmpIOp::create(b, loc, isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult,
                                        number, comparison.getRhs());
  Value isEnough = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, distance, constant(factor - 1));
  return arith::AndIOp::create(b, loc, isBelow, isEnough);
}

void unroll(scf::WhileOp loop, const Counter &counter, unsigned factor) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  SmallVector<Type> carried(loop.getInits().getTypes());
  auto unrolled = scf::WhileOp::create(b, loc, carried, loop.getInits());
  const SmallVector<Location> locations(carried.size(), loc);
  Block *before = b.createBlock(&unrolled.getBefore(), {}, carried, locations);
  scf::ConditionOp::create(b, loc,
                           hasIterationsLeft(b, counter.comparison, before->getArgument(counter.carried), factor),
                           before->getArguments());
  Block *after = b.createBlock(&unrolled.getAfter(), {}, carried, locations);
  SmallVector<Value> values(after->getArguments().begin(), after->getArguments().end());
  for (unsigned copy = 0; copy < factor; ++copy)
    values = cloneBodyBlock(b, loop, cloneConditionBlock(b, loop, values));
  scf::YieldOp::create(b, loc, values);
  loop.getInitsMutable().assign(unrolled.getResults());
}

} // namespace

void unrollRowLoops(Region &body, const LaneShapes &shapes, const CpuTargetInfo &target, const DataLayout &layout) {
  SmallVector<std::tuple<scf::WhileOp, Counter, unsigned>> found;
  body.walk([&](scf::WhileOp loop) {
    auto counter = counterOf(loop, shapes);
    if (unsigned factor = counter ? unrollFactor(loop, *counter, shapes, target, layout) : 0; factor > 1)
      found.push_back({loop, *counter, factor});
  });
  for (auto &[loop, counter, factor] : found)
    unroll(loop, counter, factor);
}

} // namespace kiln
