#include "passes/simd/Pressure.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace kiln {
namespace {

// What a function of the math library needs for itself.
constexpr unsigned OfFunction = 4;

class Pressure {
public:
  Pressure(const LaneShapes &shapes, const DataLayout &layout) : shapes_(shapes), layout_(layout) {}

  /// The most in a block behind which `live` is still wanted.
  unsigned of(Block &block, DenseSet<Value> live) {
    unsigned now = 0, most = 0;
    for (Value value : live)
      now += weight(value);
    auto want = [&](Value value) {
      if (live.insert(value).second)
        now += weight(value);
      most = std::max(most, now);
    };
    for (Value operand : block.getTerminator()->getOperands())
      want(operand);
    for (Operation &op : llvm::reverse(block.without_terminator())) {
      for (Value result : op.getResults())
        if (live.erase(result))
          now -= weight(result);
      for (Value operand : op.getOperands())
        want(operand);
      if (isa<ocl::MathOp>(op))
        most = std::max(most, now + OfFunction);
      if (op.getNumRegions() == 0)
        continue;
      op.walk([&](Operation *inner) { // a loop comes back to all that it uses
        for (Value operand : inner->getOperands())
          if (!op.isAncestor(operand.getParentBlock()->getParentOp()))
            want(operand);
      });
      for (Region &region : op.getRegions())
        if (!region.empty())
          most = std::max(most, of(region.front(), live));
    }
    return most;
  }

private:
  unsigned weight(Value value) const {
    if (shapes_.of(value).isStrided() || isa<LLVM::LLVMPointerType>(getElementTypeOrSelf(value)))
      return 0;
    const uint64_t bits = layout_.getTypeSizeInBits(getElementTypeOrSelf(value)).getFixedValue();
    auto vector = dyn_cast<VectorType>(value.getType());
    return (vector ? unsigned(vector.getNumElements()) : 1) * (bits > 32 ? 2 : 1);
  }

  const LaneShapes &shapes_;
  const DataLayout &layout_;
};

} // namespace

unsigned vectorPressure(Region &body, const LaneShapes &shapes, const DataLayout &layout) {
  return Pressure(shapes, layout).of(body.front(), {});
}

} // namespace kiln
