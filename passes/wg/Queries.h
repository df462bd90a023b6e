// Lowers queries about the launch, the group and the work-item to values of the loops around them.
#pragma once
#include "passes/wg/GroupFunction.h"

namespace kiln {

/// A work-item inside the loops over its group. All null in code that runs once per group: there, an id is queried only
/// in a dimension of one work-item, where it is 0.
struct Item {
  Dim3 id;            // in the group
  mlir::Value linear; // of the three, x fastest
};

/// Returns true if the region queries y or z of the work-item's id, or the linear global id.
bool usesYOrZ(mlir::Region &region);

/// Lowers all queries of a region.
void lowerQueries(mlir::Region &region, GroupFunction &group, const Item &item);

/// Lowers the addresses of the launch's buffers to loads from the launch info: program variables, the printf buffer,
/// the assumption report, the access note, the enqueue arena; also whether its arguments are distinct.
void lowerLaunchBufferOps(GroupFunction &group);

} // namespace kiln
