// Barriers, fences and atomics of `ocl` as the GPU's: hardware barriers, LLVM's atomics with the target's scopes. And
// what a generic pointer points to, which the hardware knows.
//
//   ocl.barrier work_group local                             nvvm.barrier
//   %old = ocl.atomic_rmw add %p, %v relaxed device     ==>  %old = llvm.atomicrmw add %p, %v syncscope("device")
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "passes/Passes.h"
#include "passes/convert/AtomicLowering.h"
#include "passes/gpu/Hardware.h"

using namespace mlir;

namespace kiln {
#define GEN_PASS_DEF_LOWERGPUSYNC
#include "passes/Passes.h.inc"
namespace {
struct LowerGpuSync : impl::LowerGpuSyncBase<LowerGpuSync> {
  using LowerGpuSyncBase::LowerGpuSyncBase;

  void runOnOperation() override {
    auto hardware = gpu::Hardware::named(target);
    if (!hardware) {
      getOperation().emitError("gpu-lower-sync needs a target: nvptx or amdgpu");
      return signalPassFailure();
    }
    bool refused = false;
    getOperation().walk([&](Operation *op) {
      OpBuilder b(op);
      if (isa<ocl::ReadClockOp>(op)) {
        op->emitError("clocks are not there yet on GPUs");
        refused = true;
        return;
      }
      if (op->hasTrait<ocl::Meeting>() && !isa<ocl::BarrierOp>(op)) {
        op->emitError("work-group and sub-group functions are not there yet on GPUs");
        refused = true;
        return;
      }
      if (auto barrier = dyn_cast<ocl::BarrierOp>(op)) {
        hardware->barrier(b, barrier);
        op->erase();
      } else if (auto fence = dyn_cast<ocl::FenceOp>(op)) {
        gpu::fence(b, op->getLoc(), *hardware, atomicOrdering(fence.getOrder()), fence.getScope(), fence.getFence());
        op->erase();
      } else if (auto question = dyn_cast<ocl::IsInOp>(op)) {
        question.replaceAllUsesWith(hardware->isIn(b, op->getLoc(), question.getSpace(), question.getPointer()));
        question.erase();
      } else if (auto rmw = dyn_cast<ocl::AtomicRmwOp>(op); Value old = rmw ? hardware->atomic(b, rmw) : Value()) {
        rmw.replaceAllUsesWith(old);
        rmw.erase();
      } else {
        lowerAtomic(op, [&](ocl::Scope scope) { return hardware->syncScope(scope); });
      }
    });
    if (refused)
      signalPassFailure();
  }
};
} // namespace
} // namespace kiln
