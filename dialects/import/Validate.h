// SPIRV-Tools' verdict on a module.
#pragma once
#include "dialects/import/Reader.h"
#include "llvm/Support/LogicalResult.h"

namespace kiln::import {

/// Emits the validator's finding as a diagnostic, unless AllowedFindings.h has it.
llvm::LogicalResult validate(const Binary &binary, mlir::MLIRContext &context);

} // namespace kiln::import
