// Rules of barriers and fences.
#include "dialects/ocl/Ocl.h"

using namespace mlir;

namespace kiln::ocl {

LogicalResult BarrierOp::verify() {
  if (getExecution() != Scope::work_group && getExecution() != Scope::sub_group)
    return emitOpError("makes a work_group or a sub_group wait, not a ") << stringifyScope(getExecution());
  return success();
}

} // namespace kiln::ocl
