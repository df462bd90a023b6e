// Products and sums to fused operations, early.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// a * b + c becomes fma(a, b, c) where the program allows it and the product has no other use.
///
/// The code generator would do the same, but late: by then the optimiser has found x * x in x * x - y * y and in
/// x * x + y * y to be one value, and where two uses share a product it has to be computed beside both.
void contract(llvm::Module &module);

} // namespace kiln
