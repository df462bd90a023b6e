// Marks pointer arguments that the kernel does not read through or does not write through.
//
//   func.func @k(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>)       func.func @k(%in: !llvm.ptr<1> {ocl.no_write},
//     %x = llvm.load %in                               ==>                 %out: !llvm.ptr<1> {ocl.no_read})
//     llvm.store %x, %out
//
// The runtime transfers bytes between devices by these marks, so they are set only if every use of the pointer is
// known: address arithmetic, loads and stores. A pointer that is stored, cast, compared, passed on or given to an
// atomic counts as read and written.
#include "dialects/ocl/Ocl.h"
#include "passes/Pass.h"

using namespace mlir;

namespace kiln {
#include "passes/MarkArgumentAccess.pass.inc"
namespace {
struct MarkArgumentAccess : impl::MarkArgumentAccessBase<MarkArgumentAccess> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(ocl::KernelAttr) || kernel.isExternal())
      return;
    auto unit = UnitAttr::get(&getContext());
    for (BlockArgument argument : kernel.getArguments()) {
      if (!isa<LLVM::LLVMPointerType>(argument.getType()))
        continue;
      bool reads = false, writes = false;
      follow(argument, reads, writes);
      if (!reads)
        kernel.setArgAttr(argument.getArgNumber(), ocl::ArgNoReadAttr, unit);
      if (!writes)
        kernel.setArgAttr(argument.getArgNumber(), ocl::ArgNoWriteAttr, unit);
    }
  }

private:
  static void follow(Value root, bool &reads, bool &writes) {
    SmallVector<Value> pointers{root};
    while (!pointers.empty())
      for (OpOperand &use : pointers.pop_back_val().getUses()) {
        Operation *user = use.getOwner();
        if (isa<LLVM::GEPOp>(user))
          pointers.push_back(user->getResult(0));
        else if (isa<LLVM::LoadOp>(user))
          reads = true;
        else if (isa<LLVM::StoreOp>(user) && use.getOperandNumber() == 1)
          writes = true;
        else
          reads = writes = true;
      }
  }
};
} // namespace
} // namespace kiln
