// Programs are written for one sub-group size, and run with another one:
//
//   %l = arith.xori %self, 16                        %size = ocl.linear_query sub_group_size
//   %v = ocl.shuffle sub_group %x[%l]     ==>        scf.if %l >= %size { report %l, %size }
//                                                    %v = ocl.shuffle sub_group %x[%l]
//
// The result of a shuffle is undefined if the work-item that it names does not exist (OpenCL C 3.0, 6.15.19). Shuffles
// up and down name such work-items at an end of each sub-group, and programs do not use these results. So only the
// distance is compared, with the size that sub-groups of the kernel have: a scan needs all distances below it. A sum or
// difference of the work-item's own id and a number is taken for such a shuffle. A cluster may be larger than the
// sub-group of a small work-group.
//
// Not handled: work-items that exist and do not execute the collective.
#include "passes/ocl/CollectiveChecks.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace kiln {
namespace {

Value linearQuery(ImplicitLocOpBuilder &b, ocl::LinearQuery kind) {
  return ocl::LinearQueryOp::create(b, b.getI64Type(), kind);
}

Value itemsOfGroup(ImplicitLocOpBuilder &b) {
  Value items;
  for (int64_t dim : {0, 1, 2}) {
    Value size = ocl::QueryOp::create(b, b.getI64Type(), ocl::Query::local_size, intConstant(b, dim, 32));
    items = items ? arith::MulIOp::create(b, items, size).getResult() : size;
  }
  return items;
}

bool isOwnLane(Value value) {
  auto query = value.getDefiningOp<ocl::LinearQueryOp>();
  return query && query.getKind() == ocl::LinearQuery::sub_group_local_id;
}

/// The number that is added to the work-item's own lane, or subtracted; null if the lane is another value.
Value distanceOf(Value lane) {
  if (auto sum = lane.getDefiningOp<arith::AddIOp>())
    return isOwnLane(sum.getLhs()) ? sum.getRhs() : isOwnLane(sum.getRhs()) ? sum.getLhs() : Value();
  auto difference = lane.getDefiningOp<arith::SubIOp>();
  return difference && isOwnLane(difference.getLhs()) ? difference.getRhs() : Value();
}

class Checker {
public:
  Checker(Operation *op, int64_t subGroupSize, ReportNumber report)
      : b_(op->getLoc(), op), subGroupSize_(subGroupSize), report_(report) {}

  bool check(ocl::ShuffleOp shuffle) {
    const Value lane = shuffle.getLane();
    if (shuffle.getLimit() == ocl::LaneLimit::none || isOwnLane(lane))
      return false;
    if (shuffle.getScope() == ocl::Scope::work_group)
      return compare(abi::NumberOfGroupItem, extended(lane), itemsOfGroup(b_));
    if (shuffle.getLimit() == ocl::LaneLimit::pair) {
      const Value most = linearQuery(b_, ocl::LinearQuery::max_sub_group_size);
      return compare(abi::IndexInPair, extended(lane), arith::AddIOp::create(b_, most, most));
    }
    if (const Value distance = distanceOf(lane)) {
      Value opposite = arith::SubIOp::create(b_, intConstant(b_, 0, 32), distance);
      return compare(abi::DistanceInSubGroup, extended(arith::MaxSIOp::create(b_, distance, opposite)),
                     intConstant(b_, subGroupSize_, 64));
    }
    return compare(abi::NumberOfSubGroupItem, extended(lane), linearQuery(b_, ocl::LinearQuery::sub_group_size));
  }

  bool check(ocl::CombineOp combine) {
    if (!combine.getCluster() || int64_t(*combine.getCluster()) <= subGroupSize_)
      return false;
    report_(b_, abi::ItemsOfCluster, intConstant(b_, *combine.getCluster(), 64), intConstant(b_, subGroupSize_, 64));
    return true;
  }

private:
  Value extended(Value number) { return b_.createOrFold<arith::ExtUIOp>(b_.getI64Type(), number); }

  bool compare(abi::CheckedNumber what, Value number, Value limit) {
    Value wrong = arith::CmpIOp::create(b_, arith::CmpIPredicate::uge, number, limit);
    auto branch = scf::IfOp::create(b_, wrong, /*withElseRegion=*/false);
    b_.setInsertionPointToStart(branch.thenBlock());
    report_(b_, what, number, limit);
    return true;
  }

  ImplicitLocOpBuilder b_;
  const int64_t subGroupSize_;
  ReportNumber report_;
};

} // namespace

unsigned checkCollectives(func::FuncOp kernel, int64_t subGroupSize, ReportNumber report) {
  SmallVector<Operation *> found;
  kernel.walk([&](Operation *op) {
    if (isa<ocl::ShuffleOp, ocl::CombineOp>(op) && !op->hasAttr(ocl::TrustedAttr))
      found.push_back(op);
  });
  unsigned checked = 0;
  for (Operation *op : found) {
    auto shuffle = dyn_cast<ocl::ShuffleOp>(op);
    Checker checker(op, subGroupSize, report);
    checked += shuffle ? checker.check(shuffle) : checker.check(cast<ocl::CombineOp>(op));
  }
  return checked;
}

} // namespace kiln
