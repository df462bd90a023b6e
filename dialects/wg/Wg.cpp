// Registration and rules of the dialect.
#include "dialects/wg/Wg.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "dialects/wg/Wg.dialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/wg/Wg.type.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/wg/Wg.op.cpp.inc"

using namespace mlir;

namespace kiln::wg {

void WgDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/wg/Wg.type.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/wg/Wg.op.cpp.inc"
      >();
}

static LogicalResult isMask(Operation *op, Value slot) {
  if (llvm::cast<SlotType>(slot.getType()).getElement().isInteger(1))
    return success();
  return op->emitOpError("needs a slot of i1, not of ") << llvm::cast<SlotType>(slot.getType()).getElement();
}

static LogicalResult belongsToItem(Operation *op) {
  if (op->getParentOfType<ParallelOp>())
    return success();
  return op->emitOpError("belongs to a work-item: it must stand inside wg.parallel");
}

LogicalResult ParallelOp::verify() {
  if ((*this)->getParentOfType<ParallelOp>())
    return emitOpError("cannot stand inside another one: a work-item is not a group");
  if (bool(getLanes()) == getWide().empty())
    return emitOpError("has lanes if and only if it has a body for them");
  return getMask() ? isMask(*this, getMask()) : success();
}

LogicalResult LoadOp::verify() { return belongsToItem(*this); }
LogicalResult StoreOp::verify() { return belongsToItem(*this); }
LogicalResult AddressOp::verify() { return belongsToItem(*this); }

static LogicalResult belongsToGroup(Operation *op) {
  if (op->getParentOfType<ParallelOp>())
    return op->emitOpError("asks about the whole group: it must stand outside wg.parallel");
  return success();
}

LogicalResult AnyOp::verify() {
  return success(succeeded(belongsToGroup(*this)) && succeeded(isMask(*this, getSlot())));
}

LogicalResult ReduceOp::verify() {
  return success(succeeded(belongsToGroup(*this)) && (!getMask() || succeeded(isMask(*this, getMask()))));
}

LogicalResult CombineOp::verify() {
  if (getWidth() && !llvm::isPowerOf2_32(*getWidth()))
    return emitOpError("needs runs of a power of two, not of ") << *getWidth();
  if (getFrom() == getTo())
    return emitOpError("reads from one slot and writes another");
  return success(succeeded(belongsToGroup(*this)) && (!getMask() || succeeded(isMask(*this, getMask()))));
}

} // namespace kiln::wg
