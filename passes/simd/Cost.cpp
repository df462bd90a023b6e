#include "passes/simd/Cost.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/analysis/Constants.h"
#include "passes/simd/Near.h"
#include "passes/wg/UnrollWhile.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace kiln {
namespace {

// Rounds that a loop is taken to have, and how many more it has while some lane is left than each has for itself.
constexpr double Rounds = 8, Laggards = 1.5;
// A branch that work-items take or do not take as it comes.
constexpr double Mispredicted = 3;
// What a lane costs where each has an access of its own: the access, its address, and the way to or from the vector.
constexpr double RowOfLane = 2, GatheredLane = 3, ScatteredLane = 2.5, MaskedRead = 4, MaskedWrite = 4;
// A window of memory, and whether all lanes' places are in it.
constexpr double NearRead = 10;
// A consecutive access that does not find its line in the nearest cache, and bytes of a line.
constexpr double Far = 4;
constexpr int64_t LineBytes = 64;
// Of a short vector, which each lane loads or stores as a whole.
constexpr double TurnedPart = 3;
// A function of the math library, for one number and for a vector.
constexpr double ScalarFunction = 15, VectorFunction = 30;

class Estimate {
public:
  Estimate(const LaneShapes &shapes, const AccessRuns &runs, unsigned lanes, bool picks, const DataLayout &layout)
      : shapes_(shapes), runs_(runs), lanes_(lanes), picks_(picks), layout_(layout) {}

