// Counts the completed commands of an in-order queue, which complete in the order of their enqueues. A thread that
// waits is woken only when its number is reached.
#pragma once
#include "base/support/Futex.h"
#include <atomic>

namespace kiln {

class CompletionCounter {
public:
  void add() {
    uint32_t done = completed_.fetch_add(1, std::memory_order_seq_cst) + 1;
    if (int32_t(done - wakeAt_.load(std::memory_order_seq_cst)) >= 0)
      waitQueue_.wake(completed_);
  }
  /// Numbers are modulo 2^32.
  bool hasReached(uint32_t number) const { return int32_t(completed_.load(std::memory_order_seq_cst) - number) >= 0; }
  void waitFor(uint32_t number) {
    waitQueue_.wait(completed_, [&] {
      if (hasReached(number))
        return true;
      // A number that has been reached is replaced.
      uint32_t at = wakeAt_.load(std::memory_order_seq_cst);
      while ((hasReached(at) || int32_t(number - at) < 0) &&
             !wakeAt_.compare_exchange_weak(at, number, std::memory_order_seq_cst)) {
      }
      return hasReached(number);
    });
  }

private:
  std::atomic<uint32_t> completed_{0};
  std::atomic<uint32_t> wakeAt_{0}; // the lowest number that a thread waits for
  WaitQueue waitQueue_;             // on completed_
};

} // namespace kiln
