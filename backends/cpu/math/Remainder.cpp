// Exact remainders.
#include "backends/cpu/math/Remainder.h"
#include "backends/cpu/math/Instances.h"

namespace kiln::math {

KILN_BOTH(KILN_INSTANCE_TWO, fmod)
KILN_BOTH(KILN_INSTANCE_TWO, remainder)

} // namespace kiln::math
