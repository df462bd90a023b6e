// How fast are all-pairs forces: arithmetic with rsqrt, over tiles that a group shares in local memory?
#include "bench/Bench.h"
#include "bench/Reference.h"
#include <cmath>

namespace bench {
namespace {

void nbody(Bench &bench, benchmark::State &state) {
  size_t count = size_t(state.range(0)), group = 128;
  const float softening = 0.01f;
  std::vector<Vector4> in = bodies(count);
  Mem deviceIn = bench.buffer(in), deviceOut = bench.buffer(count * sizeof(Vector4));
  cl_kernel kernel = bench.kernelOf("nbody", "accelerate");
  arguments(kernel, deviceIn, deviceOut, Local{group * sizeof(Vector4)}, softening);
  auto run = [&] {
    bench.launch(kernel, {count}, {group});
    bench.finish();
  };
  bench.verifyOnce("nbody/" + std::to_string(count), [&] {
    run();
    std::vector<Vector4> got = bench.read<Vector4>(deviceOut, count);
    for (size_t i = 0; i < count; i += count / 110) { // a sample: the host is slow at this
      Vector4 wanted = acceleration(in, i, softening);
      float allowed = 1e-3f * (1 + std::hypot(wanted.x, wanted.y, wanted.z));
      if (!(std::hypot(got[i].x - wanted.x, got[i].y - wanted.y, got[i].z - wanted.z) <= allowed))
        return false;
    }
    return true;
  });
  measure(state, run);
  countItems(state, count * count);
}

[[maybe_unused]] const Registered registered[] = {add("nbody", nbody, {{4096}}, {{131072}})};

} // namespace
} // namespace bench
