// Kernels on vectors of 16 bytes: one with 16-bit arithmetic, one with a select per byte.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Streams.h"
#include "bench/suite/native/Threads.h"

namespace bench {
namespace {

using Bytes = std::vector<uint8_t>;
constexpr uint8_t Alpha = 77;
constexpr size_t Band = 1 << 16;

bool isBlended(const Bytes &a, const Bytes &b, const Bytes &got) {
  for (size_t i = 0; i < got.size(); ++i)
    if (got[i] != (Alpha * a[i] + (255 - Alpha) * b[i] + 127) / 255)
      return false;
  return true;
}

bool isLowered(const Bytes &text, const Bytes &got) {
  for (size_t i = 0; i < got.size(); ++i)
    if (got[i] != (text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]))
      return false;
  return true;
}

void blendOnDevice(Bench &bench, benchmark::State &state) {
  size_t count = size_t(state.range(0)), vectors = count / 16;
  Bytes a = randomBytes(count, 1), b = randomBytes(count, 2);
  Mem deviceA = bench.buffer(a), deviceB = bench.buffer(b), to = bench.buffer(count);
  cl_kernel kernel = bench.kernelOf("byte_filter", "blend");
  arguments(kernel, deviceA, deviceB, to, cl_uchar(Alpha), cl_int(vectors));
  auto run = [&] {
    bench.launch(kernel, {roundUp(vectors, 64)}, {64});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return isBlended(a, b, bench.read<uint8_t>(to, count)); });
  countBytes(state, 3 * count);
}

void blendOnHost(Bench &bench, benchmark::State &state) {
  size_t count = size_t(state.range(0));
  Bytes a = randomBytes(count, 1), b = randomBytes(count, 2), to(count);
  auto run = [&] {
    native::forRange(count, Band,
                     [&](native::Range range) { native::blendBytes(a.data(), b.data(), to.data(), Alpha, range); });
  };
  verifyAndMeasure(bench, state, run, [&] { return isBlended(a, b, to); });
  countBytes(state, 3 * count);
}

void lowerOnDevice(Bench &bench, benchmark::State &state) {
  size_t count = size_t(state.range(0)), vectors = count / 16;
  Bytes text = randomBytes(count, 1);
  Mem from = bench.buffer(text), to = bench.buffer(count);
  cl_kernel kernel = bench.kernelOf("byte_filter", "lower_case");
  arguments(kernel, from, to, cl_int(vectors));
  auto run = [&] {
    bench.launch(kernel, {roundUp(vectors, 64)}, {64});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return isLowered(text, bench.read<uint8_t>(to, count)); });
  countBytes(state, 2 * count);
}

void lowerOnHost(Bench &bench, benchmark::State &state) {
  size_t count = size_t(state.range(0));
  Bytes text = randomBytes(count, 1), to(count);
  auto run = [&] {
    native::forRange(count, Band, [&](native::Range range) { native::toLowerCase(text.data(), to.data(), range); });
  };
  verifyAndMeasure(bench, state, run, [&] { return isLowered(text, to); });
  countBytes(state, 2 * count);
}

const SuiteKernel blend("byte_filter/blend", blendOnDevice, blendOnHost, {{8000000}}, {{1 << 29}});
const SuiteKernel lower("byte_filter/lower_case", lowerOnDevice, lowerOnHost, {{8000000}}, {{1 << 29}});

} // namespace
} // namespace bench
