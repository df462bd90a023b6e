#include "passes/analysis/Barriers.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace kiln {

bool Barriers::contains(Operation *op) {
  if (isa<func::FuncOp>(op)) {
    auto [entry, isNew] = functions_.try_emplace(op, false); // false while its body is scanned: ends recursion
    if (!isNew)
      return entry->second;
  }
  bool found = op->walk([&](Operation *inner) {
                   if (inner->hasTrait<ocl::Convergent>())
                     return WalkResult::interrupt();
                   if (auto call = dyn_cast<func::CallOp>(inner))
                     if (auto callee = symbols_.lookup<func::FuncOp>(call.getCallee()); callee && contains(callee))
                       return WalkResult::interrupt();
                   return WalkResult::advance();
                 }).wasInterrupted();
  if (isa<func::FuncOp>(op))
    functions_[op] = found;
  return found;
}

} // namespace kiln
