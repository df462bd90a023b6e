// A trap on a GPU (a failed `assert`, `__builtin_trap`), as the code has recorded it in the launch's printf buffer.
#pragma once
#include "base/abi/TrapAbi.h"
#include <array>
#include <string>

namespace kiln {

struct Launch;

struct Trap {
  abi::TrapRecord record;
  std::string message; // what the work-item printed directly before the trap; empty if it printed nothing

  /// The reason of the launch's failure, in words. `localSize` is what the kernel observes.
  std::string describe(const Launch &grid, const std::array<uint64_t, 3> &localSize) const;
};

} // namespace kiln
