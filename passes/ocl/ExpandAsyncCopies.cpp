// Lowers an asynchronous copy to a loop: work-item l of n copies elements l, l + n, l + 2n, ...
//
//   ocl.async_copy %to, %from, %count, %stride f32     ==>     cf.br ^loop(%l) ... llvm.load ... llvm.store ...
//
// Legal because OpenCL requires that all work-items of the group execute the copy with the same operands, and that none
// reads the destination before wait_group_events, which is a barrier.
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "passes/Pass.h"

using namespace mlir;

namespace kiln {
#include "passes/ExpandAsyncCopies.pass.inc"
namespace {
struct ExpandAsyncCopies : impl::ExpandAsyncCopiesBase<ExpandAsyncCopies> {
  void runOnOperation() override {
    SmallVector<ocl::AsyncCopyOp> copies;
    getOperation().walk([&](ocl::AsyncCopyOp copy) { copies.push_back(copy); });
    for (ocl::AsyncCopyOp copy : copies)
      expand(copy);
  }

private:
  static void expand(ocl::AsyncCopyOp copy) {
    Location loc = copy.getLoc();
    OpBuilder b(copy);
    Type index = b.getI64Type();
    Value first = ocl::LinearQueryOp::create(b, loc, index, ocl::LinearQuery::local_linear_id);
    Value step;
    for (int dim : {0, 1, 2}) {
      Value number = intConstant(b, loc, dim, 32);
      Value size = ocl::QueryOp::create(b, loc, index, ocl::Query::local_size, number);
      step = step ? Value(arith::MulIOp::create(b, loc, step, size)) : size;
    }
    Block *before = copy->getBlock(), *after = before->splitBlock(copy);
    Block *loop = b.createBlock(after, {index}, {loc}), *body = b.createBlock(after);
    Value i = loop->getArgument(0);
    b.setInsertionPointToEnd(before);
    cf::BranchOp::create(b, loc, loop, first);
    b.setInsertionPointToEnd(loop);
    Value more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, i, copy.getCount());
    cf::CondBranchOp::create(b, loc, more, body, after);
    b.setInsertionPointToEnd(body);
    Value strided = arith::MulIOp::create(b, loc, i, copy.getStride());
    auto address = [&](Value base) -> Value {
      bool isLocal = cast<LLVM::LLVMPointerType>(base.getType()).getAddressSpace() == ocl::Local;
      return LLVM::GEPOp::create(b, loc, base.getType(), copy.getElement(), base, isLocal ? i : strided);
    };
    Value element = LLVM::LoadOp::create(b, loc, copy.getElement(), address(copy.getSource()));
    LLVM::StoreOp::create(b, loc, element, address(copy.getDestination()));
    cf::BranchOp::create(b, loc, loop, Value(arith::AddIOp::create(b, loc, i, step)));
    copy.erase();
  }
};
} // namespace
} // namespace kiln
