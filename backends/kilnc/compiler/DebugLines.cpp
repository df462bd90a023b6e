#include "backends/kilnc/compiler/DebugLines.h"
#include "backends/kilnc/compiler/DebugVariables.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace kiln {

static Location withoutUnknownCallees(Location place) {
  while (auto call = dyn_cast<CallSiteLoc>(place)) {
    if (call.getCallee()->findInstanceOf<FileLineColLoc>())
      break;
    place = call.getCaller();
  }
  return place;
}

void setLines(ModuleOp module, bool beforeInlining) {
  module.walk([](Operation *op) { op->setLoc(withoutUnknownCallees(op->getLoc())); });
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    function.walk([&](Operation *op) {
      Location line = beforeInlining ? innermostLocation(op->getLoc()) : op->getLoc();
      if (!isa<FileLineColLoc>(line) || op == function)
        return WalkResult::advance();
      function->setLoc(line);
      return WalkResult::interrupt();
    });
}

} // namespace kiln
