// Copies between images, buffers and the host, and image fills.
#include "bench/suite/Bench.h"
#include "bench/suite/ImageReference.h"
#include "bench/suite/Images.h"
#include "bench/suite/native/Images.h"
#include "bench/suite/native/Threads.h"
#include <algorithm>

namespace bench {
namespace {

using Texels = std::vector<Bytes4>;

void require(bool right) {
  if (!right)
    throw std::runtime_error("the texels differ from the expected ones");
}

/// The region that the host reads and writes: a part of an image, and a part of longer rows in host memory.
struct Window {
  explicit Window(size_t side)
      : side(side), x(32), y(16), width(side - 64), height(side - 32), hostWidth(side + 64),
        region{{x, y, 0}, {width, height, 1}} {}

  size_t bytes() const { return width * height * sizeof(Bytes4); }
  size_t hostPitch() const { return hostWidth * sizeof(Bytes4); }
  /// Zeroed host rows.
  Texels host() const { return Texels(hostWidth * height); }
  /// Returns true if the host rows contain the image's region and are 0 elsewhere.
  bool isRead(const Texels &host, const Texels &image) const {
    for (size_t row = 0; row < height; ++row) {
      auto got = host.begin() + ptrdiff_t(row * hostWidth), expected = image.begin() + ptrdiff_t((row + y) * side + x);
      if (!std::equal(got, got + ptrdiff_t(width), expected) ||
          std::any_of(got + ptrdiff_t(width), got + ptrdiff_t(hostWidth),
                      [](Bytes4 texel) { return texel != Bytes4(); }))
        return false;
    }
    return true;
  }
  /// Returns true if the image contains the region of the host rows and is 0 elsewhere.
  bool isWritten(const Texels &image, const Texels &host) const {
    Texels expected(side * side);
    for (size_t row = 0; row < height; ++row)
      std::copy_n(host.begin() + ptrdiff_t(row * hostWidth), width, expected.begin() + ptrdiff_t((row + y) * side + x));
    return image == expected;
  }

