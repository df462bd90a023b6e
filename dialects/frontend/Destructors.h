// Destructors of variables at program scope, as one kernel that runs when the program goes.
//
// Clang has them called through __cxa_atexit, a function of a host's C library that gets the destructor's address and
// the object's, in the function that initialises the variable. A device has no such function, SPIR-V no addresses of
// functions; and where the destructor wants a generic pointer, Clang 15 leaves the object's address out. So the
// variables are read off the syntax tree, in the order of their definitions, which is that of their initialisation.
#pragma once
#include "clang/AST/ASTConsumer.h"
#include "llvm/IR/Module.h"
#include <memory>
#include <string>
#include <vector>

namespace kiln::frontend {

/// A variable that is destroyed, unless it is an array: for these Clang makes a function that knows its array.
struct Destroyed {
  std::string variable, destructor; // mangled
  bool inOrder;                     // initialised where it is defined among the others
};

/// Fills the list when Clang has read the whole source.
std::unique_ptr<clang::ASTConsumer> findDestroyed(std::vector<Destroyed> &variables);

/// Replaces the calls of __cxa_atexit by a kernel, whose name goes to `finaliser`. False, with a sentence in `error`,
/// where it is not certain what is destroyed, or when.
bool makeFinaliser(llvm::Module &module, const std::vector<Destroyed> &variables, std::string &finaliser,
                   std::string &error);

} // namespace kiln::frontend
