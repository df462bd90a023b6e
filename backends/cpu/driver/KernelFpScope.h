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
  KernelFpScope() : state_(_mm_getcsr()) { set(); }
  ~KernelFpScope() { _mm_setcsr(state_); }
  static void set() { _mm_setcsr(0x1f80); } // round to nearest, subnormals kept, no exceptions

private:
  const unsigned state_;
#else
  KernelFpScope() {
    std::fegetenv(&state_);
    set();
  }
  ~KernelFpScope() { std::fesetenv(&state_); }
  static void set() { std::fesetenv(FE_DFL_ENV); }

private:
  std::fenv_t state_;
#endif
};

/// What a signal's handler loses of a thread's floating-point state if it does not return, and KernelFpScope does not
/// keep: x87's rounding.
class X87Control {
#if defined(__x86_64__)
public:
  X87Control() { __asm__ volatile("fnstcw %0" : "=m"(word_)); }
  void restore() const { __asm__ volatile("fldcw %0" : : "m"(word_)); }

private:
  uint16_t word_;
#else
public:
  void restore() const {}
#endif
};

} // namespace kiln::cpu
