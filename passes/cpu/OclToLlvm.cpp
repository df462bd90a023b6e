// Lowers the remaining `ocl` operations and wg.permute for the CPU and removes address spaces.
//
//   %old = ocl.atomic_rmw add %p, %v acq_rel device     ==>   %old = llvm.atomicrmw add %p, %v acq_rel
//   !llvm.ptr<1>                                        ==>   !llvm.ptr
//
// Atomics on local memory become plain accesses (LocalAtomics.h). Scopes are dropped, because all cores are coherent;
// orders stay. Runs after wg-lower-parallel, in functions with the signature of abi::CpuEntry; `convert-to-llvm` lowers
// the other dialects.
#include "dialects/ocl/CallIntrinsic.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "passes/Pass.h"
#include "passes/cpu/DivisionLowering.h"
#include "passes/cpu/HalfLowering.h"
#include "passes/cpu/LocalAtomics.h"
#include "passes/cpu/MathLowering.h"
#include "passes/cpu/PureCall.h"
#include "passes/lowering/AtomicLowering.h"
#include "passes/lowering/ConvertLowering.h"
#include "passes/lowering/MathSymbols.h"
#include "passes/lowering/PermuteSymbols.h"

using namespace mlir;

namespace kiln {
#include "passes/OclToLlvm.pass.inc"
namespace {

struct OclToLlvm : impl::OclToLlvmBase<OclToLlvm> {
  void runOnOperation() override {
    auto target = getOperation()->getAttrOfType<ocl::TargetAttr>(ocl::TargetAttr::name);
    hasHalves_ = target && target.has(ocl::TargetFeature::HalfArithmetic);
    renameLibrarySymbols();
    getOperation().walk([&](Operation *op) {
      OpBuilder builder(op);
      if (auto fence = dyn_cast<ocl::FenceOp>(op)) {
        if (fence.getOrder() != ocl::Order::relaxed)
          LLVM::FenceOp::create(builder, op->getLoc(), atomicOrdering(fence.getOrder()));
        op->erase();
      } else if (Value result = lower(op, builder)) {
        op->getResult(0).replaceAllUsesWith(result);
        op->erase();
      } else {
        lowerAtomic(op, [](ocl::Scope) { return StringRef(); });
      }
    });
    dropAddressSpaces();
  }

private:
  // Renames variables whose name is a library function's: a program's variable may have any name.
  void renameLibrarySymbols() {
    SymbolTable symbols(getOperation());
    for (auto global : getOperation().getOps<LLVM::GlobalOp>())
      if (global.getSymName().starts_with(cpu::MathPrefix) || global.getSymName().starts_with(cpu::PermutePrefix))
        if (failed(symbols.renameToUnique(global, {&symbols})))
          return signalPassFailure();
  }

  // Returns the value that replaces the operation, or null if it stays.
  Value lower(Operation *op, OpBuilder &builder) {
    auto isLocal = [](Value pointer) {
      return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == ocl::Local;
    };
    auto rmw = dyn_cast<ocl::AtomicRmwOp>(op);
    if (rmw && rmw.getType().isF16() && rmw.getKind() != ocl::AtomicKind::fadd &&
        rmw.getKind() != ocl::AtomicKind::xchg) { // LLVM would call fminf of the C library
      rmw.emitError("atomic minima and maxima of half are not supported on the CPU");
      signalPassFailure();
      return {};
    }
    if (rmw && isLocal(rmw.getPointer()))
      return lowerLocalAtomic(rmw, builder);
    if (auto exchange = dyn_cast<ocl::AtomicCmpXchgOp>(op); exchange && isLocal(exchange.getPointer()))
      return lowerLocalAtomic(exchange, builder);
    if (isa<ocl::ReadClockOp>(op)) // the time-stamp counter, which all cores share
      return callIntrinsic(builder, op->getLoc(), "llvm.readcyclecounter", builder.getI64Type(), {});
    if (auto convert = dyn_cast<ocl::ConvertOp>(op))
      return lowerConvert(convert, builder, /*roundsToInt=*/true);
    if (auto function = dyn_cast<ocl::MathOp>(op))
      return lowerMath(function, builder);
    if (auto permute = dyn_cast<wg::PermuteOp>(op))
      return pureCall(builder, op->getLoc(), cpu::permuteSymbol(cast<VectorType>(permute.getType()).getNumElements()),
                      SmallVector<Value>(op->getOperands()), permute.getType());
    if (auto remainder = dyn_cast<arith::RemFOp>(op))
      return lowerRemainder(remainder, builder);
    if (Value quotient = lowerVectorDivision(op, builder))
      return quotient;
    return hasHalves_ && isa<math::FmaOp>(op) ? Value() : lowerHalf(op, builder);
  }

  bool hasHalves_ = false; // the processor computes with halves

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