  size_t side, x, y, width, height, hostWidth;
  Region region;
};

/// Exact multiples of 1 / 255, so that a conversion to bytes has one correct result.
constexpr Floats4 Color{{0.2f, 0.4f, 0.6f, 0.8f}};
bool isFilled(const std::vector<Bytes4> &image) {
  return std::count(image.begin(), image.end(), Bytes4{{51, 102, 153, 204}}) == ptrdiff_t(image.size());
}
bool isFilled(const std::vector<Floats4> &image) {
  return std::count(image.begin(), image.end(), Color) == ptrdiff_t(image.size());
}

namespace device {
void imageToImage(Bench &bench, benchmark::State &state, size_t side) {
  Texels content = randomBytes4(side * side, 3);
  Mem from = createImage(bench, RgbaBytes, side, content), to = createImage(bench, RgbaBytes, side);
  Region all = whole(side);
  measure(state, [&] {
    check(clEnqueueCopyImage(bench.queue, from, to, all.origin, all.origin, all.extent, 0, nullptr, nullptr),
          "clEnqueueCopyImage");
    bench.finish();
  });
  require(readImage<Bytes4>(bench, to, side) == content);
  countBytes(state, 2 * side * side * sizeof(Bytes4)); // read and written
}

void imageToBuffer(Bench &bench, benchmark::State &state, size_t side) {
  Texels content = randomBytes4(side * side, 3);
  Mem from = createImage(bench, RgbaBytes, side, content), to = bench.buffer(side * side * sizeof(Bytes4));
  Region all = whole(side);
  measure(state, [&] {
    check(clEnqueueCopyImageToBuffer(bench.queue, from, to, all.origin, all.extent, 0, 0, nullptr, nullptr),
          "clEnqueueCopyImageToBuffer");
    bench.finish();
  });
  require(bench.read<Bytes4>(to, side * side) == content);
  countBytes(state, 2 * side * side * sizeof(Bytes4));
}

void bufferToImage(Bench &bench, benchmark::State &state, size_t side) {
  Texels content = randomBytes4(side * side, 3);
  Mem from = bench.buffer(content), to = createImage(bench, RgbaBytes, side);
  Region all = whole(side);
  measure(state, [&] {
    check(clEnqueueCopyBufferToImage(bench.queue, from, to, 0, all.origin, all.extent, 0, nullptr, nullptr),
          "clEnqueueCopyBufferToImage");
    bench.finish();
  });
  require(readImage<Bytes4>(bench, to, side) == content);
  countBytes(state, 2 * side * side * sizeof(Bytes4));
}

void hostRead(Bench &bench, benchmark::State &state, size_t side) {
  Window window(side);
  Texels content = randomBytes4(side * side, 3), to = window.host();
  Mem from = createImage(bench, RgbaBytes, side, content);
  measure(state, [&] {
    check(clEnqueueReadImage(bench.queue, from, CL_TRUE, window.region.origin, window.region.extent, window.hostPitch(),
                             0, to.data(), 0, nullptr, nullptr),
          "clEnqueueReadImage");
  });
  require(window.isRead(to, content));
  countBytes(state, window.bytes());
}

void hostWrite(Bench &bench, benchmark::State &state, size_t side) {
  Window window(side);
  Texels content = randomBytes4(window.host().size(), 3);
  Mem to = createImage(bench, RgbaBytes, side, Texels(side * side));
  measure(state, [&] {
    check(clEnqueueWriteImage(bench.queue, to, CL_TRUE, window.region.origin, window.region.extent, window.hostPitch(),
                              0, content.data(), 0, nullptr, nullptr),
          "clEnqueueWriteImage");
  });
  require(window.isWritten(readImage<Bytes4>(bench, to, side), content));
  countBytes(state, window.bytes());
}

template <typename Texel> void fill(Bench &bench, benchmark::State &state, size_t side, cl_image_format format) {
  Mem image = createImage(bench, format, side);
  Region all = whole(side);
  measure(state, [&] {
    check(clEnqueueFillImage(bench.queue, image, &Color, all.origin, all.extent, 0, nullptr, nullptr),
          "clEnqueueFillImage");
    bench.finish();
  });
  require(isFilled(readImage<Texel>(bench, image, side)));
  countBytes(state, side * side * sizeof(Texel));
}
void fillBytes(Bench &bench, benchmark::State &state, size_t side) { fill<Bytes4>(bench, state, side, RgbaBytes); }
void fillFloats(Bench &bench, benchmark::State &state, size_t side) { fill<Floats4>(bench, state, side, RgbaFloats); }
} // namespace device

namespace host {
using native::Rows;

/// A copy in host memory, the twin of all three copies within a device.
void copy(Bench &bench, benchmark::State &state, size_t side) {
  Texels from = randomBytes4(side * side, 3), to(from.size());
  measure(state, [&] {
    native::forRows(side, [&](Rows rows) { native::copy(from.data(), side, to.data(), side, side, rows); });
  });
  require(to == from);
  countBytes(state, 2 * side * side * sizeof(Bytes4));
}

void read(Bench &bench, benchmark::State &state, size_t side) {
  Window window(side);
  Texels from = randomBytes4(side * side, 3), to = window.host();
  measure(state, [&] {
    native::forRows(window.height, [&](Rows rows) {
      native::copy(&from[window.y * side + window.x], side, to.data(), window.hostWidth, window.width, rows);
    });
  });
  require(window.isRead(to, from));
  countBytes(state, window.bytes());
}

void write(Bench &bench, benchmark::State &state, size_t side) {
  Window window(side);
  Texels from = randomBytes4(window.host().size(), 3), to(side * side);
  measure(state, [&] {
    native::forRows(window.height, [&](Rows rows) {
      native::copy(from.data(), window.hostWidth, &to[window.y * side + window.x], side, window.width, rows);
    });
  });
  require(window.isWritten(to, from));
  countBytes(state, window.bytes());
}

template <typename Texel> void fill(Bench &bench, benchmark::State &state, size_t side) {
  std::vector<Texel> image(side * side);
  measure(state, [&] { native::forRows(side, [&](Rows rows) { native::fill(image.data(), side, Color, rows); }); });
  require(isFilled(image));
  countBytes(state, side * side * sizeof(Texel));
}
} // namespace host

struct Row {
  const char *name;
  void (*device)(Bench &, benchmark::State &, size_t side);
  void (*host)(Bench &, benchmark::State &, size_t side);
};
constexpr Row rows[] = {
    {"image_copies/image_to_image", device::imageToImage, host::copy},
    {"image_copies/image_to_buffer", device::imageToBuffer, host::copy},
    {"image_copies/buffer_to_image", device::bufferToImage, host::copy},
    {"image_copies/read_region", device::hostRead, host::read},
    {"image_copies/write_region", device::hostWrite, host::write},
    {"image_copies/fill_rgba8", device::fillBytes, host::fill<Bytes4>},
    {"image_copies/fill_float4", device::fillFloats, host::fill<Floats4>},
};

bool addAll() {
  const Arguments usual = {{2048}}, large = {{8192}};
  for (const Row &row : rows)
    add(
        row.name,
        [run = row.device](Bench &bench, benchmark::State &state) {
          if (hasImages(bench.device))
            run(bench, state, size_t(state.range(0)));
          else
            state.SkipWithError("the device has no images");
        },
        usual, large);
  for (const Row &row : rows)
    add((std::string("native/") + row.name).c_str(),
        [run = row.host](Bench &bench, benchmark::State &state) { run(bench, state, size_t(state.range(0))); }, usual,
        large);
  return true;
}
[[maybe_unused]] const bool added = addAll();

} // namespace
} // namespace bench
