#include "passes/analysis/AddressSteps.h"

using namespace mlir;

namespace kiln {
namespace {

int64_t offsetOf(LLVM::LLVMStructType type, unsigned field, const DataLayout &layout) {
  uint64_t offset = 0;
  for (unsigned at = 0;; ++at) {
    const Type element = type.getBody()[at];
    if (!type.isPacked())
      offset = llvm::alignTo(offset, layout.getTypeABIAlignment(element));
    if (at == field)
      return int64_t(offset);
    offset += layout.getTypeSize(element).getFixedValue();
  }
}

} // namespace

std::optional<SmallVector<AddressStep>> addressSteps(LLVM::GEPOp gep, const DataLayout &layout) {
  SmallVector<AddressStep> steps;
  Type type = gep.getElemType();
  bool isFirst = true;
  for (auto index : gep.getIndices()) {
    auto constant = dyn_cast<IntegerAttr>(index);
    auto structure = isFirst ? nullptr : dyn_cast<LLVM::LLVMStructType>(type);
    if (structure) {
      const auto field = unsigned(constant.getInt());
      steps.push_back({nullptr, offsetOf(structure, field, layout)});
      type = structure.getBody()[field];
      continue;
    }
    if (!isFirst) {
      auto array = dyn_cast<LLVM::LLVMArrayType>(type);
      if (!array)
        return {};
      type = array.getElementType();
    }
    isFirst = false;
    const auto bytes = int64_t(layout.getTypeSize(type).getFixedValue());
    if (constant)
      steps.push_back({nullptr, constant.getInt() * bytes});
    else
      steps.push_back({cast<Value>(index), bytes});
  }
  return steps;
}

} // namespace kiln
