// Decides how many threads take part in a launch, from its expected work and from what the launches of the stream have
// cost so far. A launch of W nanoseconds with n helpers is expected to take
//
//     W / (n + 1) + StartNanoseconds + n * HelperNanoseconds
//
// if the helpers are awake, and n is chosen so that this is least. To wake a thread takes more than a short launch. So
// threads are woken once launches have done as much work, one soon after the other, as the wake-ups cost: at worst,
// nothing comes after them, and that work took twice the time. After that, helpers spin between launches. If the
// application waits for each launch, only the work of one counts: on 16 processors, woken threads came after the end of
// launches of 8 to 20 us, and such a launch took 25 us.
//
// A processor that runs other programs as well may suspend a helper in the middle of a chunk, for some milliseconds,
// and the launch waits for it. And some kernels are slower on several threads. After a loss, short launches run on one
// thread until they have worked 32 times as long. So a sequence of them takes at most a thirtieth longer than on
// one thread.
#pragma once
#include "backends/cpu/driver/ThreadPool.h"

namespace kiln::cpu {

class HelperBudget {
public:
  /// Waking a thread costs about this, for both threads.
  static constexpr double WakeNanoseconds = 8'000;
  /// No thread is woken for less work: waking gains little, and loses if the other thread is late.
  static constexpr double MinWakeNanoseconds = 4 * WakeNanoseconds;

  /// For a launch that begins at the time `now`, with `expected` nanoseconds of work, and room for at most `most`
  /// helpers, of which `awake` are awake. `isAwaited`: a thread of the application runs it, and waits for its end.
  Helpers helpersFor(uint64_t now, double expected, unsigned most, unsigned awake, bool isAwaited = false);
  /// A launch ended at the time `now` that ran on one thread, for `nanoseconds`.
  void ranAlone(uint64_t now, uint64_t nanoseconds);
  /// A launch ended at the time `now` that was divided, woke `woken` threads, and took `nanoseconds`; on one thread it
  /// would have taken `alone`, as estimated.
  void ranDivided(uint64_t now, uint64_t nanoseconds, double alone, unsigned woken = 0);

private:
  uint64_t end_ = 0; // of the last launch
  double work_ = 0;  // nanoseconds of launches one soon after the other, without what has been spent on wake-ups
  double debt_ = 0;  // nanoseconds of work that short launches have to do on one thread
};

} // namespace kiln::cpu
