// Patterns that every canonicalizer runs while the ocl dialect is loaded: fixes of upstream's patterns, patterns that
// one of the supported versions of LLVM does not have, and those of math functions.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace kiln::ocl {

/// ConstantPowers.cpp
void populateConstantPowers(mlir::RewritePatternSet &patterns);
/// ConstantSums.cpp
void populateConstantSums(mlir::RewritePatternSet &patterns);
/// WhileIfs.cpp
void populateWhileIfs(mlir::RewritePatternSet &patterns);

} // namespace kiln::ocl
