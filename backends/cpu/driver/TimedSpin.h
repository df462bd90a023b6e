// A spin for threads that wait for work, with a limit in time: that of cpuRelax differs by a factor of ten between
// processors.
#pragma once
#include "base/support/Futex.h"
#include "base/support/Trace.h"

namespace kiln::cpu {

/// Calls `done` until it returns true, for about `nanoseconds`. Returns its last result.
template <typename Done> bool spinForTime(uint64_t nanoseconds, Done done) {
  for (const uint64_t end = nowNanoseconds() + nanoseconds; nowNanoseconds() < end;)
    for (int i = 0; i < 32; ++i) {
      if (done())
        return true;
      cpuRelax();
    }
  return done();
}

} // namespace kiln::cpu
