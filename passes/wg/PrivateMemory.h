// Memory of private variables that were not promoted: the thread's stack or the items area.
#pragma once
#include "passes/wg/GroupFunction.h"

namespace kiln {

class Slots;

/// The number of elements of a variable.
int64_t elementsOf(mlir::LLVM::AllocaOp variable);

/// Private variables of one region exist once per thread. Allocates those above 16 KiB in total in the items area, and
/// the others on the stack. In a kernel with address-space queries, variables whose address escapes are in the items
/// area as well, where `lowerAddressSpaceQueries` finds private memory.
void placeLargeVariables(GroupFunction &group, const Slots &slots);

/// Lowers `ocl.is_addrspace` to comparisons of the address: within the group's local memory, within the items area
/// (private), or elsewhere (global).
void lowerAddressSpaceQueries(GroupFunction &group);

/// Moves allocas to the function's entry block: LLVM's SROA ignores others, and in a loop they grow the stack.
void hoistAllocas(mlir::LLVM::LLVMFuncOp function);

} // namespace kiln
