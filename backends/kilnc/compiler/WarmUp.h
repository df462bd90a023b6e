// What the zygote does before its first build (zygote::WarmUp), so that no build has to.
#pragma once

namespace kiln {

/// Loads what every build needs.
void prepare();
/// Compiles a small kernel.
void warmUpBuild();

} // namespace kiln
