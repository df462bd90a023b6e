#include "backends/cpu/codegen/DynamicLaneExtract.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kiln {
namespace {

bool isDynamicExtract(const Instruction &instruction) {
  auto *lane = dyn_cast<ExtractElementInst>(&instruction);
  if (!lane || isa<Constant>(lane->getIndexOperand()))
    return false;
  auto *type = dyn_cast<FixedVectorType>(lane->getVectorOperandType());
  return type && type->getElementType()->getPrimitiveSizeInBits() % 8 == 0; // elements of whole bytes: not masks
}

// An index out of range has no defined value, but the load must stay in the slot.
Value *laneAddress(IRBuilder<> &builder, Value *index, FixedVectorType *type, Value *slot) {
  const unsigned lanes = type->getNumElements();
  index = builder.CreateZExtOrTrunc(builder.CreateFreeze(index), builder.getInt64Ty());
  Value *last = builder.getInt64(lanes - 1);
  index = isPowerOf2_32(lanes) ? builder.CreateAnd(index, last)
                               : builder.CreateBinaryIntrinsic(Intrinsic::umin, index, last);
  return builder.CreateInBoundsGEP(type->getElementType(), slot, index);
}

using Tables = DenseMap<Constant *, GlobalVariable *>;

Value *tableOf(Constant *vector, Module &module, Tables &tables) {
  GlobalVariable *&table = tables[vector];
  if (!table)
    table = new GlobalVariable(module, vector->getType(), /*isConstant=*/true, GlobalValue::InternalLinkage, vector);
  return table;
}

Align alignOf(Type *vector, const DataLayout &layout) { return std::min(layout.getPrefTypeAlign(vector), Align(64)); }

// Returns a stack slot for the longest vector that is not a constant; null if all are constants.
AllocaInst *createSlot(ArrayRef<ExtractElementInst *> lanes, Function &function) {
  const DataLayout &layout = function.getDataLayout();
  uint64_t bytes = 0;
  Align align;
  for (ExtractElementInst *lane : lanes)
    if (!isa<Constant>(lane->getVectorOperand())) {
      bytes = std::max(bytes, layout.getTypeAllocSize(lane->getVectorOperandType()).getFixedValue());
      align = std::max(align, alignOf(lane->getVectorOperandType(), layout));
    }
  if (!bytes)
    return nullptr;
  IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  AllocaInst *slot = builder.CreateAlloca(ArrayType::get(builder.getInt8Ty(), bytes));
  slot->setAlignment(align);
  return slot;
}

void lowerDynamicExtracts(Function &function, Tables &tables) {
  SmallVector<ExtractElementInst *> lanes;
  for (Instruction &instruction : instructions(function))
    if (isDynamicExtract(instruction))
      lanes.push_back(cast<ExtractElementInst>(&instruction));
  const DataLayout &layout = function.getDataLayout();
  AllocaInst *slot = createSlot(lanes, function);
  const BasicBlock *block = nullptr;
  const Value *stored = nullptr; // the slot's content in this block
  for (ExtractElementInst *lane : lanes) {
    IRBuilder<> builder(lane);
    Value *vector = lane->getVectorOperand(), *from = slot;
    auto *type = cast<FixedVectorType>(vector->getType());
    if (auto *constant = dyn_cast<Constant>(vector)) {
      from = tableOf(constant, *function.getParent(), tables);
    } else if (block != lane->getParent() || stored != vector) {
      builder.CreateAlignedStore(vector, slot, alignOf(type, layout));
      block = lane->getParent(), stored = vector;
    }
    Value *element =
        builder.CreateAlignedLoad(lane->getType(), laneAddress(builder, lane->getIndexOperand(), type, from),
                                  layout.getABITypeAlign(lane->getType()));
    lane->replaceAllUsesWith(element);
    lane->eraseFromParent();
  }
}

} // namespace

void lowerDynamicExtracts(Module &module) {
  Tables tables;
  for (Function &function : module)
    if (!function.isDeclaration())
      lowerDynamicExtracts(function, tables);
}

} // namespace kiln
