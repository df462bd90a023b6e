// Notes of accesses (`ocl.track_access`) in vector code.
//
//   ocl.track_access write %p ... lanes 1 item %i  ==>  ocl.track_access write lane 0's %p ... step 4 lanes 255 item %i
//
// One operation notes the accesses of all active lanes, if both the address and the work-item rise by a constant from
// lane to lane. Other accesses are noted by one operation for each lane.
#pragma once
#include "passes/simd/emit/VectorBody.h"

namespace kiln {
namespace ocl {
class TrackAccessOp;
}

/// Returns false if the lanes need an operation each.
bool widenTrack(VectorBody &body, ocl::TrackAccessOp track, mlir::Value mask);

} // namespace kiln
