// Patterns that every canonicalizer runs while the ocl dialect is loaded: fixes of upstream's patterns, and patterns
// that one of the supported versions of LLVM does not have.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace kiln::ocl {

/// ConstantSums.cpp
void populateConstantSums(mlir::RewritePatternSet &patterns);
/// WhileIfs.cpp
void populateWhileIfs(mlir::RewritePatternSet &patterns);

} // namespace kiln::ocl
