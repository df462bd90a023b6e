// A vector of flags that lives from one block to another, on processors without registers for masks.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// LLVM keeps flags as bytes between blocks, whatever they are compared from and choose between, and packs and unpacks
/// them in every round of a loop. Here they become numbers of 32 bits, all ones for yes, behind the last pass that would
/// make flags of them again. Flags of four lanes and more are meant: fewer are computed with one by one.
void widenFlags(llvm::Module &module);

} // namespace kiln
