// C's operators on scalars, with C's conversions and with bounds of the result.
#pragma once
#include "tests/differential/Program.h"
#include <optional>

namespace kiln::differential::people {

/// Represents every value of every integer type, and every sum and product of two.
__extension__ using Wide = __int128;

enum class Op {
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRight,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  Min,
  Max,
  Mul24,
};

/// A scalar expression whose value is in [low, high] for every work-item. Bounds of floats are rounded outwards to
/// whole numbers.
struct Bounded {
  Expression expression;
  Wide low = 0, high = 0;

  Kind kind() const { return expression.type.kind; }
  bool isWithin(Wide from, Wide to) const { return low >= from && high <= to; }
};

Wide lowest(Kind kind);
Wide highest(Kind kind);

Bounded constant(Kind kind, Wide value);
/// An int constant if int can represent the value, else a long constant.
Bounded constant(Wide value);
Bounded converted(Bounded value, Kind to, Expression::Form form);
inline Bounded cast(Bounded value, Kind to) { return converted(std::move(value), to, Expression::Form::Cast); }
/// Converts implicitly, for instance in an assignment.
inline Bounded assigned(Bounded value, Kind to) { return converted(std::move(value), to, Expression::Form::Implicit); }

/// Returns nullopt if the bounds do not exclude undefined behaviour. Min, Max and Mul24 are built-ins; their operands
/// are cast to one type.
std::optional<Bounded> binary(Op op, Bounded a, Bounded b);
std::optional<Bounded> clamp(Bounded value, Bounded low, Bounded high);
Bounded absolute(Bounded value);
/// Unary minus. Returns nullopt if it may overflow.
std::optional<Bounded> negated(Bounded value);
Bounded conditional(Expression condition, Bounded yes, Bounded no);
/// select(no, yes, condition) of integers.
Bounded selected(Bounded no, Bounded yes, Expression condition);
Expression logical(Expression::What what, Expression a, Expression b);
Expression negation(Expression condition);

/// An operator on two values of the same type, which may be vectors.
Expression elementwise(Op op, Expression a, Expression b);

} // namespace kiln::differential::people
