// Reduces a failing program to a smaller one.
#pragma once
#include "tests/differential/Runner.h"

namespace kiln::differential {

/// Drops statements and replaces expressions by operands and constants, as long as the program stays defined and has
/// the same outcome on the device. Returns the program unchanged if it does not fail.
Program reduce(const Settings &settings, Program program);

} // namespace kiln::differential
