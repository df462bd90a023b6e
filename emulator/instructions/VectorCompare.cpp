// Comparisons (VOPC): a mask of lanes, to VCC or a scalar register. v_cmpx_* also set EXEC.
//
// Each comparison is written once and entered for every type that has it, as v_cmp_NAME_TYPE and v_cmpx_NAME_TYPE.
#include "emulator/instructions/AllTables.h"
#include "emulator/instructions/Floats.h"
#include "emulator/machine/Lanes.h"

namespace kiln::emulator {
namespace {

// Of floating-point numbers, ordered: false if one is a NaN. The names with n are their negations: true if one is.
constexpr auto never = [](auto, auto) { return false; };
constexpr auto less = [](auto a, auto b) { return a < b; };
constexpr auto equal = [](auto a, auto b) { return a == b; };
constexpr auto lessOrEqual = [](auto a, auto b) { return a <= b; };
constexpr auto greater = [](auto a, auto b) { return a > b; };
constexpr auto lessOrGreater = [](auto a, auto b) { return a < b || a > b; };
constexpr auto greaterOrEqual = [](auto a, auto b) { return a >= b; };
constexpr auto ordered = [](auto a, auto b) { return !std::isnan(a) && !std::isnan(b); };
constexpr auto notEqual = [](auto a, auto b) { return a != b; };
constexpr auto always = [](auto, auto) { return true; };
template <auto Of> constexpr auto negated = [](auto a, auto b) { return !Of(a, b); };

/// The type in which T is compared.
template <typename T> auto number(T value) {
  if constexpr (std::is_same_v<T, f16>)
    return toFloat(value);
  else
    return value;
}
template <auto Comparison, typename T>
constexpr auto of = [](T a, T b) { return bool(Comparison(number(a), number(b))); };

#define COMPARISON(name, type, function)                                                                               \
  {"v_cmp_" name "_" #type, lanes<of<function, type>>}, { "v_cmpx_" name "_" #type, lanesToExec<of<function, type>> }
#define INTEGER(type)                                                                                                  \
  COMPARISON("f", type, never), COMPARISON("lt", type, less), COMPARISON("eq", type, equal),                           \
      COMPARISON("le", type, lessOrEqual), COMPARISON("gt", type, greater), COMPARISON("ne", type, notEqual),          \
      COMPARISON("ge", type, greaterOrEqual), COMPARISON("t", type, always)
#define REAL(type)                                                                                                     \
  COMPARISON("f", type, never), COMPARISON("lt", type, less), COMPARISON("eq", type, equal),                           \
      COMPARISON("le", type, lessOrEqual), COMPARISON("gt", type, greater), COMPARISON("lg", type, lessOrGreater),     \
      COMPARISON("ge", type, greaterOrEqual), COMPARISON("o", type, ordered), COMPARISON("u", type, negated<ordered>), \
      COMPARISON("nge", type, negated<greaterOrEqual>), COMPARISON("nlg", type, negated<lessOrGreater>),               \
      COMPARISON("ngt", type, negated<greater>), COMPARISON("nle", type, negated<lessOrEqual>),                        \
      COMPARISON("neq", type, negated<equal>), COMPARISON("nlt", type, negated<less>), COMPARISON("tru", type, always)

/// The class of a half is found in its bits: as f32, a denormal would be a normal number.
u32 classOfHalf(f16 a) {
  const u32 exponent = a.bits >> 10 & 31, mantissa = a.bits & 0x3ff;
  if (exponent == 31 && mantissa)
    return mantissa & 0x200 ? 2 : 1;
  const unsigned kind = exponent == 31 ? 0 : exponent ? 1 : mantissa ? 2 : 3;
  return 1u << (a.bits >> 15 ? 2 + kind : 9 - kind);
}
constexpr auto classF32 = [](f32 a, u32 classes) { return (classOf(a) & classes) != 0; };
constexpr auto classF64 = [](f64 a, u32 classes) { return (classOf(a) & classes) != 0; };
constexpr auto classF16 = [](f16 a, u32 classes) { return (classOfHalf(a) & classes) != 0; };

const Row rows[] = {
    INTEGER(i16),
    INTEGER(u16),
    INTEGER(i32),
    INTEGER(u32),
    INTEGER(i64),
    INTEGER(u64),
    REAL(f16),
    REAL(f32),
    REAL(f64),
    {"v_cmp_class_f32", lanes<classF32>},
    {"v_cmpx_class_f32", lanesToExec<classF32>},
    {"v_cmp_class_f64", lanes<classF64>},
    {"v_cmpx_class_f64", lanesToExec<classF64>},
    {"v_cmp_class_f16", lanes<classF16>},
    {"v_cmpx_class_f16", lanesToExec<classF16>},
};

} // namespace

const Table vectorCompare = rows;

} // namespace kiln::emulator
