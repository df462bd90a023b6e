// Checks of image arguments.
#pragma once
#include "base/abi/ProgramInfo.h"
#include "runtime/memory/Image.h"
#include <span>

namespace kiln {

/// clSetKernelArg: the image matches the argument's type and access qualifier. CL_INVALID_MEM_OBJECT,
/// CL_INVALID_ARG_VALUE.
Status checkImageArgument(const ArgInfo &argument, const Image &image);

/// Checks a launch: the device's limits of images and samplers, its support of each image, and arguments that are the
/// same image. `objects` are the memory objects of the arguments, null for other arguments. CL_OUT_OF_RESOURCES,
/// CL_INVALID_OPERATION, CL_INVALID_IMAGE_SIZE, CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_INVALID_KERNEL_ARGS.
Status checkImagesOfLaunch(const DeviceObject &device, const KernelInfo &kernel, std::span<MemObject *const> objects);

} // namespace kiln
