#include "backends/cuda/codegen/WidenLoads.h"
#include "backends/cuda/codegen/Expander.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace kiln {
namespace {

constexpr unsigned Width = 4;         // iterations at once
constexpr uint64_t MaxLoadBytes = 16; // of one instruction
// Larger bodies spend their time elsewhere.
constexpr size_t MaxInstructions = 64;
// Marks a loop that has a wide form.
constexpr const char *Widened = "kiln.widened";

/// What must be multiples for the wide form to run: kernel arguments, and of how much.
using Conditions = SmallMapVector<Argument *, uint64_t, 4>;

struct WideLoad {
  LoadInst *load;
  uint64_t alignment;
};

struct Plan {
  Loop *loop;
  const SCEV *backEdges; // iterations - 1
  SmallVector<WideLoad> loads;
  Conditions conditions;
};

/// Returns true if `value` is a multiple of `alignment`, a power of two, under the conditions, which may get more.
bool isMultiple(const SCEV *value, uint64_t alignment, ScalarEvolution &evolution, Conditions &conditions) {
  if (alignment == 1 || evolution.getMinTrailingZeros(value) >= Log2_64(alignment))
    return true;
  auto are = [&](ArrayRef<const SCEV *> parts) {
    return all_of(parts, [&](const SCEV *part) { return isMultiple(part, alignment, evolution, conditions); });
  };
  if (auto *unknown = dyn_cast<SCEVUnknown>(value)) {
    auto *argument = dyn_cast<Argument>(unknown->getValue());
    if (!argument || !(argument->getType()->isIntegerTy() || argument->getType()->isPointerTy()))
      return false;
    uint64_t &known = conditions.insert({argument, 1}).first->second;
    known = std::max(known, alignment);
    return true;
  }
  if (auto *cast = dyn_cast<SCEVCastExpr>(value))
    return isMultiple(cast->getOperand(), alignment, evolution, conditions);
  if (isa<SCEVAddExpr, SCEVAddRecExpr>(value))
    return are(cast<SCEVNAryExpr>(value)->operands());
  if (auto *product = dyn_cast<SCEVMulExpr>(value)) {
    for (const SCEV *factor : product->operands())
      if (isa<SCEVConstant>(factor))
        alignment >>= std::min<uint64_t>(evolution.getMinTrailingZeros(factor), Log2_64(alignment));
    return any_of(product->operands(), [&](const SCEV *factor) {
      Conditions before = conditions;
      if (!isa<SCEVConstant>(factor) && isMultiple(factor, alignment, evolution, conditions))
        return true;
      conditions = std::move(before);
      return false;
    });
  }
  return false;
}

/// The start of a value that the loop increases by `step`; null for others.
const SCEV *startOf(const SCEV *value, const Loop &loop, uint64_t step, ScalarEvolution &evolution) {
  auto *recurrence = dyn_cast<SCEVAddRecExpr>(value);
  if (!recurrence || recurrence->getLoop() != &loop || !recurrence->isAffine())
    return nullptr;
  auto *constant = dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(evolution));
  return constant && constant->getAPInt() == step ? recurrence->getStart() : nullptr;
}

/// Returns true if an address is the base plus an extended index that the loop increases by 1, and base and first index
/// are multiples. The index may wrap, as one of 32 bits: it does so between two wide loads, for it is a multiple of
/// their width.
bool isAlignedByIndex(const SCEV *address, const Loop &loop, uint64_t bytes, uint64_t alignment,
                      ScalarEvolution &evolution, Conditions &conditions) {
  auto *sum = dyn_cast<SCEVAddExpr>(address);
  if (!sum)
    return false;
  const SCEV *start = nullptr;
  for (const SCEV *part : sum->operands()) {
    if (evolution.isLoopInvariant(part, &loop)) {
      if (!isMultiple(part, alignment, evolution, conditions))
        return false;
      continue;
    }
    if (start)
      return false;
    const SCEV *index = part;
    if (auto *product = dyn_cast<SCEVMulExpr>(part)) {
      auto *factor = dyn_cast<SCEVConstant>(product->getOperand(0));
      if (product->getNumOperands() != 2 || !factor || factor->getAPInt() != bytes)
        return false;
      index = product->getOperand(1);
    } else if (bytes != 1) {
      return false;
    }
    auto *extended = dyn_cast<SCEVIntegralCastExpr>(index);
    if (!extended || isa<SCEVTruncateExpr>(index) || !(start = startOf(extended->getOperand(), loop, 1, evolution)))
      return false;
  }
  return start && isMultiple(start, Width, evolution, conditions);
}

