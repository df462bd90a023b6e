// When a waiting thread polls next. It polls without pause for the first 200 us, and around the time that the previous
// wait on this stream took: programs that launch the same work again wait as long again. In between it sleeps for a
// small share of the time waited so far, which adds 1/256 of that time on average. A thread that sleeps until another
// one wakes it would learn of the end some 50 to 100 us later in a virtual machine, 10% of a kernel of a millisecond.
#pragma once
#include <atomic>
#include <cstdint>

namespace kiln::gpu {

class WaitPace {
public:
  /// `previous`: the nanoseconds that the previous wait took; set to those of this one when it ends, if it had a pause.
  explicit WaitPace(std::atomic<uint64_t> &previous) : previous_(previous) {}
  ~WaitPace();
  WaitPace(const WaitPace &) = delete;
  WaitPace &operator=(const WaitPace &) = delete;

  /// Pauses before the next poll, at the time `now`. Returns true if the thread slept.
  bool pause(uint64_t now);

private:
  void sleep(uint64_t nanoseconds);

  std::atomic<uint64_t> &previous_;
  uint64_t begin_ = 0, expected_ = 0; // set by the first pause
  uint64_t waited_ = 0;               // until the last pause
  int slack_ = 0;                     // the thread's own timer slack, once changed
};

} // namespace kiln::gpu
