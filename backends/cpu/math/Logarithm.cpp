#include "backends/cpu/math/Instances.h"
#include "backends/cpu/math/Log.h"

namespace kiln::math {
KILN_BOTH(KILN_INSTANCE_ONE, log)
KILN_BOTH(KILN_INSTANCE_ONE, log2)
KILN_BOTH(KILN_INSTANCE_ONE, log10)
KILN_BOTH(KILN_INSTANCE_ONE, log1p)

} // namespace kiln::math
