#include "backends/cpu/codegen/WideFlags.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kiln {
namespace {

constexpr unsigned FewestLanes = 4, FlagBits = 32;

bool isFlags(const Value &value) {
  auto *type = dyn_cast<FixedVectorType>(value.getType());
  return type && type->getElementType()->isIntegerTy(1) && type->getNumElements() >= FewestLanes;
}

bool leavesItsBlock(const Instruction &instruction) {
  return any_of(instruction.users(), [&](const User *user) {
    return isa<PHINode>(user) || cast<Instruction>(user)->getParent() != instruction.getParent();
  });
}

// Flags that come from bytes are bytes already.
bool comparesBytes(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    return isa<CmpInst>(instruction) && isFlags(instruction) &&
           instruction.getOperand(0)->getType()->getScalarSizeInBits() == 8;
  });
}

class WideFlags {
public:
  explicit WideFlags(Function &function) : function_(function) {}

  void run() {
    SmallVector<Instruction *> flags;
    for (BasicBlock &block : function_)
      for (Instruction &instruction : block)
        if (isFlags(instruction) && (isa<PHINode>(instruction) || leavesItsBlock(instruction)))
          flags.push_back(&instruction);
    SmallVector<PHINode *> phis;
    for (Instruction *flag : flags)
      if (auto *phi = dyn_cast<PHINode>(flag)) {
        auto *wide = PHINode::Create(wideType(*phi), phi->getNumIncomingValues(), phi->getName(), phi->getIterator());
        wide->setDebugLoc(phi->getDebugLoc());
        wide_[phi] = wide;
        phis.push_back(phi);
      }
    for (PHINode *phi : phis)
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        cast<PHINode>(wide_[phi])->addIncoming(wideOf(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
    for (Instruction *flag : flags)
      useWide(*flag);
    for (PHINode *phi : phis)
      phi->dropAllReferences();
    for (PHINode *phi : phis)
      phi->eraseFromParent();
  }

private:
  static Type *wideType(const Value &flags) {
    return FixedVectorType::get(IntegerType::get(flags.getContext(), FlagBits),
                                cast<FixedVectorType>(flags.getType())->getNumElements());
  }

  // Made behind the flags themselves, once.
  Value *wideOf(Value *flags) {
    Value *&wide = wide_[flags];
    if (wide)
      return wide;
    if (isa<PoisonValue>(flags))
      return wide = PoisonValue::get(wideType(*flags));
    std::optional<BasicBlock::iterator> behind = function_.getEntryBlock().getFirstInsertionPt();
    if (auto *instruction = dyn_cast<Instruction>(flags))
      behind = instruction->getInsertionPointAfterDef();
    IRBuilder<> builder(&**behind);
    return wide = builder.CreateSExt(flags, wideType(*flags));
  }

  // Each block that uses the flags makes its own of the numbers: a comparison with zero costs nothing, as it is the sign
  // that instructions look at.
  void useWide(Instruction &flags) {
    DenseMap<BasicBlock *, Value *> made;
    for (Use &use : make_early_inc_range(flags.uses())) {
      auto *user = cast<Instruction>(use.getUser());
      if (isa<PHINode>(user) || user == wide_.lookup(&flags) ||
          (!isa<PHINode>(flags) && user->getParent() == flags.getParent()))
        continue; // phis go, and where the flags are made they are at hand
      Value *&own = made[user->getParent()];
      if (!own) {
        Value *wide = wideOf(&flags);
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

void widenFlags(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration() && !comparesBytes(function))
      WideFlags(function).run();
}

} // namespace kiln
