// Ray tracing of spheres: adjacent rays hit different spheres or none, and have different numbers of reflections.
#include "bench/suite/Bench.h"
#include "bench/suite/native/Pixels.h"
#include "bench/suite/native/Threads.h"
#include "bench/suite/reference/Scene.h"
#include <cmath>

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state)
      : width(size_t(state.range(0))), height(size_t(state.range(1))), scene(spheresOnGround(24)) {}
  bool isSolvedBy(const std::vector<Vector4> &picture) const {
    // Rounding moves the edges of spheres and shadows, so a few pixels may differ.
    size_t compared = 0, different = 0;
    for (size_t row = 0; row < height; row += 1 + height / 100) { // a sample, because the host is slow at this
      std::vector<Vector4> expected = traceRow(scene, Depth, width, height, row);
      for (size_t column = 0; column < width; ++column, ++compared) {
        const Vector4 &a = picture[row * width + column], &b = expected[column];
        different += !(std::abs(a.x - b.x) < 5e-3f && std::abs(a.y - b.y) < 5e-3f && std::abs(a.z - b.z) < 5e-3f);
      }
    }
    return different <= compared / 200;
  }

  static constexpr int Depth = 4;
  const size_t width, height;
  const Spheres scene;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  size_t pixels = problem.width * problem.height;
  Mem spheres = bench.buffer(problem.scene.spheres), colours = bench.buffer(problem.scene.colours),
      picture = bench.buffer(pixels * sizeof(Vector4));
  cl_kernel kernel = bench.kernelOf("ray_tracing", "trace");
  arguments(kernel, spheres, colours, cl_int(problem.scene.spheres.size()), problem.scene.light, problem.Depth, picture,
            cl_int(problem.width), cl_int(problem.height));
  auto run = [&] {
    bench.launch(kernel, {roundUp(problem.width, 16), roundUp(problem.height, 8)}, {16, 8});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<Vector4>(picture, pixels)); });
  countItems(state, pixels);
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<Vector4> picture(problem.width * problem.height);
  native::Scene scene{problem.scene.spheres.data(), problem.scene.colours.data(), int(problem.scene.spheres.size()),
                      problem.scene.light};
  auto run = [&] {
    native::forRange(problem.height, 4, [&](native::Rows rows) {
      native::trace(scene, problem.Depth, picture.data(), problem.width, problem.height, rows);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(picture); });
  countItems(state, problem.width * problem.height);
}

const SuiteKernel registered("ray_tracing", onDevice, onHost, {{480, 360}}, {{3840, 2160}});

} // namespace
} // namespace bench
