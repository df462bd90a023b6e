// Where private variables lie that did not become values: on the thread's stack or in the items area.
#pragma once
#include "passes/wg/GroupFunction.h"

namespace kiln {

class Slots;

/// How many elements a variable has room for.
int64_t elementsOf(mlir::LLVM::AllocaOp variable);

/// Private variables that last for one region are one per thread. Small ones live on its stack, but for those that a
/// kernel may ask for the address space of: these have to lie where `tellSpaces` looks for private memory.
void placeLargeVariables(GroupFunction &group, const Slots &slots);

/// Answers `ocl.is_in`. Where a generic pointer points to is told by its address: into the group's local memory, into
/// the items area, where private variables are, or elsewhere, which is global.
void tellSpaces(GroupFunction &group);

/// Moves the variables on the stack to the function's start, where they belong, wherever the regions they served have
/// gone.
void liftVariables(mlir::LLVM::LLVMFuncOp function);

} // namespace kiln
