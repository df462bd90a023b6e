#include "backends/cpu/codegen/DropClaimedAlignment.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace kiln {
namespace {

class KnownAlignment {
public:
  explicit KnownAlignment(Function &function) : layout_(function.getDataLayout()) {}

  void apply(Instruction &instruction) {
    if (auto *load = dyn_cast<LoadInst>(&instruction); load && !load->isAtomic())
      load->setAlignment(known(load->getPointerOperand(), load->getAlign()));
    else if (auto *store = dyn_cast<StoreInst>(&instruction); store && !store->isAtomic())
      store->setAlignment(known(store->getPointerOperand(), store->getAlign()));
    else if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction))
      apply(*intrinsic);
  }

private:
  Align known(Value *pointer, Align claimed) {
    return claimed == Align(1) ? claimed : std::min(claimed, getKnownAlignment(pointer, layout_));
  }

  void apply(IntrinsicInst &intrinsic) {
    for (unsigned i = 0; i < intrinsic.arg_size(); ++i)
      if (MaybeAlign claimed = intrinsic.getParamAlign(i)) {
        intrinsic.removeParamAttr(i, Attribute::Alignment);
        intrinsic.addParamAttr(
            i, Attribute::getWithAlignment(intrinsic.getContext(), known(intrinsic.getArgOperand(i), *claimed)));
      }
#if LLVM_VERSION_MAJOR < 22
    const bool isStore = intrinsic.getIntrinsicID() == Intrinsic::masked_store;
    if (!isStore && intrinsic.getIntrinsicID() != Intrinsic::masked_load)
      return;
    const unsigned pointer = isStore ? 1 : 0; // the alignment is the operand after it
    auto *claimed = cast<ConstantInt>(intrinsic.getArgOperand(pointer + 1));
    const Align alignment = known(intrinsic.getArgOperand(pointer), claimed->getAlignValue());
    intrinsic.setArgOperand(pointer + 1, ConstantInt::get(claimed->getType(), alignment.value()));
#endif
  }

  const DataLayout &layout_;
};

} // namespace

void dropClaimedAlignment(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    KnownAlignment alignment(function);
    for (Instruction &instruction : instructions(function))
      alignment.apply(instruction);
  }
}

} // namespace kiln
