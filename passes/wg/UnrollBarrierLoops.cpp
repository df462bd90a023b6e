// Loops around barriers whose rounds the local size decides become their rounds, one after the other.
//
//   %w = ... local_size / 2                         wg.parallel { ... 128 ... }
//   scf.while (%w) { %w > 0 } do {            ==>   wg.parallel { ... 64 ... }
//     wg.parallel { ... %w ... }                    ...
//     scf.yield %w / 2                              wg.parallel { ... 1 ... }
//   }
//
// A tree in local memory is such a loop. With the numbers known, a region's condition says which vectors it is about,
// and what one round left in memory the next has in registers.
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "passes/Passes.h"
#include "passes/wg/UnrollWhile.h"

using namespace mlir;

namespace kiln {
#define GEN_PASS_DEF_UNROLLBARRIERLOOPS
#include "passes/Passes.h.inc"
namespace {

constexpr unsigned MostRounds = 16, MostOperations = 1000, MostDepth = 8;

/// What a loop's values are when its rounds are gone through one by one, as far as constants decide.
class Rounds {
public:
  explicit Rounds(scf::WhileOp loop) : loop_(loop) {}

  /// How often the part before the condition runs; 0: not known, or too often.
  unsigned count() {
    SmallVector<Attribute> carried = constantsOf(loop_.getInits());
    for (unsigned round = 1; round <= MostRounds; ++round) {
      known_.clear();
      know(loop_.getBeforeArguments(), carried);
      run(*loop_.getBeforeBody());
      auto goesOn = dyn_cast_or_null<IntegerAttr>(constantOf(loop_.getConditionOp().getCondition()));
      if (!goesOn)
        return 0;
      if (goesOn.getValue().isZero())
        return round;
      know(loop_.getAfterArguments(), constantsOf(loop_.getConditionOp().getArgs()));
      run(*loop_.getAfterBody());
      carried = constantsOf(loop_.getYieldOp().getOperands());
    }
    return 0;
  }

  /// Numbers that the loop starts from become constants where they are known.
  void settleStart() {
    OpBuilder b(loop_);
    for (OpOperand &init : loop_.getInitsMutable())
      if (auto number = dyn_cast_or_null<TypedAttr>(constantOf(init.get()));
          isa_and_nonnull<IntegerAttr, FloatAttr>(number))
        init.set(arith::ConstantOp::create(b, loop_.getLoc(), number));
  }

private:
  // What stands before the loop is computed from constants, too.
  Attribute constantOf(Value value, unsigned depth = 0) {
    Attribute constant = known_.lookup(value);
    if (constant || matchPattern(value, m_Constant(&constant)))
      return constant;
    Operation *op = value.getDefiningOp();
    if (!op || depth == MostDepth || loop_->isAncestor(op))
      return {};
    return folded(op, llvm::map_to_vector(op->getOperands(), [&](Value one) { return constantOf(one, depth + 1); }));
  }
  SmallVector<Attribute> constantsOf(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return constantOf(value); });
  }
  void know(ValueRange values, ArrayRef<Attribute> constants) {
    for (auto [value, constant] : llvm::zip(values, constants))
      if (constant)
        known_[value] = constant;
  }
  void run(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (Attribute constant = folded(&op, constantsOf(op.getOperands())))
        known_[op.getResult(0)] = constant;
    }
  }
  // Null where constants do not decide.
  Attribute folded(Operation *op, ArrayRef<Attribute> operands) {
    SmallVector<OpFoldResult> results;
    if (op->getNumRegions() || op->getNumResults() != 1 || !isMemoryEffectFree(op) ||
        failed(op->fold(operands, results)) || results.size() != 1)
      return {};
    if (auto constant = dyn_cast<Attribute>(results[0]))
      return constant;
    return known_.lookup(cast<Value>(results[0]));
  }

  scf::WhileOp loop_;
  llvm::DenseMap<Value, Attribute> known_;
};

struct UnrollBarrierLoops : impl::UnrollBarrierLoopsBase<UnrollBarrierLoops> {
  using UnrollBarrierLoopsBase::UnrollBarrierLoopsBase;

  void runOnOperation() override {
    if (localSize.size() != 3)
      return;
    SmallVector<ocl::QueryOp> queries;
    SmallVector<scf::WhileOp> loops; // inner ones first
    getOperation().walk([&](Operation *op) {
      if (auto query = dyn_cast<ocl::QueryOp>(op))
        queries.push_back(query);
      else if (auto loop = dyn_cast<scf::WhileOp>(op); loop && !op->getParentOfType<wg::ParallelOp>())
        loops.push_back(loop);
    });
    for (ocl::QueryOp query : queries)
      answer(query);
    for (scf::WhileOp loop : loops) {
      unsigned operations = 0;
      bool hasRegion = false;
      loop->walk([&](Operation *op) {
        ++operations;
        hasRegion |= isa<wg::ParallelOp>(op);
      });
      Rounds known(loop);
      const unsigned rounds = hasRegion ? known.count() : 0;
      if (!rounds || rounds * operations > MostOperations)
        continue;
      known.settleStart();
      unrollWhile(loop, rounds);
      ++loopsUnrolled;
    }
  }

private:
  void answer(ocl::QueryOp query) {
    APInt dim;
    if ((query.getKind() != ocl::Query::local_size && query.getKind() != ocl::Query::enqueued_local_size) ||
        !matchPattern(query.getDim(), m_ConstantInt(&dim)))
      return;
    OpBuilder b(query);
    const int64_t size = dim.ult(3) ? localSize[dim.getZExtValue()] : 1;
    query.replaceAllUsesWith(
        arith::ConstantOp::create(b, query.getLoc(), b.getIntegerAttr(query.getType(), size)).getResult());
    query.erase();
  }
};
} // namespace
} // namespace kiln
