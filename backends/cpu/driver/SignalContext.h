// Registers of the thread that a signal has interrupted, from the context that its handler gets.
#pragma once
#include <cstdint>
#include <ucontext.h>

namespace kiln::cpu {

/// 0 on a processor that Kiln does not know.
inline uintptr_t programCounter(const void *context) {
  const auto &machine = static_cast<const ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
  return uintptr_t(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return uintptr_t(machine.pc);
#else
  return 0;
#endif
}

inline uintptr_t stackPointer(const void *context) {
  const auto &machine = static_cast<const ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
  return uintptr_t(machine.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return uintptr_t(machine.sp);
#else
  return 0;
#endif
}

} // namespace kiln::cpu
