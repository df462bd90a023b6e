// Lowers traps (a failed `assert`, `__builtin_trap`) to the end of the work-item: the hardware's trap loses the device.
//
//   ^b:                                    ^b:
//     %r = ocl.printf %format                 %record = ocl.printf_buffer + abi::TrapRecordOffset
//     llvm.intr.trap                          %old = ocl.atomic_rmw add %record, 1
//     cf.br ^c                     ==>        cf.cond_br %old == 0, ^first, ^end
//                                           ^first:
//                                             %r = ocl.printf %format {ocl.trap_message}
//                                             llvm.store line and global ids, %record
//                                             cf.br ^end
//                                           ^end:
//                                             exit (NVIDIA)
//                                             return
//
// Only the first work-item of a launch that traps prints what it prints directly before the trap, which is the message
// of an assertion. The runtime reads the record when the launch has ended, and the launch fails (runtime/program/Trap).
// Legal because a launch with a trap fails, which leaves the contents of its buffers undefined.
//
// Work-items at a barrier do not wait for those that have ended: NVIDIA's barriers wait for the threads that have not
// exited (CUDA C++ Programming Guide, __syncthreads), AMD's for the waves that have not ended.
//
// On NVIDIA's GPUs the thread exits here, also in a function that is not inlined (ocl.called). The threads of a warp
// may wait for one another, in functions of sub-groups and at barriers, and a return could first wait for them to meet
// again. On AMD's, the work-item's lane is masked until the wave ends; s_endpgm would end the whole wave. So a function
// that is not inlined returns zeros there, and its caller goes on.
#include "base/abi/TrapAbi.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "dialects/ocl/Target.h"
#include "dialects/ocl/TrapMessage.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/Pass.h"

using namespace mlir;

namespace kiln {
#include "passes/LowerGpuTraps.pass.inc"
namespace {

struct LowerGpuTraps : impl::LowerGpuTrapsBase<LowerGpuTraps> {
  using LowerGpuTrapsBase::LowerGpuTrapsBase;

  void runOnOperation() override {
    const ocl::TargetAttr target = ocl::gpuTargetOf(getOperation(), "gpu-lower-traps");
    if (!target)
      return signalPassFailure();
    const bool exits = target.getKind() == ocl::TargetKind::nvptx;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<LLVM::Trap> traps;
      function.walk([&](LLVM::Trap trap) { traps.push_back(trap); });
      for (LLVM::Trap trap : traps)
        if (trap->getParentOp() != function) {
          trap.emitError("a trap is in structured control flow");
          return signalPassFailure();
        }
      for (LLVM::Trap trap : traps)
        lower(trap, exits);
      if (traps.empty())
        continue;
      IRRewriter rewriter(&getContext());
      (void)eraseUnreachableBlocks(rewriter, function->getRegions());
    }
  }

private:
  /// The printf directly before the trap; the trap if there is none.
  static Operation *beginOf(LLVM::Trap trap) {
    for (Operation *op = trap->getPrevNode(); op; op = op->getPrevNode()) {
      if (isa<ocl::PrintfOp>(op))
        return op;
      if (!isMemoryEffectFree(op))
        break;
    }
    return trap;
  }

  static void lower(LLVM::Trap trap, bool exits) {
    auto function = trap->getParentOfType<func::FuncOp>();
    Operation *begin = beginOf(trap);
    if (begin != trap)
      begin->setAttr(ocl::TrapMessageAttr, UnitAttr::get(begin->getContext()));
    Block *before = begin->getBlock(), *first = before->splitBlock(begin);
    first->splitBlock(trap->getNextNode()); // unreachable
    Block *end = new Block;
    end->insertBefore(first->getNextNode());

    auto b = ImplicitLocOpBuilder::atBlockEnd(trap.getLoc(), before);
    auto number = [&](int64_t value) { return intConstant(b, value, 64); };
    Value buffer = ocl::PrintfBufferOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), ocl::Global));
    auto field = [&](size_t offset) -> Value {
      return LLVM::GEPOp::create(b, buffer.getType(), b.getI8Type(), buffer,
                                 ArrayRef<LLVM::GEPArg>{int32_t(abi::TrapRecordOffset + offset)});
    };
    Value old = ocl::AtomicRmwOp::create(b, ocl::AtomicKind::add, field(offsetof(abi::TrapRecord, count)), number(1),
                                         ocl::Order::relaxed, ocl::Scope::device);
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, old, number(0));
    cf::CondBranchOp::create(b, isFirst, first, end);

    b.setInsertionPoint(trap);
    const auto place = trap->getLoc()->findInstanceOf<FileLineColLoc>();
    LLVM::StoreOp::create(b, number(place ? place.getLine() : 0), field(offsetof(abi::TrapRecord, line)), 8);
    for (int32_t dim : {0, 1, 2}) {
      Value id = ocl::QueryOp::create(b, b.getI64Type(), ocl::Query::global_id, intConstant(b, dim, 32));
      LLVM::StoreOp::create(b, id, field(offsetof(abi::TrapRecord, item) + sizeof(uint64_t) * size_t(dim)), 8);
    }
    cf::BranchOp::create(b, end);
    trap.erase();

    b.setInsertionPointToEnd(end);
    if (exits)
      LLVM::CallIntrinsicOp::create(b, b.getStringAttr("llvm.nvvm.exit"), ValueRange());
    SmallVector<Value> zeros;
    for (Type type : function.getResultTypes())
      zeros.push_back(zeroOf(b, type));
    func::ReturnOp::create(b, zeros);
  }

  static Value zeroOf(ImplicitLocOpBuilder &b, Type type) {
    if (TypedAttr zero = b.getZeroAttr(type))
      return arith::ConstantOp::create(b, zero);
    return LLVM::ZeroOp::create(b, type);
  }
};

} // namespace
} // namespace kiln
