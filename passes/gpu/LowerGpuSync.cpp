// Lowers barriers, fences and atomics to hardware barriers and LLVM's atomics with the target's sync scopes, and
// address-space queries of generic pointers and clock reads to instructions.
//
//   ocl.barrier work_group local                             nvvm.barrier
//   %old = ocl.atomic_rmw add %p, %v relaxed device     ==>  %old = llvm.atomicrmw add %p, %v syncscope("device")
#include "dialects/ocl/ProgramOptions.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "passes/Pass.h"
#include "passes/gpu/FloatAtomics.h"
#include "passes/gpu/GpuTargetInfo.h"
#include "passes/lowering/AtomicLowering.h"

using namespace mlir;

namespace kiln {
#include "passes/LowerGpuSync.pass.inc"
namespace {
struct LowerGpuSync : impl::LowerGpuSyncBase<LowerGpuSync> {
  using LowerGpuSyncBase::LowerGpuSyncBase;

  void runOnOperation() override {
    auto info = gpu::GpuTargetInfo::of(getOperation(), "gpu-lower-sync");
    if (!info)
      return signalPassFailure();
    if (!getOperation()->hasAttr(ocl::FlushSubnormalsAttr)) {
      SmallVector<ocl::AtomicRmwOp> additions;
      getOperation().walk([&](ocl::AtomicRmwOp op) {
        if (info->flushesSubnormals(op))
          additions.push_back(op);
      });
      llvm::for_each(additions, gpu::expandFloatAdd);
    }
    getOperation().walk([&](Operation *op) {
      OpBuilder b(op);
      if (auto barrier = dyn_cast<ocl::BarrierOp>(op)) {
        info->barrier(b, barrier);
        op->erase();
      } else if (auto partial = dyn_cast<ocl::PartialBarrierOp>(op)) {
        info->partialBarrier(b, partial);
        op->erase();
      } else if (auto fence = dyn_cast<ocl::FenceOp>(op)) {
        gpu::fence(b, op->getLoc(), *info, atomicOrdering(fence.getOrder()), fence.getScope(), fence.getFence());
        op->erase();
      } else if (auto query = dyn_cast<ocl::IsAddrSpaceOp>(op)) {
        query.replaceAllUsesWith(info->isAddrSpace(b, op->getLoc(), query.getSpace(), query.getPointer()));
        query.erase();
      } else if (auto clock = dyn_cast<ocl::ReadClockOp>(op)) {
        clock.replaceAllUsesWith(info->readClock(b, op->getLoc(), clock.getScope()));
        clock.erase();
      } else if (auto rmw = dyn_cast<ocl::AtomicRmwOp>(op); Value old = rmw ? info->atomic(b, rmw) : Value()) {
        rmw.replaceAllUsesWith(old);
        rmw.erase();
      } else {
        lowerAtomic(op, [&](ocl::Scope scope) { return info->syncScope(scope); });
      }
    });
  }
};
} // namespace
} // namespace kiln
