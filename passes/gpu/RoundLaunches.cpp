// Marks the dimensions of a kernel in which a launch may be rounded up to whole work-groups.
//
//   func.func @k() attributes {ocl.kernel}               func.func @k() attributes {ocl.kernel,
//     %x = ocl.query global_id[%c0] : i64      ==>           ocl.rounded_dims = 1 : i32}
//
// An NDRange that is not a multiple of the local size then needs one launch instead of up to eight. gpu-lower-entries
// ends the work-items beyond the NDRange at once. Legal if the kernel does not depend on its group (GroupShape.h).
// Not handled: dimensions whose ids the kernel does not use.
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
