// The source lines from which LLVM's debug information is built.
#pragma once
#include "mlir/IR/BuiltinOps.h"

namespace kiln {

/// Sets the line of every function to that of its first operation; with `beforeInlining`, to that of the function which
/// the operation was inlined from. Operations that were inlined from a function without lines, such as one of the
/// device library, get the line of the call.
void setLines(mlir::ModuleOp module, bool beforeInlining);

} // namespace kiln
