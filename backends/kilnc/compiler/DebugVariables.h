// Debug information of local variables in unoptimised code.
#pragma once
#include "backends/kilnc/compiler/DebugScopes.h"

namespace kiln {

/// Allocates a stack slot for each variable that the importer described (dialects/import/DebugInfo.h), in the function
/// that contains it after inlining, and stores its values there. Each inlined call has separate variables.
void describeVariables(mlir::ModuleOp module, DebugScopes &scopes);

} // namespace kiln
