#include "passes/simd/UnrollLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "passes/analysis/Size.h"
#include "passes/simd/AccessRuns.h"
#include "passes/wg/UnrollWhile.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr unsigned MostRounds = 64, MostOperations = 600;

/// A loop whose rounds can be counted: a carried number starts at a constant, grows by one, and decides.
struct Counter {
  unsigned rounds = 0; // how often the part before the condition runs
  BlockArgument number;
};

std::optional<APInt> numberOf(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number;
  return {};
}

// The value when the counter holds `now`: the counter itself, or that and a constant.
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
    auto at = valueAt(beforeOf(loop, sum.getLhs()), counter, now);
    auto step = numberOf(sum.getRhs());
    return at && step ? std::optional(*at + *step) : std::nullopt;
  }
  return valueAt(beforeOf(loop, next), counter, now);
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
    for (unsigned round = 1; round <= MostRounds; ++round) {
      auto compared = valueAt(comparison.getLhs(), argument, *now);
      if (!compared)
        break;
      if (!arith::applyCmpPredicate(comparison.getPredicate(), *compared, *limit))
        return Counter{round, argument};
      now = nextOf(loop, next, argument, *now);
      if (!now)
        break;
    }
  }
  return {};
}

// Does an address of a private variable follow from the counter.
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
        if (isOwn(gep))
          return true;
      } else if (isa<arith::ArithDialect>(user->getDialect())) {
        llvm::append_range(work, user->getResults());
      }
    }
  }
  return false;
}

} // namespace

void unrollArrayLoops(Region &body) {
  unsigned grown = 0;
  SmallVector<scf::WhileOp> loops; // inner ones first
  body.walk([&](scf::WhileOp loop) { loops.push_back(loop); });
  for (scf::WhileOp loop : loops) {
    auto counter = counterOf(loop);
    if (!counter || !indexesVariables(loop, counter->number))
      continue;
    const unsigned size = operationsIn(loop) * counter->rounds;
    if (size + grown > MostOperations)
      continue;
    grown += size;
    unrollWhile(loop, counter->rounds);
  }
}

} // namespace kiln
