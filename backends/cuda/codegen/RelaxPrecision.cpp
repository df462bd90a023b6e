#include "backends/cuda/codegen/RelaxPrecision.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm::PatternMatch;

namespace kiln {
namespace {

// Applies an intrinsic to each component of the instruction's operands.
llvm::Value *throughScalars(llvm::Instruction &original, unsigned operands, llvm::Intrinsic::ID function) {
  llvm::IRBuilder<> b(&original);
  auto call = [&](llvm::ArrayRef<llvm::Value *> values) { return b.CreateIntrinsic(b.getFloatTy(), function, values); };
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(original.getType());
  llvm::SmallVector<llvm::Value *> values(original.op_begin(), original.op_begin() + operands);
  if (!vector)
    return call(values);
  llvm::Value *result = llvm::PoisonValue::get(vector);
  for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
    llvm::SmallVector<llvm::Value *> scalars;
    for (llvm::Value *value : values)
      scalars.push_back(b.CreateExtractElement(value, lane));
    result = b.CreateInsertElement(result, call(scalars), lane);
  }
  return result;
}

bool flushesDenormals(const llvm::Function &function) {
  return function.getDenormalMode(llvm::APFloat::IEEEsingle()).Output == llvm::DenormalMode::PreserveSign;
}

bool isProductNonNegative(llvm::Value *a, llvm::Value *b, const llvm::SimplifyQuery &query) {
  auto isNonNegative = [&](llvm::Value *value) { return llvm::cannotBeOrderedLessThanZero(value, query); };
  return a == b || (isNonNegative(a) && isNonNegative(b));
}
/// Returns true if the value is NaN or at least 2^-100: a sum of such a constant and a number that is not negative.
bool isPositiveNormal(llvm::Value *value, const llvm::SimplifyQuery &query) {
  const llvm::APFloat *constant;
  llvm::Value *a, *b, *c;
  if (match(value, m_APFloat(constant)))
    return constant->convertToDouble() >= 0x1p-100;
  if (match(value, m_FAdd(m_Value(a), m_Value(b))))
    return (isPositiveNormal(a, query) && llvm::cannotBeOrderedLessThanZero(b, query)) ||
           (isPositiveNormal(b, query) && llvm::cannotBeOrderedLessThanZero(a, query));
  return match(value, m_Intrinsic<llvm::Intrinsic::fma>(m_Value(a), m_Value(b), m_Value(c))) &&
         isPositiveNormal(c, query) && isProductNonNegative(a, b, query);
}

// The assembler scales the operand of rcp.approx if it or its reciprocal is denormal: two comparisons, two selects and
// two products. rcp.approx.ftz is one instruction. For x from 2^-100 to infinity, x / 4 and its reciprocal
// are normal.
llvm::Value *reciprocalOfNormal(llvm::Instruction &division) {
  llvm::IRBuilder<> b(&division);
  llvm::Value *quarter = llvm::ConstantFP::get(b.getFloatTy(), 0.25);
  llvm::Value *scaled = b.CreateFMul(division.getOperand(1), quarter);
  return b.CreateFMul(b.CreateIntrinsic(b.getFloatTy(), llvm::Intrinsic::nvvm_rcp_approx_ftz_f, scaled), quarter);
}
} // namespace

void relaxPrecision(llvm::Module &module) {
  for (llvm::Function &function : module) {
    bool flushes = !function.isDeclaration() && flushesDenormals(function);
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (!instruction.getType()->getScalarType()->isFloatTy())
        continue;
      llvm::Value *replacement = nullptr;
      auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      // native_divide, native_recip and unsafe math, whose bounds apply to operands in 2^+-62 only: div.approx. A
      // reciprocal is rcp.approx, which is within 1 ulp for every operand.
      if (instruction.getOpcode() == llvm::Instruction::FDiv &&
          (instruction.hasAllowReciprocal() || match(instruction.getOperand(0), m_FPOne())))
        instruction.setHasApproxFunc(true);
      if (!flushes && instruction.getType()->isFloatTy() && match(&instruction, m_FDiv(m_FPOne(), m_Value())) &&
          isPositiveNormal(instruction.getOperand(1), {module.getDataLayout(), &instruction}))
        replacement = reciprocalOfNormal(instruction);
      else if (instruction.getOpcode() == llvm::Instruction::FDiv && !instruction.hasApproxFunc())
        replacement = throughScalars(instruction, 2,
                                     flushes ? llvm::Intrinsic::nvvm_div_full_ftz : llvm::Intrinsic::nvvm_div_full);
      else if (intrinsic && intrinsic->getIntrinsicID() == llvm::Intrinsic::sqrt && !intrinsic->hasApproxFunc())
        replacement = throughScalars(
            instruction, 1, flushes ? llvm::Intrinsic::nvvm_sqrt_approx_ftz_f : llvm::Intrinsic::nvvm_sqrt_approx_f);
      if (!replacement)
        continue;
      instruction.replaceAllUsesWith(replacement);
      instruction.eraseFromParent();
    }
  }
}

} // namespace kiln
