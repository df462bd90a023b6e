// Marks the dimensions of a kernel in which a launch may be rounded up to whole work-groups.
//
//   func.func @k() attributes {ocl.kernel}               func.func @k() attributes {ocl.kernel,
//     %x = ocl.query global_id[%c0] : i64      ==>           ocl.rounded_dims = 1 : i32}
//
// An NDRange that is no multiple of the local size then needs one launch instead of up to eight: gpu-lower-entries ends
// the work-items that are too many. They must not be noticed, so the kernel must not depend on its group, and in a
// dimension whose ids it does not use, each further work-item would repeat its effects.
#include "dialects/ocl/Ocl.h"
#include "passes/Pass.h"
#include "passes/analysis/GroupShape.h"

using namespace mlir;

namespace kiln {
#include "passes/RoundLaunches.pass.inc"
namespace {

struct RoundLaunches : impl::RoundLaunchesBase<RoundLaunches> {
  using RoundLaunchesBase::RoundLaunchesBase;

  void runOnOperation() override {
    Builder builder(&getContext());
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(ocl::KernelAttr) && !kernel->hasAttr(ocl::BlockAttr) && !kernel.isExternal())
        if (unsigned dims = roundableDims(kernel))
          kernel->setAttr(ocl::RoundedDimsAttr, builder.getI32IntegerAttr(int32_t(dims)));
  }
};

} // namespace
} // namespace kiln
