// Cube root and hypotenuse.
#include "backends/cpu/math/Coefficients.h"
#include "backends/cpu/math/Instances.h"

namespace kiln::math {
namespace {

// |x| = a * 8^k with a in [1/2, 4). z = a^(-1/3) from a polynomial of a's fraction, refined by three terms of the
// series of (1 - off)^(-1/3). Then y = a z^2, corrected by (a - y^3) / (3 y^2).
template <typename V> KILN_INLINE V cbrt(V x) {
  using E = Element<V>;
  constexpr int fraction = Format<E>::Fraction, bias = Format<E>::Bias, digits = sizeof(E) == 4 ? 24 : 54;
  V magnitude = abs(x);
  auto small = magnitude < V(Format<E>::SmallestNormal);
  Ints<V> raw = bits(select(small, magnitude * E(typename Format<E>::Int(1) << digits), magnitude));
  Ints<V> exponent = (raw >> fraction) - bias - select(small, Ints<V>(digits), Ints<V>(0)), k;
  nearest(fma(fromInt<V>(exponent), V(E(0.333333333333)), V(Format<E>::Shifter)), k);
  Ints<V> part = exponent - 3 * k; // -1, 0 or 1
  V one = fromBits<V>((raw & ((typename Format<E>::Int(1) << fraction) - 1)) | Ints<V>(bits(E(1))));
  V factor = select(part == 0, V(1), select(part > 0, V(E(0x1.965fea53d6e3dp-1)), V(E(0x1.428a2f98d728bp+0))));
  V a = one * powerOfTwo<V>(part), z = polynomial(one, inverseCubeRoot<E>) * factor;
  V off = fma(-a * z, z * z, V(1));
  z = fma(z * off, fma(off, fma(off, V(E(14.0 / 81)), V(E(2.0 / 9))), V(E(1.0 / 3))), z);
  V square = z * z, y = a * square, ySquare = y * y;
  V error = fma(ySquare, y, -a) + productError(ySquare, y, y) * y;
  y = fma(-error * E(1.0 / 3), square, y) * powerOfTwo<V>(k);
  auto plain = both(magnitude > V(0), magnitude < infinity<V>());
  return select(plain, withSign(y, signBit(x)), x + x);
}

template <typename V> KILN_INLINE V hypot(V x, V y) {
  using E = Element<V>;
  constexpr bool single = sizeof(E) == 4;
  x = abs(x), y = abs(y);
  auto swap = x < y;
  V large = select(swap, y, x), small = select(swap, x, y);
  // Scales the arguments, so that the sum of squares neither overflows nor loses precision by underflow.
  auto down = large > V(E(single ? 0x1p60 : 0x1p500)), up = large < V(E(single ? 0x1p-40 : 0x1p-400));
  V factor = select(down, V(E(single ? 0x1p-80 : 0x1p-600)), select(up, V(E(single ? 0x1p80 : 0x1p600)), V(1)));
  V back = select(down, V(E(single ? 0x1p80 : 0x1p600)), select(up, V(E(single ? 0x1p-80 : 0x1p-600)), V(1)));
  large *= factor, small *= factor;
  V result = sqrt(fma(large, large, small * small)) * back;
  return select(either(x == infinity<V>(), y == infinity<V>()), infinity<V>(), result);
}

} // namespace

KILN_BOTH(KILN_INSTANCE_ONE, cbrt)
KILN_BOTH(KILN_INSTANCE_TWO, hypot)

} // namespace kiln::math
