// How fast does a matrix product run whose tiles pass through local memory, with two barriers a tile?
#include "bench/Bench.h"
#include "bench/Reference.h"

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
    return bench.read<float>(deviceC, n * n) == matrixProduct(a, b, n);
  });
  measure(state, run);
  countItems(state, 2 * n * n * n); // multiplications and additions
}

[[maybe_unused]] const Registered registered[] = {add("matmul_tiled", matmul)->Arg(512)};

} // namespace
} // namespace bench
