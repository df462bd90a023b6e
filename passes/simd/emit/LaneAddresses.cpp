#include "passes/simd/emit/LaneAddresses.h"
#include "dialects/ocl/IntConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/simd/emit/LaneValues.h"
#include "passes/simd/emit/MemoryAccess.h"

using namespace mlir;

namespace kiln {
namespace {
constexpr unsigned SlotBytes = 128; // of the largest vector that a work-item loads or stores (double16)
} // namespace

Value DummySlot::address(VectorBody &body, Type type) {
  VectorBuilder &b = body.builder();
  if (!slot_) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&body.to().front());
    Value room = intConstant(b, SlotBytes, 32);
    slot_ = LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), b.getI8Type(), room, Alignment);
    slot_.getDefiningOp()->setAttr(LaneStrideAttr, b.getI64IntegerAttr(0)); // shared by all lanes
  }
  if (slot_.getType() == type)
    return slot_;
  return LLVM::AddrSpaceCastOp::create(b, type, slot_);
}

Value laneAddress(VectorBody &body, const LinearAddress &address, unsigned lane) {
  VectorBuilder &b = body.builder();
  Value own, shared;
  auto add = [&](Value &sum, Value number, const LinearAddress::Term &term) {
    if (!number.getType().isInteger(64))
      number = term.isSigned ? arith::ExtSIOp::create(b, b.getI64Type(), number).getResult()
                             : arith::ExtUIOp::create(b, b.getI64Type(), number).getResult();
    number = arith::MulIOp::create(b, number, intConstant(b, term.bytes, 64));
    sum = sum ? arith::AddIOp::create(b, sum, number).getResult() : number;
  };
  for (const LinearAddress::Term &term : address.terms)
    if (body.shape(term.number).isUniform())
      add(shared, body.lane0(term.number), term);
    else
      add(own, laneOf(body, term.number, lane), term);
  Value pointer = laneOf(body, address.base, lane);
  for (Value bytes : {own, shared})
    if (bytes)
      pointer = LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer, ValueRange{bytes});
  if (address.constant)
    pointer = LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                                  ValueRange{intConstant(b, address.constant, 64)});
  return pointer;
}

Value maskedAddress(VectorBody &body, Value mask, unsigned lane, Value own) {
  if (!mask)
    return own;
  VectorBuilder &b = body.builder();
  Value isActive = b.extractLane(mask, lane);
  return arith::SelectOp::create(b, isActive, own, body.dummySlot().address(body, own.getType()));
}

Value maskedAddresses(VectorBody &body, const MemoryAccess &access, const std::optional<StrideInfo> &info) {
  VectorBuilder &b = body.builder();
  Value own = info ? b.stepAddresses(body.lane0(access.pointer), info->stride) : Value(body.vectors(access.pointer)[0]);
  return arith::SelectOp::create(b, access.mask, own,
                                 b.splat(body.dummySlot().address(body, access.pointer.getType())));
}

} // namespace kiln
