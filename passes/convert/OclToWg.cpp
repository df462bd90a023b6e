// Splits kernels at their barriers into parallel regions over work-items.
//
//   A                             wg.parallel { A }
//   scf.while : (%i) {            scf.while : (%i) {
//     B                             wg.parallel { B }
//     ocl.barrier local     ==>
//     C                             wg.parallel { C }
//     scf.condition(%c)             scf.condition(%c)
//   }                             }
//
// What every work-item computes alike from values of the group (loop counters, sizes, arguments) stays outside the
// regions and is computed once. What varies and lives from one region to another goes through a `wg.slot`, unless it is
// cheap to compute again. A condition around a barrier that is uniform is evaluated once; one that is not becomes a
// mask: the group goes on while any work-item does, and those that do not take part are left out. So work-items that
// returned early count as arrived, and a kernel that breaks the specification's rule still ends.
//
// What work-items compute together splits a region as a barrier does: each leaves its value in a slot, and behind the
// region's end the slot is combined (`wg.reduce`, `wg.combine`), or read where another work-item left its value. The
// mask says whose values count, so that a sub-group's work-items may come in parts, by whatever ways.
//
// A kernel without a barrier becomes one region, control flow graph and all. A structured one goes through
// FormRegions.cpp and RegionValues.cpp. One with barriers that was too large to get structure, or has more of them than
// `max-regions`, goes through ResumePoints.cpp.
#include "dialects/ocl/Ocl.h"
#include "dialects/wg/Wg.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "passes/Passes.h"
#include "passes/analysis/Barriers.h"
#include "passes/convert/FormRegions.h"
#include "passes/convert/ResumePoints.h"

using namespace mlir;

namespace kiln {
#define GEN_PASS_DEF_OCLTOWG
#include "passes/Passes.h.inc"
namespace {

// A struct argument that the kernel writes to, or whose address it hands on, becomes a private variable.
void copyByValueArguments(func::FuncOp kernel) {
  Block &entry = kernel.getBody().front();
  for (BlockArgument argument : entry.getArguments()) {
    auto type = kernel.getArgAttrOfType<TypeAttr>(argument.getArgNumber(), ocl::ArgByValueAttr);
    auto kind = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), ocl::ArgKindAttr);
    if (!type || (kind && kind == "image")) // nothing writes to an image's description, and loads from it say so
      continue;
    SmallVector<Value> pointers{argument};
    bool onlyRead = true;
    while (onlyRead && !pointers.empty())
      for (Operation *user : pointers.pop_back_val().getUsers()) {
        if (isa<LLVM::GEPOp>(user))
          pointers.push_back(user->getResult(0));
        else if (!isa<LLVM::LoadOp>(user))
          onlyRead = false;
      }
    if (onlyRead)
      continue;
    auto builder = OpBuilder::atBlockBegin(&entry);
    Location loc = kernel.getLoc();
    DataLayout layout = DataLayout::closest(kernel);
    Value one = arith::ConstantIntOp::create(builder, loc, 1, 32);
    auto copy = LLVM::AllocaOp::create(builder, loc, argument.getType(), type.getValue(), one);
    argument.replaceAllUsesWith(copy);
    LLVM::MemcpyInlineOp::create(builder, loc, copy, argument,
                                 builder.getI64IntegerAttr(layout.getTypeSize(type.getValue()).getFixedValue()), false);
  }
}

// An index, which switches ask for, has no form in memory: each use makes its own from the number that it is, so that
// none has to live across a barrier.
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

// A kernel without a barrier is one region: the body as it stands.
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

struct OclToWg : impl::OclToWgBase<OclToWg> {
  using OclToWgBase::OclToWgBase;

  // Each region is two loops or a function of its own, which takes the compiler longer than a round. What work-items
  // compute together needs regions, however many, and so do sub-groups, whose work-items meet where others do not.
  bool hasManyRegions(func::FuncOp kernel) {
    unsigned barriers = 0, others = 0;
    kernel.walk([&](Operation *op) {
      if (!op->hasTrait<ocl::Meeting>())
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
      copyByValueArguments(kernel);
      if (!barriers.contains(kernel)) {
        wrapBody(kernel);
        continue;
      }
      makeIndicesWhereUsed(kernel);
      if (failed(kernel.getBody().hasOneBlock() && !hasManyRegions(kernel) ? formRegions(kernel, barriers)
                                                                           : resumeAtBarriers(kernel, barriers)))
        return signalPassFailure();
    }
  }
};
} // namespace
} // namespace kiln
