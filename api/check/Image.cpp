#include "api/check/Image.h"

namespace kiln::check {

Status imageCommand(cl_command_queue queueHandle, cl_mem imageHandle, cl_uint count, const cl_event *events,
                    Queue *&queue, Image *&image, WaitList &list) {
  KILN_TRY(command(queueHandle, count, events, queue, list));
  return imageOn(*queue, imageHandle, image);
}

Status imageOn(const Queue &queue, cl_mem handle, Image *&image) {
  if (!queue.device().info().images)
    return fail(CL_INVALID_OPERATION, "the device has no images (CL_DEVICE_IMAGE_SUPPORT)");
  image = KILN_TRY(object<Image>(handle));
  KILN_TRY(sameContext(queue, *image));
  KILN_TRY(image->checkOn(queue.device()));
  return aligned(queue, image->storage());
}

Status imageBox(const Image &image, const size_t *origin, const size_t *region, ImageBox &box) {
  if (!origin || !region)
    return fail(CL_INVALID_VALUE, "the ", origin ? "region" : "origin", " is null");
  const PixelBox pixels = image.pixels();
  for (size_t i = 0; i < 3; ++i)
    if (!region[i] || region[i] > pixels[i] || origin[i] > pixels[i] - region[i])
      return fail(CL_INVALID_VALUE, "origin[", i, "] is ", origin[i], " and region[", i, "] ", region[i],
                  ", the image has ", pixels[i], " pixels in this dimension");
  box.at = image.layout({origin[0], origin[1], origin[2]});
  box.extent = image.extent({region[0], region[1], region[2]});
  return {};
}

Status hostPitches(const Image &image, const Extent &extent, size_t rowPitch, size_t slicePitch, BoxLayout &layout) {
  if (slicePitch && !image.isArray() && !image.is3d())
    return fail(CL_INVALID_VALUE, "slice pitch is ", slicePitch, ", must be 0 for an image without slices");
  const size_t row = rowPitch ? rowPitch : extent[0];
  if (row < extent[0])
    return fail(CL_INVALID_VALUE, "row pitch is ", rowPitch, ", must be 0 or at least ", extent[0]);
  // A box of a 1D array has one row per layer.
  const bool rowsAreSlices = !image.hasHeight();
  size_t packed, bytes;
  if (__builtin_mul_overflow(row, rowsAreSlices ? 1 : extent[1], &packed))
    return fail(CL_INVALID_VALUE, "row pitch is ", rowPitch, ", too large for ", extent[1], " rows");
  const size_t slice = slicePitch ? slicePitch : packed;
  if (slice < packed)
    return fail(CL_INVALID_VALUE, "slice pitch is ", slicePitch, ", must be 0 or at least ", packed);
  if (__builtin_mul_overflow(slice, rowsAreSlices ? extent[1] : extent[2], &bytes))
    return fail(CL_INVALID_VALUE, "slice pitch is ", slicePitch, ", too large for ",
                rowsAreSlices ? extent[1] : extent[2], " slices");
  layout = {0, rowsAreSlices ? slice : row, rowsAreSlices ? bytes : slice};
  return {};
}

Status packedBox(const Buffer &buffer, size_t offset, const Extent &extent, BoxLayout &layout) {
  layout = {offset, extent[0], extent[0] * extent[1]}; // cannot overflow: at most the image's size
  return range(buffer, offset, layout.slicePitch * extent[2]);
}

Status noOverlap(Buffer &source, const BoxLayout &from, Buffer &destination, const ImageBox &to) {
  if (&source.root() != &destination.root())
    return {};
  BoxLayout a = from, b = to.at;
  a.offset += source.offset();
  b.offset += destination.offset();
  if (overlap(a, to.extent, b, to.extent))
    return fail(CL_MEM_COPY_OVERLAP, "source and destination regions overlap");
  return {};
}

Status imageSource(cl_mem handle, MemObject *&source) {
  source = nullptr;
  if (!handle)
    return {};
  Result<MemObject *> found = object<MemObject>(handle);
  if (!found.ok())
    return fail(CL_INVALID_IMAGE_DESCRIPTOR, "mem_object: ", found.message());
  source = *found;
  return {};
}

} // namespace kiln::check
