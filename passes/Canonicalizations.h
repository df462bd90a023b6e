// The patterns of MLIR's canonicalizer, for passes that simplify a part of a module themselves.
#pragma once
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/PatternMatch.h"

namespace kiln {

inline void populateCanonicalizations(mlir::RewritePatternSet &patterns) {
  mlir::MLIRContext *context = patterns.getContext();
  for (mlir::Dialect *dialect : context->getLoadedDialects())
    dialect->getCanonicalizationPatterns(patterns);
  for (mlir::RegisteredOperationName operation : context->getRegisteredOperations())
    operation.getCanonicalizationPatterns(patterns, context);
}

} // namespace kiln
