// References to functions and variables.
#pragma once
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace kiln {

/// Calls `visit` for each reference to a symbol in an operation and all operations that are nested in it.
///
/// Faster than SymbolTable::getSymbolUses, which builds a dictionary of the properties of every operation: an operation
/// whose properties have a reference implements SymbolUserOpInterface, so others need no dictionary.
void forEachSymbolUse(mlir::Operation *root, llvm::function_ref<void(mlir::SymbolRefAttr)> visit);

} // namespace kiln
