// Debug information of local variables in unoptimised code.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln {

/// Returns the source line of an operation before inlining; `location` itself if it has none.
mlir::Location innermostLocation(mlir::Location location);

/// Allocates a stack slot for each variable that the importer described (dialects/import/DebugInfo.h) in the function
/// that contains it after inlining, stores its values there, and sets the lexical block of every operation. Functions
/// must have their DISubprogram in their location. Variables of inlined functions become variables of the function, in
/// separate blocks.
void describeVariables(mlir::ModuleOp module);

} // namespace kiln
