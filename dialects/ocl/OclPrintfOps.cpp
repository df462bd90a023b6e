// Verifier of printf.
#include "dialects/ocl/Ocl.h"

using namespace mlir;

namespace kiln::ocl {

LogicalResult PrintfOp::verify() {
  for (Type type : getValues().getTypes()) {
    auto vector = llvm::dyn_cast<VectorType>(type);
    if (vector && (vector.getRank() != 1 || vector.isScalable()))
      return emitOpError("prints vectors of one dimension, not ") << type;
    Type element = vector ? vector.getElementType() : type;
    if (element.isIntOrFloat() && !llvm::is_contained({8u, 16u, 32u, 64u}, element.getIntOrFloatBitWidth()))
      return emitOpError("prints numbers of 8, 16, 32 or 64 bits, not ") << element;
  }
  return success();
}

} // namespace kiln::ocl
