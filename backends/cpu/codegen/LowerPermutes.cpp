#include "backends/cpu/codegen/LowerPermutes.h"
#include "passes/lowering/PermuteSymbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;

namespace kiln {

static Value *permute(IRBuilder<> &b, Value *index, Value *low, Value *high, unsigned lanes) {
  if (lanes == 16)
    return b.CreateIntrinsic(Intrinsic::x86_avx512_vpermi2var_d_512, {}, {low, index, high});
  Value *isLow = b.CreateICmpULT(index, ConstantInt::get(index->getType(), lanes));
  Value *ofLow = b.CreateIntrinsic(Intrinsic::x86_avx2_permd, {}, {low, index});
  Value *ofHigh = b.CreateIntrinsic(Intrinsic::x86_avx2_permd, {}, {high, index});
  return b.CreateSelect(isLow, ofLow, ofHigh);
}

bool lowerPermutes(Module &module, std::string &error) {
  for (Function &function : make_early_inc_range(module)) {
    if (!function.isDeclaration() || !function.getName().starts_with(cpu::PermutePrefix))
      continue;
    const unsigned lanes = cast<FixedVectorType>(function.getReturnType())->getNumElements();
    if (lanes != 8 && lanes != 16) {
      error = "a permute has " + std::to_string(lanes) + " lanes, must have 8 or 16 on this processor";
      return false;
    }
    for (User *user : make_early_inc_range(function.users())) {
      auto *call = cast<CallInst>(user);
      IRBuilder<> b(call);
      Value *made = permute(b, call->getArgOperand(0), call->getArgOperand(1), call->getArgOperand(2), lanes);
      call->replaceAllUsesWith(made);
      call->eraseFromParent();
    }
    function.eraseFromParent();
  }
  return true;
}

} // namespace kiln
