// Times the functions of the C library, its vector library (libmvec) and SLEEF, as far as installed, in nanoseconds per
// value over the arguments of `kiln-math-sweep --time`, which times Kiln's.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <immintrin.h>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int Count = 4096;
alignas(64) double x[Count], y[Count], z[Count];

uint64_t mixed(uint64_t n) { // splitmix64, as in the sweep
  n += 0x9e3779b97f4a7c15;
  n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9;
  n = (n ^ n >> 27) * 0x94d049bb133111eb;
  return n ^ n >> 31;
}
template <typename E> void fill(double shift) {
  for (int i = 0; i < Count; ++i) {
    reinterpret_cast<E *>(x)[i] = E(shift + 0.05 + 0.9 * double(mixed(i) >> 11) * 0x1p-53);
    reinterpret_cast<E *>(y)[i] = E(0.5 + 3 * double(mixed(i + Count) >> 11) * 0x1p-53);
  }
}

template <typename Body> void time(Body body) {
  double best = 1e9;
  for (int round = 0; round < 60; ++round) {
    auto start = std::chrono::steady_clock::now();
    body();
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
  }
  std::printf(" %8.2f", best / Count);
}

/// E is the element type, V the argument type of a call.
template <typename E, typename V> void timeOf(void *function, bool two) {
  if (!function)
    return (void)std::printf(" %8s", "-");
  auto *in = reinterpret_cast<V *>(x), *second = reinterpret_cast<V *>(y), *out = reinterpret_cast<V *>(z);
  constexpr int calls = Count * int(sizeof(E)) / int(sizeof(V));
  time([&] {
    for (int i = 0; i < calls; ++i)
      out[i] =
          two ? reinterpret_cast<V (*)(V, V)>(function)(in[i], second[i]) : reinterpret_cast<V (*)(V)>(function)(in[i]);
  });
}

void *library(const char *name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }
void *find(void *library, std::initializer_list<std::string> names) {
  for (const std::string &name : names)
    if (void *found = library ? dlsym(library, name.c_str()) : nullptr)
      return found;
  return nullptr;
}

} // namespace

int main() {
  void *libm = library("libm.so.6"), *libmvec = library("libmvec.so.1"), *sleef = library("libsleef.so.3");
  bool wide = __builtin_cpu_supports("avx512f");
  std::printf("%-14s %8s %8s %8s %8s %8s %8s %8s\n", "", "glibc", "libmvec4", "8", "16", "SLEEF4", "8", "16");
  for (std::string name :
       {"acos", "acosh", "asin",  "asinh", "atan",  "atan2", "atanh", "cbrt",   "cos",   "cosh",  "erf",
        "erfc", "exp",   "exp10", "exp2",  "expm1", "fmod",  "hypot", "lgamma", "log",   "log10", "log1p",
        "log2", "pow",   "sin",   "sinh",  "sinpi", "cospi", "tan",   "tanh",   "tgamma"}) {
    bool two = name == "atan2" || name == "fmod" || name == "hypot" || name == "pow";
    std::string v = two ? "vv_" : "v_";
    auto sleefs = [&](const std::string &type) {
      std::string start = "Sleef_" + name + type;
      return std::vector<std::string>{start + "_u10", start + "_u05", start + "_u15", start};
    };
    auto inSleef = [&](const std::string &type, const std::string &suffix) -> void * {
      for (const std::string &one : sleefs(type))
        if (void *found = find(sleef, {one + suffix}))
          return found;
      return nullptr;
    };
    fill<float>(name == "acosh" ? 1 : 0);
    std::printf("%-14s", (name + " f32").c_str());
    timeOf<float, float>(find(libm, {name + "f"}), two);
    timeOf<float, __m128>(find(libmvec, {"_ZGVbN4" + v + name + "f"}), two);
    timeOf<float, __m256>(find(libmvec, {"_ZGVdN8" + v + name + "f"}), two);
    timeOf<float, __m512>(wide ? find(libmvec, {"_ZGVeN16" + v + name + "f"}) : nullptr, two);
    timeOf<float, __m128>(inSleef("f4", ""), two);
    timeOf<float, __m256>(inSleef("f8", ""), two);
    timeOf<float, __m512>(wide ? inSleef("f16", "avx512f") : nullptr, two);
    fill<double>(name == "acosh" ? 1 : 0);
    std::printf("\n%-14s", (name + " f64").c_str());
    timeOf<double, double>(find(libm, {name}), two);
    timeOf<double, __m128d>(find(libmvec, {"_ZGVbN2" + v + name}), two);
    timeOf<double, __m256d>(find(libmvec, {"_ZGVdN4" + v + name}), two);
    timeOf<double, __m512d>(wide ? find(libmvec, {"_ZGVeN8" + v + name}) : nullptr, two);
    timeOf<double, __m128d>(inSleef("d2", ""), two);
    timeOf<double, __m256d>(inSleef("d4", ""), two);
    timeOf<double, __m512d>(wide ? inSleef("d8", "avx512f") : nullptr, two);
    std::printf("\n");
  }
}
