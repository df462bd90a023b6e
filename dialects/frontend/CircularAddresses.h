// Rewrites program-scope variables whose initial values contain their own address, or each other's.
//
//   global struct node a = {&b}, b = {&a};     a = {&b}, b = {null}; kernel initialiser() { b.next = &a; }
//
// In SPIR-V a constant's constituents precede it, so an initialiser kernel stores one of these addresses. The runtime
// launches the kernel, which has execution mode Initializer, before the program's first kernel.
#pragma once
#include <llvm/IR/Module.h>
#include <string>

namespace kiln::frontend {

/// Removes such values. Returns false, with a message in `error`, if all variables of a cycle are in constant memory,
/// which an initialiser cannot write.
bool storeCircularAddresses(llvm::Module &module, std::string &error);

} // namespace kiln::frontend
