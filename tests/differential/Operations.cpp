#include "tests/differential/Operations.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace kiln::differential {
namespace {

// Represents every sum and product of two 64-bit integers.
__extension__ using Wide = __int128;

template <typename T> T wrap(Wide value) { return static_cast<T>(static_cast<std::make_unsigned_t<T>>(value)); }
template <typename T> T saturate(Wide value) {
  return static_cast<T>(std::clamp<Wide>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

/// Makes an evaluator from a function of C++ integers.
template <typename Body> constexpr auto integerEvaluator(Body) {
  return [](Kind kind, const uint64_t *in) -> uint64_t {
    return withNumber(kind, [in](auto zero) -> uint64_t {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T>)
        return toBits<T>(Body()(fromBits<T>(in[0]), fromBits<T>(in[1]), fromBits<T>(in[2])));
      else
        return 0;
    });
  };
}
template <typename Body> constexpr auto floatEvaluator(Body) {
  return [](Kind kind, const uint64_t *in) -> uint64_t {
    return withNumber(kind, [in](auto zero) -> uint64_t {
      using T = decltype(zero);
      if constexpr (std::is_floating_point_v<T>)
        return toBits<T>(Body()(fromBits<T>(in[0]), fromBits<T>(in[1]), fromBits<T>(in[2])));
      else
        return 0;
    });
  };
}
template <typename Body> constexpr auto comparing(Body) {
  return [](Kind kind, const uint64_t *in) -> uint64_t {
    return withNumber(kind, [in](auto zero) -> uint64_t {
      using T = decltype(zero);
      return Body()(fromBits<T>(in[0]), fromBits<T>(in[1]));
    });
  };
}

template <typename T> constexpr unsigned Bits = 8 * sizeof(T);
template <typename T> Wide mulHigh(T a, T b) { return Wide(a) * b >> Bits<T>; }
template <> Wide mulHigh(uint64_t a, uint64_t b) {
  __extension__ using UnsignedWide = unsigned __int128;
  return static_cast<Wide>(static_cast<UnsignedWide>(a) * b >> 64);
}
template <typename T> T quiet(T x) { return x != x ? T(1) : x; }

#define KILN_INT(words, count, expression)                                                                             \
  {Operation::Integers, words, count, false, integerEvaluator([](auto a, auto b, auto c) {                             \
     using T = decltype(a);                                                                                            \
     (void)b, (void)c;                                                                                                 \
     return T(expression);                                                                                             \
   })}
#define KILN_FLOAT(words, count, expression)                                                                           \
  {Operation::Floats, words, count, false, floatEvaluator([](auto a, auto b, auto c) {                                 \
     using T = decltype(a);                                                                                            \
     (void)b, (void)c;                                                                                                 \
     return T(expression);                                                                                             \
   })}
#define KILN_COMPARE(domain, words, count, expression)                                                                 \
  {Operation::domain, words, count, true, comparing([](auto a, auto b) {                                               \
     (void)b;                                                                                                          \
     return bool(expression);                                                                                          \
   })}

const Operation Table[] = {
    // Signed overflow is undefined, so sums and products are computed with unsigned types. Types shorter than int are
    // converted to uint ($W), so that C does not promote them to int.
    KILN_INT("as_$T(($U)(($W)as_$U($0) + ($W)as_$U($1)))", 2, wrap<T>(Wide(a) + b)),
    KILN_INT("as_$T(($U)(($W)as_$U($0) - ($W)as_$U($1)))", 2, wrap<T>(Wide(a) - b)),
    KILN_INT("as_$T(($U)(($W)as_$U($0) * ($W)as_$U($1)))", 2,
             wrap<T>(static_cast<Wide>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)))),
    KILN_INT("as_$T(($U)(($W)0 - ($W)as_$U($0)))", 1, wrap<T>(-Wide(a))),
    // The divisor is odd, so it is not 0, and the dividend is not the lowest value.
    KILN_INT("($T)(($T)($0 >> ($T)1) / ($T)($1 | ($T)1))", 2, T(a >> 1) / T(b | 1)),
    KILN_INT("($T)(($T)($0 >> ($T)1) % ($T)($1 | ($T)1))", 2, T(a >> 1) % T(b | 1)),
    KILN_INT("($T)($0 & $1)", 2, a &b),
    KILN_INT("($T)($0 | $1)", 2, a | b),
    KILN_INT("($T)($0 ^ $1)", 2, a ^ b),
    KILN_INT("($T)(~$0)", 1, ~a),
    KILN_INT("as_$T(($U)(($W)as_$U($0) << (($W)as_$U($1) & ($W)$B)))", 2,
             wrap<T>(static_cast<Wide>(static_cast<uint64_t>(a) << (b & T(Bits<T> - 1))))),
    KILN_INT("($T)($0 >> as_$T(($U)(as_$U($1) & ($U)$B)))", 2, a >> (b & T(Bits<T> - 1))),
    KILN_INT("as_$T(abs($0))", 1, wrap<T>(a < 0 ? -Wide(a) : Wide(a))),
    KILN_INT("as_$T(abs_diff($0, $1))", 2, wrap<T>(a < b ? Wide(b) - a : Wide(a) - b)),
    KILN_INT("add_sat($0, $1)", 2, saturate<T>(Wide(a) + b)),
    KILN_INT("sub_sat($0, $1)", 2, saturate<T>(Wide(a) - b)),
    KILN_INT("hadd($0, $1)", 2, (Wide(a) + b) >> 1),
    KILN_INT("rhadd($0, $1)", 2, (Wide(a) + b + 1) >> 1),
    KILN_INT("min($0, $1)", 2, std::min(a, b)),
    KILN_INT("max($0, $1)", 2, std::max(a, b)),
    KILN_INT("clamp($0, min($1, $2), max($1, $2))", 3, std::clamp(a, std::min(b, c), std::max(b, c))),
    KILN_INT("clz($0)", 1, std::countl_zero(std::make_unsigned_t<T>(a))),
    KILN_INT("ctz($0)", 1, std::countr_zero(std::make_unsigned_t<T>(a))),
    KILN_INT("popcount($0)", 1, std::popcount(std::make_unsigned_t<T>(a))),
    KILN_INT("mul_hi($0, $1)", 2, mulHigh(a, b)),
    KILN_INT("rotate($0, $1)", 2, std::rotl(std::make_unsigned_t<T>(a), int(b &T(Bits<T> - 1)))),
    KILN_INT("bitselect($0, $1, $2)", 3, (a & ~c) | (b & c)),
    KILN_INT("($T)($0 > $1 ? $2 : $0)", 3, a > b ? c : a),
    // A vector select tests the highest bit, a scalar select all bits. Here the other bits are 0.
    KILN_INT("select($0, $1, as_$T(($U)(as_$U($2) & ($U)(($W)1 << ($W)$B))))", 3,
             std::make_unsigned_t<T>(c) >> (Bits<T> - 1) ? b : a),

