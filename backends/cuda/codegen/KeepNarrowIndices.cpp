#include "backends/cuda/codegen/KeepNarrowIndices.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace kiln {
namespace {

class KeepNarrowIndices : public FunctionPass {
public:
  static inline char ID = 0; // NOLINT(readability-identifier-naming): LLVM needs this name
  KeepNarrowIndices() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "Kiln: keep narrow indices"; }

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<LoopInfoWrapperPass>();
    usage.setPreservesCFG();
  }

  bool runOnFunction(Function &) override {
    bool changed = false;
    for (Loop *loop : getAnalysis<LoopInfoWrapperPass>().getLoopInfo().getLoopsInPreorder())
      for (PHINode &phi : loop->getHeader()->phis())
        changed |= phi.getType()->isIntegerTy(32) && freezeIndices(phi, *loop);
    return changed;
  }

private:
  /// Returns true if the user is a condition or a sum that does not wrap. Loop strength reduction may compute these
  /// from a pointer: the sums are the counter's next value, another copy's counter in an unrolled loop, or another
  /// index.
  static bool isReducible(const Instruction &user) {
    auto *sum = dyn_cast<OverflowingBinaryOperator>(&user);
    auto *disjoint = dyn_cast<PossiblyDisjointInst>(&user);
    return isa<ICmpInst>(user) || (sum && (sum->hasNoSignedWrap() || sum->hasNoUnsignedWrap())) ||
           (disjoint && disjoint->isDisjoint());
  }
  static bool freezeIndices(PHINode &phi, const Loop &loop) {
    SmallVector<CastInst *> indices;
    bool hasNarrowUse = false;
    for (User *user : phi.users()) {
      auto *instruction = cast<Instruction>(user);
      if (!loop.contains(instruction))
        continue;
      if (isa<ZExtInst, SExtInst>(instruction) && instruction->getType()->isIntegerTy(64))
        indices.push_back(cast<CastInst>(instruction));
      else if (!isReducible(*instruction))
        hasNarrowUse = true;
    }
    if (!hasNarrowUse)
      return false;
    for (CastInst *index : indices)
      index->setOperand(0, IRBuilder<>(index).CreateFreeze(&phi));
    return !indices.empty();
  }
};

} // namespace

FunctionPass *createKeepNarrowIndicesPass() { return new KeepNarrowIndices; }

} // namespace kiln
