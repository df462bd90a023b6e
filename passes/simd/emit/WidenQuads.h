// Accesses by quads. If a vector's ids (i / 4, i % 8) lie in several tiles, each tile may still hold four consecutive
// ids or more, as in the short stages of sorting networks and Fourier transforms. Then each quad is one vector access:
//
//   %holds = %i0 & 3 == 0 and %mask & 3 == 3
//   scf.if %holds { llvm.store %quad, %p : vector<4xf32>, four times } else { one store per lane }
#pragma once
#include "passes/simd/emit/MemoryAccess.h"
#include "passes/simd/emit/VectorBody.h"

namespace kiln {

/// Returns true if the addresses are consecutive in each quad under checks that checkQuads can emit.
bool canUseQuads(VectorBody &body, const MemoryAccess &access);

/// `otherwise` emits the access for vectors that fail the check.
Vectors loadQuads(VectorBody &body, const MemoryAccess &access, llvm::function_ref<Vectors()> otherwise);
void storeQuads(VectorBody &body, const MemoryAccess &access, mlir::Value value, llvm::function_ref<void()> otherwise);

} // namespace kiln
