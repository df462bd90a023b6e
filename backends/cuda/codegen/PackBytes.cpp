#include "backends/cuda/codegen/PackBytes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm::PatternMatch;

namespace kiln {
namespace {

/// One byte of each element of a vector of 32-bit integers; byte 0 is the lowest.
struct Bytes {
  llvm::Value *elements;
  unsigned byte;
};
/// Returns the bytes that the conversion to a vector of 8-bit integers keeps, without shifts and masks.
Bytes bytesOf(llvm::TruncInst &conversion) {
  Bytes bytes{conversion.getOperand(0), 0};
  llvm::Value *inner;
  const llvm::APInt *constant;
  while (true) {
    const unsigned width = bytes.elements->getType()->getScalarSizeInBits(), above = width - 8 * bytes.byte - 8;
    if (match(bytes.elements, m_Trunc(m_Value(inner))))
      bytes.elements = inner;
    else if (match(bytes.elements, m_And(m_Value(inner), m_APInt(constant))) &&
             constant->lshr(8 * bytes.byte).countr_one() >= 8)
      bytes.elements = inner;
    else if (match(bytes.elements, m_LShr(m_Value(inner), m_APInt(constant))) && constant->urem(8) == 0 &&
             constant->ule(above)) {
      bytes.elements = inner;
      bytes.byte += unsigned(constant->getZExtValue()) / 8;
    } else
      return bytes;
  }
}

llvm::Value *pack(llvm::TruncInst &conversion, Bytes bytes, unsigned count) {
  llvm::IRBuilder<> b(&conversion);
  auto select = [&](llvm::Value *low, llvm::Value *high, unsigned selector) {
    return b.CreateIntrinsic(b.getInt32Ty(), llvm::Intrinsic::nvvm_prmt, {low, high, b.getInt32(selector)});
  };
  auto pair = [&](unsigned first) {
    return select(b.CreateExtractElement(bytes.elements, first), b.CreateExtractElement(bytes.elements, first + 1),
                  bytes.byte | (4 + bytes.byte) << 4);
  };
  llvm::Value *words = llvm::PoisonValue::get(llvm::FixedVectorType::get(b.getInt32Ty(), count / 4));
  for (unsigned i = 0; i < count; i += 4)
    words = b.CreateInsertElement(words, select(pair(i), pair(i + 2), 0x5410), i / 4);
  return b.CreateBitCast(words, conversion.getType());
}

} // namespace

void packBytes(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(block)) {
        auto *conversion = llvm::dyn_cast<llvm::TruncInst>(&instruction);
        auto *type = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
        if (!conversion || !type || !type->getElementType()->isIntegerTy(8) || type->getNumElements() % 4 != 0)
          continue;
        const Bytes bytes = bytesOf(*conversion);
        if (bytes.byte == 0 || !bytes.elements->getType()->getScalarType()->isIntegerTy(32))
          continue;
        conversion->replaceAllUsesWith(pack(*conversion, bytes, type->getNumElements()));
        conversion->eraseFromParent();
      }
}

} // namespace kiln
