#include "passes/analysis/SameForAll.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace kiln {

bool isSameForAll(Region &region, const LaneShapes &shapes) {
  bool stores = false;
  const WalkResult result = region.walk([&](Operation *op) {
    bool isSame = isMemoryEffectFree(op);
    if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
      isSame = !store.getVolatile_() && store.getOrdering() == LLVM::AtomicOrdering::not_atomic &&
               shapes.isUniform(store.getAddr()) && shapes.isUniform(store.getValue());
      stores = true;
    } else if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
      isSame = !load.getVolatile_() && load.getOrdering() == LLVM::AtomicOrdering::not_atomic;
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      isSame = shapes.isUniform(branch.getCondition());
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      isSame = shapes.isUniform(loop.getConditionOp().getCondition());
    }
    return isSame ? WalkResult::advance() : WalkResult::interrupt();
  });
  return stores && !result.wasInterrupted();
}

} // namespace kiln
