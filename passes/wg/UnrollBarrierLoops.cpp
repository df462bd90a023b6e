// Fully unrolls loops around parallel regions whose trip count is constant once the local size is known.
//
//   %w = ... local_size / 2                         wg.parallel { ... 128 ... }
//   scf.while (%w) { %w > 0 } do {            ==>   wg.parallel { ... 64 ... }
//     wg.parallel { ... %w ... }                    ...
//     scf.yield %w / 2                              wg.parallel { ... 1 ... }
//   }
//
// A tree reduction in local memory is such a loop. After unrolling, a guard such as `local_id < 64` is a constant
// bound, so only the vectors below it run, and LLVM can forward one iteration's stores to the next iteration's loads.
#include "dialects/ocl/Target.h"
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "passes/Pass.h"
#include "passes/ocl/UnrollWhile.h"

using namespace mlir;

namespace kiln {
#include "passes/UnrollBarrierLoops.pass.inc"
namespace {

constexpr unsigned MaxIterations = 16, MaxOperations = 1000, MaxDepth = 8;

/// Evaluates a loop's iterations, as far as its values are constants.
class IterationEvaluator {
public:
  explicit IterationEvaluator(scf::WhileOp loop) : loop_(loop) {}

  /// The number of executions of the `before` block; 0 if it is not constant or above the limit.
  unsigned count() {
    SmallVector<Attribute> carried = constantsOf(loop_.getInits());
    for (unsigned iteration = 1; iteration <= MaxIterations; ++iteration) {
      constants_.clear();
      setConstants(loop_.getBeforeArguments(), carried);
      evaluate(*loop_.getBeforeBody());
      auto continues = dyn_cast_or_null<IntegerAttr>(constantOf(loop_.getConditionOp().getCondition()));
      if (!continues)
        return 0;
      if (continues.getValue().isZero())
        return iteration;
      setConstants(loop_.getAfterArguments(), constantsOf(loop_.getConditionOp().getArgs()));
      evaluate(*loop_.getAfterBody());
      carried = constantsOf(loop_.getYieldOp().getOperands());
    }
    return 0;
  }

  /// Replaces initial values that are known by constants.
  void materializeInits() {
    OpBuilder b(loop_);
    for (OpOperand &init : loop_.getInitsMutable())
      if (auto number = dyn_cast_or_null<TypedAttr>(constantOf(init.get()));
          isa_and_nonnull<IntegerAttr, FloatAttr>(number))
        init.set(arith::ConstantOp::create(b, loop_.getLoc(), number));
  }

private:
  // Folds operations before the loop as well.
  Attribute constantOf(Value value, unsigned depth = 0) {
    Attribute constant = constants_.lookup(value);
    if (constant || matchPattern(value, m_Constant(&constant)))
      return constant;
    Operation *op = value.getDefiningOp();
    if (!op || depth == MaxDepth || loop_->isAncestor(op))
      return {};
    return folded(op, llvm::map_to_vector(op->getOperands(), [&](Value one) { return constantOf(one, depth + 1); }));
  }
  SmallVector<Attribute> constantsOf(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return constantOf(value); });
  }
  void setConstants(ValueRange values, ArrayRef<Attribute> constants) {
    for (auto [value, constant] : llvm::zip(values, constants))
      if (constant)
        constants_[value] = constant;
  }
  void evaluate(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (Attribute constant = folded(&op, constantsOf(op.getOperands())))
        constants_[op.getResult(0)] = constant;
    }
  }
  // Null if the result is not a constant.
  Attribute folded(Operation *op, ArrayRef<Attribute> operands) {
    SmallVector<OpFoldResult> results;
    if (op->getNumRegions() || op->getNumResults() != 1 || !isMemoryEffectFree(op) ||
        failed(op->fold(operands, results)) || results.size() != 1)
      return {};
    if (auto constant = dyn_cast<Attribute>(results[0]))
      return constant;
    return constants_.lookup(cast<Value>(results[0]));
  }

  scf::WhileOp loop_;
  llvm::DenseMap<Value, Attribute> constants_;
};

struct UnrollBarrierLoops : impl::UnrollBarrierLoopsBase<UnrollBarrierLoops> {
  using UnrollBarrierLoopsBase::UnrollBarrierLoopsBase;

  void runOnOperation() override {
    const ArrayRef<int64_t> localSize = ocl::fixedLocalSize(getOperation());
    if (localSize.empty())
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
      replaceByConstant(query, localSize);
    for (scf::WhileOp loop : loops) {
      unsigned operations = 0;
      bool hasRegion = false;
      loop->walk([&](Operation *op) {
        ++operations;
        hasRegion |= isa<wg::ParallelOp>(op);
      });
      IterationEvaluator evaluator(loop);
      const unsigned iterations = hasRegion ? evaluator.count() : 0;
      if (!iterations || iterations * operations > MaxOperations)
        continue;
      evaluator.materializeInits();
      unrollWhile(loop, iterations);
      ++loopsUnrolled;
    }
  }

private:
  static void replaceByConstant(ocl::QueryOp query, ArrayRef<int64_t> localSize) {
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
