#include "passes/simd/decide/InterleaveCount.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/analysis/Conjuncts.h"
#include "passes/analysis/Constants.h"
#include "passes/analysis/ShortVectors.h"
#include "passes/simd/decide/Pressure.h"

using namespace mlir;

namespace kiln {
namespace {

// Operations of a body that is interleaved without a loop.
constexpr unsigned MaxBodyOps = 400;

struct LoopSummary {
  unsigned varying = 0;   // vectors that operations compute: one for each component of a short vector
  bool hasGroups = false; // access groups, which fill registers until they are transposed
  bool isPlain = true;    // no inner loop, only consecutive or uniform accesses, no call, nothing above 32 bits
};

class LoopScan {
public:
  LoopScan(const LaneShapes &shapes, const AccessGroups &groups, const CpuTargetInfo &target)
      : shapes_(shapes), groups_(groups), target_(target) {}

  // Backwards, so that operations that only addresses use are known: they emit no vector code.
  void at(Block &block, LoopSummary &summary) {
    for (Operation &op : llvm::reverse(block.without_terminator())) {
      if (isa<LLVM::GEPOp>(op) || isForAddresses(&op)) {
        forAddresses_.insert(&op);
        continue;
      }
      if (auto branch = dyn_cast<scf::IfOp>(op)) {
        for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
          if (!region->empty())
            at(region->front(), summary);
      } else if (op.getNumRegions()) {
        summary.isPlain = false;
        continue;
      }
      Value address;
      Type type;
      if (auto load = dyn_cast<LLVM::LoadOp>(op))
        address = load.getAddr(), type = load.getType();
      else if (auto store = dyn_cast<LLVM::StoreOp>(op))
        address = store.getAddr(), type = store.getValue().getType();
      if (const AccessGroup *group = groups_.of(&op)) {
        summary.varying += llvm::Log2_64(group->accesses.size()); // shuffles
        summary.hasGroups = true;
      } else if (address) {
        const std::optional<StrideInfo> info = shapes_.of(address).strideInfoIfGuardsHold();
        const bool isNumber = isa<IntegerType, FloatType>(type) && type.getIntOrFloatBitWidth() <= 32;
        summary.isPlain &= isNumber && info && (info->stride == 0 || info->stride * 8 == type.getIntOrFloatBitWidth());
      } else if (op.getNumRegions() == 0 && (!isMemoryEffectFree(&op) || isa<ocl::MathOp>(op))) {
        summary.isPlain = false;
      }
      for (Value result : op.getResults())
        if (!shapes_.of(result).isStrided()) {
          Type element = getElementTypeOrSelf(result.getType());
          summary.varying += componentCount(result.getType());
          summary.isPlain &= isa<IntegerType, FloatType>(element) && element.getIntOrFloatBitWidth() <= 32;
        }
    }
  }

  /// The latency of an iteration in cycles: the longest path from a value that the loop carries to its next value.
  unsigned latency(scf::WhileOp loop) {
    unsigned longest = 0;
    for (Value next : loop.getYieldOp().getOperands())
      if (auto cycles = latencyTo(next, loop))
        longest = std::max(longest, *cycles);
    return longest;
  }

private:
  bool isForAddresses(Operation *op) const {
    return !op->use_empty() && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
           llvm::all_of(op->getUsers(), [&](Operation *user) { return forAddresses_.contains(user); });
  }

  // The longest path from a carried value; nothing if `value` does not depend on one.
  std::optional<unsigned> latencyTo(Value value, scf::WhileOp loop) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == loop.getBeforeBody())
        return 0;
      if (argument.getOwner() == loop.getAfterBody())
        return latencyTo(loop.getConditionOp().getArgs()[argument.getArgNumber()], loop);
      return {};
    }
    Operation *op = value.getDefiningOp();
    if (!op || !loop->isAncestor(op) || op == loop.getOperation() || shapes_.of(value).isStrided())
      return {};
    if (auto known = latencies_.find(value); known != latencies_.end())
      return known->second;
    std::optional<unsigned> longest;
    auto visit = [&](Value operand) {
      if (auto cycles = latencyTo(operand, loop))
        longest = std::max(longest.value_or(0), *cycles);
    };
    for (Value operand : op->getOperands())
      visit(operand);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
        if (!region->empty())
          visit(region->front().getTerminator()->getOperand(cast<OpResult>(value).getResultNumber()));
    if (longest)
      *longest += isa<arith::MulIOp>(op)                        ? target_.productLatency
                  : isa<FloatType>(getElementTypeOrSelf(value)) ? target_.floatLatency
                                                                : 1;
    return latencies_[value] = longest;
  }

  const LaneShapes &shapes_;
  const AccessGroups &groups_;
  const CpuTargetInfo &target_;
  llvm::DenseSet<Operation *> forAddresses_;
  llvm::DenseMap<Value, std::optional<unsigned>> latencies_;
};

