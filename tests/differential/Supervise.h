// Runs programs in child processes, so that a crash or an endless loop is reported for one program.
#pragma once
#include "tests/differential/Runner.h"

namespace kiln::differential {

struct Totals {
  uint64_t wrong = 0, skipped = 0;
};
/// Runs all seeds of the settings and prints one line per failure.
Totals compareSeeds(const Settings &settings);

/// Runs one program in a child process and returns its outcome. Prints nothing.
Outcome outcomeOf(const Settings &settings, const Program &program);

} // namespace kiln::differential
