#include "bench/measure/Peaks.h"
#include "bench/measure/CacheSize.h"
#include <algorithm>
#include <chrono>
#include <functional>

namespace bench {
namespace {

// No kernel reaches the peak of every device, so several are measured and the fastest one counts.
//
// Operations: independent chains of multiply-adds hide the latency of an operation. A compiler that makes vectors of
// work-items, and a GPU, needs chains of numbers; vectors in the kernel would exceed its registers. Other compilers
// need vectors as wide as the device's. The result depends on all chains, so no compiler removes them.
//
// Bandwidth: `update` reads two streams and writes one of them back, `sum` only reads. STREAM's triad writes another
// stream than it reads, and a cache reads each line of that one before the first write, so a CPU would move a third
// more bytes than it counts.
constexpr std::string_view Source = R"(
#ifdef INTEGER
#define STEP(x) x = x * m + n;
#else
#define STEP(x) x = mad(x, m, n); // fused on devices where that is faster
#endif
#define EACH_OF_8(DO) DO(a) DO(b) DO(c) DO(d) DO(e) DO(f) DO(g) DO(h)
#define EACH_OF_12(DO) EACH_OF_8(DO) DO(i) DO(j) DO(k) DO(l)
#define BEGIN(x) Number x = (first += 1);
#define ADD(x) all += x;
#define SUM_1(x) (x)
#define SUM_4(x) ((x.s0 + x.s1) + (x.s2 + x.s3))
#define SUM_8(x) (SUM_4(x.lo) + SUM_4(x.hi))
#define SUM_16(x) (SUM_8(x.lo) + SUM_8(x.hi))
#define CHAINS(NAME, TYPE, COMPONENTS, CHAIN_COUNT)                                                                    \
  kernel void NAME(global T *out, T factor, T summand, int rounds) {                                                   \
    typedef TYPE Number;                                                                                               \
    Number m = factor, n = summand, first = (T)get_global_id(0), all = 0;                                              \
    EACH_OF_##CHAIN_COUNT(BEGIN)                                                                                       \
    for (int round = 0; round < rounds; ++round) {                                                                     \
      EACH_OF_##CHAIN_COUNT(STEP)                                                                                      \
    }                                                                                                                  \
    EACH_OF_##CHAIN_COUNT(ADD)                                                                                         \
    out[get_global_id(0)] = SUM_##COMPONENTS(all);                                                                     \
  }
CHAINS(chains_1_8, T, 1, 8)
CHAINS(chains_1_12, T, 1, 12)
CHAINS(chains_4_8, T4, 4, 8)
CHAINS(chains_8_8, T8, 8, 8)
CHAINS(chains_8_12, T8, 8, 12)
CHAINS(chains_16_8, T16, 16, 8)
CHAINS(chains_16_12, T16, 16, 12)

kernel void update_1(global float *a, global const float *b) {
  size_t i = get_global_id(0);
  a[i] = b[i] + 0.5f * a[i];
}
kernel void update_4(global float4 *a, global const float4 *b) {
  size_t i = get_global_id(0);
  a[i] = b[i] + 0.5f * a[i];
}
kernel void sum_1(global float *a, global const float *b) {
  size_t i = get_global_id(0), n = get_global_size(0);
  float all = 0;
  for (int part = 0; part < 16; ++part)
    all += b[part * n + i];
  if (all == 0.125f) // never: b has ones
    a[i] = all;
}
)";

struct Chains {
  const char *kernel;
  int operations; // of a work-item in a round: components, chains, multiply and add
};
constexpr Chains AllChains[] = {
    {"chains_1_8", 1 * 8 * 2},   {"chains_1_12", 1 * 12 * 2}, {"chains_4_8", 4 * 8 * 2},     {"chains_8_8", 8 * 8 * 2},
    {"chains_8_12", 8 * 12 * 2}, {"chains_16_8", 16 * 8 * 2}, {"chains_16_12", 16 * 12 * 2},
};

struct Stream {
  const char *kernel;
  size_t bytesPerItem; // of each buffer that it reads
  int buffers;         // read and written bytes of an item, in units of bytesPerItem
};
constexpr Stream AllStreams[] = {{"update_1", 4, 3}, {"update_4", 16, 3}, {"sum_1", 64, 1}};

constexpr double SecondsOfKernel = 0.2;
constexpr double SecondsOfLaunch = 1e-3; // at least; the start and the end of a launch hardly count then

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The shortest time of a run, of as many as fit into the limit: the peak, and not what is usual.
double shortest(const std::function<void()> &run) {
  run(); // compiles a variant, makes pages
  run();
  double best = 1e30;
  const Clock::time_point begin = Clock::now();
  do {
    const Clock::time_point start = Clock::now();
    run();
    best = std::min(best, since(start));
  } while (since(begin) < SecondsOfKernel);
  return best;
}

/// The bytes of each of two buffers. Caches keep a part of data that is little larger than they are, so these are much
/// larger.
size_t streamBytes(const Session &session) {
  cl_ulong memory = 0, most = 0;
  check(clGetDeviceInfo(session.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, nullptr), "clGetDeviceInfo");
  check(clGetDeviceInfo(session.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, nullptr), "clGetDeviceInfo");
  constexpr size_t Piece = 64 * 64;                             // whole work-groups of each kernel
  constexpr size_t FewCaches = 4, LeastOfGpu = size_t(1) << 30; // a GPU reads this in a part of a millisecond
  cl_device_type type = 0;
  check(clGetDeviceInfo(session.device, CL_DEVICE_TYPE, sizeof type, &type, nullptr), "clGetDeviceInfo");
  const size_t wanted = FewCaches * cacheBytes(session.device);
  const size_t bytes = type & CL_DEVICE_TYPE_CPU ? wanted : std::max(wanted, LeastOfGpu);
  return size_t(std::min({cl_ulong(bytes), memory / 8, most})) / Piece * Piece;
}

double bandwidth(const Session &session, cl_program program) {
  const size_t bytes = streamBytes(session);
  Mem a = session.buffer(bytes), b = session.buffer(bytes);
  for (const Mem *memory : {&a, &b}) {
    const cl_float one = 1;
    check(clEnqueueFillBuffer(session.queue, *memory, &one, sizeof one, 0, bytes, 0, nullptr, nullptr),
          "clEnqueueFillBuffer");
  }
  double best = 0;
  for (const Stream &stream : AllStreams) {
    Kernel kernel = session.kernel(program, stream.kernel);
    arguments(kernel, a, b);
    const double seconds = shortest([&] {
      session.launch(kernel, {bytes / stream.bytesPerItem});
      session.finish();
    });
    best = std::max(best, double(stream.buffers) * double(bytes) / seconds);
  }
  return best;
}

template <typename T> double operations(const Session &session, cl_program program) {
  cl_uint units = 0;
  check(clGetDeviceInfo(session.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr), "clGetDeviceInfo");
  const size_t items = size_t(units) * 2048; // fills the threads of a GPU's compute unit
  Mem out = session.buffer(items * sizeof(T));
  double best = 0;
  for (const Chains &chains : AllChains) {
    Kernel kernel = session.kernel(program, chains.kernel);
    const auto run = [&] {
      session.launch(kernel, {items}, {64});
      session.finish();
    };
    cl_int rounds = 64;
    arguments(kernel, out, T(1), T(1), rounds);
    run(); // compiles
    for (;; rounds *= 2) {
      arguments(kernel, out, T(1), T(1), rounds);
      const Clock::time_point start = Clock::now();
      run();
      if (since(start) > SecondsOfLaunch || rounds > 1 << 20)
        break;
    }
    best = std::max(best, double(items) * rounds * chains.operations / shortest(run));
  }
  return best;
}

} // namespace

Peaks measurePeaks(const Session &session, const std::string &type) {
  std::string options = "-DT=" + type;
  for (const char *components : {"4", "8", "16"})
    options += std::string(" -DT") + components + "=" + type + components;
  if (type == "int")
    options += " -DINTEGER";
  Program program = session.build(Source, options.c_str());
  Peaks peaks;
  peaks.bytesPerSecond = bandwidth(session, program);
  peaks.operationsPerSecond = type == "double" ? operations<cl_double>(session, program)
                              : type == "int"  ? operations<cl_int>(session, program)
                                               : operations<cl_float>(session, program);
  return peaks;
}

} // namespace bench