// Returns true if no operation is scalarized: for those, two vectors are only twice the code.
bool isFullyVectorized(Region &body, const LaneShapes &shapes, const DataLayout &layout) {
  unsigned operations = 0;
  auto isVectorAccess = [&](Value address, Type type) {
    const std::optional<StrideInfo> info = shapes.of(address).strideInfoIfGuardsHold();
    const auto bytes = int64_t(layout.getTypeSize(type).getFixedValue());
    return info && (info->stride == 0 || info->stride == bytes);
  };
  return !body.walk([&](Operation *op) {
                bool isVectorOp = ++operations <= MaxBodyOps;
                if (auto load = dyn_cast<LLVM::LoadOp>(op))
                  isVectorOp &= !load.getVolatile_() && isVectorAccess(load.getAddr(), load.getType());
                else if (auto store = dyn_cast<LLVM::StoreOp>(op))
                  isVectorOp &= !store.getVolatile_() && isVectorAccess(store.getAddr(), store.getValue().getType());
                else if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
                  isVectorOp &= shapes.of(op->getResult(0)).isStrided();
                else if (!isa<scf::IfOp, scf::WhileOp>(op) && !op->hasTrait<OpTrait::IsTerminator>())
                  isVectorOp &= isMemoryEffectFree(op) || (op->getNumResults() && shapes.isUniform(op->getResult(0)));
                return isVectorOp ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

} // namespace

unsigned interleaveCount(Region &body, const LaneShapes &shapes, const AccessGroups &groups,
                         const CpuTargetInfo &target, const DataLayout &layout) {
  unsigned count = 1;
  body.walk([&](scf::WhileOp loop) {
    LoopSummary summary;
    LoopScan scan(shapes, groups, target);
    scan.at(*loop.getBeforeBody(), summary);
    scan.at(*loop.getAfterBody(), summary);
    unsigned carried = 0;
    for (Value value : loop.getBeforeArguments())
      carried += shapes.of(value).isStrided() ? 0 : componentCount(value.getType());
    if (!summary.isPlain || summary.varying == 0 || summary.varying > target.maxUniformLoopOps)
      return;
    if (!shapes.isUniform(loop.getConditionOp().getCondition())) {
      count = std::max(count, summary.varying <= target.maxDivergentLoopOps ? 2u : 1u);
    } else if (carried > 0 && carried <= target.maxCarried) {
      // The latency of one vector's chain leaves time for other vectors.
      const double idleRatio = scan.latency(loop) * target.operationsPerCycle / summary.varying;
      count = std::max(count, idleRatio > 2.2 && carried <= target.maxCarriedForFour && !summary.hasGroups ? 4u
                              : idleRatio > 1.2                                                            ? 2u
                                                                                                           : 1u);
    }
  });
  if (count == 1 && isFullyVectorized(body, shapes, layout) &&
      2 * vectorPressure(body, shapes, target, layout) <= target.vectorRegisters * target.maxPressureRatio)
    count = 2;
  return count;
}

// N for the condition `local_id(d) < N` with a constant N, or an equivalent one; d is the dimension of rows.
static uint64_t itemBound(Value condition, unsigned rowDimension) {
  auto comparison = condition.getDefiningOp<arith::CmpIOp>();
  if (!comparison)
    return UINT64_MAX;
  Value number = comparison.getLhs(); // a local id is below 2^31: no cast changes it
  while (isa_and_nonnull<arith::TruncIOp, arith::ExtUIOp, arith::ExtSIOp>(number.getDefiningOp()) &&
         number.getType().getIntOrFloatBitWidth() >= 32)
    number = number.getDefiningOp()->getOperand(0);
  auto query = number.getDefiningOp<ocl::QueryOp>();
  const std::optional<int64_t> limit = constantOf(comparison.getRhs());
  if (!query || query.getKind() != ocl::Query::local_id || constantOf(query.getDim()) != rowDimension || !limit ||
      *limit < 0)
    return UINT64_MAX;
  using Predicate = arith::CmpIPredicate;
  switch (comparison.getPredicate()) {
  case Predicate::ult:
  case Predicate::slt:
    return uint64_t(*limit);
  case Predicate::ule:
  case Predicate::sle:
    return uint64_t(*limit) + 1;
  default:
    return UINT64_MAX;
  }
}

uint64_t activeItemBound(Region &body, unsigned rowDimension) {
  Value condition;
  for (Operation &op : body.front().without_terminator()) {
    if (isMemoryEffectFree(&op))
      continue;
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch || condition || !branch.getElseRegion().empty())
      return UINT64_MAX;
    condition = branch.getCondition();
  }
  if (!condition)
    return UINT64_MAX;
  uint64_t items = UINT64_MAX;
  for (Value side : conjuncts(condition))
    items = std::min(items, itemBound(side, rowDimension));
  return std::max<uint64_t>(items, 2);
}

} // namespace kiln
