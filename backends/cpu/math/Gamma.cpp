// The gamma function and the logarithm of its magnitude.
#include "backends/cpu/math/Gamma.h"
#include "backends/cpu/math/Instances.h"

namespace kiln::math {

KILN_BOTH(KILN_INSTANCE_ONE, tgamma)
KILN_BOTH(KILN_INSTANCE_ONE, lgamma)

} // namespace kiln::math
