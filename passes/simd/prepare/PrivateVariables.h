// Memory of private variables in vector code, which has a copy for each lane: where the copies of an array's elements
// lie.
#pragma once
#include "dialects/wg/Wg.h"
#include "passes/analysis/LaneShapes.h"

namespace kiln {

/// The size of the region's private variables for one work-item.
uint64_t variableBytes(wg::ParallelOp region);

/// Allocates private variables for all lanes, and sets LaneStrideAttr to the bytes between two lanes' copies. An array
/// all of whose accesses are of whole elements is laid out element by element, so that an access to the same element in
/// all lanes is consecutive. So is one of short vectors component by component, if all lanes access the same elements
/// and the body's vectors are divided into their components; null `shapes` means that they are not. Other variables are
/// laid out lane by lane.
void layOutVariables(wg::ParallelOp region, unsigned lanes, const LaneShapes *shapes);

} // namespace kiln
