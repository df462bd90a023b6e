// Names of the functions that wg.permute is lowered to: kiln.permute.i32x16 takes the index and two vectors of sixteen
// elements. The CPU's code generator replaces their calls by instructions (backends/cpu/codegen/LowerPermutes).
#pragma once
#include "llvm/ADT/StringRef.h"
#include <string>

namespace kiln::cpu {

inline constexpr llvm::StringRef PermutePrefix = "kiln.permute.i32x";

inline std::string permuteSymbol(unsigned lanes) { return PermutePrefix.str() + std::to_string(lanes); }

} // namespace kiln::cpu
