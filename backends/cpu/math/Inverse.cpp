// Inverse trigonometric functions, in radians and in multiples of pi.
#include "backends/cpu/math/Coefficients.h"
#include "backends/cpu/math/Instances.h"

namespace kiln::math {
namespace {

template <typename E> inline constexpr int quarterTurn = 0; // pi/2 in two parts
template <> inline constexpr float quarterTurn<float>[] = {0x1.921fb6p+0f, -0x1.777a5cp-25f};
template <> inline constexpr double quarterTurn<double>[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/// x / pi, with 1 / pi in two parts.
template <typename V> KILN_INLINE V overPi(V x) {
  using E = Element<V>;
  constexpr E high = E(0x1.45f306dc9c883p-2), low = sizeof(E) == 4 ? E(0x1.b93910p-27) : E(-0x1.6b01ec5417056p-56);
  return fma(x, V(high), x * low);
}

// For |x| <= 1/2: asin(x) as a polynomial. Else z = sqrt((1 - |x|) / 2) and asin(x) = pi/2 - 2 asin(z).
template <typename V> struct Arc {
  V angle;       // asin(|x|), or asin(z)
  Mask<V> outer; // |x| > 1/2
};
template <typename V> KILN_INLINE Arc<V> arc(V magnitude) {
  using E = Element<V>;
  auto outer = magnitude > V(E(0.5));
  V square = select(outer, (1 - magnitude) * E(0.5), magnitude * magnitude);
  V root = select(outer, sqrt(square), magnitude);
  return {fma(root * square, polynomial(square, asinTail<E>), root), outer};
}
/// quarters * pi/2 - x, with pi/2 in two parts.
template <typename V> KILN_INLINE V quartersMinus(Element<V> quarters, V x) {
  using E = Element<V>;
  return quarters * quarterTurn<E>[0] - (x - quarters * quarterTurn<E>[1]);
}
template <typename V> KILN_INLINE V asin(V x) {
  auto [angle, outer] = arc(abs(x));
  return withSign(select(outer, quartersMinus(1, 2 * angle), angle), signBit(x));
}
template <typename V> KILN_INLINE V asinpi(V x) {
  auto [angle, outer] = arc(abs(x));
  V part = overPi(angle);
  return withSign(select(outer, Element<V>(0.5) - 2 * part, part), signBit(x));
}
template <typename V> KILN_INLINE V acos(V x) {
  auto [angle, outer] = arc(abs(x));
  V twice = 2 * angle;
  V far = select(x < V(0), quartersMinus(2, twice), twice);
  return select(outer, far, quartersMinus(1, withSign(angle, signBit(x))));
}
template <typename V> KILN_INLINE V acospi(V x) {
  auto [angle, outer] = arc(abs(x));
  V part = overPi(angle), twice = 2 * part;
  V far = select(x < V(0), 1 - twice, twice);
  return select(outer, far, Element<V>(0.5) - withSign(part, signBit(x)));
}

/// atan(x) for x in [0, 1].
template <typename V> KILN_INLINE V atanBelowOne(V x) {
  V z = x * x;
  return fma(x * z, polynomial(z, atanTail<Element<V>>), x);
}
/// atan(x) / pi for x in [0, 1], with one more rounding.
template <typename V> KILN_INLINE V atanPiBelowOne(V x) {
  using E = Element<V>;
  constexpr E high = E(0x1.45f306dc9c883p-2), low = sizeof(E) == 4 ? E(0x1.b93910p-27) : E(-0x1.6b01ec5417056p-56);
  V z = x * x, tail = x * z * polynomial(z, atanTail<E>);
  return fma(x, V(high), fma(tail, V(high), x * low));
}
template <typename V> KILN_INLINE V atan(V x) {
  V magnitude = abs(x);
  auto outer = magnitude > V(1);
  V angle = atanBelowOne(select(outer, V(1), magnitude) / select(outer, magnitude, V(1)));
  return withSign(select(outer, quartersMinus(1, angle), angle), signBit(x));
}
template <typename V> KILN_INLINE V atanpi(V x) {
  V magnitude = abs(x);
  auto outer = magnitude > V(1);
  V part = atanPiBelowOne(select(outer, V(1), magnitude) / select(outer, magnitude, V(1)));
  return withSign(select(outer, Element<V>(0.5) - part, part), signBit(x));
}

// The direction of the point (|x|, |y|), measured from the nearer axis.
template <typename V> struct Direction {
  V slope;       // tangent of the angle to the nearer axis, at most 1
  Mask<V> steep; // the nearer axis is the y axis
};
template <typename V> KILN_INLINE Direction<V> directionOf(V y, V x) {
  auto steep = y > x;
  V slope = select(steep, x, y) / select(steep, y, x);
  slope = select(x == y, V(1), slope); // also if both are infinite
  return {select(both(x == V(0), y == V(0)), V(0), slope), steep};
}
template <typename V> KILN_INLINE V atan2(V y, V x) {
  auto [slope, steep] = directionOf(abs(y), abs(x));
  V angle = atanBelowOne(slope), toward = select(steep, -angle, angle); // from the positive or negative x axis
  V near = select(steep, quartersMinus(1, angle), angle);
  V far = select(steep, quartersMinus(1, -angle), quartersMinus(2, toward));
  return withSign(select(signBit(x) != 0, far, near), signBit(y));
}
template <typename V> KILN_INLINE V atan2pi(V y, V x) {
  using E = Element<V>;
  auto [slope, steep] = directionOf(abs(y), abs(x));
  V part = select(slope == V(1), V(E(0.25)), atanPiBelowOne(slope)); // exactly 1/4, as OpenCL requires for infinities
  V near = select(steep, E(0.5) - part, part), far = select(steep, E(0.5) + part, 1 - part);
  return withSign(select(signBit(x) != 0, far, near), signBit(y));
}

} // namespace

KILN_BOTH(KILN_INSTANCE_ONE, asin)
KILN_BOTH(KILN_INSTANCE_ONE, acos)
KILN_BOTH(KILN_INSTANCE_ONE, atan)
KILN_BOTH(KILN_INSTANCE_ONE, asinpi)
KILN_BOTH(KILN_INSTANCE_ONE, acospi)
KILN_BOTH(KILN_INSTANCE_ONE, atanpi)
KILN_BOTH(KILN_INSTANCE_TWO, atan2)
KILN_BOTH(KILN_INSTANCE_TWO, atan2pi)

} // namespace kiln::math
