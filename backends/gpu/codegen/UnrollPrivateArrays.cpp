#include "backends/gpu/codegen/UnrollPrivateArrays.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace kiln {
namespace {

// A work-item has at most 255 registers of 32 bits. An array may have 240 of them; the others are for other values.
constexpr uint64_t MaxArrayBytes = 960;
// Instructions of the unrolled loop. Code of this size still fits the instruction cache.
constexpr uint64_t MaxInstructions = 3000;

bool isMarked(const Loop &loop) {
  return findStringMetadataForLoop(&loop, "llvm.loop.unroll.full") ||
         findStringMetadataForLoop(&loop, "llvm.loop.unroll.disable") ||
         findStringMetadataForLoop(&loop, "llvm.loop.unroll.count");
}

bool fitsRegisters(const AllocaInst &array) {
  std::optional<TypeSize> size = array.getAllocationSize(array.getDataLayout());
  return size && !size->isScalable() && size->getFixedValue() <= MaxArrayBytes;
}

/// Returns true if the address is an element of a private array that the loop's counter selects.
bool isSelectedByCounter(Value *address, const Loop &loop, ScalarEvolution &evolution) {
  auto *array = dyn_cast<AllocaInst>(getUnderlyingObject(address));
  if (!array || !fitsRegisters(*array))
    return false;
  return SCEVExprContains(evolution.getSCEV(address), [&](const SCEV *part) {
    auto *recurrence = dyn_cast<SCEVAddRecExpr>(part);
    return recurrence && recurrence->getLoop() == &loop;
  });
}

} // namespace

PreservedAnalyses UnrollPrivateArraysPass::run(Loop &loop, LoopAnalysisManager &, LoopStandardAnalysisResults &results,
                                               LPMUpdater &) {
  const unsigned iterations = results.SE.getSmallConstantTripCount(&loop);
  if (iterations < 2 || isMarked(loop) || !loop.isInnermost())
    return PreservedAnalyses::all();
  uint64_t instructions = 0;
  bool selects = false;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      if (isa<PHINode>(instruction))
        continue;
      ++instructions;
      if (Value *address = getLoadStorePointerOperand(&instruction))
        selects |= isSelectedByCounter(address, loop, results.SE);
    }
  if (selects && instructions * iterations <= MaxInstructions)
    addStringMetadataToLoop(&loop, "llvm.loop.unroll.full");
  return PreservedAnalyses::all();
}

} // namespace kiln
