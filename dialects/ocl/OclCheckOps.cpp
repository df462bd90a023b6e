// Folds of checks.
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::ocl {
namespace {

/// Bytes from the base to the pointer, if constant indices of one GEP say it.
std::optional<int64_t> constantOffset(Value pointer, Value base, const DataLayout &layout) {
  int64_t offset = 0;
  while (pointer != base) {
    auto gep = pointer.getDefiningOp<LLVM::GEPOp>();
    if (!gep || !gep.getDynamicIndices().empty() || gep.getRawConstantIndices().size() != 1)
      return {};
    const auto bytes = int64_t(layout.getTypeSize(gep.getElemType()).getFixedValue());
    int64_t step;
    if (__builtin_mul_overflow(int64_t(gep.getRawConstantIndices()[0]), bytes, &step) ||
        __builtin_add_overflow(offset, step, &offset))
      return {};
    pointer = gep.getBase();
  }
  return offset;
}

} // namespace

OpFoldResult CheckAccessOp::fold(FoldAdaptor) {
  APInt size, bytes;
  if (!matchPattern(getSize(), m_ConstantInt(&size)) || !matchPattern(getBytes(), m_ConstantInt(&bytes)))
    return {};
  const auto offset = constantOffset(getPointer(), getBase(), DataLayout::closest(*this));
  if (!offset || *offset < 0 || bytes.ugt(size) || uint64_t(*offset) > (size - bytes).getZExtValue())
    return {};
  return getPointer();
}

} // namespace kiln::ocl
