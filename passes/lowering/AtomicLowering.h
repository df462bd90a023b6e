// Lowers `ocl`'s atomics and fences to LLVM's, for every target. Orders are the same; scopes have target-specific
// names.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Builders.h"

namespace kiln {

/// The LLVM ordering of an order.
mlir::LLVM::AtomicOrdering atomicOrdering(ocl::Order order);

/// Returns the target's name of a scope.
using SyncScope = llvm::function_ref<llvm::StringRef(ocl::Scope)>;

/// Replaces an atomic operation. Returns false, and changes nothing, if `op` is not atomic.
bool lowerAtomic(mlir::Operation *op, SyncScope scopes);

} // namespace kiln
