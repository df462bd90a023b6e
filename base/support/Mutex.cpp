#include "base/support/Mutex.h"

namespace kiln {

void Mutex::acquireSlowPath() {
  // The holder usually unlocks soon.
  if (spinFor(100, [this] { return state_.load(std::memory_order_relaxed) == Free && acquire(); }))
    return;
  while (state_.exchange(Waited, std::memory_order_acquire) != Free)
    futexWait(state_, Waited);
}

void ConditionVariable::sleep(Lock &lock, const std::chrono::nanoseconds *longest) {
  // Read under the lock: the notifying thread changes the condition under the lock and notifies after that.
  uint32_t seen = notes_.load(std::memory_order_seq_cst);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  lock.unlock();
  futexWait(notes_, seen, longest);
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
  lock.lock();
}

void ConditionVariable::notify(int threads) {
  notes_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst))
    futexWake(notes_, threads);
}

} // namespace kiln
