#include "passes/cpu/SlotType.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;

namespace kiln {

Type slotTypeFor(LLVM::AllocaOp alloca) {
  DataLayout layout = DataLayout::closest(alloca);
  IntegerAttr count;
  Type type = alloca.getElemType();
  if (matchPattern(alloca.getArraySize(), m_Constant(&count)) && count.getInt() > 1)
    type = LLVM::LLVMArrayType::get(type, count.getInt());
  uint64_t wanted = alloca.getAlignment().value_or(1);
  if (wanted <= layout.getTypeABIAlignment(type))
    return type;
  auto unit = VectorType::get(wanted, IntegerType::get(alloca.getContext(), 8));
  return LLVM::LLVMArrayType::get(unit, llvm::divideCeil(layout.getTypeSize(type).getFixedValue(), wanted));
}

} // namespace kiln
