#include "backends/gpu/codegen/UnrollIndexedLoops.h"
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
// An index of more bits does not select an element of an array that fits.
constexpr unsigned MaxPeriodBits = 7;

bool isMarked(const Loop &loop) {
  return findStringMetadataForLoop(&loop, "llvm.loop.unroll.full") ||
         findStringMetadataForLoop(&loop, "llvm.loop.unroll.disable") ||
         findStringMetadataForLoop(&loop, "llvm.loop.unroll.count");
}

bool fitsRegisters(const AllocaInst &array) {
  std::optional<TypeSize> size = array.getAllocationSize(array.getDataLayout());
  return size && !size->isScalable() && size->getFixedValue() <= MaxArrayBytes;
}

bool hasKnownValue(const Value *object) {
  auto *variable = dyn_cast<GlobalVariable>(object);
  return variable && variable->isConstant() && variable->hasDefinitiveInitializer();
}

/// What the loop's counter selects.
struct Selection {
  bool constants = false;  // elements of constant variables
  bool arrays = false;     // elements of private arrays
  bool periodic = true;    // all indices of arrays are taken modulo powers of two, as in w[i & 15]
  unsigned periodBits = 0; // the indices of arrays repeat after 2^periodBits iterations
};

/// Adds the address to `selection` if the loop's counter selects it in a private array or a constant variable.
void addAddress(Value *address, const Loop &loop, ScalarEvolution &evolution, Selection &selection) {
  const Value *object = getUnderlyingObject(address);
  auto *array = dyn_cast<AllocaInst>(object);
  if (array ? !fitsRegisters(*array) : !hasKnownValue(object))
    return;
  SCEVExprContains(evolution.getSCEV(address), [&](const SCEV *part) {
    auto *recurrence = dyn_cast<SCEVAddRecExpr>(part);
    if (!recurrence || recurrence->getLoop() != &loop)
      return false;
    if (!array) {
      selection.constants = true;
      return false;
    }
    // `i & 15` is an extended integer of 4 bits to the analysis.
    const auto bits = unsigned(evolution.getTypeSizeInBits(recurrence->getType()));
    selection.arrays = true;
    selection.periodic &= bits <= MaxPeriodBits;
    selection.periodBits = std::max(selection.periodBits, bits);
    return false;
  });
}

/// Returns true if copies of the body for one period have constant indices: LLVM computes the low bits of the counter
/// in the first copy only if they are zero, and other iterations than those of whole periods would index the array
/// dynamically.
bool hasWholePeriods(const Loop &loop, unsigned iterations, unsigned bits, ScalarEvolution &evolution) {
  PHINode *counter = loop.getInductionVariable(evolution);
  auto *recurrence = counter ? dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(counter)) : nullptr;
  return recurrence && iterations % (1u << bits) == 0 && evolution.getMinTrailingZeros(recurrence->getStart()) >= bits;
}

} // namespace

PreservedAnalyses UnrollIndexedLoopsPass::run(Loop &loop, LoopAnalysisManager &, LoopStandardAnalysisResults &results,
                                              LPMUpdater &) {
  const unsigned iterations = results.SE.getSmallConstantTripCount(&loop);
  if (iterations < 2 || isMarked(loop) || !loop.isInnermost())
    return PreservedAnalyses::all();
  uint64_t instructions = 0;
  Selection selection;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      if (isa<PHINode>(instruction))
        continue;
      ++instructions;
      if (Value *address = getLoadStorePointerOperand(&instruction))
        addAddress(address, loop, results.SE, selection);
    }
  if (!selection.arrays && !selection.constants)
    return PreservedAnalyses::all();
  if (instructions * iterations <= MaxInstructions)
    addStringMetadataToLoop(&loop, "llvm.loop.unroll.full");
  else if (selection.arrays && selection.periodic && instructions << selection.periodBits <= MaxInstructions &&
           hasWholePeriods(loop, iterations, selection.periodBits, results.SE))
    addStringMetadataToLoop(&loop, "llvm.loop.unroll.count", 1u << selection.periodBits);
  return PreservedAnalyses::all();
}

} // namespace kiln
