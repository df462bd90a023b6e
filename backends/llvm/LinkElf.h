// Objects to a shared object that needs nothing.
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace kiln {

/// An ELF shared object without undefined symbols and without dependencies: kernels bind to nothing of the application
/// that loads them. `options` are more of lld's. Empty with `error` set when something is undefined.
std::vector<uint8_t> linkSharedObject(llvm::ArrayRef<llvm::ArrayRef<char>> objects, llvm::ArrayRef<const char *> options,
                                      std::string &error);

} // namespace kiln
