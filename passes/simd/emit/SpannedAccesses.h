// Accesses whose stride is a few elements (decide/SpannedStride): the memory from the first to the last lane's element
// is accessed as vectors, and shuffles select the lanes' elements.
//
//   stride 2, four lanes       memory   a0 .  a1 .  a2 .  a3
//                              rows    [a0 .  a1 . ]             loads: the last row ends at the last lane's element
//                                           [ .  a2 .  a3]
//                              lanes   [a0 a1 a2 a3]
//
// Stores leave the elements between those of the lanes unchanged: by a mask, or, in local memory, by loading and
// storing them, because one thread runs a group. Loads of one element can take their value from such a store before it
// reaches the cache.
//
// Legal because the work-items access the first and the last element, so all memory between them is in the same object.
// Elements that other work-items write at the same time are loaded and never selected (LLVM LangRef: only the bytes of
// a race are undefined). Not handled: accesses under a mask, and short vectors.
#pragma once
#include "passes/simd/emit/MemoryAccess.h"
#include "passes/simd/emit/VectorBody.h"

namespace kiln {

/// The stride in elements; 0 if the access has another form.
int64_t spannedStrideOf(VectorBody &body, const MemoryAccess &access, const std::optional<StrideInfo> &info,
                        bool isStore);

mlir::Value loadSpanned(VectorBody &body, const MemoryAccess &access, int64_t stride);
void storeSpanned(VectorBody &body, const MemoryAccess &access, mlir::Value value, int64_t stride);

} // namespace kiln
