// The rules of the rectangular transfers: pitches, bounds and overlap (appendix D).
#pragma once
#include "api/check/Enqueue.h"

namespace kiln::check {

/// One side of a rectangular transfer: `origin` and `pitches` as given. Fills in `layout` with pitches that are not 0.
Status pitches(const size_t *origin, const Extent &region, size_t rowPitch, size_t slicePitch, BoxLayout &layout);

/// The region as given: no element may be 0.
Status region(const size_t *given, Extent &region);

/// The box lies in the buffer.
Status boxInBuffer(const Buffer &buffer, const BoxLayout &layout, const Extent &region);

/// clEnqueueCopyBuffer and clEnqueueCopyBufferRect: source and destination bytes do not overlap in one storage. Both
/// sides have the same pitches where they are one buffer; boxes that interleave without touching are fine.
Status noOverlap(Buffer &source, const BoxLayout &from, Buffer &destination, const BoxLayout &to, const Extent &region);

} // namespace kiln::check
