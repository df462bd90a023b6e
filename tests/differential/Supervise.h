// Runs programs in child processes, so that a crash or an endless loop is a finding about one program.
#pragma once
#include "tests/differential/Runner.h"

namespace kiln::differential {

struct Totals {
  uint64_t wrong = 0, skipped = 0;
};
/// Compares the seeds of the settings and prints a line for each that disagrees.
Totals compareSeeds(const Settings &settings);

/// Runs one program in a child process. The text is empty: the child has printed nothing.
Outcome outcomeOf(const Settings &settings, const Program &program);

} // namespace kiln::differential
