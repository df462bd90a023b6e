// Functions that a module imports by the name of an LLVM intrinsic. Clang and the translator write such imports for
// intrinsics without a SPIR-V instruction; consumers that translate SPIR-V to LLVM IR resolve them by name.
#pragma once
#include "dialects/import/Supported.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace kiln::import {

struct LlvmFunction {
  spv::Std same; // the equivalent function of OpenCL.std
  bool isSigned;
};

/// Returns the equivalent of `llvm.usub.sat.i32` and similar, whose arguments and result have one integer type.
std::optional<LlvmFunction> llvmFunction(llvm::StringRef name, mlir::FunctionType type);

/// Returns true if the function stands for llvm.trap (base/abi/TrapName.h).
bool isTrap(llvm::StringRef name, mlir::FunctionType type);

} // namespace kiln::import
