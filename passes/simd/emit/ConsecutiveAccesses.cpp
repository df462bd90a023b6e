#include "passes/simd/emit/ConsecutiveAccesses.h"
#include "dialects/ocl/IntConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/simd/emit/MaskedLoad.h"
#include "passes/simd/emit/Transpose.h"

using namespace mlir;

namespace kiln {
namespace {

// For elements that are narrower than those of the target's masked loads. Some lane is active, so its page is mapped: a
// vector that lies within one page can be loaded as a whole.
Value loadWithinPage(VectorBody &body, Value from, VectorType type, llvm::function_ref<Value()> whole,
                     llvm::function_ref<Value()> masked) {
  VectorBuilder &b = body.builder();
  constexpr int64_t Page = 4096;
  const int64_t bytes = int64_t(body.dataLayout().getTypeSize(type).getFixedValue());
  auto number = [&](int64_t value) { return intConstant(b, value, 64); };
  Value address = LLVM::PtrToIntOp::create(b, b.getI64Type(), from);
  Value offset = arith::AndIOp::create(b, address, number(Page - 1));
  Value isWithin = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, offset, number(Page - bytes));
  auto branch = scf::IfOp::create(b, TypeRange(type), isWithin, /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, whole());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, masked());
  return branch.getResult(0);
}

} // namespace

bool isConsecutive(VectorBody &body, const std::optional<StrideInfo> &info, Type type) {
  if (!info || isa<LLVM::LLVMStructType, LLVM::LLVMArrayType>(type))
    return false;
  uint64_t bytes =
      body.dataLayout().getTypeSizeInBits(getElementTypeOrSelf(type)).getFixedValue() / 8 * componentCount(type);
  return bytes && info->stride == int64_t(bytes);
}

Vectors loadConsecutive(VectorBody &body, const MemoryAccess &access) {
  return loadConsecutiveAt(body, access, body.lane0(access.pointer));
}

Vectors loadConsecutiveAt(VectorBody &body, const MemoryAccess &access, Value from) {
  VectorBuilder &b = body.builder();
  const Type type = access.type;
  const unsigned alignment = access.alignment;
  const Value mask = isPrivateAlloca(access.pointer) ? Value() : access.mask; // inactive lanes have private memory too
  const unsigned count = componentCount(type);
  auto interleavedType = VectorType::get({int64_t(count) * b.lanes()}, getElementTypeOrSelf(type));
  auto whole = [&] { return LLVM::LoadOp::create(b, interleavedType, from, alignment).getResult(); };
  auto masked = [&] { return maskedLoad(b, interleavedType, from, b.repeatLanes(mask, count), alignment); };
  Value interleaved;
  if (!mask)
    interleaved = whole();
  else if (body.dataLayout().getTypeSizeInBits(interleavedType.getElementType()).getFixedValue() >=
               body.target().minMaskedElementBits ||
           hasKnownObjectSize(access.pointer))
    interleaved = masked();
  else
    interleaved = loadWithinPage(body, from, interleavedType, whole, masked);
  return b.isAos() || count == 1 ? Vectors{interleaved} : deinterleave(b, interleaved, count);
}

void storeConsecutive(VectorBody &body, const MemoryAccess &access, Value value) {
  VectorBuilder &b = body.builder();
  const unsigned alignment = access.alignment, count = componentCount(access.type);
  Value to = body.lane0(access.pointer), mask = access.mask;
  Value interleaved = b.isAos() || count == 1 ? body.vectors(value)[0] : interleave(b, body.vectors(value));
  if (mask && isPrivateAlloca(access.pointer)) { // no other thread sees the memory, and LLVM can promote a plain store
    Value old = LLVM::LoadOp::create(b, interleaved.getType(), to, alignment);
    interleaved = arith::SelectOp::create(b, b.repeatLanes(mask, count), interleaved, old);
    mask = {};
  }
  if (mask)
    LLVM::MaskedStoreOp::create(b, interleaved, to, b.repeatLanes(mask, count),
                                b.getI32IntegerAttr(int32_t(alignment)));
  else
    LLVM::StoreOp::create(b, interleaved, to, alignment);
}

} // namespace kiln
