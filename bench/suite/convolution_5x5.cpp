// A 5 x 5 convolution of an image, of four byte channels or of one float channel.
#include "bench/suite/Bench.h"
#include "bench/suite/ImageReference.h"
#include "bench/suite/Images.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Images.h"
#include "bench/suite/native/Threads.h"

namespace bench {
namespace {

/// The differences between the two image formats.
template <typename Texel> struct Kind;
template <> struct Kind<Bytes4> {
  static constexpr const char *Kernel = "convolve";
  static constexpr cl_image_format Format = RgbaBytes;
  static std::vector<Bytes4> picture(size_t side) { return randomBytes4(side * side, 8); }
};
template <> struct Kind<float> {
  static constexpr const char *Kernel = "convolve_channel";
  static constexpr cl_image_format Format = RFloats;
  static std::vector<float> picture(size_t side) { return wholeFloats(side * side, 8); }
};

template <typename Texel> void onDevice(Bench &bench, benchmark::State &state) {
  if (!hasImages(bench.device)) {
    state.SkipWithError("the device has no images");
    return;
  }
  using Is = Kind<Texel>;
  size_t side = size_t(state.range(0));
  std::vector<Texel> picture = Is::picture(side);
  std::vector<float> weights = windowWeights();
  Mem from = createImage(bench, Is::Format, side, picture), to = createImage(bench, Is::Format, side),
      window = bench.buffer(weights);
  cl_kernel kernel = bench.kernelOf("convolution_5x5", Is::Kernel, ImageOptions);
  arguments(kernel, from, to, window);
  auto run = [&] {
    bench.launch(kernel, {side, side});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run,
                   [&] { return isConvolved(picture, readImage<Texel>(bench, to, side), side, weights); });
  countItems(state, side * side);
}

template <typename Texel> void onHost(Bench &bench, benchmark::State &state) {
  using Is = Kind<Texel>;
  size_t side = size_t(state.range(0));
  std::vector<Texel> picture = Is::picture(side), to(picture.size());
  std::vector<float> weights = windowWeights();
  auto run = [&] {
    native::forRows(
        side, [&](native::Rows rows) { native::convolve(picture.data(), to.data(), side, weights.data(), rows); });
  };
  verifyAndMeasure(bench, state, run, [&] { return isConvolved(picture, to, side, weights); });
  countItems(state, side * side);
}

const SuiteKernel bytes("convolution_5x5/rgba8", onDevice<Bytes4>, onHost<Bytes4>, {{1024}}, {{8192}});
const SuiteKernel floats("convolution_5x5/float", onDevice<float>, onHost<float>, {{1024}}, {{8192}});

} // namespace
} // namespace bench
