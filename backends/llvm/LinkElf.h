// Links objects to a shared object without dependencies.
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace kiln {

/// Returns an ELF shared object without undefined symbols and without dependencies, so that kernels do not bind to the
/// application's symbols. `options` are further options of lld. Empty, with `error` set, if a symbol is undefined.
std::vector<uint8_t> linkSharedObject(llvm::ArrayRef<llvm::ArrayRef<char>> objects,
                                      llvm::ArrayRef<const char *> options, std::string &error);

} // namespace kiln
