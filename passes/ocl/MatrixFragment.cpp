#include "passes/ocl/MatrixFragment.h"
#include "dialects/ocl/IntConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace kiln {
namespace {
/// values[lane] = first + (lane / width % groups) * perGroup + (lane % width) * perLane
struct Steps {
  int64_t width, groups, perGroup, perLane;
};

std::optional<Steps> stepsOf(ArrayRef<int64_t> values) {
  const auto count = int64_t(values.size());
  for (int64_t width = count; width >= 1; width /= 2)
    for (int64_t groups = count / width; groups >= 1; groups /= 2) {
      const Steps steps{width, groups, groups > 1 ? values[width] - values[0] : 0,
                        width > 1 ? values[1] - values[0] : 0};
      if (llvm::all_of(llvm::seq<int64_t>(0, count), [&](int64_t lane) {
            return values[lane] == values[0] + lane / width % groups * steps.perGroup + lane % width * steps.perLane;
          }))
        return steps;
    }
  return {};
}
} // namespace

MatrixFragment::MatrixFragment(ocl::MatrixType type, int64_t lanes)
    : MatrixFragment(type, lanes, [&] {
        std::vector<Component> places;
        for (int64_t place = 0; place < type.getComponents(); ++place)
          places.push_back({place / type.getColumns(), place % type.getColumns()});
        return places;
      }()) {}

MatrixFragment::MatrixFragment(ocl::MatrixType type, int64_t lanes, std::vector<Component> places)
    : columns_(type.getColumns()), lanes_(lanes), places_(std::move(places)), indices_(size_t(type.getComponents())) {
  for (auto [index, component] : llvm::enumerate(places_))
    indices_[size_t(component.row * columns_ + component.column)] = int64_t(index);
}

Value LaneTable::lookUp(ArrayRef<int64_t> values) {
  if (llvm::all_equal(values))
    return constant(values[0]);
  const auto plus = [&](Value a, Value b) { return a ? arith::AddIOp::create(b_, loc_, a, b).getResult() : b; };
  const auto times = [&](Value a, int64_t by) {
    return by == 1 ? a : arith::MulIOp::create(b_, loc_, a, constant(by)).getResult();
  };
  if (const std::optional<Steps> steps = stepsOf(values)) {
    Value lane = laneId(), sum = values[0] ? constant(values[0]) : Value();
    const auto count = int64_t(values.size());
    if (steps->perGroup) {
      Value group = arith::DivUIOp::create(b_, loc_, lane, constant(steps->width));
      if (steps->groups * steps->width < count)
        group = arith::RemUIOp::create(b_, loc_, group, constant(steps->groups));
      sum = plus(sum, times(group, steps->perGroup));
    }
    if (steps->perLane) {
      Value inGroup = lane;
      if (steps->width < count)
        inGroup = arith::RemUIOp::create(b_, loc_, lane, constant(steps->width));
      sum = plus(sum, times(inGroup, steps->perLane));
    }
    return sum;
  }
  Value found = constant(values.back());
  for (auto [lane, value] : llvm::enumerate(values.drop_back())) {
    Value isLane = arith::CmpIOp::create(b_, loc_, arith::CmpIPredicate::eq, laneId(), constant(int64_t(lane)));
    found = arith::SelectOp::create(b_, loc_, isLane, constant(value), found);
  }
  return found;
}

Value LaneTable::constant(int64_t number) { return intConstant(b_, loc_, number, 32); }

Value LaneTable::laneId() {
  return ocl::LinearQueryOp::create(b_, loc_, b_.getI32Type(), ocl::LinearQuery::sub_group_local_id);
}

} // namespace kiln
