// Verifiers of atomics.
#include "dialects/ocl/Ocl.h"

using namespace mlir;

namespace kiln::ocl {

LogicalResult AtomicRmwOp::verify() {
  bool isFloat = llvm::isa<FloatType>(getValue().getType());
  switch (getKind()) {
  case AtomicKind::xchg:
    return success();
  case AtomicKind::fadd:
  case AtomicKind::fmin:
  case AtomicKind::fmax:
    return isFloat ? success() : emitOpError("of this kind works on floating-point values");
  default:
    return isFloat ? emitOpError("of this kind works on integers") : success();
  }
}

LogicalResult AtomicLoadOp::verify() {
  if (getOrder() == Order::release || getOrder() == Order::acq_rel)
    return emitOpError("cannot release");
  return success();
}

LogicalResult AtomicStoreOp::verify() {
  if (getOrder() == Order::acquire || getOrder() == Order::acq_rel)
    return emitOpError("cannot acquire");
  return success();
}

} // namespace kiln::ocl
