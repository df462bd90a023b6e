// Many Fourier transforms, each in one work-group's local memory, with a barrier per pass.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Fourier.h"
#include "bench/suite/native/Threads.h"
#include <cmath>
#include <complex>
#include <numbers>

namespace bench {
namespace {

using Complex = std::complex<float>;

struct Problem {
  explicit Problem(const benchmark::State &state)
      : n(size_t(state.range(0))), transforms(size_t(state.range(1))), in(n * transforms) {
    std::vector<float> parts = randomFloats(2 * in.size(), -1, 1, 1);
    for (size_t i = 0; i < in.size(); ++i)
      in[i] = {parts[2 * i], parts[2 * i + 1]};
    for (size_t k = 0; k < n; ++k)
      exact.push_back(std::polar(1.0, -2 * std::numbers::pi * double(k) / double(n)));
    twiddles.assign(exact.begin(), exact.begin() + ptrdiff_t(n / 2));
  }
  bool isSolvedBy(const std::vector<Complex> &got) const {
    for (size_t transform = 0; transform < transforms;
         transform += 1 + transforms / 8) // a sample, because the host is slow
      for (size_t k = 0; k < n; ++k) {
        std::complex<double> expected = 0;
        for (size_t i = 0; i < n; ++i)
          expected += std::complex<double>(in[transform * n + i]) * exact[i * k % n];
        if (!(std::abs(std::complex<double>(got[transform * n + k]) - expected) < 1e-5 * double(n)))
          return false;
      }
    return true;
  }
  size_t bytes() const { return 2 * in.size() * sizeof(Complex); }

  const size_t n, transforms;
  std::vector<Complex> in, twiddles;
  std::vector<std::complex<double>> exact;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem in = bench.buffer(problem.in), out = bench.buffer(problem.in.size() * sizeof(Complex)),
      twiddles = bench.buffer(problem.twiddles);
  cl_kernel kernel = bench.kernelOf("fft", "fft");
  arguments(kernel, in, out, twiddles, cl_int(problem.n), Local{2 * problem.n * sizeof(Complex)});
  auto run = [&] {
    bench.launch(kernel, {problem.in.size() / 2}, {problem.n / 2});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<Complex>(out, problem.in.size())); });
  countBytes(state, problem.bytes());
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<Complex> out(problem.in.size());
  auto floats = [](auto &values) { return reinterpret_cast<const float *>(values.data()); };
  auto run = [&] {
    native::forRange(problem.transforms, 16, [&](native::Range range) {
      native::fft(floats(problem.in), reinterpret_cast<float *>(out.data()), floats(problem.twiddles), problem.n,
                  range);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(out); });
  countBytes(state, problem.bytes());
}

// Arguments: points, transforms.
const SuiteKernel registered("fft", onDevice, onHost, {{512, 1024}}, {{512, 1 << 16}});

} // namespace
} // namespace bench
