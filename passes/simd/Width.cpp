#include "passes/simd/Width.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/analysis/Conjuncts.h"
#include "passes/analysis/Constants.h"
#include "passes/simd/Pressure.h"

using namespace mlir;

namespace kiln {
namespace {

// More varying operations than these keep the machine busy by themselves, or need all its registers.
constexpr unsigned MostTogether = 64, MostApart = 24, MostCarried = 4, MostCarriedByFour = 2;
// Of a body of which two vectors are written for the sake of the time between two operations; and how far it may need
// more registers than there are, as processors read spilled vectors along with an operation.
constexpr unsigned MostWhole = 400;
constexpr double SpilledToo = 1.5;
// Vector operations a cycle, about; and how long a number takes through some.
constexpr double OperationsPerCycle = 2.5;
constexpr unsigned FloatLatency = 4, ProductLatency = 5;

struct Body {
  unsigned varying = 0;
  bool hasRows = false; // loads of neighbours, which fill registers until they are columns
  bool isPlain = true;  // no loop inside, no access that is not consecutive, no call
};

class Look {
public:
  Look(const LaneShapes &shapes, const AccessRuns &runs) : shapes_(shapes), runs_(runs) {}

  // From the end, so that what is there for addresses alone is known: of the plain ones nothing is left in vectors.
  void at(Block &block, Body &found) {
    for (Operation &op : llvm::reverse(block.without_terminator())) {
      if (isa<LLVM::GEPOp>(op) || isForAddresses(&op)) {
        forAddresses_.insert(&op);
        continue;
      }
      if (auto branch = dyn_cast<scf::IfOp>(op)) {
        for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
          if (!region->empty())
            at(region->front(), found);
      } else if (op.getNumRegions()) {
        found.isPlain = false;
        continue;
      }
      Value address;
      Type type;
      if (auto load = dyn_cast<LLVM::LoadOp>(op))
        address = load.getAddr(), type = load.getType();
      else if (auto store = dyn_cast<LLVM::StoreOp>(op))
        address = store.getAddr(), type = store.getValue().getType();
      if (const AccessRuns::Run *run = runs_.of(&op)) {
        found.varying += llvm::Log2_64(run->accesses.size()); // shuffles
        found.hasRows = true;
      } else if (address) {
        const std::optional<Rise> rise = shapes_.of(address).riseIfGuardsHold();
        const bool isNumber = isa<IntegerType, FloatType>(type) && type.getIntOrFloatBitWidth() <= 32;
        found.isPlain &= isNumber && rise && (rise->stride == 0 || rise->stride * 8 == type.getIntOrFloatBitWidth());
      } else if (op.getNumRegions() == 0 && (!isMemoryEffectFree(&op) || isa<ocl::MathOp>(op))) {
        found.isPlain = false;
      }
      for (Value result : op.getResults())
        if (!shapes_.of(result).isStrided()) {
          Type element = getElementTypeOrSelf(result.getType());
          ++found.varying;
          found.isPlain &= !isa<VectorType>(result.getType()) && isa<IntegerType, FloatType>(element) &&
                           element.getIntOrFloatBitWidth() <= 32;
        }
    }
  }

  /// How long a round takes at least: the longest way from what one round leaves to what the next takes on.
  unsigned latency(scf::WhileOp loop) {
    unsigned longest = 0;
    for (Value next : loop.getYieldOp().getOperands())
      if (auto way = wayTo(next, loop))
        longest = std::max(longest, *way);
    return longest;
  }

private:
  bool isForAddresses(Operation *op) const {
    return !op->use_empty() && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
           llvm::all_of(op->getUsers(), [&](Operation *user) { return forAddresses_.contains(user); });
  }

  // From what the loop carries; nothing: it does not rest on that.
  std::optional<unsigned> wayTo(Value value, scf::WhileOp loop) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == loop.getBeforeBody())
        return 0;
      if (argument.getOwner() == loop.getAfterBody())
        return wayTo(loop.getConditionOp().getArgs()[argument.getArgNumber()], loop);
      return {};
    }
    Operation *op = value.getDefiningOp();
    if (!op || !loop->isAncestor(op) || op == loop.getOperation() || shapes_.of(value).isStrided())
      return {};
    if (auto known = ways_.find(value); known != ways_.end())
      return known->second;
    std::optional<unsigned> longest;
    auto take = [&](Value operand) {
      if (auto way = wayTo(operand, loop))
        longest = std::max(longest.value_or(0), *way);
    };
    for (Value operand : op->getOperands())
      take(operand);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
        if (!region->empty())
          take(region->front().getTerminator()->getOperand(cast<OpResult>(value).getResultNumber()));
    if (longest)
      *longest += isa<arith::MulIOp>(op)                        ? ProductLatency
                  : isa<FloatType>(getElementTypeOrSelf(value)) ? FloatLatency
                                                                : 1;
    return ways_[value] = longest;
  }

  const LaneShapes &shapes_;
  const AccessRuns &runs_;
  llvm::DenseSet<Operation *> forAddresses_;
  llvm::DenseMap<Value, std::optional<unsigned>> ways_;
};

