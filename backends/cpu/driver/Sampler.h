// KILN_HOT_LINES: samples the threads that run kernels, and writes the lines that took most of each kernel's time when
// the process ends.
//
//   kernel blur: 2310 ms
//     97.4 %  blur.cl:12    sum += weights[k] * in[at + k];
//
// A thread has a timer of its processor time, which runs while the thread is in a kernel's code and sends SIGPROF to
// it. The handler counts the program counter in a table of the code object that the thread runs, which is made when the
// code is loaded. When the code is unloaded, or the process ends, the counts are added up by kernel and line
// (LineTable.h). The time of a function without lines, such as one of the math library, is that of the line that calls
// it. Linux looks at such timers at its clock ticks (4 ms at 250 Hz), and many chunks of launches end before one. So a
// sample stands for all the thread's time in kernels since its last one.
//
// The handler takes the signals of these timers only, and passes others on to the action that was there before. With
// KILN_TRACE, samples are spans in the trace as well.
//
// Not handled: an application that installs a handler of SIGPROF later, or a thread of it that blocks the signal: their
// samples are lost.
#pragma once
#include "base/support/Options.h"
#include <cstdint>
#include <string>

namespace kiln::cpu::sampler {

inline bool enabled() { return !options().hotLines.empty(); }

/// The number of kernels with this name in samples; 0 without the switch.
uint32_t numberOf(const std::string &kernel);

/// The samples of loaded code. Destroyed before the code is unmapped, and after the last launch.
class SampledCode {
public:
  /// `handle` is dlopen's, `path` the file's. Does nothing without the switch.
  SampledCode(void *handle, const std::string &path);
  ~SampledCode();
  SampledCode(const SampledCode &) = delete;

private:
  friend class Sampler;
  friend class Sampling;
  struct Node;
  Node *node_ = nullptr;
};

/// The calling thread runs this code of a kernel while this exists.
class Sampling {
public:
  /// `kernel`: from numberOf; 0 does nothing. `code`: null has no samples.
  Sampling(const SampledCode *code, uint32_t kernel) noexcept {
    if (kernel) [[unlikely]]
      begin(code, kernel);
  }
  ~Sampling() {
    if (thread_) [[unlikely]]
      end();
  }
  Sampling(const Sampling &) = delete;

private:
  friend class Sampler;
  struct Thread;
  void begin(const SampledCode *code, uint32_t kernel) noexcept;
  void end() noexcept;
  Thread *thread_ = nullptr;
};

} // namespace kiln::cpu::sampler
