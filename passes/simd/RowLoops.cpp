//   while (k < n) { ... a[row + k] ... ++k }
//     ==>
//   while (k + 7 < n) { ... a[row + k] ... a[row + k + 7] ... k += 8 }
//   while (k < n) { ... a[row + k] ... ++k }
#include "passes/simd/RowLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "passes/simd/AccessRuns.h"
#include "passes/wg/UnrollWhile.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr unsigned MostRounds = 8, MostOperations = 40; // of a round

struct Counter {
  unsigned carried; // its place among what the loop carries
  arith::CmpIOp comparison;
};

// A number that all lanes share, that rises by one, and that is compared with a limit that stays.
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
  if (!next || !matchPattern(next.getRhs(), m_One()) || beforeOf(loop, next.getLhs()) != number)
    return {};
  return Counter{number.getArgNumber(), comparison};
}

// How many rounds make the longest run of some load that goes along with the counter; none: 0.
unsigned roundsFor(scf::WhileOp loop, const Counter &counter, const LaneShapes &shapes, const DataLayout &layout) {
  unsigned rounds = 0, operations = 0;
  for (Block *block : {loop.getBeforeBody(), loop.getAfterBody()})
    for (Operation &op : block->without_terminator()) {
      auto load = dyn_cast<LLVM::LoadOp>(op);
      const bool isPlain = load ? block == loop.getAfterBody() && !load.getVolatile_() : isMemoryEffectFree(&op);
      if (!isPlain || op.getNumRegions() || ++operations > MostOperations)
        return 0;
      if (!load || shapes.of(load.getAddr()).isStrided() || !isa<IntegerType, FloatType>(load.getType()))
        continue;
      LinearAddress address(load.getAddr(), layout);
      const auto bytes = int64_t(layout.getTypeSize(load.getType()).getFixedValue());
      for (const LinearAddress::Term &term : address.terms)
        if (beforeOf(loop, term.number) == loop.getBeforeArguments()[counter.carried] && term.bytes == bytes)
          rounds = std::max(rounds, longestRun(load.getType(), layout));
    }
  return std::min(rounds, MostRounds);
}

// Are so many rounds left.
Value hasRoom(OpBuilder &b, arith::CmpIOp comparison, Value number, unsigned rounds) {
  Location loc = comparison.getLoc();
  const bool isSigned = comparison.getPredicate() == arith::CmpIPredicate::slt;
  Type type = number.getType();
  auto constant = [&](int64_t value) { return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value)); };
  // Between numbers in order the distance is right as a number without a sign, whatever they are.
  Value distance = arith::SubIOp::create(b, loc, comparison.getRhs(), number);
  Value isBelow = arith::CmpIOp::create(b, loc, isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult,
                                        number, comparison.getRhs());
  Value isFar = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, distance, constant(rounds - 1));
  return arith::AndIOp::create(b, loc, isBelow, isFar);
}

void block(scf::WhileOp loop, const Counter &counter, unsigned rounds) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  SmallVector<Type> carried(loop.getInits().getTypes());
  auto many = scf::WhileOp::create(b, loc, carried, loop.getInits());
  const SmallVector<Location> places(carried.size(), loc);
  Block *before = b.createBlock(&many.getBefore(), {}, carried, places);
  scf::ConditionOp::create(b, loc, hasRoom(b, counter.comparison, before->getArgument(counter.carried), rounds),
                           before->getArguments());
  Block *after = b.createBlock(&many.getAfter(), {}, carried, places);
  SmallVector<Value> values(after->getArguments().begin(), after->getArguments().end());
  for (unsigned round = 0; round < rounds; ++round)
    values = putAfter(b, loop, putBefore(b, loop, values));
  scf::YieldOp::create(b, loc, values);
  loop.getInitsMutable().assign(many.getResults());
}

} // namespace

void blockRowLoops(Region &body, const LaneShapes &shapes, const DataLayout &layout) {
  SmallVector<std::tuple<scf::WhileOp, Counter, unsigned>> found;
  body.walk([&](scf::WhileOp loop) {
    auto counter = counterOf(loop, shapes);
    if (unsigned rounds = counter ? roundsFor(loop, *counter, shapes, layout) : 0; rounds > 1)
      found.push_back({loop, *counter, rounds});
  });
  for (auto &[loop, counter, rounds] : found)
    block(loop, counter, rounds);
}

} // namespace kiln
