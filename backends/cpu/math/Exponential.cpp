#include "backends/cpu/math/Exp.h"
#include "backends/cpu/math/Instances.h"

namespace kiln::math {
namespace {

template <typename V> KILN_INLINE V expm1(V x) { return unlessTiny(x, 4 * quarterExpm1(x)); }

} // namespace

KILN_BOTH(KILN_INSTANCE_ONE, exp)
KILN_BOTH(KILN_INSTANCE_ONE, exp2)
KILN_BOTH(KILN_INSTANCE_ONE, exp10)
KILN_BOTH(KILN_INSTANCE_ONE, expm1)

} // namespace kiln::math
