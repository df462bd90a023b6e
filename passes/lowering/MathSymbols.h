// Names of functions of the CPU's math library (backends/cpu/math): kiln.math.exp.f32 takes a float,
// kiln.math.exp.f32x8 eight, kiln.math.fast.sin.f64 is a fast version. OclToLlvm renames variables of a program that
// have such a name.
#pragma once
#include "dialects/ocl/Ocl.h"
#include <array>

namespace kiln::cpu {

inline constexpr llvm::StringRef MathPrefix = "kiln.math.";

/// Attribute of an `ocl.math` of full precision: the build allows unsafe math, so that option's error bounds apply.
inline constexpr llvm::StringRef UnsafeMathAttr = "ocl.unsafe_math";

/// The vector lengths of instances: 128, 256 and 512 bits.
inline std::array<unsigned, 3> mathWidths(bool isDouble) {
  return isDouble ? std::array<unsigned, 3>{2, 4, 8} : std::array<unsigned, 3>{4, 8, 16};
}

/// Returns true if the library has a fast version of the function, for floats.
inline bool hasFastVersion(ocl::MathFn fn) {
  switch (fn) {
#define KILN_FAST(name, operands) case ocl::MathFn::name:
#include "base/abi/MathFunctions.def"
    return true;
  default:
    return false;
  }
}

/// The symbol of an instance; `width` is 1 for scalars.
inline std::string mathSymbol(ocl::MathFn fn, bool fast, bool isDouble, unsigned width) {
  std::string name =
      (MathPrefix + (fast ? "fast." : "") + ocl::stringifyMathFn(fn) + (isDouble ? ".f64" : ".f32")).str();
  return width == 1 ? name : name + "x" + std::to_string(width);
}

} // namespace kiln::cpu