    KILN_FLOAT("($0 + $1)", 2, a + b),
    KILN_FLOAT("($0 - $1)", 2, a - b),
    KILN_FLOAT("($0 * $1)", 2, a *b),
    KILN_FLOAT("($0 / $1)", 2, a / b),
    KILN_FLOAT("(-$0)", 1, -a),
    KILN_FLOAT("fma($0, $1, $2)", 3, std::fma(a, b, c)),
    KILN_FLOAT("sqrt($0)", 1, std::sqrt(a)),
    KILN_FLOAT("fabs($0)", 1, std::fabs(a)),
    KILN_FLOAT("floor($0)", 1, std::floor(a)),
    KILN_FLOAT("ceil($0)", 1, std::ceil(a)),
    KILN_FLOAT("trunc($0)", 1, std::trunc(a)),
    KILN_FLOAT("rint($0)", 1, std::nearbyint(a)),
    KILN_FLOAT("round($0)", 1, std::round(a)),
    // The sign of a NaN is not defined, and fmin and fmax of two zeros may return either.
    KILN_FLOAT("copysign($0, ($1 != $1 ? ($T)1 : $1))", 2, std::copysign(a, quiet(b))),
    KILN_FLOAT("(fmin($0, $1) + ($T)0)", 2, std::fmin(a, b) + T(0)),
    KILN_FLOAT("(fmax($0, $1) + ($T)0)", 2, std::fmax(a, b) + T(0)),
    KILN_FLOAT("step($0, $1)", 2, b < a ? T(0) : T(1)),
    KILN_FLOAT("sign($0)", 1,
               a > 0    ? T(1)
               : a < 0  ? T(-1)
               : a == 0 ? a
                        : T(0)),
    KILN_FLOAT("fdim($0, $1)", 2,
               a != a || b != b ? a + b
               : a > b          ? a - b
                                : T(0)),
    KILN_FLOAT("($0 > $1 ? $2 : $0)", 3, a > b ? c : a),

