#include "backends/hip/codegen/PadTwoWayBranches.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace kiln {
namespace {

class PadTwoWayBranches : public MachineFunctionPass {
public:
  static inline char ID = 0; // NOLINT(readability-identifier-naming): LLVM needs this name
  PadTwoWayBranches() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "Kiln: pad two-way branches"; }

  bool runOnMachineFunction(MachineFunction &function) override {
    const TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    bool changed = false;
    for (MachineBasicBlock &block : function) {
      const auto first = block.getFirstTerminator();
      if (first == block.end() || !first->isConditionalBranch() || std::next(first) == block.end())
        continue;
      instructions.insertNoop(block, first);
      changed = true;
    }
    return changed;
  }
};

} // namespace

FunctionPass *createPadTwoWayBranchesPass() { return new PadTwoWayBranches; }

} // namespace kiln
