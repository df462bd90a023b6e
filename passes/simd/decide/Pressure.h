// Vector register pressure.
#pragma once
#include "passes/analysis/LaneShapes.h"
#include "passes/target/CpuTargetInfo.h"

namespace kiln {

/// The largest number of machine vector registers that are live at once, one register holding 32 bits per lane.
/// Addresses and strided values take none.
unsigned vectorPressure(mlir::Region &body, const LaneShapes &shapes, const CpuTargetInfo &target,
                        const mlir::DataLayout &layout);

} // namespace kiln
