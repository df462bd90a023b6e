// Patterns that every canonicalizer runs while the ocl dialect is loaded: they mend what upstream's patterns get wrong.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace kiln::ocl {

/// ConstantSums.cpp
void populateConstantSums(mlir::RewritePatternSet &patterns);

} // namespace kiln::ocl
