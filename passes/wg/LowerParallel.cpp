// Lowers work-group kernels to functions that run a range of work-groups (abi::CpuEntry), with loops over work-items.
//
//   func.func @k(%a: !llvm.ptr<1>)         llvm.func @k.group(%arguments, %launch, %first, %end, %local, %items) {
//     attributes {ocl.kernel} {              for each group of [first, end):
//     wg.parallel { body }          ==>        for each row of this group, for x below its size:
//     return                                     body, with its queries lowered to x, the row and the group
//   }                                          return
//
// Each part has a file: the function with the loop over groups (GroupFunction), slots (Slots), the loops over
// work-items (ItemLoops), collectives (Collectives), private variables (PrivateMemory), queries (Queries). If there are
// many regions, each becomes a function (OutlineRegions).
//
// With `ocl.local_size`, sizes are constants. Such a variant runs only launches all of whose groups have that size.
//
// Expects plain control flow (`convert-scf-to-cf` ran).
#include "dialects/ocl/Target.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/Pass.h"
#include "passes/analysis/GroupShape.h"
#include "passes/analysis/Size.h"
#include "passes/wg/Collectives.h"
#include "passes/wg/ItemLoops.h"
#include "passes/wg/OutlineRegions.h"
#include "passes/wg/PrivateMemory.h"
#include "passes/wg/Queries.h"

using namespace mlir;

namespace kiln {
#include "passes/LowerParallel.pass.inc"
namespace {

void lowerKernel(func::FuncOp kernel) {
  const bool sees = dependsOnLocalSize(kernel), readsOften = readsInLoops(kernel);
  const bool isLarge = hasMoreOperations(kernel.getBody(), MaxLlvmLoopOps);
  GroupFunction group(kernel);
  Slots slots(group);
  placeLargeVariables(group, slots);
  SmallVector<Operation *> work; // in the order of the code
  SmallVector<wg::ReadOp> reads; // outside regions
  unsigned rowDimension = 0;     // of a kernel of one region
  group.function.walk([&](Operation *op) {
    if (auto parallel = dyn_cast<wg::ParallelOp>(op))
      rowDimension = parallel.rowDimension();
    if (isa<wg::ParallelOp>(op) || Collectives::isCollective(op))
      work.push_back(op);
    else if (auto read = dyn_cast<wg::ReadOp>(op); read && !op->getParentOfType<wg::ParallelOp>())
      reads.push_back(read);
  });
  bool outlines = work.size() > (group.fixedSize.empty() ? MaxInlineRegionsGeneric : MaxInlineRegionsFixed);
  SmallVector<OutlineCandidate> candidates;
  Collectives collectives(group, slots);
  for (Operation *op : work) {
    group.loc = op->getLoc();
    Block *before = op->getBlock();
    auto parallel = dyn_cast<wg::ParallelOp>(op);
    Block *after = parallel ? loopOverItems(parallel, group, slots, isLarge && !outlines) : collectives.lower(op);
    candidates.push_back({before, after, /*isCollective=*/!parallel});
  }
  for (wg::ReadOp read : reads) {
    group.loc = read.getLoc();
    slots.lower(read, {});
  }
  lowerQueries(group.function.getBody(), group, {});
  lowerLaunchBufferOps(group);
  // Code after an infinite loop is unreachable, and conversions do not lower unreachable code.
  IRRewriter rewriter(kernel.getContext());
  (void)eraseUnreachableBlocks(rewriter, group.function->getRegions());
  group.setPlan(ocl::plan::DependsOnLocalSize, sees);
  group.setPlan(ocl::plan::PrefersTiles, readsOften);
  group.setPlan(ocl::plan::RowDimension, sees ? 0 : rowDimension);
  group.setPlan(ocl::plan::PrefersFixedLocalSize, kernel->hasAttr(ocl::PrefersFixedLocalSizeAttr));
  auto best = kernel->getAttrOfType<IntegerAttr>(ocl::PreferredMultipleAttr);
  group.setPlan(ocl::plan::PreferredMultiple, best ? uint64_t(best.getInt()) : 1);
  lowerAddressSpaceQueries(group);
  if (outlines)
    outlineRegions(group, candidates);
  hoistAllocas(group.function);
  slots.erase();
  kernel.erase();
}

struct LowerParallel : impl::LowerParallelBase<LowerParallel> {
  using LowerParallelBase::LowerParallelBase;

  void runOnOperation() override {
    const ArrayRef<int64_t> localSize = ocl::fixedLocalSize(getOperation());
    WalkResult jamFits = getOperation().walk([&](wg::ParallelOp region) {
      const uint64_t rows = region.getJam().value_or(1);
      const bool fits = rows == 1 || (rows && !localSize.empty() && localSize[1] % rows == 0 && localSize[2] == 1);
      return fits ? WalkResult::advance()
                  : WalkResult(region.emitError()
                               << "jams " << rows << " rows, which must divide the fixed local size in y");
    });
    if (jamFits.wasInterrupted())
      return signalPassFailure();
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (ocl::staysFunction(function))
        continue;
      else if (!function->hasAttr(ocl::KernelAttr) || function.isExternal())
        function.erase(); // all calls were inlined
      else
        lowerKernel(function);
    // Local variables are offsets now.
    SmallVector<LLVM::GlobalOp> globals(getOperation().getOps<LLVM::GlobalOp>());
    for (LLVM::GlobalOp global : globals)
      if (global.getAddrSpace() == ocl::Local)
        global.erase();
  }
};
} // namespace
} // namespace kiln
