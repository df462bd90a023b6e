#include "tests/differential/people/Arithmetic.h"
#include <algorithm>
#include <bit>
#include <limits>

namespace kiln::differential::people {
namespace {

// ---- rows -----------------------------------------------------------------------------------------------------------

/// The exact result of an integer operation; nullopt if it is undefined for these operands.
std::optional<Wide> exact(Op op, Kind kind, Wide a, Wide b) {
  const Wide bits = 8 * bytes(kind);
  switch (op) {
  case Op::Add:
    return a + b;
  case Op::Subtract:
    return a - b;
  case Op::Multiply:
    return a * b;
  case Op::Divide:
    return b ? std::optional(a / b) : std::nullopt;
  case Op::Remainder:
    return b && a / b <= highest(kind) ? std::optional(a % b) : std::nullopt;
  case Op::And:
    return a & b;
  case Op::Or:
    return a | b;
  case Op::Xor:
    return a ^ b;
  case Op::ShiftLeft: // C leaves a shift of a negative number undefined
    if (b < 0 || b >= bits || a < 0)
      return {};
    return a << int(b);
  case Op::ShiftRight:
    return b < 0 || b >= bits ? std::nullopt : std::optional(a >> int(b));
  case Op::Less:
    return a < b;
  case Op::LessEqual:
    return a <= b;
  case Op::Greater:
    return a > b;
  case Op::GreaterEqual:
    return a >= b;
  case Op::Equal:
    return a == b;
  case Op::NotEqual:
    return a != b;
  case Op::Min:
    return std::min(a, b);
  case Op::Max:
    return std::max(a, b);
  case Op::Mul24: { // operands must fit in 24 bits
    const Wide low = isSigned(kind) ? -(1 << 23) : 0, high = isSigned(kind) ? (1 << 23) - 1 : (1 << 24) - 1;
    if (std::min(a, b) < low || std::max(a, b) > high)
      return {};
    return a * b;
  }
  }
  __builtin_unreachable();
}

template <typename T> T floatResult(Op op, T a, T b) {
  switch (op) {
  case Op::Add:
    return a + b;
  case Op::Subtract:
    return a - b;
  case Op::Multiply:
    return a * b;
  case Op::Divide:
    return a / b;
  default:
    __builtin_unreachable();
  }
}
template <typename T> bool compareFloats(Op op, T a, T b) {
  return op == Op::Less           ? a < b
         : op == Op::LessEqual    ? a <= b
         : op == Op::Greater      ? a > b
         : op == Op::GreaterEqual ? a >= b
         : op == Op::Equal        ? a == b
                                  : a != b;
}
constexpr bool isComparison(Op op) { return op >= Op::Less && op <= Op::NotEqual; }
constexpr bool isBuiltin(Op op) { return op >= Op::Min; }
constexpr bool wrapsAround(Op op) { return op <= Op::Multiply || op == Op::ShiftLeft || op == Op::Mul24; }

template <typename T> Wide wide(uint64_t bits) { return Wide(fromBits<T>(bits)); }

template <Op op> uint64_t evaluateRow(Kind kind, const uint64_t *in) {
  return withNumber(kind, [in, kind](auto zero) -> uint64_t {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      const T a = fromBits<T>(in[0]), b = fromBits<T>(in[1]);
      if constexpr (isComparison(op))
        return compareFloats(op, a, b);
      return toBits<T>(floatResult(op, a, b));
    } else {
      const Wide result = exact(op, kind, wide<T>(in[0]), wide<T>(in[1])).value_or(0);
      if constexpr (isComparison(op))
        return uint64_t(result);
      return toBits<T>(static_cast<T>(static_cast<std::make_unsigned_t<T>>(result)));
    }
  });
}

template <Op op> bool isRowDefined(Kind kind, const uint64_t *in) {
  return withNumber(kind, [in, kind](auto zero) -> bool {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      if constexpr (isComparison(op))
        return true;
      const T result = fromBits<T>(evaluateRow<op>(kind, in));
      return result - result == 0; // finite
    } else {
      const std::optional<Wide> result = exact(op, kind, wide<T>(in[0]), wide<T>(in[1]));
      return result && (!isSigned(kind) || isComparison(op) || (*result >= lowest(kind) && *result <= highest(kind)));
    }
  });
}

