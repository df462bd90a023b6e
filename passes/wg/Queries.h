// What a kernel asks about the launch, its group and its work-item, answered from the loops that run it.
#pragma once
#include "passes/wg/GroupFunction.h"

namespace kiln {

/// A work-item inside the loops over its group; all null where code runs once a group, and no query needs them.
struct Item {
  Triple id;          // in the group
  mlir::Value linear; // of the three, x fastest
};

/// Does code ask for more of the work-item's place than x and the linear id: where it lies in y and z.
bool asksForRow(mlir::Region &region);

/// Answers all queries of a region.
void answerQueries(mlir::Region &region, GroupFunction &group, const Item &item);

/// Finds what the launch brings along: the block of program-scope variables, printf's buffer, the arena for
/// what is enqueued.
void findLaunchBuffers(GroupFunction &group);

} // namespace kiln
