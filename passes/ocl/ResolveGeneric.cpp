// Lets accesses through a generic pointer use the named address space that the pointer was made from.
//
//   %g = llvm.addrspacecast %p : !llvm.ptr to !llvm.ptr<4>
//   %e = llvm.getelementptr %g[%i] ...                       ==>   %e = llvm.getelementptr %p[%i] ...
//   %v = llvm.load %e : !llvm.ptr<4> -> i32                        %v = llvm.load %e : !llvm.ptr -> i32
//   %c = ocl.is_in local %e : !llvm.ptr<4>                         %c = arith.constant false
//
// Legal because a generic pointer made from a named one reaches the same memory. It matters because mem2reg and SROA
// give up on a private variable whose address is cast. The chain is followed through address arithmetic and
// no further: a pointer that is stored, compared, passed on or chosen by control flow stays generic.
#include "dialects/ocl/Ocl.h"
#include "passes/Passes.h"

using namespace mlir;

namespace kiln {
#define GEN_PASS_DEF_RESOLVEGENERIC
#include "passes/Passes.h.inc"
namespace {
struct ResolveGeneric : impl::ResolveGenericBase<ResolveGeneric> {
  void runOnOperation() override {
    SmallVector<LLVM::AddrSpaceCastOp> casts; // not those back: they may be gone when their turn comes
    getOperation()->walk([&](LLVM::AddrSpaceCastOp cast) {
      if (addressSpace(cast.getArg()) != ocl::Generic && addressSpace(cast.getRes()) == ocl::Generic)
        casts.push_back(cast);
    });
    for (LLVM::AddrSpaceCastOp cast : casts) {
      replaceUses(cast.getRes(), cast.getArg());
      if (cast->use_empty()) {
        cast.erase();
        ++resolved;
      }
    }
  }

private:
  static unsigned addressSpace(Value pointer) {
    auto type = dyn_cast<LLVM::LLVMPointerType>(pointer.getType());
    return type ? type.getAddressSpace() : unsigned(ocl::Generic);
  }

  // Gives `named` to the users of `generic` that take any address space.
  void replaceUses(Value generic, Value named) {
    for (OpOperand &use : llvm::make_early_inc_range(generic.getUses())) {
      Operation *user = use.getOwner();
      if (auto gep = dyn_cast<LLVM::GEPOp>(user)) {
        OpBuilder builder(gep);
        Operation *clone = builder.clone(*gep);
        clone->setOperand(use.getOperandNumber(), named);
        clone->getResult(0).setType(named.getType());
        replaceUses(gep.getResult(), clone->getResult(0));
        if (gep->use_empty())
          gep.erase();
        if (clone->use_empty())
          clone->erase();
      } else if (auto question = dyn_cast<ocl::IsInOp>(user)) {
        OpBuilder builder(question);
        bool isThere = unsigned(question.getSpace()) == addressSpace(named);
        question.replaceAllUsesWith(arith::ConstantIntOp::create(builder, question.getLoc(), isThere, 1).getResult());
        question.erase();
      } else if (takesAnySpace(user, use.getOperandNumber())) {
        use.set(named);
      } else if (auto back = dyn_cast<LLVM::AddrSpaceCastOp>(user); back && back.getType() == named.getType()) {
        replaceUses(back.getRes(), named);
        back.getRes().replaceAllUsesWith(named);
        back.erase();
      }
    }
  }

  static bool takesAnySpace(Operation *user, unsigned operand) {
    if (auto store = dyn_cast<LLVM::StoreOp>(user))
      return operand == 1; // the address, not a stored pointer
    if (isa<ocl::AtomicStoreOp>(user))
      return operand == 1;
    // Upstream's mem2reg sees a variable behind a cast and not that a copy is of it: it would drop the copy.
    if (isa<LLVM::MemcpyOp>(user))
      return operand < 2;
    return isa<LLVM::LoadOp, ocl::AtomicLoadOp, ocl::AtomicRmwOp, ocl::AtomicCmpXchgOp>(user) && operand == 0;
  }
};
} // namespace
} // namespace kiln
