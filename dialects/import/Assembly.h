// asm statements: calls of imported functions that abi::assemblyOf recognises.
#pragma once
#include "base/abi/AssemblyName.h"
#include "dialects/import/Body.h"

namespace kiln::import {

/// Lifts a call. Fails, with a diagnostic, if LLVM would end the process for the text or the constraints. Whether the
/// processor has the instructions is for the target to find.
mlir::LogicalResult assemblyCall(Body &body, const Instruction &ins, const abi::Assembly &assembly,
                                 mlir::FunctionType type, llvm::ArrayRef<mlir::Value> operands);

} // namespace kiln::import
