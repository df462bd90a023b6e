#include "passes/analysis/ArgumentLayout.h"
#include "base/abi/KernelAbi.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln {

ArgumentLayout::ArgumentLayout(func::FuncOp kernel) {
  DataLayout layout = DataLayout::closest(kernel);
  for (auto [index, argument] : llvm::enumerate(kernel.getArgumentTypes())) {
    Type type = argument;
    if (auto byValue = kernel.getArgAttrOfType<TypeAttr>(index, ocl::ArgByValueAttr))
      type = byValue.getValue();
    uint64_t natural = layout.getTypeABIAlignment(type);
    uint64_t size = llvm::alignTo(layout.getTypeSize(type).getFixedValue(), natural);
    uint64_t alignment = std::min(natural, abi::MaxArgumentAlignment);
    bytes = llvm::alignTo(bytes, alignment);
    slots.push_back({bytes, size, alignment});
    bytes += size;
  }
}

} // namespace kiln
