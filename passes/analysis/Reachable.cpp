#include "passes/analysis/Reachable.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace kiln {

llvm::DenseSet<Operation *> reachable(ModuleOp module, llvm::ArrayRef<func::FuncOp> roots) {
  SymbolTable symbols(module);
  SmallVector<Operation *> work(roots.begin(), roots.end());
  llvm::DenseSet<Operation *> found(work.begin(), work.end());
  while (!work.empty())
    if (std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(work.pop_back_val()))
      for (SymbolTable::SymbolUse use : *uses)
        if (auto function = symbols.lookup<func::FuncOp>(use.getSymbolRef().getRootReference()))
          if (found.insert(function).second)
            work.push_back(function);
  return found;
}

} // namespace kiln
