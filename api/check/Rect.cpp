#include "api/check/Rect.h"

namespace kiln::check {
namespace {

/// a * b + c, or SIZE_MAX on overflow, which is past every buffer's end.
size_t mulAdd(size_t a, size_t b, size_t c) {
  size_t result;
  if (__builtin_mul_overflow(a, b, &result) || __builtin_add_overflow(result, c, &result))
    return SIZE_MAX;
  return result;
}

/// Offset of the end of the box from its first byte.
size_t span(const BoxLayout &layout, const Extent &region) {
  return mulAdd(region[2] - 1, layout.slicePitch, mulAdd(region[1] - 1, layout.rowPitch, region[0]));
}

} // namespace

Status region(const size_t *given, Extent &region) {
  if (!given)
    return fail(CL_INVALID_VALUE, "the region is null");
  for (int i = 0; i < 3; ++i)
    if (!given[i])
      return fail(CL_INVALID_VALUE, "region[", i, "] is 0");
  region = {given[0], given[1], given[2]};
  return {};
}

Status pitches(const size_t *origin, const Extent &region, size_t rowPitch, size_t slicePitch, BoxLayout &layout) {
  if (!origin)
    return fail(CL_INVALID_VALUE, "the origin is null");
  layout.rowPitch = rowPitch ? rowPitch : region[0];
  if (layout.rowPitch < region[0])
    return fail(CL_INVALID_VALUE, "row pitch is ", rowPitch, ", must be 0 or at least ", region[0]);
  size_t packed = mulAdd(region[1], layout.rowPitch, 0);
  layout.slicePitch = slicePitch ? slicePitch : packed;
  if (layout.slicePitch < packed || layout.slicePitch % layout.rowPitch)
    return fail(CL_INVALID_VALUE, "slice pitch is ", slicePitch, ", must be 0 or a multiple of row pitch ",
                layout.rowPitch, " and at least ", packed);
  layout.offset = mulAdd(origin[2], layout.slicePitch, mulAdd(origin[1], layout.rowPitch, origin[0]));
  return {};
}

Status boxInBuffer(const Buffer &buffer, const BoxLayout &layout, const Extent &region) {
  size_t bytes = span(layout, region);
  if (bytes > buffer.size() || layout.offset > buffer.size() - bytes)
    return fail(CL_INVALID_VALUE, "the box has bytes ", layout.offset, " to ", layout.offset + bytes,
                ", the buffer has ", buffer.size());
  return {};
}

Status noOverlap(Buffer &source, const BoxLayout &from, Buffer &destination, const BoxLayout &to,
                 const Extent &region) {
  if (&source.root() != &destination.root())
    return {};
  // Offsets in the common root buffer.
  size_t first = source.offset() + from.offset, second = destination.offset() + to.offset;
  if (from.rowPitch != to.rowPitch || from.slicePitch != to.slicePitch) {
    // Only different sub-buffers get here; compare the spans.
    if (first < second + span(to, region) && second < first + span(from, region))
      return fail(CL_MEM_COPY_OVERLAP, "source and destination overlap in their common parent buffer");
    return {};
  }
  size_t delta = first < second ? second - first : first - second;
  if (delta >= span(from, region))
    return {};
  // The spans overlap, but the boxes may still be disjoint: one may be in the gaps after the other's rows, or after its
  // slices. Shape and pitches are equal, so the distance modulo the pitch decides.
  auto fitsGap = [delta](size_t size, size_t pitch) { return delta % pitch >= size && delta % pitch + size <= pitch; };
  if (fitsGap(region[0], from.rowPitch) || fitsGap((region[1] - 1) * from.rowPitch + region[0], from.slicePitch))
    return {};
  return fail(CL_MEM_COPY_OVERLAP, "source and destination overlap: ", region[0], " x ", region[1], " x ", region[2],
              " bytes at ", first, " and ", second, ", row pitch ", from.rowPitch, ", slice pitch ", from.slicePitch);
}

} // namespace kiln::check
