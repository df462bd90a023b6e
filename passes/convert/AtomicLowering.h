// `ocl`'s atomics and fences as LLVM's, for every target: orders are the same everywhere, scopes have the target's
// names.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Builders.h"

namespace kiln {

/// LLVM's order of the same name.
mlir::LLVM::AtomicOrdering atomicOrdering(ocl::Order order);

/// What the target calls a scope.
using SyncScope = llvm::function_ref<llvm::StringRef(ocl::Scope)>;

/// Replaces an atomic operation. False, with nothing done, when `op` is none.
bool lowerAtomic(mlir::Operation *op, SyncScope scopes);

} // namespace kiln
