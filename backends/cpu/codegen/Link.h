// Objects to one shared object that needs nothing.
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>
#include <vector>

namespace kiln {

/// An ELF shared object without undefined symbols and without dependencies: kernels bind to nothing of the application
/// that loads them. Empty with `error` set when they ask for more than Kiln's support functions.
std::vector<uint8_t> linkCpuObjects(llvm::ArrayRef<llvm::SmallVector<char, 0>> objects, std::string &error);

} // namespace kiln
