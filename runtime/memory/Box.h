// Boxes of bytes: rows of bytes, slices of rows. A BoxLayout is the position of a box in a buffer or in host memory, an
// Extent its size.
#pragma once
#include <array>
#include <cstddef>

namespace kiln {

/// A pitch of 0 means without gaps.
struct BoxLayout {
  size_t offset = 0, rowPitch = 0, slicePitch = 0;
};
using Extent = std::array<size_t, 3>; // bytes, rows, slices

/// The same bytes in the smallest number of rows. With one row, or one slice, its pitch is SIZE_MAX.
struct BoxRows {
  BoxRows(const BoxLayout &layout, const Extent &extent);
  size_t begin, width, rows, slices, rowPitch, slicePitch;
  bool isContiguous() const { return rows == 1 && slices == 1; }
  size_t row(size_t y, size_t z) const {
    return begin + (rows > 1 ? y * rowPitch : 0) + (slices > 1 ? z * slicePitch : 0);
  }
  size_t end() const { return row(rows - 1, slices - 1) + width; }
  /// Returns true if a row contains a byte of [from, to).
  bool containsAny(size_t from, size_t to) const;
};

/// Returns true if the box is one range without gaps.
inline bool isContiguous(const BoxLayout &layout, const Extent &extent) {
  size_t row = layout.rowPitch ? layout.rowPitch : extent[0];
  size_t slice = layout.slicePitch ? layout.slicePitch : row * extent[1];
  return (extent[1] == 1 || row == extent[0]) && (extent[2] == 1 || slice == extent[0] * extent[1]);
}

/// Returns true if two boxes of one memory have a byte in common. Gaps do not count. Neither box is empty.
bool overlap(const BoxLayout &a, const Extent &aExtent, const BoxLayout &b, const Extent &bExtent);

/// Calls body(first byte, end) for each row, with adjacent rows merged.
template <typename Body> void forEachRow(const BoxLayout &layout, const Extent &extent, Body body) {
  const BoxRows box(layout, extent);
  for (size_t z = 0; z < box.slices; ++z)
    for (size_t y = 0; y < box.rows; ++y)
      body(box.row(y, z), box.row(y, z) + box.width);
}

} // namespace kiln
