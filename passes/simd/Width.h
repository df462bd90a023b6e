// How many vectors of the machine's own width one vector of work-items is best made of.
#pragma once
#include "passes/simd/AccessRuns.h"

namespace kiln {

/// Two or four where a short loop is a chain of dependent operations, which more of them side by side fill. Two where
/// all is done in whole vectors and the machine's `registers` hold so many. Otherwise one.
unsigned vectorsAbreast(mlir::Region &body, const LaneShapes &shapes, const AccessRuns &runs, unsigned registers,
                        const mlir::DataLayout &layout);

/// How many work-items of a row, from its first on, the body does anything for, where a constant says so (the rounds of
/// a tree): at least two, and as many as can be where nothing is known.
uint64_t itemsAtWork(mlir::Region &body);

} // namespace kiln
