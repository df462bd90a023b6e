// Verifiers of barriers and copies.
#include "dialects/ocl/Ocl.h"

using namespace mlir;

namespace kiln::ocl {

static LogicalResult verifyExecution(Operation *op, Scope execution) {
  if (execution != Scope::work_group && execution != Scope::sub_group)
    return op->emitOpError("makes a work_group or a sub_group wait, not a ") << stringifyScope(execution);
  return success();
}

LogicalResult BarrierOp::verify() { return verifyExecution(*this, getExecution()); }
LogicalResult PartialBarrierOp::verify() { return verifyExecution(*this, getExecution()); }

LogicalResult AsyncCopyOp::verify() {
  auto space = [](Value pointer) { return llvm::cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace(); };
  bool toLocal = space(getDestination()) == Local, fromLocal = space(getSource()) == Local;
  return toLocal != fromLocal ? success() : emitOpError("copies to or from local memory, one of the two");
}

} // namespace kiln::ocl
