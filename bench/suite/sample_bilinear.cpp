// Rotates and scales an image with a linear filter: with a sampler in the kernel (clamp to edge), and with a sampler
// argument (repeat).
#include "bench/suite/Bench.h"
#include "bench/suite/ImageReference.h"
#include "bench/suite/Images.h"
#include "bench/suite/native/Images.h"
#include "bench/suite/native/Threads.h"

namespace bench {
namespace {

/// An image and its rotation. With ClampToEdge the image is enlarged, so that only the corners read outside of it; with
/// Repeat it is reduced, so that many texels do.
struct Subject {
  Subject(benchmark::State &state, Address address)
      : side(size_t(state.range(0))), address(address), picture(randomBytes4(side * side, 5)),
        turn(address == Address::ClampToEdge ? turnAbout(side, 154.0f / 256, 114.0f / 256)
                                             : turnAbout(side, 307.0f / 256, 230.0f / 256)) {}
  bool isTurnedTo(const std::vector<Bytes4> &got) const { return isTurnedLinear(picture, got, side, turn, address); }

  size_t side;
  Address address;
  std::vector<Bytes4> picture;
  Turn turn;
};

void onDevice(Bench &bench, benchmark::State &state, Address address) {
  if (!hasImages(bench.device)) {
    state.SkipWithError("the device has no images");
    return;
  }
  Subject subject(state, address);
  Mem from = createImage(bench, RgbaBytes, subject.side, subject.picture);
  Mem to = createImage(bench, RgbaBytes, subject.side);
  const char *name = address == Address::ClampToEdge ? "literal" : "argument";
  cl_kernel kernel = bench.kernelOf("sample_bilinear", name, ImageOptions);
  Turn turn = normalized(subject.turn, subject.side);
  Sampler sampler;
  if (address == Address::ClampToEdge) {
    arguments(kernel, from, to, turn);
  } else {
    cl_int code = CL_SUCCESS;
    sampler = clCreateSampler(bench.context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &code);
    check(code, "clCreateSampler");
    arguments(kernel, from, to, turn, sampler);
  }
  auto run = [&] {
    bench.launch(kernel, {subject.side, subject.side});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return subject.isTurnedTo(readImage<Bytes4>(bench, to, subject.side)); });
  countItems(state, subject.side * subject.side);
}

void onHost(Bench &bench, benchmark::State &state, Address address) {
  Subject subject(state, address);
  std::vector<Bytes4> to(subject.picture.size());
  Turn turn = normalized(subject.turn, subject.side);
  auto turnRows = address == Address::ClampToEdge ? native::turnLinearEdges : native::turnLinearRepeat;
  auto run = [&] {
    native::forRows(subject.side,
                    [&](native::Rows rows) { turnRows(subject.picture.data(), to.data(), subject.side, turn, rows); });
  };
  verifyAndMeasure(bench, state, run, [&] { return subject.isTurnedTo(to); });
  countItems(state, subject.side * subject.side);
}

Body with(void (*body)(Bench &, benchmark::State &, Address), Address address) {
  return [=](Bench &bench, benchmark::State &state) { body(bench, state, address); };
}

const SuiteKernel edges("sample_bilinear/edges", with(onDevice, Address::ClampToEdge),
                        with(onHost, Address::ClampToEdge), {{2048}}, {{8192}});
const SuiteKernel repeat("sample_bilinear/repeat", with(onDevice, Address::Repeat), with(onHost, Address::Repeat),
                         {{2048}}, {{8192}});

} // namespace
} // namespace bench
