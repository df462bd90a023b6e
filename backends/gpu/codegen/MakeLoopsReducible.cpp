#include "backends/gpu/codegen/MakeLoopsReducible.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace kiln {
namespace {

using Blocks = SmallVector<BasicBlock *>;

/// Collects the outermost loops with several entry blocks.
void collectIrreducible(const Cycle &cycle, SmallVectorImpl<Blocks> &found) {
  if (!cycle.isReducible())
    found.emplace_back(cycle.entry_begin(), cycle.entry_end());
  else
    for (const Cycle *child : cycle.children())
      collectIrreducible(*child, found);
}

class Dispatch {
public:
  explicit Dispatch(ArrayRef<BasicBlock *> entries) : entries_(entries) {}

  /// Returns false, with the function unchanged, if an edge to an entry block cannot be redirected.
  bool insert() {
    SmallSetVector<BasicBlock *, 8> sources;
    for (BasicBlock *entry : entries_)
      sources.insert(pred_begin(entry), pred_end(entry));
    if (!all_of(sources, [](BasicBlock *block) { return isa<BranchInst, SwitchInst>(block->getTerminator()); }))
      return false;
    for (BasicBlock *source : sources)
      separateEdges(*source);
    Function &function = *entries_.front()->getParent();
    block_ = BasicBlock::Create(function.getContext(), "dispatch", &function, entries_.front());
    const DebugLoc line = entries_.front()->getTerminator()->getDebugLoc();
    redirect();
    IRBuilder<> builder(block_);
    builder.SetCurrentDebugLocation(line);
    SwitchInst *branch = builder.CreateSwitch(target_, entries_.front(), unsigned(entries_.size() - 1));
    for (unsigned i = 1; i < entries_.size(); ++i)
      branch->addCase(builder.getInt32(i), entries_[i]);
    return true;
  }

private:
  /// Gives a block with edges to several entry blocks a new successor for each of them, because a phi of the dispatch
  /// block has one value for each block that branches to it.
  void separateEdges(BasicBlock &source) {
    SmallSetVector<BasicBlock *, 4> reached;
    for (BasicBlock *successor : successors(&source))
      if (is_contained(entries_, successor))
        reached.insert(successor);
    if (reached.size() < 2)
      return;
    for (BasicBlock *entry : reached) {
      BasicBlock *between = BasicBlock::Create(source.getContext(), "edge", source.getParent(), entry);
      source.getTerminator()->replaceSuccessorWith(entry, between);
      BranchInst::Create(entry, between)->setDebugLoc(source.getTerminator()->getDebugLoc());
      for (PHINode &phi : entry->phis()) {
        Value *value = phi.getIncomingValueForBlock(&source);
        phi.removeIncomingValueIf([&](unsigned i) { return phi.getIncomingBlock(i) == &source; },
                                  /*DeletePHIIfEmpty=*/false);
        phi.addIncoming(value, between);
      }
    }
  }

  /// Moves all edges of the entry blocks, and their phis, to the dispatch block.
  void redirect() {
    struct Edge {
      BasicBlock *from;
      unsigned to;
    };
    SmallVector<Edge> edges; // a switch may have several to one block
    for (auto [i, entry] : enumerate(entries_))
      for (BasicBlock *from : predecessors(entry))
        edges.push_back({from, unsigned(i)});
    IRBuilder<> builder(block_);
    target_ = builder.CreatePHI(builder.getInt32Ty(), unsigned(edges.size()), "entry");
    for (const auto &[from, to] : edges)
      target_->addIncoming(builder.getInt32(to), from);
    for (auto [i, entry] : enumerate(entries_))
      for (PHINode &phi : make_early_inc_range(entry->phis())) {
        PHINode *moved = builder.CreatePHI(phi.getType(), unsigned(edges.size()));
        moved->takeName(&phi);
        moved->copyIRFlags(&phi);
        for (const auto &[from, to] : edges)
          moved->addIncoming(to == i ? phi.getIncomingValueForBlock(from) : PoisonValue::get(phi.getType()), from);
        phi.replaceAllUsesWith(moved);
        phi.eraseFromParent();
      }
    for (const auto &[from, to] : edges)
      from->getTerminator()->replaceSuccessorWith(entries_[to], block_);
  }

  ArrayRef<BasicBlock *> entries_;
  BasicBlock *block_ = nullptr;
  PHINode *target_ = nullptr; // the index of the entry block to go to
};

/// Inserts the dispatch blocks of the outermost loops that have several entry blocks. Returns false if there are none.
bool makeOutermostReducible(Function &function) {
  CycleInfo cycles;
  cycles.compute(function);
  SmallVector<Blocks> found;
  for (const Cycle *cycle : cycles.toplevel_cycles())
    collectIrreducible(*cycle, found);
  bool changed = false;
  for (const Blocks &entries : found)
    changed |= Dispatch(entries).insert();
  return changed;
}

} // namespace

void makeLoopsReducible(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      // The loops inside of a loop are others once it has its dispatch block. Each is smaller than the loop around it,
      // so this ends.
      while (makeOutermostReducible(function)) {
      }
}

} // namespace kiln
