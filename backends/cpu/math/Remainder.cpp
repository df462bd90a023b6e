// Exact remainders.
#include "backends/cpu/math/Remainder.h"
#include "backends/cpu/math/Forms.h"

namespace kiln::math {

KILN_BOTH(KILN_FORM_TWO, fmod)
KILN_BOTH(KILN_FORM_TWO, remainder)

} // namespace kiln::math
