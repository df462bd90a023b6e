// The rules for images as arguments of kernels.
#pragma once
#include "runtime/compiler/ProgramInfo.h"
#include "runtime/memory/Image.h"
#include <span>

namespace kiln {

/// clSetKernelArg: the image is what the argument takes. CL_INVALID_MEM_OBJECT, CL_INVALID_ARG_VALUE.
Status checkImageArgument(const ArgInfo &argument, const Image &image);

/// A launch: how many images and samplers the device takes, that it has images like these, and which of them may be
/// which argument. `objects` are the arguments' memory objects, null where there is none. CL_OUT_OF_RESOURCES,
/// CL_INVALID_OPERATION, CL_INVALID_IMAGE_SIZE, CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_INVALID_KERNEL_ARGS.
Status checkImagesOfLaunch(const DeviceObject &device, const KernelInfo &kernel, std::span<MemObject *const> objects);

} // namespace kiln
