// Accesses whose stride is the element's size: one vector access, masked if need be.
#pragma once
#include "passes/simd/emit/MemoryAccess.h"
#include "passes/simd/emit/VectorBody.h"

namespace kiln {

/// Returns true if lanes whose addresses have this stride access adjacent elements. `info`: nothing if they vary.
bool isConsecutive(VectorBody &body, const std::optional<StrideInfo> &info, mlir::Type type);

Vectors loadConsecutive(VectorBody &body, const MemoryAccess &access);
/// The same, for consecutive addresses from `from` on. The access's own pointer has the address space and the base.
Vectors loadConsecutiveAt(VectorBody &body, const MemoryAccess &access, mlir::Value from);
void storeConsecutive(VectorBody &body, const MemoryAccess &access, mlir::Value value);

} // namespace kiln
