#include "backends/cuda/codegen/WidenShortIntegers.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm::PatternMatch;

namespace kiln {
namespace {

using llvm::Instruction;
using llvm::Value;

bool isShort(const llvm::Type *type) {
  return type->getScalarType()->isIntegerTy(8) || type->getScalarType()->isIntegerTy(16);
}

bool canWiden(const Instruction &ins) {
  if (const auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&ins))
    return isShort(compare->getOperand(0)->getType());
  if (!isShort(ins.getType()))
    return false;
  switch (ins.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::Select:
    return true;
  default:
    return ins.isBitwiseLogicOp() || ins.isShift();
  }
}

bool isCast(const Value *value) { return llvm::isa<llvm::ZExtInst, llvm::SExtInst, llvm::TruncInst>(value); }

class Widener {
public:
  explicit Widener(llvm::Function &function) : layout_(function.getDataLayout()) {}

  void run(llvm::Function &function) {
    for (llvm::BasicBlock *block : llvm::ReversePostOrderTraversal<llvm::Function *>(&function))
      for (Instruction &ins : llvm::make_early_inc_range(*block))
        if (canWiden(ins) && !staysPacked(ins))
          widen(ins);
  }

private:
  // A bitwise operation of four bytes or two 16-bit integers is one instruction. It is widened if its operands or
  // results are single integers anyway.
  bool staysPacked(const Instruction &ins) const {
    if (!ins.getType()->isVectorTy() || !ins.isBitwiseLogicOp())
      return false;
    auto isWide = [&](const Value *value) { return wide_.contains(value) || isCast(value); };
    auto willBeWide = [&](const llvm::User *user) {
      const auto &next = llvm::cast<Instruction>(*user);
      return isCast(user) || (canWiden(next) && !next.isBitwiseLogicOp());
    };
    return llvm::none_of(ins.operands(), isWide) && llvm::none_of(ins.users(), willBeWide);
  }

  llvm::Type *wideType(const Value *value) const { return value->getType()->getWithNewBitWidth(32); }

  // `value` in 32 bits; the upper bits are any.
  Value *lowBits(llvm::IRBuilder<> &b, Value *value) {
    if (Value *wide = wide_.lookup(value))
      return wide;
    if (auto *extension = llvm::dyn_cast<llvm::SExtInst>(value))
      return b.CreateSExt(extension->getOperand(0), wideType(value));
    Value *source = nullptr;
    if (match(value, m_Trunc(m_Value(source))) && source->getType() == wideType(value))
      return source;
    return b.CreateZExt(value, wideType(value));
  }

  bool isZeroExtended(const Value *wide, unsigned bits) const {
    return llvm::MaskedValueIsZero(wide, llvm::APInt::getBitsSetFrom(32, bits), llvm::SimplifyQuery(layout_));
  }

  Value *zeroExtended(llvm::IRBuilder<> &b, Value *value) {
    const unsigned bits = value->getType()->getScalarSizeInBits();
    Value *low = lowBits(b, value);
    if (isZeroExtended(low, bits))
      return low;
    return b.CreateAnd(low, llvm::ConstantInt::get(low->getType(), llvm::APInt::getLowBitsSet(32, bits)));
  }

  Value *signExtended(llvm::IRBuilder<> &b, Value *value) {
    const unsigned shift = 32 - value->getType()->getScalarSizeInBits();
    Value *low = lowBits(b, value);
    if (llvm::ComputeNumSignBits(low, layout_) > shift)
      return low;
    return b.CreateSExt(b.CreateTrunc(low, value->getType()), wideType(value));
  }

  // `from <= value < from + size`, which LLVM writes as `value - from < size`. If `from + size` does not wrap, the same
  // comparison of 32 bits needs no mask for the difference.
  Value *rangeCheck(llvm::IRBuilder<> &b, const llvm::ICmpInst &compare) {
    const unsigned bits = compare.getOperand(0)->getType()->getScalarSizeInBits();
    Value *value = nullptr;
    const llvm::APInt *summand = nullptr, *size = nullptr;
    if (compare.getPredicate() != llvm::CmpInst::ICMP_ULT ||
        !match(lowBits(b, compare.getOperand(0)), m_Add(m_Value(value), m_APInt(summand))) ||
        !match(compare.getOperand(1), m_APInt(size)))
      return nullptr;
    const llvm::APInt from = (-*summand).getLoBits(bits), wideSize = size->zext(32);
    if (!isZeroExtended(value, bits) || (from + wideSize).ugt(llvm::APInt::getOneBitSet(32, bits)))
      return nullptr;
    llvm::Type *type = value->getType();
    return b.CreateICmpULT(b.CreateSub(value, llvm::ConstantInt::get(type, from)),
                           llvm::ConstantInt::get(type, wideSize));
  }

  Value *widenCompare(llvm::IRBuilder<> &b, const llvm::ICmpInst &compare) {
    if (Value *check = rangeCheck(b, compare))
      return check;
    Value *left = compare.getOperand(0), *right = compare.getOperand(1);
    return compare.isSigned() ? b.CreateICmp(compare.getPredicate(), signExtended(b, left), signExtended(b, right))
                              : b.CreateICmp(compare.getPredicate(), zeroExtended(b, left), zeroExtended(b, right));
  }

  Value *widenValue(llvm::IRBuilder<> &b, Instruction &ins) {
    if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&ins))
      return b.CreateSelect(select->getCondition(), lowBits(b, select->getTrueValue()),
                            lowBits(b, select->getFalseValue()));
    Value *left = ins.getOperand(0), *right = ins.getOperand(1);
    auto *operation = llvm::cast<llvm::BinaryOperator>(&ins);
    Value *wideLeft = ins.getOpcode() == Instruction::LShr   ? zeroExtended(b, left)
                      : ins.getOpcode() == Instruction::AShr ? signExtended(b, left)
                                                             : lowBits(b, left);
    return b.CreateBinOp(operation->getOpcode(), wideLeft, ins.isShift() ? zeroExtended(b, right) : lowBits(b, right));
  }

  void widen(Instruction &ins) {
    llvm::IRBuilder<> b(&ins);
    if (auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&ins)) {
      replace(ins, widenCompare(b, *compare));
      return;
    }
    Value *wide = widenValue(b, ins);
    Value *narrow = b.CreateTrunc(wide, ins.getType());
    wide_[narrow] = wide;
    replace(ins, narrow);
  }

  static void replace(Instruction &ins, Value *by) {
    ins.replaceAllUsesWith(by);
    ins.eraseFromParent();
  }

  const llvm::DataLayout &layout_;
  llvm::DenseMap<const Value *, Value *> wide_; // the 32-bit values of results
};
} // namespace

void widenShortIntegers(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      Widener(function).run(function);
}

} // namespace kiln
