// Lifts functions that contain a barrier from a control flow graph to structured control flow.
//
//   cf.cond_br %c, ^body, ^exit     ==>     scf.while ... scf.if ...
//
// Kernels are split into parallel regions along this structure: a loop around a barrier becomes a loop around regions.
// Lifting takes O(n^2) time in the blocks, not counting cases of simple switches. So a function with more than
// `max-blocks` blocks stays a graph, and so do its callers, because a graph cannot be inlined into an scf region:
// ResumePoints.cpp splits graphs. Functions without a barrier stay graphs as well: each work-item runs them whole.
//
// `scf.index_switch` around a barrier becomes a chain of `scf.if`, so that later passes handle scf.if and loops only.
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "passes/Pass.h"
#include "passes/analysis/Barriers.h"
#include "passes/ocl/LiftControlFlow.h"
#include "passes/ocl/LowerSwitch.h"

using namespace mlir;

namespace kiln {
#include "passes/StructurizeBarriers.pass.inc"
namespace {

// The number of a switch's target blocks, if none contains a barrier and all of them (or all but the default) branch to
// the same block; otherwise 0.
size_t simpleCases(cf::SwitchOp op, Barriers &barriers) {
  llvm::SmallSetVector<Block *, 8> successors;
  size_t count = 0;
  for (Block *target : llvm::SmallSetVector<Block *, 8>(op->successor_begin(), op->successor_end())) {
    auto isEntry = [&](Block *before) { return before == op->getBlock(); };
    if (target->getNumSuccessors() != 1 || !llvm::all_of(target->getPredecessors(), isEntry)) {
      successors.insert(target);
      continue;
    }
    if (llvm::any_of(*target, [&](Operation &inside) { return barriers.contains(&inside); }))
      return 0;
    successors.insert(target->getSuccessor(0));
    ++count;
  }
  return successors.size() == 1 ? count : 0;
}

// The number of blocks without the cases of simple switches, which are cheap to lift.
size_t effectiveBlocks(func::FuncOp function, Barriers &barriers) {
  size_t count = function.getBody().getBlocks().size();
  for (Block &block : function.getBody())
    if (auto op = dyn_cast<cf::SwitchOp>(block.getTerminator()))
      count -= simpleCases(op, barriers);
  return count;
}

struct StructurizeBarriers : impl::StructurizeBarriersBase<StructurizeBarriers> {
  using StructurizeBarriersBase::StructurizeBarriersBase;

  void runOnOperation() override {
    Barriers barriers(getOperation());
    DenseSet<Operation *> graphs = largeFunctions(barriers);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || !barriers.contains(function) || graphs.contains(function))
        continue;
      if (!liftControlFlow(function.getBody(), function)) {
        function.emitError() << "the control flow around a barrier in '" << function.getName()
                             << "' could not be structurized";
        return signalPassFailure();
      }
      SmallVector<scf::IndexSwitchOp> switches;
      function.walk([&](scf::IndexSwitchOp op) {
        if (barriers.contains(op))
          switches.push_back(op);
      });
      for (scf::IndexSwitchOp op : switches)
        lowerSwitch(op);
    }
  }

private:
  // Functions that contain a barrier and stay graphs: those with more blocks than `max-blocks`, and their callers.
  DenseSet<Operation *> largeFunctions(Barriers &barriers) {
    SymbolTable symbols(getOperation());
    DenseMap<Operation *, SmallVector<Operation *>> callers;
    SmallVector<Operation *> work;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || !barriers.contains(function))
        continue;
      function.walk([&](func::CallOp call) { callers[symbols.lookup(call.getCallee())].push_back(function); });
      if (effectiveBlocks(function, barriers) > maxBlocks)
        work.push_back(function);
    }
    DenseSet<Operation *> large;
    while (!work.empty())
      if (Operation *function = work.pop_back_val(); large.insert(function).second)
        llvm::append_range(work, callers.lookup(function));
    return large;
  }
};
} // namespace
} // namespace kiln
