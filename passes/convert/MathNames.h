// What functions of the CPU's math library (backends/cpu/math) are called: kiln.math.exp.f32 takes a float,
// kiln.math.exp.f32x8 eight, kiln.math.fast.sin.f64 ... No name of a kernel's begins like that, for an entry point ends
// in ".group" and everything else is inlined into one.
#pragma once
#include "dialects/ocl/Ocl.h"
#include <array>
#include <optional>

namespace kiln::cpu {

inline constexpr llvm::StringRef MathPrefix = "kiln.math.";

/// The vectors that functions have forms for: what fits 128, 256 and 512 bits.
inline std::array<unsigned, 3> mathWidths(bool isDouble) {
  return isDouble ? std::array<unsigned, 3>{2, 4, 8} : std::array<unsigned, 3>{4, 8, 16};
}

/// Which forms the library has of a function.
struct MathForms {
  bool single = false, twice = false, fast = false; // for floats, for doubles, and a faster one for floats
};
inline MathForms mathForms(ocl::MathFn fn) {
  static const llvm::DenseMap<unsigned, MathForms> forms = [] {
    llvm::DenseMap<unsigned, MathForms> map;
    constexpr bool Own = true, Service = false;
    auto key = [](llvm::StringRef name) { return unsigned(*ocl::symbolizeMathFn(name)); };
#define KILN_MATH(name, operands, single, twice) map[key(#name)] = {single, twice, false};
#define KILN_FAST(name, operands) map[key(#name)].fast = true;
#include "backends/cpu/math/Functions.def"
    (void)Service;
    return map;
  }();
  return forms.lookup(unsigned(fn));
}

/// `width` is 1 for a single number.
inline std::string mathSymbol(ocl::MathFn fn, bool fast, bool isDouble, unsigned width) {
  std::string name =
      (MathPrefix + (fast ? "fast." : "") + ocl::stringifyMathFn(fn) + (isDouble ? ".f64" : ".f32")).str();
  return width == 1 ? name : name + "x" + std::to_string(width);
}

} // namespace kiln::cpu
