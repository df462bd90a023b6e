// Symbols of the GPU math library: libclc's bitcode, reduced to these functions and renamed during Kiln's build
// (backends/gpu/codegen), so that kernels cannot have the same names.
#pragma once
#include "dialects/ocl/Ocl.h"

namespace kiln::gpu {

/// Returns __kiln_powf or __kiln_pow for single or double precision.
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