std::optional<WideLoad> wideLoad(LoadInst &load, const Loop &loop, ScalarEvolution &evolution, Conditions &conditions) {
  Type *type = load.getType();
  if (!type->isIntegerTy() && !type->isFloatingPointTy())
    return {};
  const DataLayout &layout = load.getDataLayout();
  const uint64_t bytes = layout.getTypeStoreSize(type);
  if (!isPowerOf2_64(bytes) || bytes * 8 != layout.getTypeSizeInBits(type) || bytes > MaxLoadBytes / 2)
    return {};
  const uint64_t alignment = std::min(bytes * Width, MaxLoadBytes);
  const SCEV *address = evolution.getSCEV(load.getPointerOperand());
  Conditions own = conditions;
  const SCEV *start = startOf(address, loop, bytes, evolution);
  if (start ? !isMultiple(start, alignment, evolution, own)
            : !isAlignedByIndex(address, loop, bytes, alignment, evolution, own))
    return {};
  conditions = std::move(own);
  return WideLoad{&load, alignment};
}

std::optional<Plan> planFor(Loop &loop, ScalarEvolution &evolution) {
  BasicBlock *body = loop.getHeader();
  if (!loop.isInnermost() || loop.getNumBlocks() != 1 || !loop.getLoopPreheader() || !loop.getUniqueExitBlock() ||
      findStringMetadataForLoop(&loop, Widened) || body->size() > MaxInstructions)
    return {};
  Plan plan{&loop, evolution.getBackedgeTakenCount(&loop), {}, {}};
  if (isa<SCEVCouldNotCompute>(plan.backEdges))
    return {};
  for (Instruction &instruction : *body) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (instruction.mayHaveSideEffects() || (call && call->isConvergent()))
      return {};
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (!load)
      continue;
    if (!load->isSimple())
      return {};
    if (auto wide = wideLoad(*load, loop, evolution, plan.conditions))
      plan.loads.push_back(*wide);
  }
  if (plan.loads.empty() ||
      !expander(evolution, "wide").isSafeToExpandAt(plan.backEdges, loop.getLoopPreheader()->getTerminator()))
    return {};
  return plan;
}

/// One value for each phi of the loop's block.
using PhiValues = SmallVector<Value *>;

