// Splits kernels at barriers into parallel regions.
//
//   A                             wg.parallel { A }
//   scf.while : (%i) {            scf.while : (%i) {
//     B                             wg.parallel { B }
//     ocl.barrier local     ==>
//     C                             wg.parallel { C }
//     scf.condition(%c)             scf.condition(%c)
//   }                             }
//
// Operations with uniform operands (loop counters, sizes, arguments) stay outside the regions and run once per group. A
// varying value that lives across regions goes through a `wg.slot`, unless it is cheap to recompute. A uniform
// condition around a barrier is evaluated once. A varying one becomes a mask: the group continues while any work-item
// does, and the others are masked. So work-items that returned early count as arrived, and a kernel whose work-items
// disagree about a barrier, which the specification forbids, still ends.
//
// A collective splits a region as a barrier does: each work-item stores its value in a slot. After the end of the
// region the slot is combined (`wg.reduce`, `wg.combine`), or another work-item's element is read. The mask selects the
// values that count, so a sub-group's work-items may execute a collective in divergent control flow.
//
// A kernel without a barrier becomes one region with its control flow graph. Structured kernels go through
// FormRegions.cpp and CrossRegionValues.cpp. Kernels with a barrier that were too large to be structurized, or that
// have more than `max-regions` barriers, go through ResumePoints.cpp.
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "dialects/wg/Wg.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "passes/Pass.h"
#include "passes/analysis/Barriers.h"
#include "passes/analysis/SubGroupSize.h"
#include "passes/cpu/FormRegions.h"
#include "passes/cpu/GroupNotes.h"
#include "passes/cpu/ResumePoints.h"
#include "passes/cpu/TrackGroups.h"
#include "passes/lowering/CheckSites.h"

using namespace mlir;

namespace kiln {
#include "passes/OclToWg.pass.inc"
namespace {

// Copies a struct argument that the kernel stores to, or whose address escapes, to a private variable.
void copyByValueArguments(func::FuncOp kernel) {
  Block &entry = kernel.getBody().front();
  for (BlockArgument argument : entry.getArguments()) {
    auto type = kernel.getArgAttrOfType<TypeAttr>(argument.getArgNumber(), ocl::ArgByValueAttr);
    auto kind = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), ocl::ArgKindAttr);
    if (!type || (kind && kind == "image")) // an image's description is never stored to; loads from it are invariant
      continue;
    SmallVector<Value> pointers{argument};
    bool onlyRead = true;
    while (onlyRead && !pointers.empty())
      for (Operation *user : pointers.pop_back_val().getUsers()) {
        if (isa<LLVM::GEPOp, ocl::CheckAccessOp>(user))
          pointers.push_back(user->getResult(0));
        else if (!isa<LLVM::LoadOp>(user))
          onlyRead = false;
      }
    if (onlyRead)
      continue;
    auto builder = OpBuilder::atBlockBegin(&entry);
    Location loc = kernel.getLoc();
    DataLayout layout = DataLayout::closest(kernel);
    Value one = intConstant(builder, loc, 1, 32);
    auto copy = LLVM::AllocaOp::create(builder, loc, argument.getType(), type.getValue(), one);
    argument.replaceAllUsesWith(copy);
    LLVM::MemcpyInlineOp::create(builder, loc, copy, argument,
                                 builder.getI64IntegerAttr(layout.getTypeSize(type.getValue()).getFixedValue()), false);
  }
}

// A value of index type, which switches need, cannot be stored in a slot. Each use gets its own cast of the integer, so
// that no index lives across a barrier.
void makeIndicesWhereUsed(func::FuncOp kernel) {
  SmallVector<Operation *> casts;
  kernel.walk([&](Operation *op) {
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) && op->getResult(0).getType().isIndex())
      casts.push_back(op);
  });
  for (Operation *cast : casts) {
    for (OpOperand &use : llvm::make_early_inc_range(cast->getUses())) {
      OpBuilder builder(use.getOwner());
      use.set(builder.clone(*cast)->getResult(0));
    }
    cast->erase();
  }
}

