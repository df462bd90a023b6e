// The steps of a correctly rounded division: v_div_scale scales a numerator or denominator that would overflow or
// underflow on the way, v_div_fmas is the last step and undoes the scale, v_div_fixup handles special operands.
#include "emulator/instructions/AllTables.h"
#include "emulator/instructions/Floats.h"
#include "emulator/machine/Lanes.h"

namespace kiln::emulator {
namespace {

/// The constants of a format: the exponent by which operands are scaled, and the limits from which they are. `Wide` has
/// more than twice its precision, and a larger range.
template <typename T> struct Scaling;
template <> struct Scaling<f32> {
  using Wide = f64;
  using WideBits = u64;
  static constexpr int scale = 64, overflowAt = 96, tinyBelow = 23, underflowAt = -150;
};
template <> struct Scaling<f64> {
  using Wide = __float128;
  using WideBits = unsigned __int128;
  static constexpr int scale = 128, overflowAt = 768, tinyBelow = 53, underflowAt = -1075;
};

/// `value` is the numerator or the denominator, whichever is to be scaled. The bit tells v_div_fmas to scale back.
template <typename T> WithMask<T> scale(T value, T denominator, T numerator) {
  constexpr int Up = Scaling<T>::scale;
  if (numerator == 0 || denominator == 0)
    return {std::numeric_limits<T>::quiet_NaN(), false};
  const bool isDenominator = bitsOf(value) == bitsOf(denominator), isNumerator = bitsOf(value) == bitsOf(numerator);
  const bool inverseDenormal = isDenormal(T(1) / denominator), quotientDenormal = isDenormal(numerator / denominator);
  if (biasedExponent(numerator) - biasedExponent(denominator) >= Scaling<T>::overflowAt)
    return {isDenominator ? std::ldexp(value, Up) : value, true};
  if (isDenormal(denominator))
    return {std::ldexp(value, Up), false};
  // The manuals say `Up` here, but that would make every such denominator infinite and the quotient NaN. v_div_fmas
  // scales the quotient of the smaller denominator down.
  if (inverseDenormal && quotientDenormal)
    return {isDenominator ? std::ldexp(value, -Up) : value, true};
  if (inverseDenormal)
    return {std::ldexp(value, -Up), false};
  if (quotientDenormal)
    return {isNumerator ? std::ldexp(value, Up) : value, true};
  if (biasedExponent(numerator) <= Scaling<T>::tinyBelow)
    return {std::ldexp(value, Up), false};
  return {value, false};
}

/// a * b + c, rounded to odd: towards zero, with the last bit set if that was not exact. A rounding to at least two
/// bits less is then right, as one of the exact sum. All must be finite.
template <typename T> typename Scaling<T>::Wide oddSum(T a, T b, T c) {
  using Wide = typename Scaling<T>::Wide;
  using Bits = typename Scaling<T>::WideBits;
  const Wide product = Wide(a) * Wide(b), sum = product + Wide(c); // the product is exact
  const Wide added = sum - product, error = (product - (sum - added)) + (Wide(c) - added);
  if (error == 0)
    return sum;
  const Bits bits = std::bit_cast<Bits>(sum), towardsZero = (error < 0) == (sum < 0) ? bits : bits - 1;
  return std::bit_cast<Wide>(Bits(towardsZero | 1));
}

/// With the bit, the result is multiplied by a power of two: up, if the quotient is near overflow, or down. There is
/// one rounding, of the scaled result: a denormal quotient has fewer bits than the unscaled one, and rounding that as
/// well would give another number near a tie (2^-1022 / 1.5).
template <typename T> T fusedStep(T a, T b, T c, bool scaled) {
  const T result = std::fma(a, b, c);
  if (!scaled)
    return result;
  const int by = biasedExponent(c) > int(Format<T>::maxExponent / 2) ? Scaling<T>::scale : -Scaling<T>::scale;
  if (by > 0 || !std::isfinite(result))
    return std::ldexp(result, by);
  return T(oddSum(a, b, c) * typename Scaling<T>::Wide(std::ldexp(T(1), by)));
}

template <typename T> T fixUp(T quotient, T denominator, T numerator) {
  const bool negative = isNegative(denominator) != isNegative(numerator);
  auto signedAs = [&](T magnitude) { return negative ? -std::fabs(magnitude) : std::fabs(magnitude); };
  constexpr T Infinity = std::numeric_limits<T>::infinity();
  if (std::isnan(numerator))
    return quiet(numerator);
  if (std::isnan(denominator))
    return quiet(denominator);
  if ((denominator == 0 && numerator == 0) || (std::isinf(denominator) && std::isinf(numerator)))
    return -std::numeric_limits<T>::quiet_NaN();
  if (denominator == 0 || std::isinf(numerator))
    return signedAs(Infinity);
  if (std::isinf(denominator) || numerator == 0)
    return signedAs(T(0));
  if (biasedExponent(numerator) - biasedExponent(denominator) < Scaling<T>::underflowAt)
    return signedAs(T(0)); // below the smallest denormal
  // The manuals test the denominator's exponent here, but the cases above have handled all its special values. If the
  // quotient overflows, the earlier steps compute infinity, or NaN as the difference of infinities.
  if (!std::isfinite(quotient))
    return signedAs(Infinity);
  return signedAs(quotient);
}

const Row rows[] = {
    {"v_div_scale_f32", lanes<[](f32 a, f32 b, f32 c) { return scale(a, b, c); }>},
    {"v_div_scale_f64", lanes<[](f64 a, f64 b, f64 c) { return scale(a, b, c); }>},
    {"v_div_fmas_f32", lanes<[](f32 a, f32 b, f32 c, VccBit scaled) { return fusedStep(a, b, c, scaled.set); }>},
    {"v_div_fmas_f64", lanes<[](f64 a, f64 b, f64 c, VccBit scaled) { return fusedStep(a, b, c, scaled.set); }>},
    {"v_div_fixup_f32", lanes<[](f32 a, f32 b, f32 c) { return fixUp(a, b, c); }>},
    {"v_div_fixup_f64", lanes<[](f64 a, f64 b, f64 c) { return fixUp(a, b, c); }>},
    {"v_div_fixup_f16",
     lanes<[](f16 a, f16 b, f16 c) { return keepsHigh(exact<f16>(fixUp<f32>(toFloat(a), toFloat(b), toFloat(c)))); }>},
};

} // namespace

const Table vectorDivision = rows;

} // namespace kiln::emulator
