#include "passes/simd/decide/Cost.h"
#include "dialects/ocl/Ocl.h"
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/analysis/BasePointer.h"
#include "passes/analysis/Constants.h"
#include "passes/ocl/UnrollWhile.h"
#include "passes/simd/decide/OneLaneBranch.h"
#include "passes/simd/decide/PermuteLoad.h"
#include "passes/simd/decide/SpannedStride.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace kiln {
namespace {

// Iterations that a loop is assumed to have, and by how much a divergent loop has more: it runs until its last lane
// leaves.
constexpr double AssumedIterations = 8, DivergenceFactor = 1.5;

class Estimate {
public:
  Estimate(const LaneShapes &shapes, const AccessGroups &groups, const ScatteredUpdates &updates, unsigned lanes,
           const CpuTargetInfo &target, const DataLayout &layout)
      : shapes_(shapes), groups_(groups), updates_(updates), lanes_(lanes), target_(target), layout_(layout) {}

  Cost of(Block &block, bool masked) {
    Cost sum;
    for (Operation &op : block.without_terminator())
      sum += of(&op, masked);
    return sum;
  }

private:
  Cost of(Operation *op, bool masked) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (branch.getCondition().getDefiningOp<wg::DistinctArgumentsOp>()) // the other version of a loop runs rarely
        return of(branch.getThenRegion().front(), masked);
      if (oneLaneBranch(branch, shapes_, groups_)) // its operations run once per row in both bodies
        return {double(lanes_), 4};
      const bool diverges = !shapes_.isUniform(branch.getCondition());
      Cost sum{!diverges ? 1 : isAllOrNone(branch) ? lanes_ : lanes_ * target_.mispredicted, diverges ? 3.0 : 1};
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
      const bool mostlyUniform = !diverges || comparesStrided(loop.getConditionOp().getCondition());
      return {once.scalar * AssumedIterations,
              once.vector * AssumedIterations * (mostlyUniform ? 1 : DivergenceFactor)};
    }
    if (const AccessGroup *group = groups_.of(op); group && group->isContiguous && !masked)
      return {double(lanes_), target_.spannedRow};
    if (const AccessGroup *group = groups_.of(op)) // a vector per lane, and this access's part of the transpose
      return {double(lanes_),
              lanes_ * (masked ? target_.maskedRead : target_.groupedLane) / double(group->accesses.size()) + 3};
    if (const ScatteredUpdate *update = updates_.of(op)) // all of it at the store
      return {double(lanes_), op != update->store ? 0 : lanes_ * (masked ? target_.maskedWrite : target_.updatedLane)};
    if (auto read = dyn_cast<wg::ReadOp>(op)) // of a work-item's value by others
      if (const auto info = shapes_.of(read.getItem()).strideInfoIfGuardsHold(); info && info->stride == 0)
        return {double(lanes_), 1};
    auto load = dyn_cast<LLVM::LoadOp>(op);
    if (load && target_.hasPermute() && !masked && permuteLoadIndex(load.getAddr(), load.getType(), shapes_, layout_))
      return {double(lanes_), target_.permuteLoad};
    if (load && clampedIndex(load.getAddr(), load.getType(), shapes_, layout_))
      return {double(lanes_), target_.permuteLoad};
    if (load)
      return ofAccess(load.getAddr(), load.getType(), masked ? target_.maskedRead : target_.gatheredLane,
                      /*isLoad=*/true, masked);
    if (auto store = dyn_cast<LLVM::StoreOp>(op);
        store && shapes_.isUniform(store.getAddr()) && shapes_.isUniform(store.getValue()))
      return {double(lanes_), 1}; // LLVM does not hoist the store out of the loop over work-items
    if (auto store = dyn_cast<LLVM::StoreOp>(op))
      return ofAccess(store.getAddr(), store.getValue().getType(), masked ? target_.maskedWrite : target_.scatteredLane,
                      /*isLoad=*/false, masked);
    if (auto check = dyn_cast<ocl::CheckAccessOp>(op); check && groups_.covers(check)) // a part of the group's check
      return {4.0 * lanes_, 2};
    if (auto check = dyn_cast<ocl::CheckAccessOp>(op)) // four operations
      return {4.0 * lanes_, shapes_.of(check.getResult()).isStrided() ? 6 : 8.0};
    if (op->getNumResults() == 0)
      return {double(lanes_), 2.0 * lanes_};
    return ofValue(op);
  }

  // A guard like `if (i < n)`: the lanes of almost all vectors agree.
  bool isAllOrNone(scf::IfOp branch) {
    return branch.getElseRegion().empty() && comparesStrided(branch.getCondition());
  }

  bool comparesStrided(Value condition) {
    auto comparison = condition.getDefiningOp<arith::CmpIOp>();
    return comparison && comparison.getPredicate() != arith::CmpIPredicate::eq &&
           shapes_.of(comparison.getLhs()).isStrided() && shapes_.of(comparison.getRhs()).isStrided();
  }

  Cost ofAccess(Value address, Type type, double lane, bool isLoad, bool masked) {
    auto vector = dyn_cast<VectorType>(type);
    const double components = vector ? double(vector.getNumElements()) : 1;
    LaneShape shape = shapes_.of(address);
    if (shape.isUniform())
      return {1, 1};
    const std::optional<StrideInfo> info = shape.strideInfoIfGuardsHold();
    if (info && info->stride == 0)
      return {double(lanes_), components};
    const int64_t bytes = int64_t(layout_.getTypeSizeInBits(type).getFixedValue() / 8);
    if (info && info->stride == bytes)
      return {lanes_ * (loop_ && missesCache(address) ? target_.cacheMiss : 1), components * (components > 1 ? 3 : 1)};
    if (const int64_t stride = masked ? 0 : spannedStride(info, address, type, !isLoad, lanes_, target_, layout_))
      return {double(lanes_), double(std::abs(stride)) * target_.spannedRow};
    if (!info && target_.gathers && !vector && (bytes == 4 || bytes == 8) && isLoad)
      return {double(lanes_), lanes_ * target_.gatherInstructionLane};
    return {double(lanes_), lanes_ * lane + (components > 1 ? target_.transposedComponent * components : 0)};
  }

  // Returns true if each iteration of the loop accesses another cache line. The scalar body then fetches every line
  // again for each work-item.
  bool missesCache(Value pointer) {
    LinearAddress address(uncheckedPointer(pointer), layout_);
    return llvm::any_of(address.terms, [&](const LinearAddress::Term &term) {
      auto carried = dyn_cast_or_null<BlockArgument>(conditionOperandOf(loop_, term.number));
      if (!carried || carried.getOwner() != loop_.getBeforeBody())
        return false;
      auto next = loop_.getYieldOp().getOperand(carried.getArgNumber()).getDefiningOp<arith::AddIOp>();
      const auto step = next ? constantOf(next.getRhs()) : std::nullopt;
      return !step || std::abs(*step) >= target_.lineBytes || std::abs(*step * term.bytes) >= target_.lineBytes;
    });
  }

  Cost ofValue(Operation *op) {
    Type type = op->getResult(0).getType();
    auto vector = dyn_cast<VectorType>(type);
    const double components = vector ? double(vector.getNumElements()) : 1;
    if (llvm::all_of(op->getResults(), [&](Value value) { return shapes_.isUniform(value); }))
      return {1, 1};
    if (llvm::all_of(op->getResults(), [&](Value value) { return shapes_.of(value).isStrided(); }))
      return {lanes_ * target_.scalarStep, 1};
    if (auto access = dyn_cast<mlir::vector::ExtractOp>(op); access && !access.getDynamicPosition().empty())
      return {2.0 * lanes_, 2.0 * double(access.getSourceVectorType().getNumElements())};
    if (isa<LLVM::GEPOp, LLVM::AllocaOp>(op) || op->getName().getDialectNamespace() == "vector")
      return {};
    if (isa<ocl::MathOp>(op))
      return {components * lanes_ * target_.scalarFunction, components * target_.vectorFunction};
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
      return ofDivision(op, components * lanes_);
    if (!isMemoryEffectFree(op)) // scalarized
      return {components * lanes_ * 3, components * lanes_ * 5};
    return {double(lanes_), components * (layout_.getTypeSizeInBits(type).getFixedValue() / components > 32 ? 2 : 1)};
  }

  // Integers of up to 32 bits are divided as floating-point numbers (cpu/DivisionLowering), others by each lane.
  Cost ofDivision(Operation *op, double lanes) {
    const Value divisor = op->getOperand(1);
    const bool isLowered =
        getElementTypeOrSelf(divisor.getType()).getIntOrFloatBitWidth() <= 32 && !constantOf(divisor);
    const double lane = !isLowered                   ? target_.scalarizedDivision
                        : shapes_.isUniform(divisor) ? target_.multipliedLane
                                                     : target_.dividedLane;
    return {lanes * target_.division, lanes * lane};
  }

  const LaneShapes &shapes_;
  const AccessGroups &groups_;
  const ScatteredUpdates &updates_;
  const unsigned lanes_;
  const CpuTargetInfo &target_;
  const DataLayout &layout_;
  scf::WhileOp loop_ = nullptr; // the innermost loop around the operation
};

} // namespace

Cost costOf(Region &body, const LaneShapes &shapes, const AccessGroups &groups, const ScatteredUpdates &updates,
            unsigned lanes, const CpuTargetInfo &target, const DataLayout &layout) {
  return Estimate(shapes, groups, updates, lanes, target, layout).of(body.front(), false);
}

} // namespace kiln
