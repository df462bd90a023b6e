// Infers the named address space of accesses through generic pointers.
//
//   %g = llvm.addrspacecast %p : !llvm.ptr to !llvm.ptr<4>
//   %e = llvm.getelementptr %g[%i] ...                       ==>   %e = llvm.getelementptr %p[%i] ...
//   %v = llvm.load %e : !llvm.ptr<4> -> i32                        %v = llvm.load %e : !llvm.ptr -> i32
//   %c = ocl.is_addrspace local %e : !llvm.ptr<4>                         %c = arith.constant false
//
// Legal because a generic pointer that was cast from a named one points to the same memory. Needed because mem2reg and
// SROA do not promote a private variable whose address is cast. Follows address arithmetic only. Not handled: a pointer
// that is stored, compared, passed on or selected by control flow stays generic.
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "passes/Pass.h"

using namespace mlir;

namespace kiln {
#include "passes/InferAddressSpaces.pass.inc"
namespace {
struct InferAddressSpaces : impl::InferAddressSpacesBase<InferAddressSpaces> {
  void runOnOperation() override {
    SmallVector<LLVM::AddrSpaceCastOp> casts; // not casts back to named: replaceUses may erase them
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

  // Replaces `generic` by `named` in users that accept any address space.
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
      } else if (auto query = dyn_cast<ocl::IsAddrSpaceOp>(user)) {
        OpBuilder builder(query);
        bool isInSpace = unsigned(query.getSpace()) == addressSpace(named);
        query.replaceAllUsesWith(intConstant(builder, query.getLoc(), isInSpace, 1));
        query.erase();
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
    // MLIR's mem2reg promotes a variable whose address is cast although a memcpy uses the cast, and drops the copy.
    if (isa<LLVM::MemcpyOp>(user))
      return operand < 2;
    return isa<LLVM::LoadOp, ocl::AtomicLoadOp, ocl::AtomicRmwOp, ocl::AtomicCmpXchgOp>(user) && operand == 0;
  }
};
} // namespace
} // namespace kiln
