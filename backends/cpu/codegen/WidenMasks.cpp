#include "backends/cpu/codegen/WidenMasks.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kiln {
namespace {

constexpr unsigned MinLanes = 4, MaskBits = 32;

bool isMask(const Value &value) {
  auto *type = dyn_cast<FixedVectorType>(value.getType());
  return type && type->getElementType()->isIntegerTy(1) && type->getNumElements() >= MinLanes;
}

bool leavesItsBlock(const Instruction &instruction) {
  return any_of(instruction.users(), [&](const User *user) {
    return isa<PHINode>(user) || cast<Instruction>(user)->getParent() != instruction.getParent();
  });
}

// Returns true if the function compares vectors of bytes. Their masks are already stored as bytes, so widening would
// add conversions.
bool hasByteComparison(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    return isa<CmpInst>(instruction) && isMask(instruction) &&
           instruction.getOperand(0)->getType()->getScalarSizeInBits() == 8;
  });
}

class WidenMasks {
public:
  explicit WidenMasks(Function &function) : function_(function) {}

  void run() {
    SmallVector<Instruction *> masks;
    for (BasicBlock &block : function_)
      for (Instruction &instruction : block)
        if (isMask(instruction) && (isa<PHINode>(instruction) || leavesItsBlock(instruction)))
          masks.push_back(&instruction);
    SmallVector<PHINode *> phis;
    for (Instruction *mask : masks)
      if (auto *phi = dyn_cast<PHINode>(mask)) {
        auto *wide = PHINode::Create(wideType(*phi), phi->getNumIncomingValues(), phi->getName(), phi->getIterator());
        wide->setDebugLoc(phi->getDebugLoc());
        wide_[phi] = wide;
        phis.push_back(phi);
      }
    for (PHINode *phi : phis)
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        cast<PHINode>(wide_[phi])->addIncoming(widened(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
    for (Instruction *mask : masks)
      useWidened(*mask);
    for (PHINode *phi : phis)
      phi->dropAllReferences();
    for (PHINode *phi : phis)
      phi->eraseFromParent();
  }

private:
  static Type *wideType(const Value &mask) {
    return FixedVectorType::get(IntegerType::get(mask.getContext(), MaskBits),
                                cast<FixedVectorType>(mask.getType())->getNumElements());
  }

  // Returns the widened mask, created once after the mask's definition.
  Value *widened(Value *mask) {
    Value *&wide = wide_[mask];
    if (wide)
      return wide;
    if (isa<PoisonValue>(mask))
      return wide = PoisonValue::get(wideType(*mask));
    std::optional<BasicBlock::iterator> insertionPoint = function_.getEntryBlock().getFirstInsertionPt();
    if (auto *instruction = dyn_cast<Instruction>(mask))
      insertionPoint = instruction->getInsertionPointAfterDef();
    IRBuilder<> builder(&**insertionPoint);
    return wide = builder.CreateSExt(mask, wideType(*mask));
  }

  // Recomputes the mask in each block that uses it. The comparison with zero is free, because instructions use the sign
  // bit.
  void useWidened(Instruction &mask) {
    DenseMap<BasicBlock *, Value *> made;
    for (Use &use : make_early_inc_range(mask.uses())) {
      auto *user = cast<Instruction>(use.getUser());
      if (isa<PHINode>(user) || user == wide_.lookup(&mask) ||
          (!isa<PHINode>(mask) && user->getParent() == mask.getParent()))
        continue; // phis are removed, and the defining block has the mask
      Value *&own = made[user->getParent()];
      if (!own) {
        Value *wide = widened(&mask);
        IRBuilder<> builder(&*user->getParent()->getFirstInsertionPt());
        own = builder.CreateICmpSLT(wide, Constant::getNullValue(wide->getType()));
      }
      use.set(own);
    }
  }

  Function &function_;
  DenseMap<Value *, Value *> wide_;
};

} // namespace

void widenMasks(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration() && !hasByteComparison(function))
      WidenMasks(function).run();
}

} // namespace kiln