    KILN_COMPARE(Numbers, "($0 < $1)", 2, a < b),
    KILN_COMPARE(Numbers, "($0 <= $1)", 2, a <= b),
    KILN_COMPARE(Numbers, "($0 == $1)", 2, a == b),
    KILN_COMPARE(Numbers, "($0 != $1)", 2, a != b),
    KILN_COMPARE(Floats, "isgreater($0, $1)", 2, a > b),
    KILN_COMPARE(Floats, "islessgreater($0, $1)", 2, a<b || a> b),
    KILN_COMPARE(Floats, "isunordered($0, $1)", 2, a != a || b != b),
    KILN_COMPARE(Floats, "isnan($0)", 1, a != a),
    KILN_COMPARE(Floats, "isinf($0)", 1, std::isinf(double(a))),
    KILN_COMPARE(Floats, "isfinite($0)", 1, std::isfinite(double(a))),
};

void replaceAll(std::string &text, const std::string &what, const std::string &with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

template <typename T> T roundToWhole(T x, Rounding rounding) {
  switch (rounding) {
  case Rounding::Even:
    return std::nearbyint(x);
  case Rounding::Up:
    return std::ceil(x);
  case Rounding::Down:
    return std::floor(x);
  case Rounding::Default:
  case Rounding::Zero:
    return std::trunc(x);
  }
  __builtin_unreachable();
}

// Rounds to nearest, and moves to the adjacent float if the mode requires the other side of the exact value. A long
// double represents every 64-bit integer and every double.
template <typename T> T roundToFloat(long double exact, Rounding rounding) {
  T nearest = static_cast<T>(exact);
  if (exact != exact || static_cast<long double>(nearest) == exact)
    return nearest;
  const bool above = static_cast<long double>(nearest) > exact;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const bool wantsBelow = rounding == Rounding::Down || (rounding == Rounding::Zero && exact > 0);
  const bool wantsAbove = rounding == Rounding::Up || (rounding == Rounding::Zero && exact < 0);
  if (above && wantsBelow)
    return std::nextafter(nearest, -infinity);
  if (!above && wantsAbove)
    return std::nextafter(nearest, infinity);
  return nearest;
}

} // namespace

std::span<const Operation> operations() { return Table; }

std::string write(const Operation &operation, Type type, std::span<const std::string> operands) {
  const unsigned size = bytes(type.kind);
  const Type same = {unsignedKind(size), type.components};
  std::string text = operation.text;
  replaceAll(text, "$T", name(type));
  replaceAll(text, "$U", name(same));
  replaceAll(text, "$W", type.components == 1 && size < 4 ? "uint" : name(same));
  replaceAll(text, "$B", std::to_string(8 * size - 1));
  // Operands come last, because their text may contain any $ sequence.
  std::string result;
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '$')
      result += operands[size_t(text[++i] - '0')];
    else
      result += text[i];
  return result;
}

std::string conversionName(Type to, bool saturates, Rounding rounding) {
  static constexpr const char *Modes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
  return "convert_" + name(to) + (saturates ? "_sat" : "") + Modes[unsigned(rounding)];
}

uint64_t convert(Kind from, uint64_t bits, Kind to, bool saturates, Rounding rounding) {
  return withNumber(from, [&](auto fromZero) {
    using From = decltype(fromZero);
    const From value = fromBits<From>(bits);
    return withNumber(to, [&](auto toZero) -> uint64_t {
      using To = decltype(toZero);
      if constexpr (std::is_floating_point_v<To>) {
        return toBits<To>(roundToFloat<To>(static_cast<long double>(value), rounding));
      } else if constexpr (std::is_floating_point_v<From>) {
        const From whole = roundToWhole(value, rounding);
        if (whole != whole)
          return 0;
        constexpr From Huge = From(1.2e19); // larger than every 64-bit integer, and exact in 128 bits
        return toBits<To>(saturate<To>(static_cast<Wide>(std::clamp(whole, -Huge * 4, Huge * 4))));
      } else {
        return toBits<To>(saturates ? saturate<To>(value) : wrap<To>(value));
      }
    });
  });
}

} // namespace kiln::differential
