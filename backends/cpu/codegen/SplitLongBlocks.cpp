#include "backends/cpu/codegen/SplitLongBlocks.h"
#include "backends/llvm/Emit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kiln {
namespace {

// Values that are live at the end of a part are in registers or spill slots there, as anywhere else. What instruction
// selection combines within a part it does not combine across two.
constexpr size_t PartLength = 2000, MaxLength = 2 * PartLength;

bool isLong(const BasicBlock &block) { return block.size() > MaxLength; }

void split(BasicBlock &block) {
  SmallVector<Instruction *> starts;
  size_t length = 0;
  for (Instruction &instruction : block) {
    ++length;
    if (isa<AllocaInst>(instruction)) // of the entry block: in another one it would be dynamic
      starts.clear(), length = 0;
    else if (length > PartLength && !isa<PHINode>(instruction) && !instruction.isTerminator())
      starts.push_back(&instruction), length = 0;
  }
  for (Instruction *start : reverse(starts)) // from the end, so that each instruction moves once
    block.splitBasicBlock(start);
}

} // namespace

bool hasLongBlock(const Module &module) {
  return any_of(module, [](const Function &function) { return isLarge(function) && any_of(function, isLong); });
}

void splitLongBlocks(Module &module) {
  for (Function &function : module)
    if (isLarge(function))
      for (BasicBlock &block : make_early_inc_range(function))
        if (isLong(block))
          split(block);
}

} // namespace kiln
