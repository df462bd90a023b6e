// Lifts functions that contain a barrier from a control flow graph to structured control flow.
//
//   cf.cond_br %c, ^body, ^exit     ==>     scf.while ... scf.if ...
//
// The split into parallel regions follows the structure: a loop around a barrier becomes a loop around regions.
// Lifting takes time that grows with the square of the number of blocks, but for the cases of a plain switch. So a
// function with more than `max-blocks` others stays a graph, and so do its callers, for it would not fit into a
// structured one: ResumePoints.cpp splits graphs. Functions without a barrier stay graphs, too: they run whole, once
// per work-item.
//
// `scf.index_switch` around a barrier becomes a chain of `scf.if`, so that what follows knows two shapes only.
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "passes/Passes.h"
#include "passes/analysis/Barriers.h"
#include "passes/ocl/LiftFlow.h"
#include "passes/ocl/UnfoldSwitch.h"

using namespace mlir;

namespace kiln {
#define GEN_PASS_DEF_STRUCTUREBARRIERS
#include "passes/Passes.h.inc"
namespace {

// How many blocks a switch leads to, if nobody waits in them and all of them, or all but the default, lead on to one
// and the same; otherwise none.
size_t plainCases(cf::SwitchOp op, Barriers &barriers) {
  llvm::SmallSetVector<Block *, 8> behind;
  size_t count = 0;
  for (Block *target : llvm::SmallSetVector<Block *, 8>(op->successor_begin(), op->successor_end())) {
    auto isEntry = [&](Block *before) { return before == op->getBlock(); };
    if (target->getNumSuccessors() != 1 || !llvm::all_of(target->getPredecessors(), isEntry)) {
      behind.insert(target);
      continue;
    }
    if (llvm::any_of(*target, [&](Operation &inside) { return barriers.contains(&inside); }))
      return 0;
    behind.insert(target->getSuccessor(0));
    ++count;
  }
  return behind.size() == 1 ? count : 0;
}

// How many blocks a function has, as far as lifting it is concerned.
size_t effectiveBlocks(func::FuncOp function, Barriers &barriers) {
  size_t count = function.getBody().getBlocks().size();
  for (Block &block : function.getBody())
    if (auto op = dyn_cast<cf::SwitchOp>(block.getTerminator()))
      count -= plainCases(op, barriers);
  return count;
}

struct StructureBarriers : impl::StructureBarriersBase<StructureBarriers> {
  using StructureBarriersBase::StructureBarriersBase;

  void runOnOperation() override {
    Barriers barriers(getOperation());
    DenseSet<Operation *> graphs = largeOnes(barriers);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || !barriers.contains(function) || graphs.contains(function))
        continue;
      if (!liftFlow(function.getBody(), function)) {
        function.emitError() << "the control flow around a barrier in '" << function.getName()
                             << "' could not be structured";
        return signalPassFailure();
      }
      SmallVector<scf::IndexSwitchOp> switches;
      function.walk([&](scf::IndexSwitchOp op) {
        if (barriers.contains(op))
          switches.push_back(op);
      });
      for (scf::IndexSwitchOp op : switches)
        unfoldSwitch(op);
    }
  }

private:
  // Functions that contain a barrier and stay graphs: those with more blocks than `max-blocks`, and their callers.
  DenseSet<Operation *> largeOnes(Barriers &barriers) {
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
