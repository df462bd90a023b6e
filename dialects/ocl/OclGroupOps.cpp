// Verifiers of collectives.
#include "dialects/ocl/Ocl.h"

using namespace mlir;

namespace kiln::ocl {
namespace {
LogicalResult isGroup(Operation *op, Scope scope) {
  if (scope == Scope::work_group || scope == Scope::sub_group)
    return success();
  return op->emitOpError("is for a work_group or a sub_group, not a ") << stringifyScope(scope);
}
} // namespace

LogicalResult CombineOp::verify() {
  if (failed(isGroup(*this, getScope())))
    return failure();
  bool isFloat = llvm::isa<FloatType>(getElementTypeOrSelf(getType()));
  bool wantsFloat = getKind() >= CombiningKind::fadd;
  if (isFloat != wantsFloat)
    return emitOpError("of this kind works on ") << (wantsFloat ? "floating-point values" : "integers");
  if (!getCluster())
    return success();
  if (getScope() != Scope::sub_group || getGroupOperation() != GroupOperation::reduce)
    return emitOpError("reduces clusters of a sub-group, nothing else of them");
  if (!llvm::isPowerOf2_32(*getCluster()))
    return emitOpError("needs clusters of a power of two, not of ") << *getCluster();
  return success();
}

LogicalResult ShuffleOp::verify() { return isGroup(*this, getScope()); }

} // namespace kiln::ocl
