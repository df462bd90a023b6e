#include "backends/cpu/math/Instances.h"
#include "backends/cpu/math/Trig.h"

namespace kiln::math {
namespace {

// The fast versions have no branch for large arguments. From NearLimit (2^17) on the remainder loses precision, and
// from 2^20 on it is 0 (NaN for infinity).
template <typename V> KILN_INLINE QuarterTurns<V> fastReduce(V x) {
  QuarterTurns<V> turns = reduceNear(x);
  turns.rest = select(x < V(0x1p20f), turns.rest, x - x);
  return turns;
}
template <typename V> KILN_INLINE V fastSin(V x) { return sinOf(fastReduce(abs(x)), x); }
template <typename V> KILN_INLINE V fastCos(V x) { return cosOf(fastReduce(abs(x))); }
template <typename V> KILN_INLINE V fastTan(V x) { return tanOf(fastReduce(abs(x)), x); }

} // namespace

KILN_BOTH(KILN_INSTANCE_ONE, sin)
KILN_BOTH(KILN_INSTANCE_ONE, cos)
KILN_BOTH(KILN_INSTANCE_ONE, tan)
KILN_BOTH(KILN_INSTANCE_ONE, sinpi)
KILN_BOTH(KILN_INSTANCE_ONE, cospi)
KILN_BOTH(KILN_INSTANCE_ONE, tanpi)
KILN_SINGLE(KILN_INSTANCE_ONE, "fast.sin", fastSin)
KILN_SINGLE(KILN_INSTANCE_ONE, "fast.cos", fastCos)
KILN_SINGLE(KILN_INSTANCE_ONE, "fast.tan", fastTan)

} // namespace kiln::math
