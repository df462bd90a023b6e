// Copies and fills. Boxes are merged into contiguous ranges where possible. Large ones are divided among threads: one
// core alone rarely uses the full memory bandwidth.
#include "backends/cpu/driver/Copy.h"
#include <algorithm>
#include <cstring>

namespace kiln::cpu {
namespace {

constexpr size_t ShareBytes = 2 << 20; // smaller ones are done before another thread is awake
constexpr size_t ChunkBytes = 256 << 10;

std::byte *start(const Region &region) {
  // Not Memory::host, which is null for a device with separate memory.
  auto *base = region.memory ? reinterpret_cast<std::byte *>(region.memory->address) : region.host;
  return base + region.offset;
}

/// Divides units of equal size among threads if they are large together.
template <typename Body> void divide(const ThreadAllotment &allotment, uint64_t units, size_t unitBytes, Body body) {
  if (units * unitBytes < ShareBytes || allotment.threads == 1)
    return body(0, units);
  unsigned helpers = unsigned(std::min<uint64_t>(allotment.threads - 1, units * unitBytes / (ShareBytes / 2)));
  Job job{.body = [](void *context, uint64_t first, uint64_t end) { (*static_cast<Body *>(context))(first, end); },
          .context = &body,
          .end = units,
          .chunk = std::max<uint64_t>({1, ChunkBytes / unitBytes, units / (uint64_t(helpers + 1) * 4)})};
  allotment.pool.run(job, allotment.parts, {.most = helpers, .wakes = helpers});
}

/// Contiguous ranges are divided at multiples of this.
constexpr size_t Block = 4096;

template <typename Body> void divideFlat(const ThreadAllotment &allotment, size_t bytes, Body body) {
  divide(allotment, (bytes + Block - 1) / Block, Block,
         [&](uint64_t first, uint64_t end) { body(first * Block, std::min<size_t>(end * Block, bytes)); });
}

} // namespace

Status copyRegion(const ThreadAllotment &allotment, const Region &to, const Region &from) {
  std::byte *destination = start(to);
  const std::byte *source = start(from);
  auto [width, rows, slices] = to.extent;
  if (destination == source && to.rowPitch == from.rowPitch && to.slicePitch == from.slicePitch)
    return {}; // the destination is the buffer's own memory
  bool flatRows = rows == 1 || (to.rowPitch == width && from.rowPitch == width);
  bool flatSlices = slices == 1 || (to.slicePitch == width * rows && from.slicePitch == width * rows);
  if (flatRows && flatSlices) {
    size_t bytes = width * rows * slices;
    bool overlap = destination < source + bytes && source < destination + bytes;
    if (overlap) {
      std::memmove(destination, source, bytes); // host memory of the application may overlap anything
      return {};
    }
    divideFlat(allotment, bytes,
               [&](size_t first, size_t end) { std::memcpy(destination + first, source + first, end - first); });
    return {};
  }
  divide(allotment, rows * slices, std::max<size_t>(1, width), [&](uint64_t first, uint64_t end) {
    for (uint64_t row = first; row < end; ++row) {
      size_t y = row % rows, z = row / rows;
      std::memcpy(destination + y * to.rowPitch + z * to.slicePitch, source + y * from.rowPitch + z * from.slicePitch,
                  width);
    }
  });
  return {};
}

namespace {

/// A repeated pattern, which is copied from cache.
class Filling {
public:
  /// `longest`: the maximum bytes of a write.
  Filling(std::span<const std::byte> pattern, size_t longest) : size_(Block / pattern.size() * pattern.size()) {
    same_ = std::ranges::all_of(pattern, [&](std::byte b) { return b == pattern[0]; });
    for (size_t i = 0; i < std::min(size_, longest); i += pattern.size())
      std::memcpy(bytes_ + i, pattern.data(), pattern.size());
  }
  /// Writes may be divided at multiples of this.
  size_t size() const { return size_; }
  void write(std::byte *to, size_t bytes) const {
    if (same_) {
      std::memset(to, int(bytes_[0]), bytes);
      return;
    }
    for (size_t i = 0; i < bytes; i += size_)
      std::memcpy(to + i, bytes_, std::min(size_, bytes - i));
  }

private:
  alignas(64) std::byte bytes_[Block];
  size_t size_;
  bool same_;
};

} // namespace

Status fillRegion(const ThreadAllotment &allotment, const Region &to, std::span<const std::byte> pattern) {
  std::byte *destination = start(to);
  auto [width, rows, slices] = to.extent;
  if ((rows == 1 || to.rowPitch == width) && (slices == 1 || to.slicePitch == width * rows)) {
    const size_t bytes = width * rows * slices;
    const Filling filling(pattern, bytes);
    const size_t unit = filling.size();
    divide(allotment, (bytes + unit - 1) / unit, unit, [&](uint64_t first, uint64_t end) {
      filling.write(destination + first * unit, std::min<size_t>(end * unit, bytes) - first * unit);
    });
    return {};
  }
  const Filling filling(pattern, width);
  divide(allotment, rows * slices, width, [&](uint64_t first, uint64_t end) {
    for (uint64_t row = first; row < end; ++row)
      filling.write(destination + row % rows * to.rowPitch + row / rows * to.slicePitch, width);
  });
  return {};
}

} // namespace kiln::cpu
