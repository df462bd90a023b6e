// Replaces a gather of 32-bit elements by one window load and a permute, if all lanes' indices are within 2 * count of
// the window's first lane and the window does not cross a 4 KiB page:
//
//   %offset = %index - %index[0]
//   %holds = %offset <u 32 in all lanes, and the window does not leave the page
//   %v = scf.if %holds { permute (llvm.load %p0 : vector<32xi32>), %offset } else { one load per lane }
//
// A failing check falls back to one load per lane. Reading past the object cannot fault: the window starts at an
// address that an active lane reads (masked loads do not take this path) and ends on the same page. Elements outside
// the object are loaded and never selected. PermuteLoad.h finds the loads.
#pragma once
#include "passes/simd/emit/MemoryAccess.h"
#include "passes/simd/emit/VectorBody.h"

namespace kiln {

/// The number of lanes that one window serves; 0 if this load is masked, its index is not nearly strided, or the
/// machine has no permute for it.
unsigned permuteLanes(VectorBody &body, const MemoryAccess &access);

/// `count`: the result of permuteLanes. `scalarLoad` emits one load per lane.
mlir::Value permuteLoad(VectorBody &body, const MemoryAccess &access, unsigned count,
                        llvm::function_ref<mlir::Value()> scalarLoad);

} // namespace kiln
