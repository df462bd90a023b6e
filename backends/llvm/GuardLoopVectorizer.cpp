#include "backends/llvm/GuardLoopVectorizer.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace kiln {
namespace {

// Maximum number of uniformity queries of one loop; the vectoriser repeats them several times.
constexpr uint64_t MaxQueries = 1 << 18;

// Returns true if the vectoriser treats the instruction as uniform if its operands are.
bool propagatesUniformity(const Instruction &instruction) {
  return isa<BinaryOperator, CastInst, GetElementPtrInst, CmpInst, SelectInst, UnaryOperator, FreezeInst, PHINode>(
      instruction);
}

/// Returns the number of use-def paths from the loop's uniform values to loop-invariant values.
uint64_t countQueries(Loop &loop, LoopInfo &info) {
  LoopBlocksRPO order(&loop);
  order.perform(&info);
  DenseMap<const Instruction *, uint64_t> paths; // of uniform values
  uint64_t sum = 0;
  for (BasicBlock *block : order)
    for (Instruction &instruction : *block) {
      if (isa<PHINode>(instruction) && block == loop.getHeader())
        continue;
      const bool isLoad = isa<LoadInst>(instruction);
      if (!isLoad && !propagatesUniformity(instruction))
        continue;
      uint64_t count = 1;
      bool isUniform = true;
      for (Value *operand : instruction.operands()) {
        auto *other = dyn_cast<Instruction>(operand);
        if (!other || !loop.contains(other))
          continue;
        auto known = paths.find(other);
        isUniform &= known != paths.end();
        if (!isUniform)
          break;
        count = SaturatingAdd(count, isLoad ? 0 : known->second);
      }
      if (!isUniform)
        continue;
      paths[&instruction] = count;
      sum = SaturatingAdd(sum, count);
    }
  return sum;
}

} // namespace

PreservedAnalyses GuardLoopVectorizerPass::run(Function &function, FunctionAnalysisManager &analyses) {
  LoopInfo &info = analyses.getResult<LoopAnalysis>(function);
  for (Loop *loop : info.getLoopsInPreorder())
    if (loop->isInnermost() && countQueries(*loop, info) > MaxQueries)
      addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
  return PreservedAnalyses::all();
}

} // namespace kiln
