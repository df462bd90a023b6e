#include "passes/lowering/AtomicLowering.h"

using namespace mlir;

namespace kiln {

LLVM::AtomicOrdering atomicOrdering(ocl::Order order) {
  switch (order) {
  case ocl::Order::relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case ocl::Order::acquire:
    return LLVM::AtomicOrdering::acquire;
  case ocl::Order::release:
    return LLVM::AtomicOrdering::release;
  case ocl::Order::acq_rel:
    return LLVM::AtomicOrdering::acq_rel;
  case ocl::Order::seq_cst:
    return LLVM::AtomicOrdering::seq_cst;
  }
  llvm_unreachable("all orders are handled");
}

namespace {
// A failed exchange stores nothing, so it cannot release.
LLVM::AtomicOrdering failureOrdering(ocl::Order order) {
  if (order == ocl::Order::release)
    return LLVM::AtomicOrdering::monotonic;
  return atomicOrdering(order == ocl::Order::acq_rel ? ocl::Order::acquire : order);
}

// Success must be at least as strong as failure.
ocl::Order successOrder(ocl::AtomicCmpXchgOp op) {
  ocl::Order success = op.getOrder();
  if (op.getFailure() == ocl::Order::seq_cst)
    return ocl::Order::seq_cst;
  if (op.getFailure() == ocl::Order::acquire && success == ocl::Order::relaxed)
    return ocl::Order::acquire;
  if (op.getFailure() == ocl::Order::acquire && success == ocl::Order::release)
    return ocl::Order::acq_rel;
  return success;
}

LLVM::AtomicBinOp binaryOp(ocl::AtomicKind kind) {
  using From = ocl::AtomicKind;
  using To = LLVM::AtomicBinOp;
  switch (kind) {
  case From::xchg:
    return To::xchg;
  case From::add:
    return To::add;
  case From::sub:
    return To::sub;
  case From::smin:
    return To::min;
  case From::smax:
    return To::max;
  case From::umin:
    return To::umin;
  case From::umax:
    return To::umax;
  case From::and_:
    return To::_and;
  case From::or_:
    return To::_or;
  case From::xor_:
    return To::_xor;
  case From::fadd:
    return To::fadd;
  case From::fmin:
    return To::fmin;
  case From::fmax:
    return To::fmax;
  }
  llvm_unreachable("all kinds are handled");
}

unsigned size(Type type) { return type.getIntOrFloatBitWidth() / 8; }
} // namespace

bool lowerAtomic(Operation *op, SyncScope scopes) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value result;
  if (auto rmw = dyn_cast<ocl::AtomicRmwOp>(op)) {
    result = LLVM::AtomicRMWOp::create(builder, loc, binaryOp(rmw.getKind()), rmw.getPointer(), rmw.getValue(),
                                       atomicOrdering(rmw.getOrder()), scopes(rmw.getScope()),
                                       size(rmw.getValue().getType()), rmw.getIsVolatile());
  } else if (auto exchange = dyn_cast<ocl::AtomicCmpXchgOp>(op)) {
    auto pair = LLVM::AtomicCmpXchgOp::create(builder, loc, exchange.getPointer(), exchange.getExpected(),
                                              exchange.getValue(), atomicOrdering(successOrder(exchange)),
                                              failureOrdering(exchange.getFailure()), scopes(exchange.getScope()),
                                              size(exchange.getValue().getType()), false, exchange.getIsVolatile());
    result = LLVM::ExtractValueOp::create(builder, loc, pair, ArrayRef<int64_t>{0});
  } else if (auto load = dyn_cast<ocl::AtomicLoadOp>(op)) {
    result = LLVM::LoadOp::create(builder, loc, load.getType(), load.getPointer(), size(load.getType()),
                                  load.getIsVolatile(), false, false, false, atomicOrdering(load.getOrder()),
                                  scopes(load.getScope()));
  } else if (auto store = dyn_cast<ocl::AtomicStoreOp>(op)) {
    LLVM::StoreOp::create(builder, loc, store.getValue(), store.getPointer(), size(store.getValue().getType()),
                          store.getIsVolatile(), false, false, atomicOrdering(store.getOrder()),
                          scopes(store.getScope()));
  } else {
    return false;
  }
  if (result)
    op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  return true;
}

} // namespace kiln
