// Nearest-filtered reads of float4 texels at computed coordinates.
#include "bench/suite/Bench.h"
#include "bench/suite/ImageReference.h"
#include "bench/suite/Images.h"
#include "bench/suite/native/Images.h"
#include "bench/suite/native/Threads.h"

namespace bench {
namespace {

struct Subject {
  explicit Subject(benchmark::State &state)
      : side(size_t(state.range(0))), picture(wholeFloats4(side * side, 6)),
        turn(turnAbout(side, 154.0f / 256, 114.0f / 256)) {}

  size_t side;
  std::vector<Floats4> picture;
  Turn turn;
};

void onDevice(Bench &bench, benchmark::State &state) {
  if (!hasImages(bench.device)) {
    state.SkipWithError("the device has no images");
    return;
  }
  Subject subject(state);
  Mem from = createImage(bench, RgbaFloats, subject.side, subject.picture);
  Mem to = createImage(bench, RgbaFloats, subject.side);
  cl_kernel kernel = bench.kernelOf("sample_nearest", "sample", ImageOptions);
  arguments(kernel, from, to, subject.turn);
  auto run = [&] {
    bench.launch(kernel, {subject.side, subject.side});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] {
    return isTurnedNearest(subject.picture, readImage<Floats4>(bench, to, subject.side), subject.side, subject.turn);
  });
  countItems(state, subject.side * subject.side);
}

void onHost(Bench &bench, benchmark::State &state) {
  Subject subject(state);
  std::vector<Floats4> to(subject.picture.size());
  auto run = [&] {
    native::forRows(subject.side, [&](native::Rows rows) {
      native::turnNearest(subject.picture.data(), to.data(), subject.side, subject.turn, rows);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return isTurnedNearest(subject.picture, to, subject.side, subject.turn); });
  countItems(state, subject.side * subject.side);
}

const SuiteKernel registered("sample_nearest/float4", onDevice, onHost, {{1024}}, {{4096}});

} // namespace
} // namespace bench
