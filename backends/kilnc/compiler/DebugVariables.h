// Local variables, for a debugger that looks at code which is not optimised.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln {

/// The line that an operation was written in, whatever it was inlined into; `place` itself where that is not known.
mlir::Location ownLine(mlir::Location place);

/// Gives each variable that the importer has told of (dialects/import/DebugInfo.h) a place on the stack of the function
/// that it came to, into which its values are written as they are told, and every operation the block that it is in.
/// The functions have their descriptions in their locations. What was inlined has become part of the function: its
/// variables are the function's own, in blocks of their own.
void placeVariables(mlir::ModuleOp module);

} // namespace kiln