// Nothing that is done lane by lane, where two vectors are only twice the code.
bool isWhole(Region &body, const LaneShapes &shapes, const DataLayout &layout) {
  unsigned operations = 0;
  auto isWholeAccess = [&](Value address, Type type) {
    const std::optional<Rise> rise = shapes.of(address).riseIfGuardsHold();
    const auto bytes = int64_t(layout.getTypeSize(type).getFixedValue());
    return rise && (rise->stride == 0 || rise->stride == bytes);
  };
  return !body.walk([&](Operation *op) {
                bool isOne = ++operations <= MostWhole;
                if (auto load = dyn_cast<LLVM::LoadOp>(op))
                  isOne &= !load.getVolatile_() && isWholeAccess(load.getAddr(), load.getType());
                else if (auto store = dyn_cast<LLVM::StoreOp>(op))
                  isOne &= !store.getVolatile_() && isWholeAccess(store.getAddr(), store.getValue().getType());
                else if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
                  isOne &= shapes.of(op->getResult(0)).isStrided();
                else if (!isa<scf::IfOp, scf::WhileOp>(op) && !op->hasTrait<OpTrait::IsTerminator>())
                  isOne &= isMemoryEffectFree(op) || (op->getNumResults() && shapes.isUniform(op->getResult(0)));
                return isOne ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

} // namespace

unsigned vectorsAbreast(Region &body, const LaneShapes &shapes, const AccessRuns &runs, unsigned registers,
                        const DataLayout &layout) {
  unsigned vectors = 1;
  body.walk([&](scf::WhileOp loop) {
    Body found;
    Look look(shapes, runs);
    look.at(*loop.getBeforeBody(), found);
    look.at(*loop.getAfterBody(), found);
    const auto carried =
        llvm::count_if(loop.getBeforeArguments(), [&](Value value) { return !shapes.of(value).isStrided(); });
    if (!found.isPlain || found.varying == 0 || found.varying > MostTogether)
      return;
    if (!shapes.isUniform(loop.getConditionOp().getCondition())) {
      vectors = std::max(vectors, found.varying <= MostApart ? 2u : 1u);
    } else if (carried > 0 && carried <= MostCarried) {
      // While one vector's number is on its way there is time for others.
      const double room = look.latency(loop) * OperationsPerCycle / found.varying;
      vectors = std::max(vectors, room > 2.2 && carried <= MostCarriedByFour && !found.hasRows ? 4u
                                  : room > 1.2                                                 ? 2u
                                                                                               : 1u);
    }
  });
  if (vectors == 1 && isWhole(body, shapes, layout) &&
      2 * vectorPressure(body, shapes, layout) <= registers * SpilledToo)
    vectors = 2;
  return vectors;
}

// The first items that a condition lets through.
static uint64_t itemsOf(Value condition) {
  auto comparison = condition.getDefiningOp<arith::CmpIOp>();
  if (!comparison)
    return UINT64_MAX;
  Value number = comparison.getLhs(); // a local id is below 2^31, so that no cast changes it
  while (isa_and_nonnull<arith::TruncIOp, arith::ExtUIOp, arith::ExtSIOp>(number.getDefiningOp()) &&
         number.getType().getIntOrFloatBitWidth() >= 32)
    number = number.getDefiningOp()->getOperand(0);
  auto query = number.getDefiningOp<ocl::QueryOp>();
  const std::optional<int64_t> limit = constantOf(comparison.getRhs());
  if (!query || query.getKind() != ocl::Query::local_id || !matchPattern(query.getDim(), m_Zero()) || !limit ||
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

uint64_t itemsAtWork(Region &body) {
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
    items = std::min(items, itemsOf(side));
  return std::max<uint64_t>(items, 2);
}

} // namespace kiln
