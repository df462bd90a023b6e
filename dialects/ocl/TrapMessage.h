#pragma once
#include "llvm/ADT/StringRef.h"

namespace kiln::ocl {

/// Unit, on an `ocl.printf` that the first work-item that traps executes, and no other one. gpu-lower-traps sets it,
/// ocl-expand-printf marks the record (base/abi/TrapAbi.h).
inline constexpr llvm::StringLiteral TrapMessageAttr = "ocl.trap_message";

} // namespace kiln::ocl
