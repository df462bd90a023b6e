#include "passes/simd/prepare/UnrollPrivateArrayLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "passes/analysis/Size.h"
#include "passes/simd/decide/AccessGroups.h"
#include "passes/wg/UnrollWhile.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr unsigned MaxIterations = 64, MaxOperations = 600;

/// A loop with a constant trip count: a carried value starts at a constant, steps by a constant, and is compared with
/// one.
struct Counter {
  unsigned iterations = 0; // executions of the `before` block
  BlockArgument number;
};

std::optional<APInt> numberOf(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number;
  return {};
}

// The value if the counter is `now`, for the counter and the counter plus a constant.
std::optional<APInt> valueAt(Value value, BlockArgument counter, const APInt &now) {
  if (value == counter)
    return now;
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (!sum || sum.getLhs() != counter)
    return {};
  auto step = numberOf(sum.getRhs());
  return step ? std::optional(now + *step) : std::nullopt;
}

std::optional<APInt> nextOf(scf::WhileOp loop, Value next, BlockArgument counter, const APInt &now) {
  if (auto sum = next.getDefiningOp<arith::AddIOp>(); sum && sum->getBlock() == loop.getAfterBody()) {
    auto at = valueAt(conditionOperandOf(loop, sum.getLhs()), counter, now);
    auto step = numberOf(sum.getRhs());
    return at && step ? std::optional(*at + *step) : std::nullopt;
  }
  return valueAt(conditionOperandOf(loop, next), counter, now);
}

std::optional<Counter> counterOf(scf::WhileOp loop) {
  auto comparison = loop.getConditionOp().getCondition().getDefiningOp<arith::CmpIOp>();
  if (!comparison || comparison->getBlock() != loop.getBeforeBody())
    return {};
  auto limit = numberOf(comparison.getRhs());
  if (!limit)
    return {};
  for (auto [init, argument, next] :
       llvm::zip(loop.getInits(), loop.getBeforeArguments(), loop.getYieldOp().getOperands())) {
    auto now = numberOf(init);
    if (!now || now->getBitWidth() != limit->getBitWidth())
      continue;
    for (unsigned iteration = 1; iteration <= MaxIterations; ++iteration) {
      auto compared = valueAt(comparison.getLhs(), argument, *now);
      if (!compared)
        break;
      if (!arith::applyCmpPredicate(comparison.getPredicate(), *compared, *limit))
        return Counter{iteration, argument};
      now = nextOf(loop, next, argument, *now);
      if (!now)
        break;
    }
  }
  return {};
}

// Returns true if the address of a private variable depends on the counter.
bool indexesVariables(scf::WhileOp loop, BlockArgument counter) {
  llvm::SmallVector<Value> work{counter};
  llvm::DenseSet<Value> seen;
  for (auto [value, argument] : llvm::zip(loop.getConditionOp().getArgs(), loop.getAfterArguments()))
    if (value == counter)
      work.push_back(argument);
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (Operation *user : value.getUsers()) {
      if (!loop->isProperAncestor(user))
        continue;
      if (auto gep = dyn_cast<LLVM::GEPOp>(user)) {
        if (isPrivateAlloca(gep))
          return true;
      } else if (isa<arith::ArithDialect>(user->getDialect())) {
        llvm::append_range(work, user->getResults());
      }
    }
  }
  return false;
}

} // namespace

void unrollPrivateArrayLoops(Region &body) {
  unsigned grown = 0;
  SmallVector<scf::WhileOp> loops; // inner ones first
  body.walk([&](scf::WhileOp loop) { loops.push_back(loop); });
  for (scf::WhileOp loop : loops) {
    auto counter = counterOf(loop);
    if (!counter || !indexesVariables(loop, counter->number))
      continue;
    const unsigned size = operationsIn(loop) * counter->iterations;
    if (size + grown > MaxOperations)
      continue;
    grown += size;
    unrollWhile(loop, counter->iterations);
  }
}

} // namespace kiln