template <Op op> constexpr Operation row(const char *text) {
  return {Operation::Numbers, text, 2, isComparison(op), evaluateRow<op>, isRowDefined<op>};
}
const Operation Rows[] = {
    row<Op::Add>("($0 + $1)"),         row<Op::Subtract>("($0 - $1)"),      row<Op::Multiply>("($0 * $1)"),
    row<Op::Divide>("($0 / $1)"),      row<Op::Remainder>("($0 % $1)"),     row<Op::And>("($0 & $1)"),
    row<Op::Or>("($0 | $1)"),          row<Op::Xor>("($0 ^ $1)"),           row<Op::ShiftLeft>("($0 << $1)"),
    row<Op::ShiftRight>("($0 >> $1)"), row<Op::Less>("($0 < $1)"),          row<Op::LessEqual>("($0 <= $1)"),
    row<Op::Greater>("($0 > $1)"),     row<Op::GreaterEqual>("($0 >= $1)"), row<Op::Equal>("($0 == $1)"),
    row<Op::NotEqual>("($0 != $1)"),   row<Op::Min>("min($0, $1)"),         row<Op::Max>("max($0, $1)"),
    row<Op::Mul24>("mul24($0, $1)"),
};

template <typename Body> uint64_t integerResult(Kind kind, Body body) {
  return withNumber(kind, [body](auto zero) -> uint64_t {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      return toBits<T>(T(body(zero)));
    else
      __builtin_unreachable();
  });
}
const Operation Clamp = {Operation::Integers,
                         "clamp($0, $1, $2)",
                         3,
                         false,
                         [](Kind kind, const uint64_t *in) {
                           return integerResult(kind, [in](auto zero) {
                             using T = decltype(zero);
                             return std::max(std::min(fromBits<T>(in[0]), fromBits<T>(in[2])), fromBits<T>(in[1]));
                           });
                         },
                         [](Kind kind, const uint64_t *in) {
                           return withNumber(kind, [in](auto zero) {
                             using T = decltype(zero);
                             return fromBits<T>(in[1]) <= fromBits<T>(in[2]);
                           });
                         }};
const Operation Absolute = {Operation::Integers, "abs($0)", 1, false, [](Kind kind, const uint64_t *in) {
                              return integerResult(kind, [in](auto zero) {
                                const Wide value = wide<decltype(zero)>(in[0]);
                                return value < 0 ? -value : value;
                              });
                            }};
const Operation Minus = {Operation::Numbers,
                         "(- $0)",
                         1,
                         false,
                         [](Kind kind, const uint64_t *in) {
                           return withNumber(kind, [in](auto zero) -> uint64_t {
                             using T = decltype(zero);
                             if constexpr (std::is_integral_v<T>)
                               return toBits<T>(T(-wide<T>(in[0])));
                             else
                               return toBits<T>(-fromBits<T>(in[0]));
                           });
                         },
                         [](Kind kind, const uint64_t *in) {
                           return withNumber(kind, [in](auto zero) -> bool {
                             using T = decltype(zero);
                             if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
                               return fromBits<T>(in[0]) != std::numeric_limits<T>::min();
                             return true;
                           });
                         }};
const Operation Select = {Operation::Integers, "select($0, $1, $2)", 3, false,
                          [](Kind, const uint64_t *in) { return in[2] ? in[1] : in[0]; }};

// ---- types ----------------------------------------------------------------------------------------------------------

Kind promoted(Kind kind) { return kind < Kind::I32 ? Kind::I32 : kind; }

/// The usual arithmetic conversions. The kinds are in order of rank, and each unsigned kind follows the signed one.
Kind common(Kind a, Kind b) { return std::max(promoted(a), promoted(b)); }

Expression applied(const Operation &operation, Type type, std::vector<Expression> operands) {
  Expression result{.what = Expression::What::Operation, .type = type};
  result.operation = &operation;
  result.operands = std::move(operands);
  return result;
}

// ---- bounds ---------------------------------------------------------------------------------------------------------

struct Bounds {
  Wide low, high;
};

/// A mask of all bits up to the highest set bit of either value.
Wide mask(Wide a, Wide b) { return (Wide(1) << std::bit_width(uint64_t(std::max(a, b)))) - 1; }

