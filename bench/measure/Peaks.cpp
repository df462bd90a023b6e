#include "bench/measure/Peaks.h"
#include "bench/measure/CacheSize.h"
#include <algorithm>
#include <chrono>
#include <functional>

namespace bench {
namespace {

// The update reads two streams and writes one of them back. STREAM's triad writes a third one, and a cache reads each
// line of it before the first write, so a CPU moves a third more bytes than it counts. Eight independent chains of
// vectors of eight hide the latency of an operation and fill vectors of every width; the result depends on all of them,
// so no compiler removes them.
constexpr std::string_view Source = R"(
kernel void update(global float4 *a, const global float4 *b) {
  size_t i = get_global_id(0);
  a[i] = b[i] + 0.5f * a[i];
}
#ifdef INTEGER
#define STEP(x) x = x * m + n
#else
#define STEP(x) x = mad(x, m, n) // fused on devices where that is faster
#endif
kernel void operations(global T *out, T8 m, T8 n, int rounds) {
  T8 a = (T8)(get_global_id(0)), b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, g = a + 6, h = a + 7;
  for (int i = 0; i < rounds; ++i) {
    STEP(a); STEP(b); STEP(c); STEP(d); STEP(e); STEP(f); STEP(g); STEP(h);
  }
  T8 all = ((a + b) + (c + d)) + ((e + f) + (g + h));
  out[get_global_id(0)] = ((all.s0 + all.s1) + (all.s2 + all.s3)) + ((all.s4 + all.s5) + (all.s6 + all.s7));
}
)";
constexpr double OperationsPerRound = 8 * 8 * 2; // chains, components, multiply and add
constexpr double Seconds = 0.5;                  // for each of the two

/// The shortest time of a run, of as many as fit into the limit: the peak, and not what is usual.
double shortest(const std::function<void()> &run) {
  using Clock = std::chrono::steady_clock;
  auto since = [](Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); };
  run(); // compiles a variant, makes pages
  run();
  double best = 1e30;
  const Clock::time_point begin = Clock::now();
  do {
    const Clock::time_point start = Clock::now();
    run();
    best = std::min(best, since(start));
  } while (since(begin) < Seconds);
  return best;
}

double bandwidth(const Session &session, cl_program program) {
  constexpr size_t Item = 16;
  const size_t bytes = cacheBytes(session.device) / Item * Item; // of each buffer; together, they are twice the cache
  Mem a = session.buffer(bytes), b = session.buffer(bytes);
  for (const Mem *memory : {&a, &b}) {
    const cl_float one = 1;
    check(clEnqueueFillBuffer(session.queue, *memory, &one, sizeof one, 0, bytes, 0, nullptr, nullptr),
          "clEnqueueFillBuffer");
  }
  Kernel kernel = session.kernel(program, "update");
  arguments(kernel, a, b);
  const double seconds = shortest([&] {
    session.launch(kernel, {bytes / Item});
    session.finish();
  });
  return 3 * double(bytes) / seconds;
}

template <typename T> double operations(const Session &session, cl_program program) {
  cl_uint units = 0;
  check(clGetDeviceInfo(session.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr), "clGetDeviceInfo");
  const size_t items = size_t(units) * 2048; // fills the threads of a GPU's compute unit
  Mem out = session.buffer(items * sizeof(T));
  Kernel kernel = session.kernel(program, "operations");
  struct Vector {
    alignas(8 * sizeof(T)) T components[8];
  } m, n;
  std::ranges::fill(m.components, T(1));
  std::ranges::fill(n.components, T(1));
  double seconds = 0;
  cl_int rounds = 64;
  for (;; rounds *= 2) { // until a launch takes 5 ms, so that its start and end do not count
    arguments(kernel, out, m, n, rounds);
    const auto start = std::chrono::steady_clock::now();
    session.launch(kernel, {items}, {64});
    session.finish();
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (seconds > 5e-3 || rounds > 1 << 20)
      break;
  }
  seconds = shortest([&] {
    session.launch(kernel, {items}, {64});
    session.finish();
  });
  return double(items) * rounds * OperationsPerRound / seconds;
}

} // namespace

Peaks measurePeaks(const Session &session, const std::string &type) {
  const std::string options = "-DT=" + type + " -DT8=" + type + "8" + (type == "int" ? " -DINTEGER" : "");
  Program program = session.build(Source, options.c_str());
  Peaks peaks;
  peaks.bytesPerSecond = bandwidth(session, program);
  peaks.operationsPerSecond = type == "double" ? operations<cl_double>(session, program)
                              : type == "int"  ? operations<cl_int>(session, program)
                                               : operations<cl_float>(session, program);
  return peaks;
}

} // namespace bench