/// Copies the loop's body for four iterations to the end of `wide`. Returns the values of the phis after them, and adds
/// those of the last iteration to `last`.
PhiValues copyIterations(const Plan &plan, BasicBlock *wide, PhiValues phis, ValueToValueMapTy &last) {
  BasicBlock *body = plan.loop->getHeader();
  DenseMap<LoadInst *, Value *> loaded;
  IRBuilder<> builder(wide);
  for (unsigned iteration = 0; iteration < Width; ++iteration) {
    last.clear();
    for (auto [phi, value] : zip(body->phis(), phis))
      last[&phi] = value;
    for (Instruction &instruction : make_range(body->getFirstNonPHIIt(), body->getTerminator()->getIterator())) {
      builder.SetCurrentDebugLocation(instruction.getDebugLoc());
      auto *wideLoad = find_if(plan.loads, [&](const WideLoad &one) { return one.load == &instruction; });
      if (wideLoad != plan.loads.end()) {
        Value *&vector = loaded[wideLoad->load];
        if (iteration == 0) {
          auto mapped = last.find(wideLoad->load->getPointerOperand());
          Value *address = mapped == last.end() ? wideLoad->load->getPointerOperand() : &*mapped->second;
          auto *load = builder.CreateAlignedLoad(FixedVectorType::get(instruction.getType(), Width), address,
                                                 Align(wideLoad->alignment));
          load->setAAMetadata(instruction.getAAMetadata());
          vector = load;
        }
        last[&instruction] = builder.CreateExtractElement(vector, iteration);
        continue;
      }
      Instruction *copy = builder.Insert(instruction.clone());
      RemapInstruction(copy, last, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      last[&instruction] = copy;
    }
    phis.clear();
    for (PHINode &phi : body->phis()) {
      Value *next = phi.getIncomingValueForBlock(body);
      auto mapped = last.find(next);
      phis.push_back(mapped == last.end() ? next : &*mapped->second);
    }
  }
  return phis;
}

/// The condition for the wide form: at least four iterations, and arguments that are multiples.
Value *condition(const Plan &plan, Value *wideIterations, IRBuilder<> &builder) {
  Value *all = builder.CreateIsNotNull(wideIterations);
  for (auto [argument, multiple] : plan.conditions) {
    Value *value = argument;
    if (value->getType()->isPointerTy())
      value = builder.CreatePtrToInt(value, builder.getIntPtrTy(plan.loop->getHeader()->getDataLayout(),
                                                                value->getType()->getPointerAddressSpace()));
    all = builder.CreateAnd(all, builder.CreateIsNull(builder.CreateAnd(value, multiple - 1)));
  }
  return all;
}

// before -> wide? -> [wide] -> afterWide -> exit, or remainder -> [body] -> exit
void widen(const Plan &plan, ScalarEvolution &evolution) {
  BasicBlock *body = plan.loop->getHeader(), *before = plan.loop->getLoopPreheader(),
             *exit = plan.loop->getUniqueExitBlock();
  Function &function = *body->getParent();
  auto block = [&](const char *name) { return BasicBlock::Create(function.getContext(), name, &function, body); };
  BasicBlock *wide = block("wide"), *afterWide = block("after_wide"), *remainder = block("remainder");

  Value *backEdges =
      expander(evolution, "wide").expandCodeFor(plan.backEdges, plan.backEdges->getType(), before->getTerminator());
  IRBuilder<> builder(before->getTerminator());
  Type *type = backEdges->getType();
  Value *iterations = builder.CreateAdd(backEdges, ConstantInt::get(type, 1)); // 0 if it wraps: no wide form then
  Value *wideIterations = builder.CreateAnd(iterations, ConstantInt::getSigned(type, -int64_t(Width)));
  builder.CreateCondBr(condition(plan, wideIterations, builder), wide, remainder);
  before->getTerminator()->eraseFromParent();

  builder.SetInsertPoint(wide);
  PHINode *done = builder.CreatePHI(type, 2, "done");
  done->addIncoming(ConstantInt::get(type, 0), before);
  PhiValues wideValues;
  for (PHINode &phi : body->phis()) {
    PHINode *copy = builder.CreatePHI(phi.getType(), 2);
    copy->addIncoming(phi.getIncomingValueForBlock(before), before);
    wideValues.push_back(copy);
  }
  ValueToValueMapTy last;
  PhiValues results = copyIterations(plan, wide, wideValues, last);
  for (auto [phi, result] : zip(wideValues, results))
    cast<PHINode>(phi)->addIncoming(result, wide);
  builder.SetInsertPoint(wide);
  Value *next = builder.CreateAdd(done, ConstantInt::get(type, Width));
  done->addIncoming(next, wide);
  builder.CreateCondBr(builder.CreateICmpNE(next, wideIterations), wide, afterWide);

  builder.SetInsertPoint(afterWide);
  builder.CreateCondBr(builder.CreateICmpEQ(wideIterations, iterations), exit, remainder);
  for (PHINode &phi : exit->phis()) {
    Value *value = phi.getIncomingValueForBlock(body);
    auto mapped = last.find(value);
    phi.addIncoming(mapped == last.end() ? value : &*mapped->second, afterWide);
  }

  builder.SetInsertPoint(remainder);
  for (auto [phi, result] : zip(body->phis(), results)) {
    PHINode *start = builder.CreatePHI(phi.getType(), 2);
    start->addIncoming(phi.getIncomingValueForBlock(before), before);
    start->addIncoming(result, afterWide);
    phi.replaceIncomingBlockWith(before, remainder);
    phi.setIncomingValueForBlock(remainder, start);
  }
  builder.CreateBr(body);

  addStringMetadataToLoop(plan.loop, Widened);
}

bool widenOne(Function &function, FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  for (Loop *loop : loops.getLoopsInPreorder())
    if (auto plan = planFor(*loop, evolution)) {
      widen(*plan, evolution);
      return true;
    }
  return false;
}

} // namespace

PreservedAnalyses WidenLoadsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.getCallingConv() != CallingConv::PTX_Kernel)
    return PreservedAnalyses::all(); // arguments may differ between work-items
  bool any = false;
  for (; widenOne(function, analyses); any = true)
    analyses.invalidate(function, PreservedAnalyses::none());
  return any ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace kiln