std::optional<Bounds> boundsOfCorners(Op op, Kind kind, const Bounded &a, const Bounded &b) {
  Bounds result{a.high, a.low};
  bool isFirst = true;
  for (Wide x : {a.low, a.high})
    for (Wide y : {b.low, b.high}) {
      const std::optional<Wide> corner = exact(op, kind, x, y);
      if (!corner)
        return {};
      result =
          isFirst ? Bounds{*corner, *corner} : Bounds{std::min(result.low, *corner), std::max(result.high, *corner)};
      isFirst = false;
    }
  return result;
}

std::optional<Bounds> boundsOf(Op op, Kind kind, const Bounded &a, const Bounded &b) {
  const bool positive = a.low >= 0 && b.low >= 0;
  if (isComparison(op))
    return Bounds{0, 1};
  if (isFloat(kind)) {
    if (op == Op::Divide) // only divisors of at least 1
      return b.low >= 1 ? std::optional(Bounds{std::min<Wide>(a.low, 0), std::max<Wide>(a.high, 0)}) : std::nullopt;
    if (op > Op::Multiply)
      return {};
    std::optional<Bounds> bounds = boundsOfCorners(op, Kind::I64, a, b);
    const Wide limit = Wide(1) << 60;
    if (bounds->low < -limit || bounds->high > limit)
      return {};
    return Bounds{bounds->low - (-bounds->low >> 20) - 1, bounds->high + (bounds->high >> 20) + 1}; // rounding
  }
  switch (op) {
  case Op::Divide:
    if (b.low <= 0 && b.high >= 0)
      return {};
    return boundsOfCorners(op, kind, a, b);
  case Op::Remainder:
    if (b.low <= 0)
      return {};
    return Bounds{a.low < 0 ? std::max(a.low, 1 - b.high) : 0, a.high > 0 ? std::min(a.high, b.high - 1) : 0};
  case Op::And:
    if (positive)
      return Bounds{0, std::min(a.high, b.high)};
    if (a.low >= 0 || b.low >= 0)
      return Bounds{0, a.low >= 0 ? a.high : b.high};
    return Bounds{lowest(kind), highest(kind)};
  case Op::Or:
  case Op::Xor:
    return positive ? Bounds{0, mask(a.high, b.high)} : Bounds{lowest(kind), highest(kind)};
  default:
    return boundsOfCorners(op, kind, a, b);
  }
}

} // namespace

Wide lowest(Kind kind) { return isSigned(kind) ? -(Wide(1) << (8 * bytes(kind) - 1)) : 0; }
Wide highest(Kind kind) { return (Wide(1) << (8 * bytes(kind) - isSigned(kind))) - 1; }

Bounded constant(Kind kind, Wide value) {
  Bounded result{{.what = Expression::What::Constant, .type = {kind, 1}}, value, value};
  result.expression.value.type = {kind, 1};
  result.expression.value.components[0] =
      withNumber(kind, [value](auto zero) { return toBits(decltype(zero)(value)); });
  return result;
}
Bounded constant(Wide value) {
  return constant(value >= lowest(Kind::I32) && value <= highest(Kind::I32) ? Kind::I32 : Kind::I64, value);
}

Bounded converted(Bounded value, Kind to, Expression::Form form) {
  if (value.kind() == to)
    return value;
  Bounded result{{.what = Expression::What::Convert, .type = {to, 1}}, value.low, value.high};
  result.expression.form = form;
  if (isFloat(to)) {
    if (!isFloat(value.kind())) // the nearest float may be outside of the bounds
      result.low -= (value.low < 0 ? -value.low : value.low) >> 20, result.high += value.high >> 20;
  } else if (!value.isWithin(lowest(to), highest(to))) {
    result.low = lowest(to), result.high = highest(to);
  }
  result.expression.operands.push_back(std::move(value.expression));
  return result;
}

