// Accesses whose addresses rise or fall by a few elements from lane to lane: every second element of an array, a field
// of a small struct, an array from its end. All memory from the first to the last lane's element is accessed as
// vectors.
#pragma once
#include "passes/analysis/LaneShapes.h"
#include "passes/target/CpuTargetInfo.h"

namespace kiln {

/// The stride in elements, up to CpuTargetInfo::maxSpannedStride or its negative, if an access of all lanes through
/// `pointer` has this form. 0: it has another one. `info`: nothing if the addresses vary.
int64_t spannedStride(const std::optional<StrideInfo> &info, mlir::Value pointer, mlir::Type type, bool isStore,
                      unsigned lanes, const CpuTargetInfo &target, const mlir::DataLayout &layout);

/// Returns true if one thread accesses the memory, that of a group. So elements between those of the lanes can be
/// loaded and stored again.
bool isLocalMemory(mlir::Value pointer);

} // namespace kiln
