#include "backends/cpu/codegen/EstimateQuotients.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include <numeric>

using namespace llvm;

namespace kiln {
namespace {

class Estimate {
public:
  Estimate(IRBuilder<> &builder, unsigned lanes, bool isAvx512) : b_(builder), lanes_(lanes), isAvx512_(isAvx512) {}

  Value *quotient(Value *dividend, Value *divisor) {
    Value *reciprocal = ofRegisters(divisor);
    Value *first =
        PatternMatch::match(dividend, PatternMatch::m_FPOne()) ? reciprocal : b_.CreateFMul(dividend, reciprocal);
    Value *error = fma(b_.CreateFNeg(divisor), first, dividend);
    Value *second = fma(error, reciprocal, first);
    return b_.CreateSelect(b_.CreateFCmpORD(second, second), second, first);
  }

private:
  Value *fma(Value *x, Value *y, Value *z) { return b_.CreateIntrinsic(Intrinsic::fma, {x->getType()}, {x, y, z}); }

  /// The estimate for each register of a long vector.
  Value *ofRegisters(Value *x) {
    const unsigned count = cast<FixedVectorType>(x->getType())->getNumElements();
    if (count == lanes_)
      return ofRegister(x);
    SmallVector<Value *> parts;
    for (unsigned at = 0; at < count; at += lanes_)
      parts.push_back(ofRegister(b_.CreateShuffleVector(x, sequence(at, lanes_))));
    while (parts.size() > 1) { // a power of two, as `count` and `lanes_` are
      SmallVector<Value *> pairs;
      const unsigned size = cast<FixedVectorType>(parts.front()->getType())->getNumElements();
      for (size_t i = 0; i < parts.size(); i += 2)
        pairs.push_back(b_.CreateShuffleVector(parts[i], parts[i + 1], sequence(0, 2 * size)));
      parts = std::move(pairs);
    }
    return parts.front();
  }

  Value *ofRegister(Value *x) {
    if (!isAvx512_)
      return b_.CreateIntrinsic(lanes_ == 8 ? Intrinsic::x86_avx_rcp_ps_256 : Intrinsic::x86_sse_rcp_ps, {}, {x});
    const Intrinsic::ID id = lanes_ == 16  ? Intrinsic::x86_avx512_rcp14_ps_512
                             : lanes_ == 8 ? Intrinsic::x86_avx512_rcp14_ps_256
                                           : Intrinsic::x86_avx512_rcp14_ps_128;
    Type *mask = b_.getIntNTy(std::max(lanes_, 8u));
    return b_.CreateIntrinsic(id, {}, {x, Constant::getNullValue(x->getType()), Constant::getAllOnesValue(mask)});
  }

  static SmallVector<int> sequence(unsigned first, unsigned count) {
    SmallVector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), int(first));
    return numbers;
  }

  IRBuilder<> &b_;
  const unsigned lanes_; // of a register: 4, 8 or 16
  const bool isAvx512_;
};

/// Returns the number of elements in a vector of float that may be estimated; else 0.
unsigned lengthOf(const Instruction &instruction) {
  auto *type = dyn_cast<FixedVectorType>(instruction.getType());
  if (instruction.getOpcode() != Instruction::FDiv || !type || !type->getElementType()->isFloatTy())
    return 0;
  const unsigned count = type->getNumElements();
  return instruction.hasAllowReciprocal() && instruction.hasApproxFunc() && isPowerOf2_32(count) && count >= 4 ? count
                                                                                                               : 0;
}

} // namespace

void estimateQuotients(Module &module, const TargetMachine &machine) {
  const MCSubtargetInfo &processor = *machine.getMCSubtargetInfo();
  if (!processor.checkFeatures("+fma"))
    return;
  const bool isAvx512 = processor.checkFeatures("+avx512f,+avx512vl");
  SmallVector<Instruction *> divisions;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (lengthOf(instruction))
        divisions.push_back(&instruction);
  for (Instruction *division : divisions) {
    IRBuilder<> builder(division);
    Estimate estimate(builder, std::min(lengthOf(*division), isAvx512 ? 16u : 8u), isAvx512);
    division->replaceAllUsesWith(estimate.quotient(division->getOperand(0), division->getOperand(1)));
    division->eraseFromParent();
  }
}

} // namespace kiln