  Cost of(Block &block, bool masked) {
    Cost sum;
    for (Operation &op : block.without_terminator())
      sum += of(&op, masked);
    return sum;
  }

private:
  Cost of(Operation *op, bool masked) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      const bool diverges = !shapes_.isUniform(branch.getCondition());
      Cost sum{!diverges ? 1 : isAllOrNone(branch) ? lanes_ : lanes_ * Mispredicted, diverges ? 3.0 : 1};
      for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
        if (!region->empty())
          sum += of(region->front(), masked || (diverges && !isAllOrNone(branch)));
      return sum;
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      const bool diverges = !shapes_.isUniform(loop.getConditionOp().getCondition());
      llvm::SaveAndRestore inside(loop_, loop);
      Cost once = of(*loop.getBeforeBody(), masked || diverges);
      once += of(*loop.getAfterBody(), masked || diverges);
      if (diverges)
        once.vector += 2 + loop.getNumResults();
      const bool staysTogether = !diverges || comparesStrided(loop.getConditionOp().getCondition());
      return {once.scalar * Rounds, once.vector * Rounds * (staysTogether ? 1 : Laggards)};
    }
    if (const AccessRuns::Run *run = runs_.of(op)) // a row for each lane, and its part of the shuffles
      return {double(lanes_), lanes_ * (masked ? MaskedRead : RowOfLane) / double(run->accesses.size()) + 3};
    auto load = dyn_cast<LLVM::LoadOp>(op);
    if (load && picks_ && !masked && nearIndex(load.getAddr(), load.getType(), shapes_, layout_))
      return {double(lanes_), NearRead};
    if (load)
      return ofAccess(load.getAddr(), load.getType(), masked ? MaskedRead : GatheredLane);
    if (auto store = dyn_cast<LLVM::StoreOp>(op);
        store && shapes_.isUniform(store.getAddr()) && shapes_.isUniform(store.getValue()))
      return {double(lanes_), 1}; // what all store alike is not moved out of a loop over them
    if (auto store = dyn_cast<LLVM::StoreOp>(op))
      return ofAccess(store.getAddr(), store.getValue().getType(), masked ? MaskedWrite : ScatteredLane);
    if (op->getNumResults() == 0)
      return {double(lanes_), 2.0 * lanes_};
    return ofValue(op);
  }

  // Like `if (i < n)`, where most vectors go one way.
  bool isAllOrNone(scf::IfOp branch) {
    return branch.getElseRegion().empty() && comparesStrided(branch.getCondition());
  }

  bool comparesStrided(Value condition) {
    auto comparison = condition.getDefiningOp<arith::CmpIOp>();
    return comparison && comparison.getPredicate() != arith::CmpIPredicate::eq &&
           shapes_.of(comparison.getLhs()).isStrided() && shapes_.of(comparison.getRhs()).isStrided();
  }

  Cost ofAccess(Value address, Type type, double lane) {
    auto vector = dyn_cast<VectorType>(type);
    const double parts = vector ? double(vector.getNumElements()) : 1;
    LaneShape shape = shapes_.of(address);
    if (shape.isUniform())
      return {1, 1};
    const std::optional<Rise> rise = shape.riseIfGuardsHold();
    if (rise && rise->stride == 0)
      return {double(lanes_), parts};
    const int64_t bytes = int64_t(layout_.getTypeSizeInBits(type).getFixedValue() / 8);
    if (rise && rise->stride == bytes)
      return {lanes_ * (loop_ && goesFar(address) ? Far : 1), parts * (parts > 1 ? 3 : 1)};
    return {double(lanes_), lanes_ * lane + (parts > 1 ? TurnedPart * parts : 0)};
  }

  // Does each round of the loop go to another line of the cache, so that one work-item after the other has to fetch
  // what their neighbours had.
  bool goesFar(Value pointer) {
    LinearAddress address(pointer, layout_);
    return llvm::any_of(address.terms, [&](const LinearAddress::Term &term) {
      auto carried = dyn_cast_or_null<BlockArgument>(beforeOf(loop_, term.number));
      if (!carried || carried.getOwner() != loop_.getBeforeBody())
        return false;
      auto next = loop_.getYieldOp().getOperand(carried.getArgNumber()).getDefiningOp<arith::AddIOp>();
      const auto step = next ? constantOf(next.getRhs()) : std::nullopt;
      return !step || std::abs(*step) >= LineBytes || std::abs(*step * term.bytes) >= LineBytes;
    });
  }

  Cost ofValue(Operation *op) {
    Type type = op->getResult(0).getType();
    auto vector = dyn_cast<VectorType>(type);
    const double parts = vector ? double(vector.getNumElements()) : 1;
    if (llvm::all_of(op->getResults(), [&](Value value) { return shapes_.isUniform(value); }))
      return {1, 1};
    if (llvm::all_of(op->getResults(), [&](Value value) { return shapes_.of(value).isStrided(); }))
      return {double(lanes_), 1};
    if (auto access = dyn_cast<mlir::vector::ExtractOp>(op); access && !access.getDynamicPosition().empty())
      return {2.0 * lanes_, 2.0 * double(access.getSourceVectorType().getNumElements())};
    if (isa<LLVM::GEPOp, LLVM::AllocaOp>(op) || op->getName().getDialectNamespace() == "vector")
      return {};
    if (isa<ocl::MathOp>(op))
      return {parts * lanes_ * ScalarFunction, parts * VectorFunction};
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
      return {parts * lanes_ * 8, parts * lanes_ * 10};
    if (!isMemoryEffectFree(op)) // lane by lane
      return {parts * lanes_ * 3, parts * lanes_ * 5};
    return {double(lanes_), parts * (layout_.getTypeSizeInBits(type).getFixedValue() / parts > 32 ? 2 : 1)};
  }

  const LaneShapes &shapes_;
  const AccessRuns &runs_;
  const unsigned lanes_;
  const bool picks_;
  const DataLayout &layout_;
  scf::WhileOp loop_ = nullptr; // the innermost around what is looked at
};

} // namespace

Cost costOf(Region &body, const LaneShapes &shapes, const AccessRuns &runs, unsigned lanes, bool picks,
            const DataLayout &layout) {
  return Estimate(shapes, runs, lanes, picks, layout).of(body.front(), false);
}

} // namespace kiln
