#include "passes/analysis/Reachable.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/analysis/SymbolUses.h"

using namespace mlir;

namespace kiln {

llvm::DenseSet<Operation *> reachable(ModuleOp module, llvm::ArrayRef<func::FuncOp> roots) {
  SymbolTable symbols(module);
  SmallVector<Operation *> work(roots.begin(), roots.end());
  llvm::DenseSet<Operation *> found(work.begin(), work.end());
  while (!work.empty())
    forEachSymbolUse(work.pop_back_val(), [&](SymbolRefAttr reference) {
      auto function = symbols.lookup<func::FuncOp>(reference.getRootReference());
      if (function && found.insert(function).second)
        work.push_back(function);
    });
  return found;
}

} // namespace kiln
