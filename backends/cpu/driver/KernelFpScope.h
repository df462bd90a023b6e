// What it takes to run kernels on a thread of the application's: enough stack below it, and the floating-point state
// that kernels expect, put back afterwards.
#pragma once
#include <cfenv>
#include <cstdint>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kiln::cpu {

class KernelFpScope {
public:
  /// Whether the calling thread has stack for a kernel.
  static bool hasKernelStack();

#if defined(__x86_64__)
  KernelFpScope() : state_(_mm_getcsr()) { _mm_setcsr(0x1f80); } // round to nearest, subnormals kept, no exceptions
  ~KernelFpScope() { _mm_setcsr(state_); }

private:
  const unsigned state_;
#else
  KernelFpScope() {
    std::fegetenv(&state_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~KernelFpScope() { std::fesetenv(&state_); }

private:
  std::fenv_t state_;
#endif
};

} // namespace kiln::cpu
