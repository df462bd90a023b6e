// Instructions that work on each component of a matrix.
#pragma once
#include "dialects/import/HandlerTable.h"

namespace kiln::import {

/// Returns true if the instruction computes a matrix component by component.
bool isOfComponents(Body &body, const Instruction &ins);

/// Lifts such an instruction to ocl.matrix_map: `handler` lifts the same instruction on components in its region.
mlir::LogicalResult importOfComponents(Body &body, const Instruction &ins, Handler handler);

} // namespace kiln::import
