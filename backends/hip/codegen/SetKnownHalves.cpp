#include "backends/hip/codegen/SetKnownHalves.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/KnownBits.h"

namespace kiln {
namespace {

/// The halves, in the order of memory, of an `or` of 64-bit integers that are known to be all ones.
llvm::SmallVector<unsigned, 4> knownHalves(const llvm::Instruction &instruction) {
  llvm::SmallVector<unsigned, 4> halves;
  if (instruction.getOpcode() != llvm::Instruction::Or || !instruction.getType()->getScalarType()->isIntegerTy(64))
    return halves;
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
  const unsigned elements = vector ? vector->getNumElements() : 1;
  for (unsigned i = 0; i < elements; ++i) {
    const llvm::KnownBits known =
        llvm::computeKnownBits(&instruction, llvm::APInt::getOneBitSet(elements, i), instruction.getDataLayout());
    for (unsigned half : {0, 1})
      if (known.One.extractBits(32, 32 * half).isAllOnes())
        halves.push_back(2 * i + half);
  }
  return halves;
}

} // namespace

void setKnownHalves(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      const llvm::SmallVector<unsigned, 4> halves = knownHalves(instruction);
      if (halves.empty())
        continue;
      llvm::IRBuilder<> builder(instruction.getNextNode());
      llvm::Type *type = instruction.getType();
      const unsigned count = unsigned(type->getPrimitiveSizeInBits() / 32);
      llvm::Value *all = builder.CreateBitCast(&instruction, llvm::FixedVectorType::get(builder.getInt32Ty(), count));
      llvm::Value *first = all;
      for (unsigned half : halves)
        all = builder.CreateInsertElement(all, builder.getInt32(UINT32_MAX), half);
      llvm::Value *whole = builder.CreateBitCast(all, type);
      instruction.replaceUsesWithIf(whole, [&](const llvm::Use &use) { return use.getUser() != first; });
    }
}

} // namespace kiln
