// The table through which compiled kernels reach the C library. The functions are looked up in libm itself: a reference
// by name would be bound to a function of that name in the application, where it exports one.
#include "backends/cpu/driver/Execute.h"
#include <dlfcn.h>
#include <math.h>
#include <type_traits>

namespace kiln::cpu {
namespace {

class Libm {
public:
  template <typename F> const void *find(const char *name, F *linked) const {
    void *own = handle_ ? dlsym(handle_, name) : nullptr;
    return own ? own : reinterpret_cast<const void *>(linked);
  }

private:
  void *const handle_ = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
};

// Each name once as the float function, which has an f behind it, and once as the double one. The casts pick C's own
// among the overloads that C++ adds.
#define KILN_ROW(type_f32, type_f64, name)                                                                             \
  table.math[size_t(abi::Math::name##_f32)] =                                                                          \
      libm.find(#name "f", static_cast<std::add_pointer_t<type_f32>>(::name##f));                                      \
  table.math[size_t(abi::Math::name##_f64)] = libm.find(#name, static_cast<std::add_pointer_t<type_f64>>(::name));
#define KILN_UNARY(name) KILN_ROW(float(float), double(double), name)
#define KILN_BINARY(name) KILN_ROW(float(float, float), double(double, double), name)
#define KILN_TERNARY(name) KILN_ROW(float(float, float, float), double(double, double, double), name)
#define KILN_FLOAT_INT(name) KILN_ROW(float(float, int), double(double, int), name)

abi::Services fill() {
  abi::Services table{};
  Libm libm;
  KILN_MATH_UNARY(KILN_UNARY)
  KILN_MATH_BINARY(KILN_BINARY)
  KILN_MATH_TERNARY(KILN_TERNARY)
  KILN_MATH_FLOAT_INT(KILN_FLOAT_INT)
  return table;
}

} // namespace

const abi::Services &services() {
  static const abi::Services table = fill();
  return table;
}

} // namespace kiln::cpu
