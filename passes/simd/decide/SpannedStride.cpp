#include "passes/simd/decide/SpannedStride.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace kiln {

bool isLocalMemory(Value pointer) {
  return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == ocl::Local;
}

int64_t spannedStride(const std::optional<StrideInfo> &info, Value pointer, Type type, bool isStore, unsigned lanes,
                      const CpuTargetInfo &target, const DataLayout &layout) {
  if (!info || !isa<IntegerType, FloatType>(type) || type.getIntOrFloatBitWidth() % 8)
    return 0;
  const auto bytes = int64_t(layout.getTypeSize(type).getFixedValue());
  const int64_t stride = info->stride / bytes, distance = std::abs(stride);
  const int64_t limit = isLocalMemory(pointer) ? target.maxLocalSpannedStride : target.maxSpannedStride;
  if (info->stride % bytes || distance > limit || stride == 1 || int64_t(lanes) < 2 * distance)
    return 0;
  const bool hasMasks =
      target.has(ocl::TargetFeature::MaskRegisters) && type.getIntOrFloatBitWidth() >= target.minMaskedElementBits;
  return isStore && distance > 1 && !hasMasks && !isLocalMemory(pointer) ? 0 : stride;
}

} // namespace kiln
