// On the CPU one thread runs all work-items of a group, and no other thread accesses its local memory. So a load, the
// operation and a store are equivalent to an atomic, and take a quarter of the time.
#include "passes/cpu/LocalAtomics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace kiln {
namespace {
Value combine(ocl::AtomicKind kind, Value old, Value value, OpBuilder &b, Location loc) {
  switch (kind) {
  case ocl::AtomicKind::xchg:
    return value;
  case ocl::AtomicKind::add:
    return arith::AddIOp::create(b, loc, old, value);
  case ocl::AtomicKind::sub:
    return arith::SubIOp::create(b, loc, old, value);
  case ocl::AtomicKind::smin:
    return arith::MinSIOp::create(b, loc, old, value);
  case ocl::AtomicKind::smax:
    return arith::MaxSIOp::create(b, loc, old, value);
  case ocl::AtomicKind::umin:
    return arith::MinUIOp::create(b, loc, old, value);
  case ocl::AtomicKind::umax:
    return arith::MaxUIOp::create(b, loc, old, value);
  case ocl::AtomicKind::and_:
    return arith::AndIOp::create(b, loc, old, value);
  case ocl::AtomicKind::or_:
    return arith::OrIOp::create(b, loc, old, value);
  case ocl::AtomicKind::xor_:
    return arith::XOrIOp::create(b, loc, old, value);
  case ocl::AtomicKind::fadd:
    return arith::AddFOp::create(b, loc, old, value);
  case ocl::AtomicKind::fmin:
    return arith::MinNumFOp::create(b, loc, old, value);
  case ocl::AtomicKind::fmax:
    return arith::MaxNumFOp::create(b, loc, old, value);
  }
  llvm_unreachable("all kinds are handled");
}
} // namespace

Value lowerLocalAtomic(ocl::AtomicRmwOp op, OpBuilder &builder) {
  Location loc = op.getLoc();
  Value old = LLVM::LoadOp::create(builder, loc, op.getType(), op.getPointer());
  LLVM::StoreOp::create(builder, loc, combine(op.getKind(), old, op.getValue(), builder, loc), op.getPointer());
  return old;
}

Value lowerLocalAtomic(ocl::AtomicCmpXchgOp op, OpBuilder &builder) {
  Location loc = op.getLoc();
  Value old = LLVM::LoadOp::create(builder, loc, op.getType(), op.getPointer());
  Value equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, old, op.getExpected());
  Value next = arith::SelectOp::create(builder, loc, equal, op.getValue(), old);
  LLVM::StoreOp::create(builder, loc, next, op.getPointer());
  return old;
}

} // namespace kiln
