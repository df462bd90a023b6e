// What needs the lines of all programs, or code in files with a name.
#pragma once
#include "base/support/Options.h"

namespace kiln {

/// Returns true if every program is compiled with source lines.
inline bool keepsLines() { return options().lines || !options().hotLines.empty(); }
/// Returns true if another process reads the code of this one: a debugger or a profiler.
inline bool showsCode() { return options().lines || !options().debug.empty(); }

} // namespace kiln
