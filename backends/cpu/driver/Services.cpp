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

// The casts pick C's own among the overloads that C++ adds.
#define KILN_ROW(type, name)                                                                                           \
  table.math[size_t(abi::Math::name)] = libm.find(#name, static_cast<std::add_pointer_t<type>>(::name));
#define KILN_UNARY(name) KILN_ROW(double(double), name)
#define KILN_BINARY(name) KILN_ROW(double(double, double), name)

abi::Services fill() {
  abi::Services table{};
  Libm libm;
  KILN_MATH_UNARY(KILN_UNARY)
  KILN_MATH_BINARY(KILN_BINARY)
  return table;
}

} // namespace

const abi::Services &services() {
  static const abi::Services table = fill();
  return table;
}

} // namespace kiln::cpu
