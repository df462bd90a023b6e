// Patterns that every canonicalizer runs while the ocl dialect is loaded: they do what upstream's
// patterns get wrong, or do not do in each version.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace kiln::ocl {

/// ConstantSums.cpp
void populateConstantSums(mlir::RewritePatternSet &patterns);
/// WhileIfs.cpp
void populateWhileIfs(mlir::RewritePatternSet &patterns);

} // namespace kiln::ocl
