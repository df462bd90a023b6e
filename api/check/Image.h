// The rules that the commands on images share: R10, R11, and pitches of the host's memory.
#pragma once
#include "api/check/Enqueue.h"

namespace kiln::check {

/// What every command on one image begins with: queue, image, one context, wait list, R8 and R10.
Status imageCommand(cl_command_queue queueHandle, cl_mem imageHandle, cl_uint count, const cl_event *events,
                    Queue *&queue, Image *&image, WaitList &list);

/// The queue's device can use the image: R5, R8 and R10.
Status imageUsableOn(const Queue &queue, Image &image);

/// R11: a box of pixels that the image has, and where that is in its storage.
struct ImageBox {
  BoxLayout at;
  Extent extent;
};
Status imageBox(const Image &image, const size_t *origin, const size_t *region, ImageBox &box);

/// Where the same box lies in the host's memory. `rowPitch` and `slicePitch` as given.
Status hostPitches(const Image &image, const Extent &extent, size_t rowPitch, size_t slicePitch, BoxLayout &layout);

/// Where it lies in a buffer, row behind row from `offset` on; it has to end there.
Status packedBox(const Buffer &buffer, size_t offset, const Extent &extent, BoxLayout &layout);

/// No byte is part of both sides.
Status noOverlap(Buffer &source, const BoxLayout &from, Buffer &destination, const ImageBox &to);

/// What an image's mem_object leads to; null for none. CL_INVALID_IMAGE_DESCRIPTOR.
Status imageSource(cl_mem handle, MemObject *&source);

} // namespace kiln::check
