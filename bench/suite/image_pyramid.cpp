// All levels of an image pyramid, each half the side of the previous one, down to one texel.
#include "bench/suite/Bench.h"
#include "bench/suite/ImageReference.h"
#include "bench/suite/Images.h"
#include "bench/suite/native/Images.h"
#include "bench/suite/native/Threads.h"

namespace bench {
namespace {

/// The number of texels in all levels below a level of `side`.
size_t texelsBelow(size_t side) { return side > 1 ? side / 2 * (side / 2) + texelsBelow(side / 2) : 0; }

/// Compares each level with the expected result from the level before it, so that rounding errors do not accumulate.
bool isPyramid(const std::vector<std::vector<Bytes4>> &levels, size_t side) {
  for (size_t i = 1; i < levels.size(); ++i)
    if (!isHalved(levels[i - 1], levels[i], side >> i))
      return false;
  return levels.back().size() == 1;
}

void onDevice(Bench &bench, benchmark::State &state) {
  if (!hasImages(bench.device)) {
    state.SkipWithError("the device has no images");
    return;
  }
  size_t side = size_t(state.range(0));
  std::vector<Mem> levels;
  levels.push_back(createImage(bench, RgbaBytes, side, randomBytes4(side * side, 9)));
  for (size_t level = side / 2; level; level /= 2)
    levels.push_back(createImage(bench, RgbaBytes, level));
  cl_kernel kernel = bench.kernelOf("image_pyramid", "halve", ImageOptions);
  auto run = [&] {
    for (size_t i = 1; i < levels.size(); ++i) {
      size_t level = side >> i;
      arguments(kernel, levels[i - 1], levels[i], 1.0f / float(level));
      bench.launch(kernel, {level, level});
    }
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] {
    std::vector<std::vector<Bytes4>> got;
    for (size_t i = 0; i < levels.size(); ++i)
      got.push_back(readImage<Bytes4>(bench, levels[i], side >> i));
    return isPyramid(got, side);
  });
  countItems(state, texelsBelow(side));
}

void onHost(Bench &bench, benchmark::State &state) {
  size_t side = size_t(state.range(0));
  std::vector<std::vector<Bytes4>> levels = {randomBytes4(side * side, 9)};
  for (size_t level = side / 2; level; level /= 2)
    levels.emplace_back(level * level);
  auto run = [&] {
    for (size_t i = 1; i < levels.size(); ++i)
      native::forRows(side >> i, [&](native::Rows rows) {
        native::halve(levels[i - 1].data(), levels[i].data(), side >> i, rows);
      });
  };
  verifyAndMeasure(bench, state, run, [&] { return isPyramid(levels, side); });
  countItems(state, texelsBelow(side));
}

const SuiteKernel registered("image_pyramid", onDevice, onHost, {{2048}}, {{8192}});

} // namespace
} // namespace bench
