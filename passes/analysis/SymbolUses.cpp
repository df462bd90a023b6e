#include "passes/analysis/SymbolUses.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace kiln {

void forEachSymbolUse(Operation *root, llvm::function_ref<void(SymbolRefAttr)> visit) {
  root->walk([&](Operation *op) {
    auto inside = [&](DictionaryAttr attributes) {
      attributes.walk<WalkOrder::PreOrder>([&](SymbolRefAttr reference) {
        visit(reference);
        return WalkResult::skip(); // its parts are references as well
      });
    };
    if (isa<SymbolUserOpInterface>(op))
      inside(op->getAttrDictionary());
    else if (DictionaryAttr others = op->getDiscardableAttrDictionary(); !others.empty())
      inside(others);
  });
}

} // namespace kiln
