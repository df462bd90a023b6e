// Registration and verifiers of the dialect.
#include "dialects/wg/Wg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

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
  return op->emitOpError("must have a mask that is a slot of i1, not of ")
         << llvm::cast<SlotType>(slot.getType()).getElement();
}

static LogicalResult belongsToItem(Operation *op) {
  if (op->getParentOfType<ParallelOp>())
    return success();
  return op->emitOpError("must be inside wg.parallel");
}

LogicalResult ParallelOp::verify() {
  if ((*this)->getParentOfType<ParallelOp>())
    return emitOpError("must not be inside another wg.parallel");
  if (bool(getLanes()) == getVectorBody().empty())
    return emitOpError("must have both lanes and a vector body, or neither");
  if (rowDimension() > 2)
    return emitOpError("has rows along dimension ") << *getAlong() << ", must be at most 2";
  if (rowDimension() && getJam())
    return emitOpError("jams rows along dimension ") << *getAlong() << ", must be 0";
  return getMask() ? isMask(*this, getMask()) : success();
}

LogicalResult LoadOp::verify() { return belongsToItem(*this); }
LogicalResult StoreOp::verify() { return belongsToItem(*this); }
LogicalResult AddressOp::verify() { return belongsToItem(*this); }

static LogicalResult belongsToGroup(Operation *op) {
  if (op->getParentOfType<ParallelOp>())
    return op->emitOpError("must be outside wg.parallel");
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
    return emitOpError("has width ") << *getWidth() << ", must be a power of two";
  if (getFrom() == getTo())
    return emitOpError("must read and write different slots");
  return success(succeeded(belongsToGroup(*this)) && (!getMask() || succeeded(isMask(*this, getMask()))));
}

} // namespace kiln::wg
