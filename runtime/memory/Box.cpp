#include "runtime/memory/Box.h"
#include <algorithm>
#include <cstdint>
#include <utility>

namespace kiln {

BoxRows::BoxRows(const BoxLayout &layout, const Extent &extent)
    : begin(layout.offset), width(extent[0]), rows(extent[1]), slices(extent[2]),
      rowPitch(layout.rowPitch ? layout.rowPitch : extent[0]),
      slicePitch(layout.slicePitch ? layout.slicePitch : rowPitch * extent[1]) {
  if (rows == 1 || rowPitch == width) { // treat the slices as rows
    width *= rows;
    rows = std::exchange(slices, 1);
    rowPitch = slicePitch;
  } else if (slices > 1 && slicePitch == rowPitch * rows) {
    rows *= std::exchange(slices, 1);
  }
  if (slices == 1 && rowPitch == width)
    width *= std::exchange(rows, 1);
  if (rows == 1)
    rowPitch = SIZE_MAX;
  if (slices == 1)
    slicePitch = SIZE_MAX;
}

bool BoxRows::containsAny(size_t from, size_t to) const {
  if (to <= begin)
    return false;
  // The first row that ends after `from`.
  size_t y = 0, z = 0;
  if (from > begin) {
    size_t at = from - begin;
    z = std::min(at / slicePitch, slices - 1);
    at -= z ? z * slicePitch : 0;
    y = std::min(at / rowPitch, rows - 1);
    at -= y ? y * rowPitch : 0;
    if (at >= width && ++y == rows) {
      y = 0;
      if (++z == slices)
        return false;
    }
  }
  return row(y, z) < to;
}

bool overlap(const BoxLayout &a, const Extent &aExtent, const BoxLayout &b, const Extent &bExtent) {
  BoxRows few(a, aExtent), many(b, bExtent);
  if (few.begin >= many.end() || many.begin >= few.end())
    return false;
  if (few.rows * few.slices > many.rows * many.slices)
    std::swap(few, many);
  for (size_t z = 0; z < few.slices; ++z)
    for (size_t y = 0; y < few.rows; ++y)
      if (size_t at = few.row(y, z); many.containsAny(at, at + few.width))
        return true;
  return false;
}

} // namespace kiln
