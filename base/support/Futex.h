// Sleeping on a futex word after a short spin. Unlike a condition variable, waking costs only a load if no thread
// sleeps.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>

namespace kiln {

/// Sleeps unless the word differs from `expected`, at most for `longest`. May return early.
void futexWait(std::atomic<uint32_t> &word, uint32_t expected, const std::chrono::nanoseconds *longest = nullptr);
void futexWake(std::atomic<uint32_t> &word, int threads);

/// Returns the number of processors that this process may run on, at least 1. Read once.
unsigned processorCount();

inline void cpuRelax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Calls `done` up to `iterations` times (some microseconds). Calls it once on a machine with one processor, where no
/// other thread can make it true meanwhile. Returns its last result.
template <typename Done> bool spinFor(unsigned iterations, Done done) {
  if (processorCount() == 1)
    return done();
  for (unsigned i = 0; i < iterations; ++i) {
    if (done())
      return true;
    cpuRelax();
  }
  return done();
}

/// Threads that wait for a condition on a word. After each change of the word the changing thread calls `wake`, which
/// costs one load if no thread sleeps.
class WaitQueue {
public:
  template <typename Done> void wait(std::atomic<uint32_t> &word, Done done) {
    if (spinFor(2000, done))
      return;
    count_.fetch_add(1, std::memory_order_seq_cst);
    for (;;) {
      uint32_t seen = word.load(std::memory_order_seq_cst);
      if (done())
        break;
      futexWait(word, seen);
    }
    count_.fetch_sub(1, std::memory_order_relaxed);
  }
  /// Returns true if a thread sleeps, or is about to, after a seq_cst change of what `done` reads.
  bool hasSleepers() const { return count_.load(std::memory_order_seq_cst) != 0; }
  /// Must follow a seq_cst change of the word.
  void wake(std::atomic<uint32_t> &word) {
    if (count_.load(std::memory_order_seq_cst))
      futexWake(word, 1 << 30);
  }

private:
  std::atomic<uint32_t> count_{0};
};

} // namespace kiln
