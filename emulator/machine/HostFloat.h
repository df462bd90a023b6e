// The host's floating-point environment while a wave runs: rounding and denormals as the wave's MODE says. The two
// processors have the same modes for each. The file instructions/README.md says which operations depend on it.
#pragma once
#include "emulator/machine/Wave.h"
#include <immintrin.h>

namespace kiln::emulator {

class HostFloat {
public:
  HostFloat() : before_(_mm_getcsr()), current_(before_) {}
  HostFloat(const HostFloat &) = delete;
  ~HostFloat() {
    if (current_ != before_)
      _mm_setcsr(before_);
  }
  void set(const Wave &wave, FloatMode mode) {
    const bool single = mode == FloatMode::Single;
    constexpr unsigned Masked = 0x1f80, InputsAreZero = 1 << 6, OutputsToZero = 1 << 15;
    constexpr unsigned Directions[] = {0, 2 << 13, 1 << 13, 3 << 13}; // of Rounding
    const unsigned wanted = Masked | Directions[unsigned(wave.rounding(single))] |
                            (wave.flushesInput(single) ? InputsAreZero : 0) |
                            (wave.flushesOutput(single) ? OutputsToZero : 0);
    if (wanted != current_)
      _mm_setcsr(current_ = wanted);
  }

private:
  const unsigned before_;
  unsigned current_;
};

} // namespace kiln::emulator
