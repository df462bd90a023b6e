// Lowers what is left of `ocl` for the CPU and drops address spaces.
//
//   %old = ocl.atomic_rmw add %p, %v acq_rel device     ==>   %old = llvm.atomicrmw add %p, %v acq_rel
//   !llvm.ptr<1>                                        ==>   !llvm.ptr
//
// Atomics on local memory become plain accesses (LocalAtomics.h). Scopes disappear: the host's memory system keeps all cores coherent. Orders stay. Runs behind wg-lower-parallel, in
// functions with the signature of abi::CpuEntry; `convert-to-llvm` does the rest.
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "passes/Passes.h"
#include "passes/convert/ConvertLowering.h"
#include "passes/convert/LocalAtomics.h"
#include "passes/convert/MathLowering.h"

using namespace mlir;

namespace kiln {
#define GEN_PASS_DEF_OCLTOLLVM
#include "passes/Passes.h.inc"
namespace {

LLVM::AtomicOrdering ordering(ocl::Order order) {
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

// A failed exchange stores nothing, so it cannot release.
LLVM::AtomicOrdering failureOrdering(ocl::Order order) {
  if (order == ocl::Order::release)
    return LLVM::AtomicOrdering::monotonic;
  return ordering(order == ocl::Order::acq_rel ? ocl::Order::acquire : order);
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

struct OclToLlvm : impl::OclToLlvmBase<OclToLlvm> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      OpBuilder builder(op);
      if (Value result = lower(op, builder)) {
        op->getResult(0).replaceAllUsesWith(result);
        op->erase();
      }
    });
    dropAddressSpaces();
  }

private:
  // The value that takes the operation's place, or null where it stays. Operations without a result go at once.
  Value lower(Operation *op, OpBuilder &builder) {
    Location loc = op->getLoc();
    auto size = [](Type type) { return type.getIntOrFloatBitWidth() / 8; };
    auto isLocal = [](Value pointer) {
      return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == ocl::Local;
    };
    if (auto rmw = dyn_cast<ocl::AtomicRmwOp>(op); rmw && isLocal(rmw.getPointer()))
      return lowerLocalAtomic(rmw, builder);
    if (auto exchange = dyn_cast<ocl::AtomicCmpXchgOp>(op); exchange && isLocal(exchange.getPointer()))
      return lowerLocalAtomic(exchange, builder);
    if (auto rmw = dyn_cast<ocl::AtomicRmwOp>(op))
      return LLVM::AtomicRMWOp::create(builder, loc, binaryOp(rmw.getKind()), rmw.getPointer(), rmw.getValue(),
                                       ordering(rmw.getOrder()), StringRef(), size(rmw.getValue().getType()),
                                       rmw.getIsVolatile());
    if (auto exchange = dyn_cast<ocl::AtomicCmpXchgOp>(op)) {
      // Success must be at least as strong as failure.
      ocl::Order success = exchange.getOrder();
      if (exchange.getFailure() == ocl::Order::seq_cst)
        success = ocl::Order::seq_cst;
      else if (exchange.getFailure() == ocl::Order::acquire && success == ocl::Order::relaxed)
        success = ocl::Order::acquire;
      else if (exchange.getFailure() == ocl::Order::acquire && success == ocl::Order::release)
        success = ocl::Order::acq_rel;
      auto pair = LLVM::AtomicCmpXchgOp::create(
          builder, loc, exchange.getPointer(), exchange.getExpected(), exchange.getValue(), ordering(success),
          failureOrdering(exchange.getFailure()), StringRef(), size(exchange.getValue().getType()), false,
          exchange.getIsVolatile());
      return LLVM::ExtractValueOp::create(builder, loc, pair, ArrayRef<int64_t>{0});
    }
    if (auto load = dyn_cast<ocl::AtomicLoadOp>(op))
      return LLVM::LoadOp::create(builder, loc, load.getType(), load.getPointer(), size(load.getType()),
                                  load.getIsVolatile(), false, false, false, ordering(load.getOrder()));
    if (auto store = dyn_cast<ocl::AtomicStoreOp>(op)) {
      LLVM::StoreOp::create(builder, loc, store.getValue(), store.getPointer(), size(store.getValue().getType()),
                            store.getIsVolatile(), false, false, ordering(store.getOrder()));
      op->erase();
      return {};
    }
    if (auto fence = dyn_cast<ocl::FenceOp>(op)) {
      if (fence.getOrder() != ocl::Order::relaxed)
        LLVM::FenceOp::create(builder, loc, ordering(fence.getOrder()));
      op->erase();
      return {};
    }
    if (auto convert = dyn_cast<ocl::ConvertOp>(op))
      return lowerConvert(convert, builder);
    if (auto function = dyn_cast<ocl::MathOp>(op))
      return lowerMath(function, builder);
    if (auto remainder = dyn_cast<arith::RemFOp>(op))
      return lowerRemainder(remainder.getLhs(), remainder.getRhs(), builder);
    return {};
  }

  void dropAddressSpaces() {
    SmallVector<LLVM::AddrSpaceCastOp> casts;
    getOperation().walk([&](LLVM::AddrSpaceCastOp cast) { casts.push_back(cast); });
    AttrTypeReplacer replacer;
    auto plain = LLVM::LLVMPointerType::get(&getContext());
    replacer.addReplacement([plain](LLVM::LLVMPointerType) { return plain; });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    for (auto global : getOperation().getOps<LLVM::GlobalOp>())
      global.setAddrSpace(0);
    for (LLVM::AddrSpaceCastOp cast : casts) {
      cast.getRes().replaceAllUsesWith(cast.getArg());
      cast.erase();
    }
  }
};
} // namespace
} // namespace kiln
