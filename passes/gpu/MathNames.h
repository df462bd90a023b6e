// What functions of the GPU's math library are called. The library is libclc's bitcode, cut down to these functions and
// renamed when Kiln is built (backends/gpu/codegen), so that no kernel can have the name of one.
#pragma once
#include "dialects/ocl/Ocl.h"

namespace kiln::gpu {

/// In the code that Kiln makes: __kiln_powf and __kiln_pow for single and double precision.
inline std::string mathSymbol(ocl::MathFn fn, bool isDouble) {
  return ("__kiln_" + ocl::stringifyMathFn(fn) + (isDouble ? "" : "f")).str();
}

enum class MathOperands { One, Two, NumberAndInt };

inline MathOperands mathOperands(ocl::MathFn fn) {
  switch (fn) {
  case ocl::MathFn::ldexp:
  case ocl::MathFn::pown:
  case ocl::MathFn::rootn:
    return MathOperands::NumberAndInt;
  case ocl::MathFn::atan2:
  case ocl::MathFn::atan2pi:
  case ocl::MathFn::fmod:
  case ocl::MathFn::hypot:
  case ocl::MathFn::pow:
  case ocl::MathFn::powr:
  case ocl::MathFn::remainder:
    return MathOperands::Two;
  default:
    return MathOperands::One;
  }
}

} // namespace kiln::gpu
