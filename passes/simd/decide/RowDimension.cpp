#include "passes/simd/decide/RowDimension.h"
#include "dialects/ocl/Ocl.h"
#include "passes/analysis/Constants.h"
#include "passes/analysis/PlainAccess.h"
#include "passes/analysis/Size.h"
#include "passes/simd/decide/Cost.h"

using namespace mlir;

namespace kiln {
namespace {

// Kernels of more operations are not analysed for each dimension: they compute more than they access memory.
constexpr unsigned MaxOperations = 1000;

// Rows along x are what applications expect, also of caches. Another dimension must cost less than this part, and must
// not scatter an access that is consecutive in x: masks that it avoids make up for few of the cache lines.
constexpr double CostRatio = 0.75;

bool isIdQuery(ocl::QueryOp query) {
  return query.getKind() == ocl::Query::global_id || query.getKind() == ocl::Query::local_id;
}

// Bit d: the region queries ids of dimension d. Nothing if a dimension is not constant.
std::optional<unsigned> queriedDimensions(Region &body) {
  unsigned dimensions = 0;
  const WalkResult result = body.walk([&](ocl::QueryOp query) {
    if (!isIdQuery(query))
      return WalkResult::advance();
    const std::optional<int64_t> dimension = constantOf(query.getDim());
    if (!dimension)
      return WalkResult::interrupt();
    if (*dimension >= 0 && *dimension < 3)
      dimensions |= 1u << *dimension;
    return WalkResult::advance();
  });
  return result.wasInterrupted() ? std::nullopt : std::optional(dimensions);
}

// Returns true if the operation is addressed by linear ids, or if programs may observe the order of work-items by it:
// atomics, volatile accesses, printf. OpenCL leaves that order open, but programs see that of linear ids everywhere.
bool dependsOnOrder(Operation *op, const DataLayout &layout) {
  if (auto query = dyn_cast<ocl::LinearQueryOp>(op))
    return query.getKind() != ocl::LinearQuery::work_dim;
  if (isa<wg::WgDialect>(op->getDialect()))
    return !isa<wg::YieldOp>(op);
  return op->getNumRegions() == 0 && !isa<LLVM::AllocaOp>(op) && !isMemoryEffectFree(op) && !plainAccess(op, layout);
}

/// What rows along a dimension cost.
struct Rows {
  double costPerItem;
  SmallVector<bool> isConsecutive, isScattered; // of each access, in the order of the code; neither: uniform

  // Returns true if an access that is consecutive along the other dimension is scattered along this one.
  bool scatters(const Rows &other) const {
    return llvm::any_of(llvm::zip_equal(other.isConsecutive, isScattered),
                        [](auto access) { return std::get<0>(access) && std::get<1>(access); });
  }
};

// `lanes`: work-items per vector; if 1, code is scalar.
Rows analyse(Region &body, unsigned lanes, const CpuTargetInfo &target) {
  const DataLayout layout = DataLayout::closest(body.getParentOp());
  const unsigned shapedLanes = std::max(lanes, 2u);
  Rows rows{.costPerItem = std::numeric_limits<double>::max(), .isConsecutive = {}, .isScattered = {}};
  for (bool isOptimistic : {true, false}) {
    const LaneShapes shapes(body, shapedLanes, layout, /*assumeIdsFit31Bits=*/true, {.oneTile = isOptimistic});
    const AccessGroups groups(body, shapes, target, layout, /*allowAliasChecks=*/true);
    const ScatteredUpdates updates(body, shapes, groups);
    const Cost cost = costOf(body, shapes, groups, updates, shapedLanes, target, layout);
    const double best = lanes < 2 ? cost.scalar : std::min(cost.scalar, cost.vector);
    rows.costPerItem = std::min(rows.costPerItem, best / shapedLanes);
    if (!isOptimistic)
      continue;
    body.walk([&](Operation *op) {
      const std::optional<PlainAccess> access = plainAccess(op, layout);
      if (!access)
        return;
      const std::optional<StrideInfo> info = shapes.of(access->pointer).strideInfoIfGuardsHold();
      rows.isConsecutive.push_back(info && info->stride == access->bytes);
      rows.isScattered.push_back(!info || (info->stride != 0 && info->stride != access->bytes));
    });
  }
  return rows;
}

} // namespace

bool canChooseRowDimension(wg::ParallelOp region) {
  Region &body = region.getBody();
  if (region.getMask() || region.getJam() || hasMoreOperations(body, MaxOperations))
    return false;
  const std::optional<unsigned> dimensions = queriedDimensions(body);
  if (!dimensions || *dimensions < 2)
    return false;
  const DataLayout layout = DataLayout::closest(region);
  return !body.walk([&](Operation *op) {
                return dependsOnOrder(op, layout) ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

unsigned chooseRowDimension(wg::ParallelOp region, ArrayRef<int64_t> localSize, unsigned lanes,
                            const CpuTargetInfo &target) {
  Region &body = region.getBody();
  const unsigned queried = queriedDimensions(body).value_or(0);
  const std::optional<uint64_t> before = region.getAlong();
  auto along = [&](unsigned dimension) {
    region.setAlong(dimension);
    const uint64_t items = localSize.empty() ? lanes : llvm::bit_floor(uint64_t(localSize[dimension]));
    Rows rows = analyse(body, unsigned(std::min<uint64_t>(items, lanes)), target);
    region.setAlong(before);
    return rows;
  };
  const Rows x = along(0);
  unsigned best = 0;
  double cost = CostRatio * x.costPerItem;
  for (unsigned dimension : {1u, 2u})
    if ((queried & 1u << dimension) && (localSize.empty() || localSize[dimension] > 1))
      if (const Rows rows = along(dimension); rows.costPerItem < cost && !rows.scatters(x))
        best = dimension, cost = rows.costPerItem;
  return best;
}

} // namespace kiln
