// Prepares an application's thread for kernels: checks its stack, sets the floating-point state that kernels expect and
// restores the thread's own.
#pragma once
#include <cfenv>
#include <cstdint>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kiln::cpu {

class KernelFpScope {
public:
  /// Returns true if the calling thread has enough stack for a kernel.
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
