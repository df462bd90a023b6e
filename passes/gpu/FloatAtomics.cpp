// Replaces a floating-point addition by a loop that compares and exchanges its bits.
//
//   %old = ocl.atomic_rmw fadd %p, %x       ==>       %first = ocl.atomic_load %p relaxed : i32
//                                                   ^loop(%seen):   // %first, then what the exchange has found
//                                                     %old = bitcast %seen : i32 to f32
//                                                     %found = ocl.atomic_cmpxchg %p, %seen, bitcast (%old + %x)
//                                                     cf.cond_br %found == %seen, ^after, ^loop(%found)
//
// The exchange that succeeds has the operation's order and scope. Others change nothing and are relaxed.
#include "passes/gpu/FloatAtomics.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;

namespace kiln::gpu {

void expandFloatAdd(ocl::AtomicRmwOp op) {
  Location loc = op.getLoc();
  Value pointer = op.getPointer();
  Type type = op.getType();
  OpBuilder b(op);
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  Block *before = op->getBlock(), *after = before->splitBlock(op);
  Block *loop = b.createBlock(after, {bits}, {loc});
  b.setInsertionPointToEnd(before);
  Value first =
      ocl::AtomicLoadOp::create(b, loc, bits, pointer, ocl::Order::relaxed, op.getScope(), op.getIsVolatile());
  cf::BranchOp::create(b, loc, loop, first);
  b.setInsertionPointToEnd(loop);
  Value seen = loop->getArgument(0);
  Value old = arith::BitcastOp::create(b, loc, type, seen);
  Value sum = arith::AddFOp::create(b, loc, old, op.getValue());
  Value found = ocl::AtomicCmpXchgOp::create(b, loc, pointer, seen, arith::BitcastOp::create(b, loc, bits, sum),
                                             op.getOrder(), ocl::Order::relaxed, op.getScope(), op.getIsVolatile());
  Value isDone = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, found, seen);
  cf::CondBranchOp::create(b, loc, isDone, after, ValueRange(), loop, ValueRange{found});
  op.replaceAllUsesWith(old);
  op.erase();
}

} // namespace kiln::gpu
