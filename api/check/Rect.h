// Checks of rectangular transfers: pitches, bounds and overlap (appendix D).
#pragma once
#include "api/check/Enqueue.h"

namespace kiln::check {

/// One side of a rectangular transfer. Computes `layout`, with default pitches for 0.
Status pitches(const size_t *origin, const Extent &region, size_t rowPitch, size_t slicePitch, BoxLayout &layout);

/// The region: no element may be 0.
Status region(const size_t *given, Extent &region);

/// The box is inside the buffer.
Status boxInBuffer(const Buffer &buffer, const BoxLayout &layout, const Extent &region);

/// clEnqueueCopyBuffer and clEnqueueCopyBufferRect: source and destination bytes are disjoint. Both sides have the same
/// pitches if they are one buffer; boxes may interleave.
Status noOverlap(Buffer &source, const BoxLayout &from, Buffer &destination, const BoxLayout &to, const Extent &region);

} // namespace kiln::check
