#include "api/check/Rect.h"

namespace kiln::check {
namespace {

/// a * b + c, or a value past every buffer's end.
size_t mulAdd(size_t a, size_t b, size_t c) {
  size_t result;
  if (__builtin_mul_overflow(a, b, &result) || __builtin_add_overflow(result, c, &result))
    return SIZE_MAX;
  return result;
}

/// Offset behind the box's last byte, from the box's first.
size_t span(const BoxLayout &layout, const Extent &region) {
  return mulAdd(region[2] - 1, layout.slicePitch, mulAdd(region[1] - 1, layout.rowPitch, region[0]));
}

} // namespace

Status region(const size_t *given, Extent &region) {
  if (!given)
    return fail(CL_INVALID_VALUE, "the region is null");
  for (int i = 0; i < 3; ++i)
    if (!given[i])
      return fail(CL_INVALID_VALUE, "element ", i, " of the region is 0");
  region = {given[0], given[1], given[2]};
  return {};
}

Status pitches(const size_t *origin, const Extent &region, size_t rowPitch, size_t slicePitch, BoxLayout &layout) {
  if (!origin)
    return fail(CL_INVALID_VALUE, "the origin is null");
  layout.rowPitch = rowPitch ? rowPitch : region[0];
  if (layout.rowPitch < region[0])
    return fail(CL_INVALID_VALUE, "a row pitch of ", rowPitch, " for rows of ", region[0], " bytes");
  size_t tight = mulAdd(region[1], layout.rowPitch, 0);
  layout.slicePitch = slicePitch ? slicePitch : tight;
  if (layout.slicePitch < tight || layout.slicePitch % layout.rowPitch)
    return fail(CL_INVALID_VALUE, "a slice pitch of ", slicePitch, " for ", region[1], " rows at a pitch of ",
                layout.rowPitch);
  layout.offset = mulAdd(origin[2], layout.slicePitch, mulAdd(origin[1], layout.rowPitch, origin[0]));
  return {};
}

Status boxInBuffer(const Buffer &buffer, const BoxLayout &layout, const Extent &region) {
  size_t bytes = span(layout, region);
  if (bytes > buffer.size() || layout.offset > buffer.size() - bytes)
    return fail(CL_INVALID_VALUE, "the box from byte ", layout.offset, ", ", bytes, " bytes long, passes the end at ",
                buffer.size());
  return {};
}

Status noOverlap(Buffer &source, const BoxLayout &from, Buffer &destination, const BoxLayout &to,
                 const Extent &region) {
  if (&source.root() != &destination.root())
    return {};
  // Both sides as places in the storage that they share.
  size_t first = source.offset() + from.offset, second = destination.offset() + to.offset;
  if (from.rowPitch != to.rowPitch || from.slicePitch != to.slicePitch) {
    // Only sub-buffers get here: the spans decide.
    if (first < second + span(to, region) && second < first + span(from, region))
      return fail(CL_MEM_COPY_OVERLAP, "source and destination overlap in the buffer that both are part of");
    return {};
  }
  size_t delta = first < second ? second - first : first - second;
  if (delta >= span(from, region))
    return {};
  // The spans overlap, but the boxes may still pass each other: in the gaps that the pitches leave behind each row, or
  // behind each slice. Both boxes have the same shape and pitches, so their distance modulo the pitch says it.
  auto fitsGap = [delta](size_t size, size_t pitch) { return delta % pitch >= size && delta % pitch + size <= pitch; };
  if (fitsGap(region[0], from.rowPitch) || fitsGap((region[1] - 1) * from.rowPitch + region[0], from.slicePitch))
    return {};
  return fail(CL_MEM_COPY_OVERLAP, "source and destination overlap: ", region[0], " x ", region[1], " x ", region[2],
              " bytes at ", first, " and at ", second, ", rows ", from.rowPitch, " and slices ", from.slicePitch,
              " apart");
}

} // namespace kiln::check
