// Memory at addresses that do not change in a loop as values.
#pragma once
#include "mlir/IR/Region.h"

namespace kiln {

/// Replaces the accesses of a loop to an address that does not change in it, and that each iteration accesses, by a
/// value that is loaded before the loop. If the loop stores to the address, it carries the value, and the value is
/// stored after it. Innermost loops first. The body is structured.
void promoteLoopMemory(mlir::Region &body);

} // namespace kiln
