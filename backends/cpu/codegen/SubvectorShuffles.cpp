#include "backends/cpu/codegen/SubvectorShuffles.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace kiln {

//   %wide = bitcast <16 x float> %v to <2 x i256>
//   %part = extractelement <2 x i256> %wide, i64 1            ==>   %p = shufflevector %v, poison, <8, 9, ... 15>
//   %p = bitcast i256 %part to <8 x float>
static Value *shuffled(BitCastInst &cast) {
  using namespace PatternMatch;
  Value *vector = nullptr;
  uint64_t at = 0;
  if (!match(&cast, m_BitCast(m_ExtractElt(m_BitCast(m_Value(vector)), m_ConstantInt(at)))))
    return nullptr;
  auto *type = dyn_cast<FixedVectorType>(vector->getType());
  if (!type || !isa<FixedVectorType>(cast.getType()))
    return nullptr;
  const uint64_t bits = cast.getType()->getPrimitiveSizeInBits(), own = type->getScalarSizeInBits();
  const uint64_t count = own ? bits / own : 0; // of the vector's own elements
  if (!count || bits % own || (at + 1) * count > type->getNumElements())
    return nullptr;
  auto order = map_to_vector(seq(at * count, (at + 1) * count), [](uint64_t lane) { return int(lane); });
  IRBuilder<> builder(&cast);
  return builder.CreateBitCast(builder.CreateShuffleVector(vector, order), cast.getType());
}

void wideIntegersToShuffles(Module &module) {
  SmallVector<WeakTrackingVH> replaced;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *cast = dyn_cast<BitCastInst>(&instruction))
        if (Value *part = shuffled(*cast)) {
          cast->replaceAllUsesWith(part);
          replaced.emplace_back(cast);
        }
  RecursivelyDeleteTriviallyDeadInstructions(replaced);
}

} // namespace kiln
