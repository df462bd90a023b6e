// How fast does a matrix product run whose tiles pass through local memory, with two barriers a tile?
#include "bench/Bench.h"
#include "bench/Reference.h"
#include <algorithm>

namespace bench {
namespace {

void matmul(Bench &bench, benchmark::State &state) {
  size_t n = size_t(state.range(0)), tile = 16;
  std::vector<float> a = wholeFloats(n * n, 1), b = wholeFloats(n * n, 2);
  Mem deviceA = bench.buffer(a), deviceB = bench.buffer(b), deviceC = bench.buffer(n * n * sizeof(float));
  cl_kernel kernel = bench.kernelOf("matmul_tiled", "matmul");
  arguments(kernel, deviceA, deviceB, deviceC, cl_int(n));
  auto run = [&] {
    bench.launch(kernel, {n, n}, {tile, tile});
    bench.finish();
  };
  bench.verifyOnce("matmul_tiled/" + std::to_string(n), [&] {
    run();
    std::vector<float> c = bench.read<float>(deviceC, n * n);
    for (size_t row = 0; row < n; row += std::max<size_t>(1, n / 64)) // a sample: the host is slow at this
      if (std::vector<float> wanted = matrixRow(a, b, n, row); !std::equal(wanted.begin(), wanted.end(), &c[row * n]))
        return false;
    return true;
  });
  measure(state, run);
  countItems(state, 2 * n * n * n); // multiplications and additions
}

[[maybe_unused]] const Registered registered[] = {add("matmul_tiled", matmul, {{512}}, {{4096}})};

} // namespace
} // namespace bench
