// Ends the loop over a row's work-items where no later one has work:
//
//   wg.parallel {                                wg.parallel {
//     %is = arith.cmpi slt, %lid, %d               %is = arith.cmpi slt, %lid, %d
//     scf.if %is { ... }                   ==>     scf.if %is { ... }
//     wg.yield                                     wg.yield done %true more %is
//   }                                            }
//
// The steps of a tree in local memory are such regions: without this pass the scalar body compares in as many
// iterations as the group has work-items, also where one of them has work. Legal because the branch encloses all side
// effects of the region, and the condition compares a number that rises from work-item to work-item with one that all
// of them share. Vector bodies do the same (simd/emit/EndLaneConditions).
//
// A row also ends after its first work-item if all work-items do the same (analysis/SameForAll).
#include "dialects/ocl/IntConstant.h"
#include "passes/Pass.h"
#include "passes/analysis/Conjuncts.h"
#include "passes/analysis/LaneShapes.h"
#include "passes/analysis/SameForAll.h"

using namespace mlir;

namespace kiln {
#include "passes/EndRows.pass.inc"
namespace {

bool hasSideEffects(Operation &op) {
  auto load = dyn_cast<LLVM::LoadOp>(op);
  return op.getNumRegions() ||
         !(isMemoryEffectFree(&op) || isa<LLVM::AllocaOp, wg::LoadOp>(op) || (load && !load.getVolatile_()));
}

// The only operation of the region with side effects, if it is a branch without results and without an else side.
scf::IfOp onlyBranch(Block &block) {
  scf::IfOp only;
  for (Operation &op : block.without_terminator()) {
    if (!hasSideEffects(op))
      continue;
    auto branch = dyn_cast<scf::IfOp>(op);
    if (only || !branch || branch.getNumResults() || !branch.getElseRegion().empty())
      return {};
    only = branch;
  }
  return only;
}

// Returns true if the comparison is false for all work-items after one for which it is false.
bool staysFalse(arith::CmpIOp comparison, const LaneShapes &shapes) {
  using Predicate = arith::CmpIPredicate;
  const Predicate predicate = comparison.getPredicate();
  const bool isBelow = predicate == Predicate::slt || predicate == Predicate::sle || predicate == Predicate::ult ||
                       predicate == Predicate::ule;
  const bool isSigned = predicate >= Predicate::slt && predicate <= Predicate::sge;
  if (predicate == Predicate::eq || predicate == Predicate::ne)
    return false;
  const Value number = isBelow ? comparison.getLhs() : comparison.getRhs();
  const Value limit = isBelow ? comparison.getRhs() : comparison.getLhs();
  const std::optional<StrideInfo> info = shapes.of(number).strideInfo();
  return info && info->stride > 0 && (isSigned ? info->noSignedWrap : info->noUnsignedWrap) && shapes.isUniform(limit);
}

struct EndRows : impl::EndRowsBase<EndRows> {
  void runOnOperation() override {
    getOperation().walk([&](wg::ParallelOp region) {
      if (!region.getBody().hasOneBlock())
        return;
      Block &block = region.getBody().front();
      constexpr unsigned TwoLanes = 2; // each step to the next work-item
      const LaneShapes shapes(region.getBody(), TwoLanes, DataLayout::closest(region), /*assumeIdsFit31Bits=*/false);
      const auto endWith = [&](Value more) {
        auto yield = cast<wg::YieldOp>(block.getTerminator());
        OpBuilder b(yield);
        wg::YieldOp::create(b, yield.getLoc(), intConstant(b, yield.getLoc(), 1, 1),
                            more ? more : intConstant(b, yield.getLoc(), 0, 1));
        yield.erase();
        ++rowsEnded;
      };
      if (!region.getMask() && isSameForAll(region.getBody(), shapes))
        return endWith({});
      scf::IfOp branch = onlyBranch(block);
      if (!branch)
        return;
      for (Value side : conjuncts(branch.getCondition())) {
        auto comparison = side.getDefiningOp<arith::CmpIOp>();
        if (!comparison || comparison->getBlock() != &block || !staysFalse(comparison, shapes))
          continue;
        return endWith(side);
      }
    });
  }
};

} // namespace
} // namespace kiln
