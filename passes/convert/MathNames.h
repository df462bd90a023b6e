// What functions of the CPU's math library (backends/cpu/math) are called: kiln.math.exp.f32 takes a float,
// kiln.math.exp.f32x8 eight, kiln.math.fast.sin.f64 ... No name of a kernel's begins like that, for an entry point ends
// in ".group" and everything else is inlined into one.
#pragma once
#include "dialects/ocl/Ocl.h"
#include <array>

namespace kiln::cpu {

inline constexpr llvm::StringRef MathPrefix = "kiln.math.";

/// On an `ocl.math` of full precision: the build allows unsafe math, so the bounds of that option will do.
inline constexpr llvm::StringRef RelaxedMathAttr = "ocl.relaxed";

/// The vectors that functions have forms for: what fits 128, 256 and 512 bits.
inline std::array<unsigned, 3> mathWidths(bool isDouble) {
  return isDouble ? std::array<unsigned, 3>{2, 4, 8} : std::array<unsigned, 3>{4, 8, 16};
}

/// Does the library have a faster form of it, for floats.
inline bool hasFastForm(ocl::MathFn fn) {
  switch (fn) {
#define KILN_FAST(name, operands) case ocl::MathFn::name:
#include "backends/cpu/math/Functions.def"
    return true;
  default:
    return false;
  }
}

/// `width` is 1 for a single number.
inline std::string mathSymbol(ocl::MathFn fn, bool fast, bool isDouble, unsigned width) {
  std::string name =
      (MathPrefix + (fast ? "fast." : "") + ocl::stringifyMathFn(fn) + (isDouble ? ".f64" : ".f32")).str();
  return width == 1 ? name : name + "x" + std::to_string(width);
}

} // namespace kiln::cpu
