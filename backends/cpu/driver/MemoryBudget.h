// How much memory the buffers of CPU devices take, and whether more fits.
//
// Linux promises memory that it does not have, and kills a process when too much of what was promised is touched. So an
// allocation that succeeds says little, and devices would report memory that nobody can use. What buffers take together
// is bounded here, by a share of the machine's memory; and a large one is given out only when the system has it besides
// all that was given out before and has not been touched yet.
#pragma once
#include "runtime/support/Mutex.h"
#include <cstddef>
#include <cstdint>
#include <map>

namespace kiln::cpu {

class MemoryBudget {
public:
  /// One a process. The child of a fork has one of its own, which knows nothing of the parent's blocks.
  static MemoryBudget &get();

  /// What blocks may take together: KILN_CPU_MEMORY, or three quarters of what the machine or the control group has;
  /// the rest is the system's and the program's own.
  uint64_t limit() const { return limit_; }
  /// For a block that nobody has touched yet. False, and nothing taken, when it does not fit.
  bool acquire(const void *block, size_t bytes) KILN_EXCLUDES(mutex_);
  void release(const void *block, size_t bytes) KILN_EXCLUDES(mutex_);

private:
  explicit MemoryBudget(uint64_t limit) : limit_(limit) {}
  /// Whether the system has the bytes, and what the blocks have not touched of theirs.
  bool systemHas(size_t bytes) const KILN_REQUIRES(mutex_);

  const uint64_t limit_;
  Mutex mutex_;
  uint64_t used_ KILN_GUARDED_BY(mutex_) = 0;
  uint64_t unchecked_ KILN_GUARDED_BY(mutex_) = 0;                // given out since the system was asked
  std::map<const void *, size_t> blocks_ KILN_GUARDED_BY(mutex_); // the large ones
};

} // namespace kiln::cpu
