#include "backends/cuda/codegen/SplitShortSums.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

namespace kiln {
namespace {

bool isSum(const llvm::Instruction &ins) {
  if (ins.getOpcode() == llvm::Instruction::Add || ins.getOpcode() == llvm::Instruction::Sub)
    return true;
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&ins);
  if (!call)
    return false;
  switch (call->getIntrinsicID()) {
  case llvm::Intrinsic::uadd_sat:
  case llvm::Intrinsic::usub_sat:
  case llvm::Intrinsic::sadd_sat:
  case llvm::Intrinsic::ssub_sat:
    return true;
  default:
    return false;
  }
}

llvm::Value *split(llvm::Instruction &sum, unsigned elements) {
  llvm::IRBuilder<> b(&sum);
  llvm::Value *whole = llvm::PoisonValue::get(sum.getType());
  for (unsigned i = 0; i < elements; ++i) {
    llvm::Value *left = b.CreateExtractElement(sum.getOperand(0), i),
                *right = b.CreateExtractElement(sum.getOperand(1), i);
    llvm::Value *one = llvm::isa<llvm::IntrinsicInst>(sum)
                           ? b.CreateBinaryIntrinsic(llvm::cast<llvm::IntrinsicInst>(sum).getIntrinsicID(), left, right)
                           : b.CreateBinOp(llvm::cast<llvm::BinaryOperator>(sum).getOpcode(), left, right);
    whole = b.CreateInsertElement(whole, one, i);
  }
  return whole;
}

// LLVM's code generator narrows a sum whose result is truncated.
bool isTruncatedToShort(const llvm::Instruction &ins) {
  return llvm::any_of(ins.users(), [](const llvm::User *user) {
    return llvm::isa<llvm::TruncInst>(user) && user->getType()->getScalarType()->isIntegerTy(16);
  });
}

} // namespace

void splitShortSums(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &ins : llvm::make_early_inc_range(block)) {
        auto *type = llvm::dyn_cast<llvm::FixedVectorType>(ins.getType());
        if (!type || !isSum(ins) || !(type->getElementType()->isIntegerTy(16) || isTruncatedToShort(ins)))
          continue;
        llvm::Value *whole = split(ins, type->getNumElements());
        ins.replaceAllUsesWith(whole);
        ins.eraseFromParent();
      }
}

} // namespace kiln
