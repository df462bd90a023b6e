// The operators and built-ins that generated programs use: how each is written in OpenCL C, and what it means for one
// lane. A row states what the language defines for every input; what it leaves open (a division by zero, the sign of a
// NaN, which zero a minimum gives) is kept out by how the row is written.
#pragma once
#include "tests/differential/Types.h"
#include <span>

namespace kiln::differential {

struct Operation {
  enum Domain { Integers, Floats, Numbers } domain;
  /// $0, $1, $2: operands, which have the result's type; $T its name, $U the unsigned type of that size, $W the same
  /// but uint for a scalar that C would promote to int, $B the number of bits less one.
  const char *text;
  unsigned operands;
  bool compares; // gives comparisonOf the operands' type, all ones of a vector's lane for true
  uint64_t (*evaluate)(Kind kind, const uint64_t *operands);
  /// Null for an operation that is defined for all operands.
  bool (*isDefined)(Kind kind, const uint64_t *operands) = nullptr;
};

std::span<const Operation> operations();

/// One lane of `operation`'s text, with the operands' texts put in.
std::string write(const Operation &operation, Type type, std::span<const std::string> operands);

enum class Rounding { Default, Even, Zero, Up, Down };
/// The name of the conversion function, and one lane of what it does. Floats become integers by saturation only.
std::string conversionName(Type to, bool saturates, Rounding rounding);
uint64_t convert(Kind from, uint64_t bits, Kind to, bool saturates, Rounding rounding);

} // namespace kiln::differential
