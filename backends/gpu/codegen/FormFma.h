// Contracts products and sums to FMA before LLVM's optimiser.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// Rewrites a * b + c to fma(a, b, c) if contraction is allowed and the product has no other use.
///
/// The code generator contracts too late: CSE has merged the products x * x of x * x - y * y and x * x + y * y by then,
/// and a product with two uses must be computed in addition to both FMAs.
void formFma(llvm::Module &module);

} // namespace kiln
