// Verifiers of barriers and copies.
#include "dialects/ocl/Ocl.h"

using namespace mlir;

namespace kiln::ocl {

LogicalResult BarrierOp::verify() {
  if (getExecution() != Scope::work_group && getExecution() != Scope::sub_group)
    return emitOpError("makes a work_group or a sub_group wait, not a ") << stringifyScope(getExecution());
  return success();
}

LogicalResult AsyncCopyOp::verify() {
  auto space = [](Value pointer) { return llvm::cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace(); };
  bool toLocal = space(getDestination()) == Local, fromLocal = space(getSource()) == Local;
  return toLocal != fromLocal ? success() : emitOpError("copies to or from local memory, one of the two");
}

} // namespace kiln::ocl
