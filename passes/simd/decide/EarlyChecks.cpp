#include "passes/simd/decide/EarlyChecks.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/analysis/Conjuncts.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kiln {
namespace {

using Operations = llvm::DenseSet<Operation *>;

// Returns true if the vector body enters the branch without a mask, or falls back (emit/ScalarFallback).
bool isEntered(scf::IfOp branch, const LaneShapes &shapes, unsigned lanes) {
  auto strideOf = [&](Value value) { return shapes.of(value).strideInfo(); };
  return enclosesRestOfBlock(branch) && llvm::all_of(conjuncts(branch.getCondition()), [&](Value side) {
           auto comparison = side.getDefiningOp<arith::CmpIOp>();
           return shapes.isUniform(side) || (comparison && isMonotonic(comparison, shapes, lanes, strideOf));
         });
}

// The operations after which a check can fall back.
Operations earlyOperations(Region &body, const LaneShapes &shapes, unsigned lanes) {
  Operations found;
  for (Block *block = &body.front(); block;) {
    Block *next = nullptr;
    for (Operation &op : block->without_terminator()) {
      if (auto branch = dyn_cast<scf::IfOp>(op); branch && isEntered(branch, shapes, lanes)) {
        next = branch.thenBlock();
        break;
      }
      if (!isRepeatable(&op))
        break;
      if (op.getNumRegions() == 0)
        found.insert(&op);
    }
    block = next;
  }
  return found;
}

// The operations without side effects on which the values depend, through branches and loops.
Operations slice(ArrayRef<Value> roots) {
  Operations found;
  llvm::SetVector<Value> values;
  values.insert(roots.begin(), roots.end());
  for (size_t next = 0; next < values.size(); ++next) {
    const Value value = values[next];
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp());
      if (!loop)
        continue;
      const unsigned number = argument.getArgNumber();
      if (argument.getOwner() == loop.getBeforeBody())
        values.insert(loop.getInits()[number]), values.insert(loop.getYieldOp().getOperand(number));
      else
        values.insert(loop.getConditionOp().getArgs()[number]);
      values.insert(loop.getConditionOp().getCondition()); // bounds a counter
      continue;
    }
    Operation *op = value.getDefiningOp();
    const unsigned number = cast<OpResult>(value).getResultNumber();
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      values.insert(branch.getCondition());
      for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()})
        values.insert(yield.getOperand(number));
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      values.insert(loop.getConditionOp().getArgs()[number]);
      values.insert(loop.getConditionOp().getCondition());
    } else if (isMemoryEffectFree(op)) {
      found.insert(op);
      values.insert(op->operand_begin(), op->operand_end());
    }
  }
  return found;
}

// Addresses that are strided, and conditions that are uniform because of the assumptions.
SmallVector<Value> usesOfAssumptions(Region &body, const LaneShapes &shapes, const LaneShapes &conservative) {
  SmallVector<Value> found;
  auto address = [&](Value pointer) {
    if (shapes.of(pointer).isStrided())
      found.push_back(pointer);
  };
  auto condition = [&](Value value) {
    if (shapes.isUniform(value) && !conservative.isUniform(value))
      found.push_back(value);
  };
  body.walk([&](Operation *op) {
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      address(load.getAddr());
    else if (auto store = dyn_cast<LLVM::StoreOp>(op))
      address(store.getAddr());
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      condition(branch.getCondition());
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      condition(loop.getConditionOp().getCondition());
  });
  return found;
}

} // namespace

bool isRepeatable(Operation *op) {
  if (isa<scf::IfOp, scf::WhileOp>(op))
    return llvm::all_of(op->getRegions(), [](Region &region) {
      return llvm::all_of(region.getOps(), [](Operation &inner) { return isRepeatable(&inner); });
    });
  auto load = dyn_cast<LLVM::LoadOp>(op);
  return isa<LLVM::AllocaOp, ocl::TrackAccessOp>(op) || (load && !load.getVolatile_()) || isMemoryEffectFree(op);
}

bool enclosesRestOfBlock(scf::IfOp branch) {
  if (branch.getNumResults() || !branch.getElseRegion().empty())
    return false;
  return llvm::all_of(branch->getBlock()->without_terminator(),
                      [&](Operation &op) { return &op == branch.getOperation() || isRepeatable(&op); });
}

bool isMonotonic(arith::CmpIOp comparison, const LaneShapes &shapes, unsigned lanes,
                 llvm::function_ref<std::optional<StrideInfo>(Value)> strideOf) {
  if (comparison.getPredicate() == arith::CmpIPredicate::eq || comparison.getPredicate() == arith::CmpIPredicate::ne)
    return false;
  // The span from the first to the last lane must be less than the type's range, or lanes would not be ordered.
  auto rises = [&](Value value) {
    const std::optional<StrideInfo> info = strideOf(value);
    auto type = dyn_cast<IntegerType>(value.getType());
    return type && info && info->stride > 0 &&
           uint64_t(info->stride) * (lanes - 1) <= llvm::maxUIntN(std::min(type.getWidth(), 64u));
  };
  const Value left = comparison.getLhs(), right = comparison.getRhs();
  return (rises(left) && shapes.isUniform(right)) || (rises(right) && shapes.isUniform(left));
}

// Each analysis finds more operations that can be checked early, because conditions around them are uniform. The last
// one has the checks that the code needs.
LaneShapes withEarlyChecks(Region &body, unsigned lanes, const DataLayout &layout, Optimism assumed,
                           const LaneShapes &conservative) {
  auto analyse = [&](const Operations &early) {
    Optimism optimism = assumed;
    optimism.checkedEarly = early;
    return LaneShapes(body, lanes, layout, /*assumeIdsFit31Bits=*/true, optimism);
  };
  const LaneShapes guarded = analyse({});
  const LaneShapes first = analyse(earlyOperations(body, guarded, lanes));
  const LaneShapes most = analyse(earlyOperations(body, first, lanes));
  Operations needed = slice(usesOfAssumptions(body, most, conservative));
  Operations early;
  for (Operation *op : most.checkedEarly())
    if (needed.contains(op))
      early.insert(op);
  LaneShapes chosen = analyse(early);
  const Operations possible = earlyOperations(body, chosen, lanes);
  return llvm::all_of(chosen.checkedEarly(), [&](Operation *op) { return possible.contains(op); }) ? std::move(chosen)
                                                                                                   : analyse({});
}

} // namespace kiln
