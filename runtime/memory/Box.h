// Boxes of bytes: rows of bytes, rows of a slice, slices. Where one lies in a buffer or in the host's memory says a
// Layout, how large it is an Extent.
#pragma once
#include <array>
#include <cstddef>

namespace kiln {

/// A pitch of 0 means tight.
struct BoxLayout {
  size_t offset = 0, rowPitch = 0, slicePitch = 0;
};
using Extent = std::array<size_t, 3>; // bytes, rows, slices

/// The same bytes in as few rows as there are. Where there is one row, or one slice, its pitch is beyond all others.
struct BoxRows {
  BoxRows(const BoxLayout &layout, const Extent &extent);
  size_t begin, width, rows, slices, rowPitch, slicePitch;
  bool isContiguous() const { return rows == 1 && slices == 1; }
  size_t row(size_t y, size_t z) const {
    return begin + (rows > 1 ? y * rowPitch : 0) + (slices > 1 ? z * slicePitch : 0);
  }
  size_t end() const { return row(rows - 1, slices - 1) + width; }
  /// Whether a row has any of these bytes.
  bool containsAny(size_t from, size_t to) const;
};

/// Whether the box is one range without gaps.
inline bool isContiguous(const BoxLayout &layout, const Extent &extent) {
  size_t row = layout.rowPitch ? layout.rowPitch : extent[0];
  size_t slice = layout.slicePitch ? layout.slicePitch : row * extent[1];
  return (extent[1] == 1 || row == extent[0]) && (extent[2] == 1 || slice == extent[0] * extent[1]);
}

/// Whether two boxes of one memory have bytes in common: those in gaps are not theirs. Neither is empty.
bool overlap(const BoxLayout &a, const Extent &aExtent, const BoxLayout &b, const Extent &bExtent);

/// Calls body(first byte, behind the last) for each row, made as long as it is.
template <typename Body> void forEachRow(const BoxLayout &layout, const Extent &extent, Body body) {
  const BoxRows box(layout, extent);
  for (size_t z = 0; z < box.slices; ++z)
    for (size_t y = 0; y < box.rows; ++y)
      body(box.row(y, z), box.row(y, z) + box.width);
}

} // namespace kiln
