// One object to a shared object that needs nothing.
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace kiln {

/// An ELF shared object without undefined symbols and without dependencies: kernels bind to nothing of the application
/// that loads them. Empty with `error` set when the object asks for more than Kiln's support functions.
std::vector<uint8_t> linkCpuObject(llvm::ArrayRef<char> object, std::string &error);

} // namespace kiln
