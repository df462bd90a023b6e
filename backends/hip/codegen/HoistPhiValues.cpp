#include "backends/hip/codegen/HoistPhiValues.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kiln {
namespace {

class HoistPhiValues : public FunctionPass {
public:
  static inline char ID = 0; // NOLINT(readability-identifier-naming): LLVM needs this name
  HoistPhiValues() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "Kiln: hoist values of phis"; }

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<DominatorTreeWrapperPass>();
    usage.addRequired<TargetTransformInfoWrapperPass>();
    usage.setPreservesCFG();
  }

  bool runOnFunction(Function &function) override {
    DominatorTree &tree = getAnalysis<DominatorTreeWrapperPass>().getDomTree();
    const TargetTransformInfo &costs = getAnalysis<TargetTransformInfoWrapperPass>().getTTI(function);
    bool changed = false, again = true;
    while (again) { // a moved instruction can be the operand of another one
      again = false;
      for (BasicBlock &block : function)
        if (BasicBlock *next = block.getSingleSuccessor(); next && tree.isReachableFromEntry(&block))
          for (PHINode &phi : next->phis())
            if (auto *value = dyn_cast<Instruction>(phi.getIncomingValueForBlock(&block));
                value && value->getParent() == &block && isMovable(*value, costs)) {
              value->moveBefore(tree.getNode(&block)->getIDom()->getBlock()->getTerminator()->getIterator());
              again = changed = true;
            }
    }
    return changed;
  }

private:
  /// Returns true if StructurizeCFG would move the instruction.
  static bool isMovable(const Instruction &value, const TargetTransformInfo &costs) {
    const BasicBlock *block = value.getParent();
    return !isa<PHINode>(value) && !block->isEntryBlock() && isSafeToSpeculativelyExecute(&value) &&
           costs.getInstructionCost(&value, TargetTransformInfo::TCK_Latency) == 0 &&
           none_of(value.operands(), [&](const Use &operand) {
             auto *from = dyn_cast<Instruction>(operand);
             return from && from->getParent() == block;
           });
  }
};

} // namespace

FunctionPass *createHoistPhiValuesPass() { return new HoistPhiValues; }

} // namespace kiln
