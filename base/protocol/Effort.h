// How much LLVM does for the code of a kernel.
#pragma once
#include <cstdint>

namespace kiln {

enum class Effort : uint8_t {
  None,  // only passes that code generation needs (-cl-opt-disable)
  Quick, // for code that a specialised variant will replace
  Full,
};

} // namespace kiln
