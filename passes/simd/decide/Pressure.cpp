#include "passes/simd/decide/Pressure.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/analysis/ShortVectors.h"

using namespace mlir;

namespace kiln {
namespace {

class Pressure {
public:
  Pressure(const LaneShapes &shapes, const CpuTargetInfo &target, const DataLayout &layout)
      : shapes_(shapes), target_(target), layout_(layout) {}

  /// The largest pressure in a block after which the values `live` are used.
  unsigned of(Block &block, DenseSet<Value> live) {
    unsigned now = 0, max = 0;
    for (Value value : live)
      now += weight(value);
    auto use = [&](Value value) {
      if (live.insert(value).second)
        now += weight(value);
      max = std::max(max, now);
    };
    for (Value operand : block.getTerminator()->getOperands())
      use(operand);
    for (Operation &op : llvm::reverse(block.without_terminator())) {
      for (Value result : op.getResults())
        if (live.erase(result))
          now -= weight(result);
      for (Value operand : op.getOperands())
        use(operand);
      if (isa<ocl::MathOp>(op))
        max = std::max(max, now + target_.functionRegisters);
      if (op.getNumRegions() == 0)
        continue;
      op.walk([&](Operation *inner) { // a loop uses its outer values until it ends
        for (Value operand : inner->getOperands())
          if (!op.isAncestor(operand.getParentBlock()->getParentOp()))
            use(operand);
      });
      for (Region &region : op.getRegions())
        if (!region.empty())
          max = std::max(max, of(region.front(), live));
    }
    return max;
  }

private:
  unsigned weight(Value value) const {
    if (shapes_.of(value).isStrided() || isa<LLVM::LLVMPointerType>(getElementTypeOrSelf(value)))
      return 0;
    const uint64_t bits = layout_.getTypeSizeInBits(getElementTypeOrSelf(value)).getFixedValue();
    return componentCount(value.getType()) * (bits > 32 ? 2 : 1);
  }

  const LaneShapes &shapes_;
  const CpuTargetInfo &target_;
  const DataLayout &layout_;
};

} // namespace

unsigned vectorPressure(Region &body, const LaneShapes &shapes, const CpuTargetInfo &target, const DataLayout &layout) {
  return Pressure(shapes, target, layout).of(body.front(), {});
}

} // namespace kiln
