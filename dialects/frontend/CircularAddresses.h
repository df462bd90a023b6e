// Program-scope variables whose initial values hold their own address, or each other's.
//
//   global struct node a = {&b}, b = {&a};     a = {&b}, b = {null}; kernel initialiser() { b.next = &a; }
//
// In SPIR-V a constant's parts come before it, so that one of these addresses is stored by an initialiser: the runtime
// launches it before the program's first kernel, and SPIR-V's execution mode Initializer names it.
#pragma once
#include <llvm/IR/Module.h>
#include <string>

namespace kiln::frontend {

/// Makes the module free of such values. False, with a sentence in `error`, where all variables of a circle are in
/// constant memory, which an initialiser cannot write.
bool storeCircularAddresses(llvm::Module &module, std::string &error);

} // namespace kiln::frontend
