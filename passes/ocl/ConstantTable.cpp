#include "passes/ocl/ConstantTable.h"
#include "passes/analysis/PlainAccess.h"

using namespace mlir;

namespace kiln {

LLVM::GlobalOp constantTableOf(LLVM::LoadOp load, const DataLayout &layout) {
  if (!isPlain(load) || !isa<IntegerType, FloatType>(load.getType()))
    return {};
  auto address = LinearAddress(load.getAddr(), layout).base.getDefiningOp<LLVM::AddressOfOp>();
  auto table = address ? SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(load, address.getGlobalNameAttr())
                       : LLVM::GlobalOp();
  auto values =
      table && table.getConstant() ? dyn_cast_or_null<DenseElementsAttr>(table.getValueAttr()) : DenseElementsAttr();
  return values && values.getElementType() == load.getType() ? table : LLVM::GlobalOp();
}

TypedAttr constantElementOf(LLVM::LoadOp load, const DataLayout &layout) {
  LLVM::GlobalOp table = constantTableOf(load, layout);
  const LinearAddress address = table ? LinearAddress(load.getAddr(), layout) : LinearAddress();
  if (!table || !address.terms.empty())
    return {};
  const auto values = cast<DenseElementsAttr>(table.getValueAttr());
  const auto bytes = int64_t(layout.getTypeSize(load.getType()).getFixedValue());
  const int64_t element = address.constant / bytes;
  if (address.constant % bytes != 0 || element < 0 || element >= values.getNumElements())
    return {};
  return cast<TypedAttr>(values.getValues<Attribute>()[uint64_t(element)]);
}

} // namespace kiln
