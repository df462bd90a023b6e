// Runs every instance of every library function over arrays. Compiled to bitcode together with the library, so that one
// program can test it for any processor.
#include "tests/backends/cpu/math/Arrays.h"
#include "backends/cpu/math/Lanes.h"

namespace kiln::math {
namespace {

template <typename E, int N> Vector<E, N> load(const void *p, unsigned long i) {
  Vector<E, N> v;
  __builtin_memcpy(&v, static_cast<const E *>(p) + i, sizeof v);
  return v;
}
template <typename V> void store(void *p, unsigned long i, V v) {
  __builtin_memcpy(static_cast<Element<V> *>(p) + i, &v, sizeof v);
}

#define KILN_LOOP(E, N, call)                                                                                          \
  for (unsigned long i = 0; i < n; i += N) {                                                                           \
    [[maybe_unused]] auto one = [&] { return load<E, N>(x, i); };                                                      \
    [[maybe_unused]] auto two = [&] { return load<E, N>(y, i); };                                                      \
    [[maybe_unused]] auto integer = [&] { return load<typename Format<E>::Int, N>(y, i); };                            \
    store(z, i, call);                                                                                                 \
  }

#define KILN_CALL_One(instance) instance(one())
#define KILN_CALL_Two(instance) instance(one(), two())
#define KILN_CALL_Int(instance) instance(one(), integer())
#define KILN_ARRAY(E, N, label, id, name, operands)                                                                    \
  KILN_DECLARE_##operands(E, N, id##_##label, "kiln.math." name "." #label);                                           \
  void over_##id##_##label(const void *x, const void *y, void *z, unsigned long n) {                                   \
    KILN_LOOP(E, N, KILN_CALL_##operands(call_##id##_##label))                                                         \
  }
#define KILN_DECLARE_One(E, N, id, name) __attribute__((const)) Vector<E, N> call_##id(Vector<E, N>) __asm__(name)
#define KILN_DECLARE_Two(E, N, id, name)                                                                               \
  __attribute__((const)) Vector<E, N> call_##id(Vector<E, N>, Vector<E, N>) __asm__(name)
#define KILN_DECLARE_Int(E, N, id, name)                                                                               \
  __attribute__((const)) Vector<E, N> call_##id(Vector<E, N>, Ints<Vector<E, N>>) __asm__(name)

#if KILN_SCALAR // the library of GPUs
#define KILN_OF_FLOATS(id, name, operands) KILN_ARRAY(float, 1, f32, id, name, operands)
#define KILN_OF_DOUBLES(id, name, operands) KILN_ARRAY(double, 1, f64, id, name, operands)
#else
#define KILN_OF_FLOATS(id, name, operands)                                                                             \
  KILN_ARRAY(float, 1, f32, id, name, operands)                                                                        \
  KILN_ARRAY(float, 4, f32x4, id, name, operands)                                                                      \
  KILN_ARRAY(float, 8, f32x8, id, name, operands)                                                                      \
  KILN_ARRAY(float, 16, f32x16, id, name, operands)
#define KILN_OF_DOUBLES(id, name, operands)                                                                            \
  KILN_ARRAY(double, 1, f64, id, name, operands)                                                                       \
  KILN_ARRAY(double, 2, f64x2, id, name, operands)                                                                     \
  KILN_ARRAY(double, 4, f64x4, id, name, operands)                                                                     \
  KILN_ARRAY(double, 8, f64x8, id, name, operands)
#endif

} // namespace

#define KILN_MATH(name, operands)                                                                                      \
  KILN_OF_FLOATS(name, #name, operands)                                                                                \
  KILN_OF_DOUBLES(name, #name, operands)
#define KILN_FAST(name, operands) KILN_OF_FLOATS(fast_##name, "fast." #name, operands)
#include "base/abi/MathFunctions.def"

#if KILN_SCALAR
#define KILN_ROW(id, name, operands) {name, Operands::operands, false, {over_##id##_f32}},
#define KILN_DOUBLE_ROW(id, operands) {#id, Operands::operands, true, {over_##id##_f64}},
#else
#define KILN_ROW(id, name, operands)                                                                                   \
  {name, Operands::operands, false, {over_##id##_f32, over_##id##_f32x4, over_##id##_f32x8, over_##id##_f32x16}},
#define KILN_DOUBLE_ROW(id, operands)                                                                                  \
  {#id, Operands::operands, true, {over_##id##_f64, over_##id##_f64x2, over_##id##_f64x4, over_##id##_f64x8}},
#endif

extern "C" const ArrayFunction KilnMathArrays[] = {
#define KILN_MATH(name, operands) KILN_ROW(name, #name, operands) KILN_DOUBLE_ROW(name, operands)
#define KILN_FAST(name, operands) KILN_ROW(fast_##name, "fast." #name, operands)
#include "base/abi/MathFunctions.def"
    {}};

} // namespace kiln::math
