#include "backends/cpu/codegen/LanesByMemory.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kiln {
namespace {

// Less than that is taken out as fast.
constexpr unsigned FewestBits = 256, FewestLanes = 8;
constexpr unsigned PieceBytes = 32;
constexpr unsigned MostVectors = 64; // of a function, each with its place on the stack

// The lane's number goes into scalar instructions, and not back into a vector, which is a shuffle of the two.
bool wantsScalar(const ExtractElementInst &lane) {
  return all_of(lane.users(), [](const User *user) { return !isa<InsertElementInst, ShuffleVectorInst>(user); });
}

// Something is read and written where the lane's number says, as counters are. Then each has to wait for the one
// before, which may be the same, and finds out late if their numbers come from memory: three times as slow, measured.
bool isPlaceOfChange(const Instruction &number, unsigned depth = 0) {
  constexpr unsigned MostSteps = 6; // from a number to an address
  bool reads = false, writes = false;
  for (const User *user : number.users()) {
    auto *instruction = cast<Instruction>(user);
    reads |= isa<LoadInst>(instruction);
    writes |= isa<StoreInst>(instruction);
    if (isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction) ||
        (isa<CastInst, GetElementPtrInst, BinaryOperator>(instruction) &&
         (depth == MostSteps || isPlaceOfChange(*instruction, depth + 1))))
      return true;
  }
  return reads && writes;
}

// The instructions that take all the lanes out of the vector, one at least for each; empty where it is not worth it.
SmallVector<ExtractElementInst *> lanesOf(Instruction &vector) {
  auto *type = dyn_cast<FixedVectorType>(vector.getType());
  if (!type || type->getNumElements() < FewestLanes || isa<LoadInst>(vector))
    return {};
  const Type *element = type->getElementType();
  const unsigned bits = element->isPointerTy() ? 64 : element->getScalarSizeInBits();
  if ((bits != 32 && bits != 64) || bits * type->getNumElements() < FewestBits)
    return {};
  SmallVector<ExtractElementInst *> found;
  SmallVector<bool> taken(type->getNumElements());
  for (User *user : vector.users())
    if (auto *lane = dyn_cast<ExtractElementInst>(user); lane && lane->getVectorOperand() == &vector)
      if (auto *index = dyn_cast<ConstantInt>(lane->getIndexOperand());
          index && index->getValue().ult(taken.size()) && wantsScalar(*lane)) {
        if (found.empty() && isPlaceOfChange(*lane)) // the others are like the first
          return {};
        found.push_back(lane);
        taken[index->getZExtValue()] = true;
      }
  return all_of(taken, [](bool lane) { return lane; }) ? found : SmallVector<ExtractElementInst *>();
}

// What lies in the upper half of a vector of 512 bits is not forwarded everywhere to who reads a part of it. Volatile,
// so that pieces are not joined again.
void storeInPieces(IRBuilder<> &builder, Value *vector, AllocaInst *place) {
  auto *type = cast<FixedVectorType>(vector->getType());
  const DataLayout &layout = builder.GetInsertBlock()->getDataLayout();
  const unsigned bytes = unsigned(layout.getTypeAllocSize(type->getElementType()));
  const unsigned count = type->getNumElements(), most = std::min(count, PieceBytes / bytes);
  for (unsigned from = 0; from < count; from += most) {
    SmallVector<int> order;
    for (unsigned lane = from; lane < std::min(count, from + most); ++lane)
      order.push_back(int(lane));
    Value *piece = order.size() == count ? vector : builder.CreateShuffleVector(vector, order);
    builder.CreateAlignedStore(piece, builder.CreateConstInBoundsGEP2_32(type, place, 0, from),
                               commonAlignment(place->getAlign(), uint64_t(from) * bytes), /*isVolatile=*/true);
  }
}

// Where the vector was made; or, if its lanes are taken in branches only, in each of them. The first lane is there for
// nothing: where the others are not, it is no reason.
SmallVector<Instruction *> storePlaces(Instruction &vector, SmallVectorImpl<ExtractElementInst *> &lanes,
                                       const LoopInfo &loops) {
  auto isFirst = [](const ExtractElementInst *lane) { return cast<ConstantInt>(lane->getIndexOperand())->isZero(); };
  SmallDenseSet<BasicBlock *> blocks;
  for (ExtractElementInst *lane : lanes)
    if (!isFirst(lane))
      blocks.insert(lane->getParent());
  erase_if(lanes, [&](ExtractElementInst *lane) { return isFirst(lane) && !blocks.contains(lane->getParent()); });
  const Loop *own = loops.getLoopFor(vector.getParent());
  if (!blocks.contains(vector.getParent()) &&
      all_of(blocks, [&](BasicBlock *block) { return loops.getLoopFor(block) == own; })) {
    SmallVector<Instruction *> places;
    for (ExtractElementInst *lane : lanes)
      if (blocks.erase(lane->getParent()))
        places.push_back(&*lane->getParent()->getFirstInsertionPt());
    return places;
  }
  if (std::optional<BasicBlock::iterator> behind = vector.getInsertionPointAfterDef())
    return {&**behind};
  return {};
}

void takeLanesByMemory(Function &function) {
  SmallVector<std::pair<Instruction *, SmallVector<ExtractElementInst *>>> vectors;
  for (Instruction &instruction : instructions(function))
    if (auto lanes = lanesOf(instruction); !lanes.empty() && vectors.size() < MostVectors)
      vectors.push_back({&instruction, std::move(lanes)});
  if (vectors.empty())
    return;
  const DominatorTree dominators(function);
  const LoopInfo loops(dominators);
  for (auto &[vector, lanes] : vectors) {
    const SmallVector<Instruction *> places = storePlaces(*vector, lanes, loops);
    if (places.empty())
      continue;
    auto *type = cast<FixedVectorType>(vector->getType());
    const Align align(function.getDataLayout().getTypeAllocSize(type).getFixedValue());
    IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
    AllocaInst *place = builder.CreateAlloca(type);
    place->setAlignment(align);
    for (Instruction *before : places) {
      builder.SetInsertPoint(before);
      storeInPieces(builder, vector, place);
    }
    for (ExtractElementInst *lane : lanes) {
      builder.SetInsertPoint(lane);
      Value *from = builder.CreateConstInBoundsGEP2_32(
          type, place, 0, unsigned(cast<ConstantInt>(lane->getIndexOperand())->getZExtValue()));
      Value *number =
          builder.CreateAlignedLoad(lane->getType(), from, function.getDataLayout().getABITypeAlign(lane->getType()));
      lane->replaceAllUsesWith(number);
      lane->eraseFromParent();
    }
  }
}

} // namespace

void takeLanesByMemory(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      takeLanesByMemory(function);
}

} // namespace kiln
