#include "backends/cpu/math/Forms.h"
#include "backends/cpu/math/Log.h"

namespace kiln::math {
KILN_BOTH(KILN_FORM_ONE, log)
KILN_BOTH(KILN_FORM_ONE, log2)
KILN_BOTH(KILN_FORM_ONE, log10)
KILN_BOTH(KILN_FORM_ONE, log1p)

} // namespace kiln::math
