#include "passes/analysis/ArgumentLayout.h"
#include "backends/KernelAbi.h"
#include "dialects/ocl/Ocl.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;

namespace kiln {

uint64_t structAlignment(func::FuncOp kernel, unsigned argument) {
  auto type = kernel.getArgAttrOfType<TypeAttr>(argument, ocl::ArgByValueAttr);
  uint64_t natural = DataLayout::closest(kernel).getTypeABIAlignment(type.getValue());
  auto stated = kernel.getArgAttrOfType<IntegerAttr>(argument, ocl::ArgPointeeAlignAttr);
  return stated ? std::max(natural, uint64_t(stated.getInt())) : natural;
}

ArgumentLayout::ArgumentLayout(func::FuncOp kernel) {
  DataLayout layout = DataLayout::closest(kernel);
  for (auto [index, argument] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto byValue = kernel.getArgAttrOfType<TypeAttr>(index, ocl::ArgByValueAttr);
    Type type = byValue ? byValue.getValue() : argument;
    uint64_t alignment = layout.getTypeABIAlignment(type);
    uint64_t size = llvm::alignTo(layout.getTypeSize(type).getFixedValue(), alignment);
    if (byValue) // no access needs more than the block itself has
      alignment = std::min(structAlignment(kernel, index), abi::LocalAlignment);
    bytes = llvm::alignTo(bytes, alignment);
    slots.push_back({bytes, size, alignment});
    bytes += size;
  }
}

} // namespace kiln
