// The options of clBuildProgram, applied to an imported module.
#pragma once
#include "backends/llvm/Target.h"
#include "base/protocol/Protocol.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln {

/// The options that code generation needs.
CodeOptions codeOptions(const protocol::CodeFlags &flags);

/// Sets the fast-math flags of the module's operations, and the module's attributes for options that passes ask for.
void applyOptions(mlir::ModuleOp module, const protocol::BuildRequest &request);

/// Removes fast-math flags of the LLVM dialect, also those of library functions. LLVM may contract and reorder the
/// scalar and vector bodies differently, and their results would differ.
void dropFastMath(mlir::ModuleOp module);

} // namespace kiln
