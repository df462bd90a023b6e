// Folds of address-space queries.
#include "dialects/ocl/Ocl.h"

using namespace mlir;

namespace kiln::ocl {

OpFoldResult IsAddrSpaceOp::fold(FoldAdaptor) {
  // Follows the casts to a pointer with a named address space.
  Value pointer = getPointer();
  auto spaceOf = [](Value value) { return llvm::cast<LLVM::LLVMPointerType>(value.getType()).getAddressSpace(); };
  while (spaceOf(pointer) == Generic) {
    if (auto cast = pointer.getDefiningOp<LLVM::AddrSpaceCastOp>())
      pointer = cast.getArg();
    else if (auto gep = pointer.getDefiningOp<LLVM::GEPOp>())
      pointer = gep.getBase();
    else
      return {};
  }
  return BoolAttr::get(getContext(), spaceOf(pointer) == static_cast<unsigned>(getSpace()));
}

} // namespace kiln::ocl
