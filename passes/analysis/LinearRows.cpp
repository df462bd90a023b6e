#include "passes/analysis/LinearRows.h"
#include "dialects/ocl/Ocl.h"
#include "dialects/ocl/Target.h"

using namespace mlir;

namespace kiln {

unsigned lowestLongDimension(ArrayRef<int64_t> localSize) {
  const auto longer = llvm::find_if(localSize, [](int64_t size) { return size > 1; });
  return longer == localSize.end() ? 0 : unsigned(longer - localSize.begin());
}

bool hasLinearRows(wg::ParallelOp region) {
  return region.rowDimension() == 0 ||
         region.rowDimension() == lowestLongDimension(ocl::fixedLocalSize(region->getParentOfType<ModuleOp>()));
}

bool queriesGlobalLinearId(Region &body) {
  return body
      .walk([](ocl::LinearQueryOp query) {
        return query.getKind() == ocl::LinearQuery::global_linear_id ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace kiln
