// Common checks of commands on images: rules R10 and R11 of tests/FEATURES.md, and pitches of host memory.
#pragma once
#include "api/check/Enqueue.h"

namespace kiln::check {

/// The first checks of every command on one image: queue, image, context, wait list, R8 and R10.
Status imageCommand(cl_command_queue queueHandle, cl_mem imageHandle, cl_uint count, const cl_event *events,
                    Queue *&queue, Image *&image, WaitList &list);

/// An image of a command on `queue`: R5, R8 and R10.
Status imageOn(const Queue &queue, cl_mem handle, Image *&image);

/// R11: a box of pixels inside the image, and its bytes in the image's storage.
struct ImageBox {
  BoxLayout at;
  Extent extent;
};
Status imageBox(const Image &image, const size_t *origin, const size_t *region, ImageBox &box);

/// The layout of the box in host memory. `rowPitch` and `slicePitch` are the call's parameters.
Status hostPitches(const Image &image, const Extent &extent, size_t rowPitch, size_t slicePitch, BoxLayout &layout);

/// The packed layout of the box in a buffer from `offset` on. The box must be inside the buffer.
Status packedBox(const Buffer &buffer, size_t offset, const Extent &extent, BoxLayout &layout);

/// The source and destination bytes are disjoint.
Status noOverlap(Buffer &source, const BoxLayout &from, Buffer &destination, const ImageBox &to);

/// Converts an image descriptor's mem_object; `source` is null if it is. CL_INVALID_IMAGE_DESCRIPTOR.
Status imageSource(cl_mem handle, MemObject *&source);

} // namespace kiln::check