std::optional<Bounded> binary(Op op, Bounded a, Bounded b) {
  Kind kind = common(a.kind(), b.kind()), right;
  if (isBuiltin(op)) {
    kind = op == Op::Mul24 ? (a.low < 0 || b.low < 0 ? Kind::I32 : std::min(kind, Kind::U32)) : kind;
    if (op != Op::Mul24 && a.kind() == b.kind())
      kind = a.kind();
    if (isFloat(kind) || (op == Op::Mul24 && (isFloat(a.kind()) || isFloat(b.kind()))))
      return {};
    a = cast(std::move(a), kind), b = cast(std::move(b), kind);
    right = kind;
  } else {
    const bool isShift = op == Op::ShiftLeft || op == Op::ShiftRight;
    kind = isShift ? promoted(a.kind()) : kind;
    right = kind;
    if (isFloat(kind) && op > Op::Divide && !isComparison(op))
      return {};
    if (isShift && !b.isWithin(0, 8 * bytes(kind) - 1))
      return {};
    a = assigned(std::move(a), kind), b = assigned(std::move(b), right);
  }
  std::optional<Bounds> bounds = boundsOf(op, kind, a, b);
  if (!bounds)
    return {};
  if (!isFloat(kind) && !isComparison(op) && (bounds->low < lowest(kind) || bounds->high > highest(kind))) {
    if (isSigned(kind) || !wrapsAround(op))
      return {};
    bounds = Bounds{lowest(kind), highest(kind)};
  }
  const Type type = isComparison(op) ? Type{Kind::I32, 1} : Type{kind, 1};
  return Bounded{applied(Rows[unsigned(op)], type, {std::move(a.expression), std::move(b.expression)}), bounds->low,
                 bounds->high};
}

std::optional<Bounded> clamp(Bounded value, Bounded low, Bounded high) {
  const Kind kind = common(value.kind(), common(low.kind(), high.kind()));
  if (isFloat(kind))
    return {};
  value = cast(std::move(value), kind), low = cast(std::move(low), kind), high = cast(std::move(high), kind);
  if (low.high > high.low)
    return {};
  const Wide from = std::max(std::min(value.low, high.high), low.low),
             to = std::max(std::min(value.high, high.high), low.high);
  return Bounded{
      applied(Clamp, {kind, 1}, {std::move(value.expression), std::move(low.expression), std::move(high.expression)}),
      from, to};
}

Bounded absolute(Bounded value) {
  const Type type = {unsignedKind(bytes(value.kind())), 1};
  const Wide a = value.low < 0 ? -value.low : value.low, b = value.high < 0 ? -value.high : value.high;
  const Wide low = value.low <= 0 && value.high >= 0 ? 0 : std::min(a, b);
  return {applied(Absolute, type, {std::move(value.expression)}), low, std::max(a, b)};
}

std::optional<Bounded> negated(Bounded value) {
  const Kind kind = promoted(value.kind());
  value = assigned(std::move(value), kind);
  Wide low = -value.high, high = -value.low;
  if (!isFloat(kind) && (low < lowest(kind) || high > highest(kind))) {
    if (isSigned(kind))
      return {};
    low = lowest(kind), high = highest(kind);
  }
  return Bounded{applied(Minus, {kind, 1}, {std::move(value.expression)}), low, high};
}

Bounded conditional(Expression condition, Bounded yes, Bounded no) {
  const Kind kind = common(yes.kind(), no.kind());
  yes = assigned(std::move(yes), kind), no = assigned(std::move(no), kind);
  Bounded result{{.what = Expression::What::Conditional, .type = {kind, 1}},
                 std::min(yes.low, no.low),
                 std::max(yes.high, no.high)};
  result.expression.operands = {std::move(condition), std::move(yes.expression), std::move(no.expression)};
  return result;
}

Bounded selected(Bounded no, Bounded yes, Expression condition) {
  const Kind kind = common(yes.kind(), no.kind());
  yes = cast(std::move(yes), kind), no = cast(std::move(no), kind);
  // The condition must have the size of the values. A scalar select tests all bits.
  Bounded chosen = cast({std::move(condition), 0, 1}, signedKind(bytes(kind)));
  return {
      applied(Select, {kind, 1}, {std::move(no.expression), std::move(yes.expression), std::move(chosen.expression)}),
      std::min(yes.low, no.low), std::max(yes.high, no.high)};
}

Expression logical(Expression::What what, Expression a, Expression b) {
  Expression result{.what = what, .type = {Kind::I32, 1}};
  result.operands = {std::move(a), std::move(b)};
  return result;
}
Expression negation(Expression condition) {
  Expression result{.what = Expression::What::Not, .type = {Kind::I32, 1}};
  result.operands.push_back(std::move(condition));
  return result;
}

Expression elementwise(Op op, Expression a, Expression b) {
  const Type type = a.type;
  return applied(Rows[unsigned(op)], type, {std::move(a), std::move(b)});
}

} // namespace kiln::differential::people
