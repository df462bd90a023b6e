#include "passes/simd/Width.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace kiln {
namespace {

// More varying operations than these keep the machine busy by themselves, or need all its registers.
constexpr unsigned MostTogether = 12, MostApart = 24, MostCarried = 2;

struct Body {
  unsigned varying = 0;
  bool isPlain = true; // no loop inside, no access that is not consecutive, no call
};

void look(Block &block, const LaneShapes &shapes, Body &found) {
  for (Operation &op : block.without_terminator()) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
        if (!region->empty())
          look(region->front(), shapes, found);
    } else if (op.getNumRegions()) {
      found.isPlain = false;
      continue;
    }
    Value address;
    Type type;
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      address = load.getAddr(), type = load.getType();
    else if (auto store = dyn_cast<LLVM::StoreOp>(op))
      address = store.getAddr(), type = store.getValue().getType();
    if (address) {
      LaneShape shape = shapes.of(address);
      found.isPlain &=
          shape.isStrided() && (type.isInteger(32) || type.isF32()) && (shape.isUniform() || shape.stride == 4);
    } else if (op.getNumRegions() == 0 && (!isMemoryEffectFree(&op) || isa<ocl::MathOp>(op))) {
      found.isPlain = false;
    }
    for (Value result : op.getResults())
      if (!shapes.of(result).isStrided()) {
        ++found.varying;
        Type element = getElementTypeOrSelf(result.getType());
        found.isPlain &=
            !isa<VectorType>(result.getType()) && (element.isInteger(1) || element.isInteger(32) || element.isF32());
      }
  }
}

} // namespace

unsigned vectorsAbreast(Region &body, const LaneShapes &shapes) {
  unsigned vectors = 1;
  body.walk([&](scf::WhileOp loop) {
    Body found;
    look(*loop.getBeforeBody(), shapes, found);
    look(*loop.getAfterBody(), shapes, found);
    const auto carried =
        llvm::count_if(loop.getBeforeArguments(), [&](Value value) { return !shapes.of(value).isStrided(); });
    if (!found.isPlain || found.varying == 0)
      return;
    if (!shapes.isUniform(loop.getConditionOp().getCondition()))
      vectors = std::max(vectors, found.varying <= MostApart ? 2u : 1u);
    else if (carried > 0 && carried <= MostCarried && found.varying <= MostTogether)
      vectors = std::max(vectors, 4u);
  });
  return vectors;
}

} // namespace kiln
