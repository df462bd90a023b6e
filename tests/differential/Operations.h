// The operators and built-ins of generated programs: their OpenCL C text and their result for one component. Each row
// must be defined for every input. The text excludes undefined results: a division by zero, the sign of a NaN, the sign
// of a minimum of two zeros.
#pragma once
#include "tests/differential/Types.h"
#include <span>

namespace kiln::differential {

struct Operation {
  enum Domain { Integers, Floats, Numbers } domain;
  /// $0, $1, $2: the operands, which have the result's type. $T: its name. $U: the unsigned type of the same size. $W:
  /// as $U, but uint for a scalar that C would promote to int. $B: the number of bits minus one.
  const char *text;
  unsigned operands;
  bool compares; // the result type is comparisonOf the operands' type; true is -1 in a vector's component
  uint64_t (*evaluate)(Kind kind, const uint64_t *operands);
  /// Null if the operation is defined for all operands.
  bool (*isDefined)(Kind kind, const uint64_t *operands) = nullptr;
};

std::span<const Operation> operations();

/// The text of `operation` with the operands' texts inserted.
std::string write(const Operation &operation, Type type, std::span<const std::string> operands);

enum class Rounding { Default, Even, Zero, Up, Down };
/// The name of a conversion function, and its result for one component. Floats are converted to integers only with
/// saturation.
std::string conversionName(Type to, bool saturates, Rounding rounding);
uint64_t convert(Kind from, uint64_t bits, Kind to, bool saturates, Rounding rounding);

} // namespace kiln::differential
