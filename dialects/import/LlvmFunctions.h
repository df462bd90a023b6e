// Functions that a module imports under the name of an LLVM intrinsic. Clang and the translator write such imports for
// intrinsics that SPIR-V has no instruction for. Consumers that translate SPIR-V back to LLVM IR resolve them by name.
#pragma once
#include "dialects/import/Supported.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace kiln::import {

struct LlvmFunction {
  spv::Std same; // the function of OpenCL.std that computes the same
  bool isSigned;
};

/// `llvm.usub.sat.i32` and its kin, where all arguments and the result have one integer type.
std::optional<LlvmFunction> llvmFunction(llvm::StringRef name, mlir::FunctionType type);

} // namespace kiln::import
