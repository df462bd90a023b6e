// Sleeping on a word, and the short spin before it. A futex rather than a condition variable where the waker must not
// pay for sleepers that are not there: it looks at a counter first.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>

namespace kiln {

/// Sleeps unless the word has changed from `expected`, no longer than said; may return early.
void futexWait(std::atomic<uint32_t> &word, uint32_t expected, const std::chrono::nanoseconds *longest = nullptr);
void futexWake(std::atomic<uint32_t> &word, int threads);

/// Processors that this process may run on; at least 1. Read once.
unsigned processorCount();

inline void cpuRelax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Looks at `done` for some microseconds, on machines where somebody else can make it true meanwhile.
template <typename Done> bool spinFor(unsigned rounds, Done done) {
  if (processorCount() == 1)
    return done();
  for (unsigned i = 0; i < rounds; ++i) {
    if (done())
      return true;
    cpuRelax();
  }
  return done();
}

/// A word that threads sleep on until it has some value. Whoever changes it calls `wake`, which costs a load when
/// nobody sleeps.
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
  /// After a seq_cst change of the word.
  void wake(std::atomic<uint32_t> &word) {
    if (count_.load(std::memory_order_seq_cst))
      futexWake(word, 1 << 30);
  }

private:
  std::atomic<uint32_t> count_{0};
};

} // namespace kiln
