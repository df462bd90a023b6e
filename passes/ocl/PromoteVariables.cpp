// Promotes private variables to SSA values if one pass over their accesses suffices:
//
//   llvm.store %x, %v              if one store dominates every load, or all accesses are in one block and the first is
//   a %y = llvm.load %v   ==>  %x    store
//
// These are most of the variables that front ends emit. MLIR's mem2reg promotes the others, but scans the whole
// function for each variable: 6000 variables took 7 seconds.
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "passes/Pass.h"
#include "passes/analysis/PlainAccess.h"

using namespace mlir;

namespace kiln {
#include "passes/PromoteVariables.pass.inc"
namespace {

/// The accesses of a variable that is only loaded and stored as a whole.
struct Accesses {
  SmallVector<LLVM::LoadOp> reads;
  SmallVector<LLVM::StoreOp> writes;

  static std::optional<Accesses> of(LLVM::AllocaOp variable) {
    Accesses found;
    for (Operation *user : variable->getUsers()) {
      if (auto load = dyn_cast<LLVM::LoadOp>(user)) {
        if (!isPlain(load) || load.getType() != variable.getElemType())
          return {};
        found.reads.push_back(load);
      } else if (auto store = dyn_cast<LLVM::StoreOp>(user)) {
        if (!isPlain(store) || store.getValue().getType() != variable.getElemType() || store.getValue() == variable)
          return {};
        found.writes.push_back(store);
      } else {
        return {};
      }
    }
    return found;
  }
};

struct PromoteVariables : impl::PromoteVariablesBase<PromoteVariables> {
  void runOnOperation() override {
    auto &dominance = getAnalysis<DominanceInfo>();
    SmallVector<LLVM::AllocaOp> variables;
    getOperation()->walk([&](LLVM::AllocaOp variable) { variables.push_back(variable); });
    for (LLVM::AllocaOp variable : variables) {
      const std::optional<Accesses> accesses = Accesses::of(variable);
      if (!accesses || !(replaceSingleStore(*accesses, dominance) || replaceInOneBlock(*accesses)))
        continue;
      for (LLVM::StoreOp write : accesses->writes)
        write.erase();
      variable.erase();
      ++variablesPromoted;
    }
    markAnalysesPreserved<DominanceInfo>(); // no block changes
  }

private:
  static bool replaceSingleStore(const Accesses &accesses, DominanceInfo &dominance) {
    if (accesses.reads.empty())
      return true;
    if (accesses.writes.size() != 1)
      return false;
    LLVM::StoreOp write = accesses.writes[0];
    for (LLVM::LoadOp read : accesses.reads)
      if (!dominance.properlyDominates(write.getOperation(), read.getOperation()))
        return false;
    for (LLVM::LoadOp read : accesses.reads)
      replace(read, write.getValue());
    return true;
  }

  static bool replaceInOneBlock(const Accesses &accesses) {
    SmallVector<Operation *> all(accesses.reads.begin(), accesses.reads.end());
    all.append(accesses.writes.begin(), accesses.writes.end());
    if (!llvm::all_of(all, [&](Operation *access) { return access->getBlock() == all[0]->getBlock(); }))
      return false;
    llvm::sort(all, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    if (isa<LLVM::LoadOp>(all[0]))
      return false;
    LLVM::StoreOp last;
    for (Operation *access : all)
      if (auto write = dyn_cast<LLVM::StoreOp>(access))
        last = write;
      else
        replace(cast<LLVM::LoadOp>(access), last.getValue());
    return true;
  }

  static void replace(LLVM::LoadOp read, Value value) {
    read.replaceAllUsesWith(value);
    read.erase();
  }
};
} // namespace
} // namespace kiln
