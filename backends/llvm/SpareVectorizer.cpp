#include "backends/llvm/SpareVectorizer.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace kiln {
namespace {

// Questions that the vectoriser may ask about one loop; it asks them several times.
constexpr uint64_t MaxQuestions = 1 << 18;

// What the vectoriser takes to be uniform if its operands are.
bool passesOn(const Instruction &instruction) {
  return isa<BinaryOperator, CastInst, GetElementPtrInst, CmpInst, SelectInst, UnaryOperator, FreezeInst, PHINode>(
      instruction);
}

/// The ways that lead from each of the loop's uniform values to what does not change in it, all together.
uint64_t questions(Loop &loop, LoopInfo &info) {
  LoopBlocksRPO order(&loop);
  order.perform(&info);
  DenseMap<const Instruction *, uint64_t> ways; // of uniform values
  uint64_t sum = 0;
  for (BasicBlock *block : order)
    for (Instruction &instruction : *block) {
      if (isa<PHINode>(instruction) && block == loop.getHeader())
        continue;
      const bool isLoad = isa<LoadInst>(instruction);
      if (!isLoad && !passesOn(instruction))
        continue;
      uint64_t count = 1;
      bool isUniform = true;
      for (Value *operand : instruction.operands()) {
        auto *other = dyn_cast<Instruction>(operand);
        if (!other || !loop.contains(other))
          continue;
        auto known = ways.find(other);
        isUniform &= known != ways.end();
        if (!isUniform)
          break;
        count = SaturatingAdd(count, isLoad ? 0 : known->second);
      }
      if (!isUniform)
        continue;
      ways[&instruction] = count;
      sum = SaturatingAdd(sum, count);
    }
  return sum;
}

} // namespace

PreservedAnalyses SpareVectorizerPass::run(Function &function, FunctionAnalysisManager &analyses) {
  LoopInfo &info = analyses.getResult<LoopAnalysis>(function);
  for (Loop *loop : info.getLoopsInPreorder())
    if (loop->isInnermost() && questions(*loop, info) > MaxQuestions)
      addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
  return PreservedAnalyses::all();
}

} // namespace kiln