// Makes the body of a kernel without a barrier one region.
void wrapBody(func::FuncOp kernel) {
  Region &body = kernel.getBody();
  Block &old = body.front();
  Block *entry = new Block;
  Location loc = kernel.getLoc();
  for (BlockArgument argument : old.getArguments())
    argument.replaceAllUsesWith(entry->addArgument(argument.getType(), argument.getLoc()));
  old.eraseArguments(0, old.getNumArguments());
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointToEnd(entry);
  auto parallel = wg::ParallelOp::create(builder, loc, Value());
  parallel.getBody().takeBody(body);
  body.push_back(entry);
  func::ReturnOp::create(builder, loc);
  for (Block &block : parallel.getBody())
    if (auto exit = dyn_cast<func::ReturnOp>(block.getTerminator())) {
      builder.setInsertionPoint(exit);
      wg::YieldOp::create(builder, exit.getLoc());
      exit.erase();
    }
}

// A sub-group is a run of linear ids. The id of a work-item in its sub-group is therefore a remainder of the linear id,
// and the id of the sub-group is a quotient. The vectoriser recognises both forms.
void expandSubGroupIds(func::FuncOp kernel) {
  const int64_t size = cpuSubGroupSize(kernel);
  kernel.walk([&](ocl::LinearQueryOp query) {
    const bool isInside = query.getKind() == ocl::LinearQuery::sub_group_local_id;
    if (!isInside && query.getKind() != ocl::LinearQuery::sub_group_id)
      return;
    OpBuilder b(query);
    const Type type = query.getType();
    Value id = ocl::LinearQueryOp::create(b, query.getLoc(), type, ocl::LinearQuery::local_linear_id);
    Value by = arith::ConstantOp::create(b, query.getLoc(), b.getIntegerAttr(type, size));
    Value expanded = isInside ? arith::RemUIOp::create(b, query.getLoc(), id, by).getResult()
                              : arith::DivUIOp::create(b, query.getLoc(), id, by).getResult();
    query.replaceAllUsesWith(expanded);
    query.erase();
  });
}

struct OclToWg : impl::OclToWgBase<OclToWg> {
  using OclToWgBase::OclToWgBase;

  // Returns true if resume points compile faster than one region per barrier (two loops or a function each).
  // Collectives and sub-group barriers need regions: their work-items do not all arrive at the same point.
  bool hasManyRegions(func::FuncOp kernel) {
    unsigned barriers = 0, others = 0;
    kernel.walk([&](Operation *op) {
      if (!op->hasTrait<ocl::Convergent>())
        return;
      auto barrier = dyn_cast<ocl::BarrierOp>(op);
      ++(barrier && barrier.getExecution() == ocl::Scope::work_group ? barriers : others);
    });
    return barriers > maxRegions && !others;
  }

  bool staysCall(func::CallOp call) {
    auto callee = getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
    return callee && ocl::staysFunction(callee);
  }

  void runOnOperation() override {
    Barriers barriers(getOperation());
    CheckSites sites(getOperation());
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(ocl::KernelAttr) || kernel.isExternal())
        continue;
      if (kernel
              .walk([&](func::CallOp call) {
                if (staysCall(call))
                  return WalkResult::advance();
                call.emitError() << "the call of '" << call.getCallee() << "' could not be inlined";
                return WalkResult::interrupt();
              })
              .wasInterrupted())
        return signalPassFailure();
      const bool tracks = kernel->hasAttr(ocl::TrackedAttr);
      copyByValueArguments(kernel);
      expandSubGroupIds(kernel);
      if (!barriers.contains(kernel)) {
        wrapBody(kernel);
        if (tracks) {
          trackGroup(kernel);
          noteGroups(kernel);
        }
        continue;
      }
      makeIndicesWhereUsed(kernel);
      if (failed(kernel.getBody().hasOneBlock() && !hasManyRegions(kernel)
                     ? formRegions(kernel, barriers, checkBarriers ? &sites : nullptr, tracks)
                     : resumeAtBarriers(kernel, barriers, tracks)))
        return signalPassFailure();
      if (tracks)
        trackGroup(kernel);
    }
  }
};
} // namespace
} // namespace kiln
