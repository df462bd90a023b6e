// Collects the destructors of program-scope variables in one kernel that runs when the program is released.
//
// In the function that initialises a variable, Clang calls __cxa_atexit, a function of the host's C library, with the
// addresses of the destructor and the object. A device has no such function, SPIR-V has no addresses of functions, and
// Clang 15 omits the object's address if the destructor takes a generic pointer. So the variables are collected from
// the AST, in the order of their definitions, which is the order of initialisation.
#pragma once
#include "clang/AST/ASTConsumer.h"
#include "llvm/IR/Module.h"
#include <memory>
#include <string>
#include <vector>

namespace kiln::frontend {

/// A variable with a destructor. Arrays are not listed: Clang creates a function for each that has the array's address.
struct DestructorEntry {
  std::string variable, destructor; // mangled
  bool inOrder;                     // initialised in the order of definitions
};

/// Fills `variables` at the end of the translation unit.
std::unique_ptr<clang::ASTConsumer> collectDestructors(std::vector<DestructorEntry> &variables);

/// Replaces the calls of __cxa_atexit by a kernel and sets `finalizer` to its name. Returns false, with a message in
/// `error`, if the objects or their order cannot be determined.
bool makeFinalizer(llvm::Module &module, const std::vector<DestructorEntry> &variables, std::string &finalizer,
                   std::string &error);

} // namespace kiln::frontend
