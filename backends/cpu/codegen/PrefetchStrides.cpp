#include "backends/cpu/codegen/PrefetchStrides.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace kiln {
namespace {

constexpr size_t MinInstructions = 100; // of an iteration: processors execute some 500 ahead
constexpr size_t Ahead = 2000;          // instructions that take as long as memory
constexpr uint64_t MaxIterationsAhead = 16;
constexpr int64_t MinStride = 2048; // bytes
constexpr int64_t LineBytes = 64;
constexpr size_t MaxLines = 8; // prefetched in an iteration

// A pointer's value some iterations later. Fails if it varies otherwise than by numbers that rise by a fixed step.
class LaterValue : public SCEVRewriteVisitor<LaterValue> {
public:
  LaterValue(ScalarEvolution &evolution, const Loop &loop, uint64_t iterations)
      : SCEVRewriteVisitor(evolution), loop_(loop), iterations_(iterations) {}

  const SCEV *visitAddRecExpr(const SCEVAddRecExpr *rising) {
    if (rising->getLoop() != &loop_ || !rising->isAffine())
      return fail(rising);
    const SCEV *step = rising->getStepRecurrence(SE);
    hasUnknownStep_ |= !isa<SCEVConstant>(step);
    const SCEV *later = SE.getMulExpr(step, SE.getConstant(step->getType(), iterations_));
    return SE.getAddRecExpr(SE.getAddExpr(rising->getStart(), later), step, &loop_, SCEV::FlagAnyWrap);
  }
  const SCEV *visitUnknown(const SCEVUnknown *value) { return SE.isLoopInvariant(value, &loop_) ? value : fail(value); }
  bool failed() const { return failed_; }
  bool hasUnknownStep() const { return hasUnknownStep_; }

private:
  const SCEV *fail(const SCEV *value) {
    failed_ = true;
    return value;
  }

  const Loop &loop_;
  const uint64_t iterations_;
  bool failed_ = false, hasUnknownStep_ = false;
};

class LoopPrefetches {
public:
  LoopPrefetches(Loop &loop, ScalarEvolution &evolution)
      : loop_(loop), evolution_(evolution), expander_(evolution, "later") {}

  bool add() {
    size_t instructions = 0;
    for (const BasicBlock *block : loop_.blocks())
      instructions += block->sizeWithoutDebug();
    if (instructions < MinInstructions)
      return false;
    const uint64_t iterations = std::min<uint64_t>(Ahead / instructions, MaxIterationsAhead);
    const unsigned trips = evolution_.getSmallConstantMaxTripCount(&loop_);
    if (!iterations || (trips && trips <= iterations))
      return false;
    SmallVector<LoadInst *> loads;
    for (BasicBlock *block : loop_.blocks())
      for (Instruction &instruction : *block)
        if (auto *load = dyn_cast<LoadInst>(&instruction); load && load->isSimple())
          loads.push_back(load);
    for (LoadInst *load : loads)
      if (lines_.size() < MaxLines)
        prefetch(*load, iterations);
    return !lines_.empty();
  }

private:
  void prefetch(LoadInst &load, uint64_t iterations) {
    const SCEV *pointer = evolution_.getSCEV(load.getPointerOperand());
    if (evolution_.isLoopInvariant(pointer, &loop_) ||
        any_of(lines_, [&](const SCEV *line) { return isNear(pointer, line); }))
      return;
    LaterValue later(evolution_, loop_, iterations);
    const SCEV *address = later.visit(pointer);
    if (later.failed() || !(later.hasUnknownStep() || hasLargeStride(pointer)) || !expander_.isSafeToExpand(address))
      return;
    Value *expanded = expander_.expandCodeFor(address, load.getPointerOperandType(), load.getIterator());
    IRBuilder<> builder(&load);
    builder.CreateIntrinsic(Intrinsic::prefetch, {expanded->getType()},
                            {expanded, builder.getInt32(0), builder.getInt32(3), builder.getInt32(1)});
    lines_.push_back(pointer);
  }

  bool isNear(const SCEV *a, const SCEV *b) const {
    const auto *distance = dyn_cast<SCEVConstant>(evolution_.getMinusSCEV(a, b));
    return distance && distance->getAPInt().abs().ult(LineBytes);
  }

  bool hasLargeStride(const SCEV *pointer) const {
    const auto *rising = dyn_cast<SCEVAddRecExpr>(pointer);
    const auto *step = rising ? dyn_cast<SCEVConstant>(rising->getStepRecurrence(evolution_)) : nullptr;
    return step && step->getAPInt().abs().uge(MinStride);
  }

  Loop &loop_;
  ScalarEvolution &evolution_;
  SCEVExpander expander_;
  SmallVector<const SCEV *> lines_;
};

} // namespace

PreservedAnalyses PrefetchStridesPass::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  bool changed = false;
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->isInnermost() && loop->isLoopSimplifyForm())
      changed |= LoopPrefetches(*loop, evolution).add();
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace kiln
