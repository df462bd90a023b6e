#include "backends/gpu/codegen/FormFma.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace kiln {
namespace {

// Returns the value as a product without other uses; else null.
llvm::Instruction *product(llvm::Value *value) {
  auto *multiply = llvm::dyn_cast<llvm::Instruction>(value);
  bool fits = multiply && multiply->getOpcode() == llvm::Instruction::FMul && multiply->hasAllowContract() &&
              multiply->hasOneUse();
  return fits ? multiply : nullptr;
}

llvm::Value *fused(llvm::Instruction &sum) {
  bool isDifference = sum.getOpcode() == llvm::Instruction::FSub;
  if (!isDifference && sum.getOpcode() != llvm::Instruction::FAdd)
    return nullptr;
  // Leaves reassociable sums to the optimiser.
  if (!sum.hasAllowContract() || sum.hasAllowReassoc())
    return nullptr;
  llvm::IRBuilder<> b(&sum);
  b.setFastMathFlags(sum.getFastMathFlags());
  auto fma = [&](llvm::Value *x, llvm::Value *y, llvm::Value *z) {
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {sum.getType()}, {x, y, z});
  };
  llvm::Value *left = sum.getOperand(0), *right = sum.getOperand(1);
  if (llvm::Instruction *multiply = product(left))
    return fma(multiply->getOperand(0), multiply->getOperand(1), isDifference ? b.CreateFNeg(right) : right);
  if (llvm::Instruction *multiply = product(right)) {
    llvm::Value *factor = multiply->getOperand(0);
    return fma(isDifference ? b.CreateFNeg(factor) : factor, multiply->getOperand(1), left);
  }
  return nullptr;
}
} // namespace

void formFma(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (llvm::Value *value = fused(instruction)) {
        value->takeName(&instruction);
        instruction.replaceAllUsesWith(value);
        instruction.eraseFromParent();
        // The product is dead; later passes remove it.
      }
}

} // namespace kiln
