#include "tests/backends/cpu/math/References.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

// Functions of the C library that not every header declares for C++ without extensions.
extern "C" {
double exp10(double);
long double exp10l(long double);
}

namespace kiln::math {
namespace {

// Each reference is written once for both precisions: T is wider than the function's type.
template <typename T> constexpr T Pi = T(3.14159265358979323846264338327950288L);
template <typename T> constexpr T Infinity = std::numeric_limits<T>::infinity();
template <typename T> constexpr T Nan = std::numeric_limits<T>::quiet_NaN();

double exp10Of(double x) { return ::exp10(x); }
long double exp10Of(long double x) { return ::exp10l(x); }

// x modulo two, which is exact, reduced to a range in which the product with pi has a negligible error.
template <typename T> T sinpi(T x) {
  if (!std::isfinite(x))
    return Nan<T>;
  T rest = std::fmod(std::fabs(x), T(2)), sign = rest >= 1 ? -1 : 1;
  if (rest >= 1)
    rest -= 1;
  if (rest > T(0.5))
    rest = 1 - rest;
  if (rest == 0)
    return std::copysign(T(0), x);
  T value = rest > T(0.25) ? std::cos(Pi<T> * (T(0.5) - rest)) : std::sin(Pi<T> * rest);
  return std::copysign(T(1), x) * sign * value;
}
template <typename T> T cospi(T x) {
  if (!std::isfinite(x))
    return Nan<T>;
  T rest = std::fmod(std::fabs(x), T(2));
  if (rest > 1)
    rest = 2 - rest;
  if (rest == T(0.5))
    return 0;
  return rest < T(0.25)   ? std::cos(Pi<T> * rest)
         : rest > T(0.75) ? -std::cos(Pi<T> * (1 - rest))
                          : std::sin(Pi<T> * (T(0.5) - rest));
}
template <typename T> T tanpi(T x) {
  if (!std::isfinite(x))
    return Nan<T>;
  T rest = std::fmod(std::fabs(x), T(2)), sign = std::copysign(T(1), x);
  if (rest == T(0.5) || rest == T(1.5))
    return sign * (rest < 1 ? Infinity<T> : -Infinity<T>);
  if (rest == 0 || rest == 1)
    return sign * (rest < 1 ? T(0) : -T(0));
  return sinpi(x) / cospi(x);
}
template <typename T> T powr(T x, T y) {
  if (!(x >= 0) || std::isnan(y) || (y == 0 && (x == 0 || std::isinf(x))) || (x == 1 && std::isinf(y)))
    return Nan<T>;
  return std::pow(std::fabs(x), y);
}
template <typename T> T rootn(T x, int64_t n) {
  if (n == 0 || (x < 0 && n % 2 == 0))
    return Nan<T>;
  T root = std::pow(std::fabs(x), 1 / T(n));
  return n % 2 ? std::copysign(root, x) : root;
}
template <typename T> T lgamma(T x) {
  int sign;
  if constexpr (sizeof(T) == 8)
    return ::lgamma_r(x, &sign);
  else
    return ::lgammal_r(x, &sign);
}
template <typename T> T tgamma(T x) { return std::tgamma(x); }

template <typename T> struct One {
  const char *name;
  T (*f)(T);
};
template <typename T>
const One<T> Ones[] = {
    {"acos", [](T x) { return std::acos(x); }},
    {"acosh", [](T x) { return std::acosh(x); }},
    {"acospi", [](T x) { return std::acos(x) / Pi<T>; }},
    {"asin", [](T x) { return std::asin(x); }},
    {"asinh", [](T x) { return std::asinh(x); }},
    {"asinpi", [](T x) { return std::asin(x) / Pi<T>; }},
    {"atan", [](T x) { return std::atan(x); }},
    {"atanh", [](T x) { return std::atanh(x); }},
    {"atanpi", [](T x) { return std::atan(x) / Pi<T>; }},
    {"cbrt", [](T x) { return std::cbrt(x); }},
    {"cos", [](T x) { return std::cos(x); }},
    {"cosh", [](T x) { return std::cosh(x); }},
    {"cospi", cospi<T>},
    {"erf", [](T x) { return std::erf(x); }},
    {"erfc", [](T x) { return std::erfc(x); }},
    {"exp", [](T x) { return std::exp(x); }},
    {"exp10", [](T x) { return exp10Of(x); }},
    {"exp2", [](T x) { return std::exp2(x); }},
    {"expm1", [](T x) { return std::expm1(x); }},
    {"lgamma", lgamma<T>},
    {"log", [](T x) { return std::log(x); }},
    {"log10", [](T x) { return std::log10(x); }},
    {"log1p", [](T x) { return std::log1p(x); }},
    {"log2", [](T x) { return std::log2(x); }},
    {"sin", [](T x) { return std::sin(x); }},
    {"sinh", [](T x) { return std::sinh(x); }},
    {"sinpi", sinpi<T>},
    {"tan", [](T x) { return std::tan(x); }},
    {"tanh", [](T x) { return std::tanh(x); }},
    {"tanpi", tanpi<T>},
    {"tgamma", tgamma<T>},
};
template <typename T> struct Two {
  const char *name;
  T (*f)(T, T);
};
template <typename T>
const Two<T> Twos[] = {
    {"atan2", [](T y, T x) { return std::atan2(y, x); }},
    {"atan2pi", [](T y, T x) { return std::atan2(y, x) / Pi<T>; }},
    {"fmod", [](T x, T y) { return std::fmod(x, y); }},
    {"hypot", [](T x, T y) { return std::hypot(x, y); }},
    {"pow", [](T x, T y) { return std::pow(x, y); }},
    {"powr", powr<T>},
    {"remainder", [](T x, T y) { return std::remainder(x, y); }},
};
template <typename T> struct Int {
  const char *name;
  T (*f)(T, int64_t);
};
template <typename T>
const Int<T> Ints[] = {
    {"ldexp", [](T x, int64_t n) { return std::ldexp(x, int(std::clamp<int64_t>(n, -5000, 5000))); }},
    {"pown", [](T x, int64_t n) { return std::pow(x, T(n)); }},
    {"rootn", rootn<T>},
};

std::string_view plainName(std::string_view name) { return name.starts_with("fast.") ? name.substr(5) : name; }
template <typename Table> auto find(const Table &table, std::string_view name) -> decltype(table[0].f) {
  for (const auto &row : table)
    if (row.name == name)
      return row.f;
  return nullptr;
}

template <typename E, typename T> Reference referenceFor(const ArrayFunction &function) {
  std::string_view name = plainName(function.name);
  auto load = [](const void *p) {
    E value;
    std::memcpy(&value, p, sizeof value);
    return value;
  };
  auto loadInt = [](const void *p) -> int64_t {
    if constexpr (sizeof(E) == 4) {
      int32_t n;
      std::memcpy(&n, p, 4);
      return n;
    } else {
      int64_t n;
      std::memcpy(&n, p, 8);
      return n;
    }
  };
  if (auto f = find(Ones<T>, name))
    return [=](const void *x, const void *) -> long double { return f(load(x)); };
  if (auto f = find(Twos<T>, name))
    return [=](const void *x, const void *y) -> long double { return f(load(x), load(y)); };
  if (auto f = find(Ints<T>, name))
    return [=](const void *x, const void *y) -> long double { return f(load(x), loadInt(y)); };
  return nullptr;
}

} // namespace

Reference reference(const ArrayFunction &function) {
  return function.isDouble ? referenceFor<double, long double>(function) : referenceFor<float, double>(function);
}

ErrorBound errorBound(const ArrayFunction &function) {
  std::string_view name = function.name;
  if (name.starts_with("fast."))
    return {8192, name == "fast.pow" || name == "fast.powr" ? Infinity<double> : 65536};
  // lgamma has no bound; it loses digits near its negative zeros.
  static const std::pair<std::string_view, double> allowed[] = {
      {"acos", 4},  {"acosh", 4},   {"acospi", 5},  {"asin", 4},     {"asinh", 4},     {"asinpi", 5}, {"atan", 5},
      {"atan2", 6}, {"atan2pi", 6}, {"atanh", 5},   {"atanpi", 5},   {"cbrt", 2},      {"cos", 4},    {"cosh", 4},
      {"cospi", 4}, {"erf", 16},    {"erfc", 16},   {"exp", 3},      {"exp10", 3},     {"exp2", 3},   {"expm1", 3},
      {"fmod", 0},  {"hypot", 4},   {"ldexp", 0.5}, {"lgamma", 1e9}, {"log", 3},       {"log10", 3},  {"log1p", 2},
      {"log2", 3},  {"pow", 16},    {"pown", 16},   {"powr", 16},    {"remainder", 0}, {"rootn", 16}, {"sin", 4},
      {"sinh", 4},  {"sinpi", 4},   {"tan", 5},     {"tanh", 5},     {"tanpi", 6},     {"tgamma", 16}};
  for (auto [known, units] : allowed)
    if (known == name)
      return {units, Infinity<double>};
  return {0, Infinity<double>};
}

double unitsApart(long double wanted, double got, bool isDouble) {
  long double narrow = isDouble ? static_cast<long double>(static_cast<double>(wanted))
                                : static_cast<long double>(static_cast<float>(wanted));
  if (std::isnan(wanted) || std::isnan(got))
    return std::isnan(wanted) == std::isnan(got) ? 0 : Infinity<double>;
  if (wanted == 0 && got == 0)
    return std::signbit(wanted) == std::signbit(got) ? 0 : Infinity<double>;
  if (narrow == got)
    return std::isinf(got) || std::isinf(wanted)
               ? 0
               : static_cast<double>(std::fabs(wanted - narrow) / unitOf(wanted, isDouble));
  if (std::isinf(wanted))
    return Infinity<double>;
  // An infinite result counts as the next number beyond the largest.
  long double value =
      std::isinf(got) ? std::copysign(isDouble ? 0x1p1024L : 0x1p128L, got) : static_cast<long double>(got);
  return static_cast<double>(std::fabs(value - wanted) / unitOf(wanted, isDouble));
}

long double unitOf(long double value, bool isDouble) {
  int exponent = value == 0 ? -20000 : std::ilogb(value);
  if (!isDouble && exponent > 127)
    exponent = 127;
  return std::ldexp(1.0L, isDouble ? std::max(exponent - 52, -1074) : std::max(exponent - 23, -149));
}

} // namespace kiln::math
