// How fast is a loop that neighbouring work-items leave at different times?
#include "bench/Bench.h"
#include "bench/Reference.h"

namespace bench {
namespace {

void mandelbrot(Bench &bench, benchmark::State &state) {
  size_t side = size_t(state.range(0));
  const Plane plane{-2.0f, -1.25f, 2.5f / float(side)};
  const int32_t limit = 256;
  Mem counts = bench.buffer(side * side * sizeof(int32_t));
  cl_kernel kernel = bench.kernelOf("mandelbrot", "mandelbrot");
  arguments(kernel, counts, plane.left, plane.top, plane.step, limit);
  auto run = [&] {
    bench.launch(kernel, {side, side});
    bench.finish();
  };
  bench.verifyOnce("mandelbrot/" + std::to_string(side), [&] {
    run();
    std::vector<int32_t> got = bench.read<int32_t>(counts, side * side);
    std::vector<int32_t> wanted = bench::mandelbrot(side, side, plane, limit);
    // A device may fuse multiplication and addition, which moves a point near the edge by some iterations.
    size_t different = 0;
    for (size_t i = 0; i < got.size(); ++i)
      different += got[i] != wanted[i];
    return different <= got.size() / 50;
  });
  measure(state, run);
  countItems(state, side * side);
}

[[maybe_unused]] const Registered registered[] = {add("mandelbrot", mandelbrot, {{512}}, {{4096}})};

} // namespace
} // namespace bench
