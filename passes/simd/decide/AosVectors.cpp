#include "passes/simd/decide/AosVectors.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/analysis/Elementwise.h"

using namespace mlir;

namespace kiln {
namespace {

class AosVectors {
public:
  AosVectors(const LaneShapes &shapes, const DataLayout &layout) : shapes_(shapes), layout_(layout) {}

  bool supports(Operation *op) {
    if (auto loop = dyn_cast<scf::WhileOp>(op); loop && !shapes_.isUniform(loop.getConditionOp().getCondition()))
      return !usesVectors(op);
    if (auto branch = dyn_cast<scf::IfOp>(op); branch && !shapes_.isUniform(branch.getCondition()))
      return !usesVectors(op);
    if (op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>() || !usesVectors(op))
      return true;
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      return !load.getVolatile_() && supportsAccess(load.getAddr(), load.getType());
    if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
      const bool isVaryingStoreToUniform = shapes_.isUniform(store.getAddr()) && !shapes_.isUniform(store.getValue());
      return !store.getVolatile_() && !isVaryingStoreToUniform &&
             supportsAccess(store.getAddr(), store.getValue().getType());
    }
    if (llvm::all_of(op->getResults(), [&](Value value) { return shapes_.isUniform(value); }))
      return isMemoryEffectFree(op);
    if (isa<ocl::MathOp>(op)) // library functions exist for machine vector sizes only
      return false;
    if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
      return !isa<VectorType>(broadcast.getSourceType());
    if (auto select = dyn_cast<arith::SelectOp>(op); select && !isa<VectorType>(select.getCondition().getType()))
      return false;
    return isElementwise(op) || isa<vector::BitCastOp>(op);
  }

  /// Bits of the widest short vector that is loaded or stored; 0 if none is.
  unsigned bits() const { return bits_; }

private:
  static bool usesVectors(Operation *op) {
    auto isVector = [](Type type) { return isa<VectorType>(type); };
    return llvm::any_of(op->getOperandTypes(), isVector) || llvm::any_of(op->getResultTypes(), isVector);
  }
  bool supportsAccess(Value address, Type type) {
    LaneShape shape = shapes_.of(address);
    if (shape.isUniform())
      return true;
    auto vector = dyn_cast<VectorType>(type);
    if (!vector)
      return false;
    const uint64_t bits =
        layout_.getTypeSizeInBits(vector.getElementType()).getFixedValue() * uint64_t(vector.getNumElements());
    bits_ = std::max(bits_, unsigned(bits));
    const std::optional<StrideInfo> info = shape.strideInfo();
    return info && info->stride == int64_t(bits / 8);
  }

  const LaneShapes &shapes_;
  const DataLayout &layout_;
  unsigned bits_ = 0;
};

} // namespace

unsigned aosWidth(Region &body, const LaneShapes &shapes, unsigned bits, const DataLayout &layout) {
  AosVectors aos(shapes, layout);
  const bool supportsAll =
      !body.walk([&](Operation *op) { return aos.supports(op) ? WalkResult::advance() : WalkResult::interrupt(); })
           .wasInterrupted();
  if (!supportsAll || !aos.bits() || aos.bits() > bits || !llvm::isPowerOf2_32(aos.bits()))
    return 0;
  return 2 * bits / aos.bits();
}

} // namespace kiln
