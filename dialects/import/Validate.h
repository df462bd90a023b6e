// Validates a module with SPIRV-Tools.
#pragma once
#include "dialects/import/Reader.h"
#include "llvm/Support/LogicalResult.h"

namespace kiln::import {

/// Emits the validator's first error as a diagnostic, unless it is an allowed validation error (AllowedErrors.h).
llvm::LogicalResult validate(const Binary &binary, mlir::MLIRContext &context);

} // namespace kiln::import
