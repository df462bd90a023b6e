// Checks that all work-items of a group come to a barrier (KILN_CHECK=barriers).
//
//                                             ocl.start_arrivals %a item %i      // once, when the kernel starts
//   ocl.barrier work_group local       ==>    ocl.fence release work_group local
//                                             ocl.check_barrier %check, %a site 2 item %i ...
//                                             ocl.fence acquire work_group local
//
// ocl.check_barrier is a barrier itself, which all work-items of the group share, whichever barrier of the kernel they
// are at (dialects/library/Check.clcpp). So a wrong kernel neither hangs nor mixes two barriers up: the work-items at
// one barrier go on, the missing ones are recorded, and those at another one wait.
//
// NVIDIA's lanes run independently, and so come to a barrier at different times, in right kernels as well. There a lane
// waits for the others of its warp, until they are at a barrier or have returned: each return of the kernel is
// recorded. A lane outside of a branch may wait for those in it, which wait at a barrier; after about a second they go
// on.
//
// Runs after gpu-lower-groups, so that collectives are checked by their barriers. Not handled: barriers of sub-groups,
// and blocks that kernels enqueue.
#include "base/abi/Check.h"
#include "base/abi/CheckAbi.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "passes/Pass.h"
#include "passes/lowering/CheckSites.h"

using namespace mlir;

namespace kiln {
#include "passes/CheckBarriers.pass.inc"
namespace {

Value itemOf(ImplicitLocOpBuilder &b) {
  return ocl::LinearQueryOp::create(b, b.getI32Type(), ocl::LinearQuery::local_linear_id);
}

/// The work-item in its group, computed where a barrier is: nothing lives across the kernel for it.
struct ItemOfGroup {
  explicit ItemOfGroup(ImplicitLocOpBuilder &b) {
    item = itemOf(b);
    for (int64_t dim : {0, 1, 2}) {
      auto query = [&](ocl::Query kind, Type type) -> Value {
        return ocl::QueryOp::create(b, type, kind, intConstant(b, dim, 32));
      };
      sizes.push_back(query(ocl::Query::local_size, b.getI32Type()));
      first.push_back(arith::SubIOp::create(b, query(ocl::Query::global_id, b.getI64Type()),
                                            query(ocl::Query::local_id, b.getI64Type())));
    }
  }
  Value item;                  // linear local id
  SmallVector<Value, 3> sizes; // of the group
  SmallVector<Value, 3> first; // global ids of the group's first work-item
};

struct CheckBarriers : impl::CheckBarriersBase<CheckBarriers> {
  void runOnOperation() override {
    const ocl::TargetAttr target = ocl::gpuTargetOf(getOperation(), "gpu-check-barriers");
    if (!target)
      return signalPassFailure();
    areFree_ = target.getKind() == ocl::TargetKind::nvptx;
    LLVM::GlobalOp arrivals;
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      SmallVector<ocl::BarrierOp> barriers;
      if (ocl::isLaunchedByHost(kernel))
        kernel.walk([&](ocl::BarrierOp barrier) {
          if (barrier.getExecution() == ocl::Scope::work_group)
            barriers.push_back(barrier);
        });
      if (barriers.empty())
        continue;
      if (!arrivals)
        arrivals = makeArrivals();
      KernelSites sites(kernel);
      for (ocl::BarrierOp barrier : barriers)
        replace(barrier, arrivals, sites);
      sites.finish();
      auto start = ImplicitLocOpBuilder::atBlockBegin(kernel.getLoc(), &kernel.getBody().front());
      ocl::StartArrivalsOp::create(start, LLVM::AddressOfOp::create(start, arrivals), itemOf(start));
      if (areFree_)
        kernel.walk([&](func::ReturnOp exit) {
          ImplicitLocOpBuilder b(exit.getLoc(), exit);
          ocl::EndArrivalsOp::create(b, LLVM::AddressOfOp::create(b, arrivals), itemOf(b));
        });
    }
  }

  // In local memory.
  LLVM::GlobalOp makeArrivals() {
    OpBuilder detached(&getContext());
    auto type = LLVM::LLVMArrayType::get(detached.getI8Type(), sizeof(abi::BarrierArrivals));
    auto variable =
        LLVM::GlobalOp::create(detached, getOperation().getLoc(), type, /*isConstant=*/false, LLVM::Linkage::Internal,
                               "kiln.check_arrivals", Attribute(), alignof(abi::BarrierArrivals), ocl::Local);
    SymbolTable(getOperation()).insert(variable); // renames it if the program has a symbol of this name
    return variable;
  }

  void replace(ocl::BarrierOp barrier, LLVM::GlobalOp arrivals, KernelSites &sites) {
    ImplicitLocOpBuilder b(barrier.getLoc(), barrier);
    ocl::FenceOp::create(b, ocl::Order::release, barrier.getScope(), barrier.getFence());
    // Not that of another barrier in the same line, or without lines: work-items at one site count as being together.
    const uint32_t site = sites.add(barrier.getLoc(), {.access = abi::CheckedBarrier});
    const ItemOfGroup own(b);
    const Value check = ocl::CheckLaunchOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), ocl::Global));
    ocl::CheckBarrierOp::create(b, LLVM::AddressOfOp::create(b, arrivals), check, intConstant(b, areFree_, 1),
                                intConstant(b, site, 32), own.item, own.sizes[0], own.sizes[1], own.sizes[2],
                                own.first[0], own.first[1], own.first[2]);
    ocl::FenceOp::create(b, ocl::Order::acquire, barrier.getScope(), barrier.getFence());
    barrier.erase();
    ++barriersChecked;
  }

  bool areFree_ = false; // the lanes of a sub-group
};
} // namespace
} // namespace kiln
