// Atomic additions for targets whose instruction flushes subnormal numbers.
#pragma once
#include "dialects/ocl/Ocl.h"

namespace kiln::gpu {

/// Replaces an `fadd` by a loop of compare-and-exchanges. Splits the block.
void expandFloatAdd(ocl::AtomicRmwOp op);

} // namespace kiln::gpu
