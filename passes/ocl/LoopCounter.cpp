#include "passes/ocl/LoopCounter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "passes/ocl/UnrollWhile.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr unsigned MaxIterations = 64;

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

} // namespace

std::optional<LoopCounter> loopCounter(scf::WhileOp loop) {
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
        return LoopCounter{iteration, argument};
      now = nextOf(loop, next, argument, *now);
      if (!now)
        break;
    }
  }
  return {};
}

} // namespace kiln
