#include "runtime/program/ImageArguments.h"

namespace kiln {
namespace {

ImageUse useOf(AccessQualifier access) {
  return access == AccessQualifier::WriteOnly   ? ImageUse::Write
         : access == AccessQualifier::ReadWrite ? ImageUse::ReadWrite
                                                : ImageUse::Read; // the default qualifier
}

Status checkCount(const DeviceObject &device, const char *what, size_t count, size_t limit) {
  if (count > limit)
    return fail(CL_OUT_OF_RESOURCES, "the kernel has ", count, " ", what, "; the limit of device ", device.info().name,
                " is ", limit);
  return {};
}

} // namespace

Status checkImageArgument(const ArgInfo &argument, const Image &image) {
  if (argument.imageType && argument.imageType != image.type())
    return fail(CL_INVALID_MEM_OBJECT, "image type is 0x", std::hex, image.type(), ", must be 0x", argument.imageType,
                " for this argument");
  if (argument.imageType && argument.depth != (image.format().image_channel_order == CL_DEPTH))
    return fail(CL_INVALID_MEM_OBJECT, "image channel order must ", argument.depth ? "" : "not ",
                "be CL_DEPTH for this argument");
  const ImageUse use = useOf(argument.access);
  if (use != ImageUse::Write && image.flags() & CL_MEM_WRITE_ONLY)
    return fail(CL_INVALID_ARG_VALUE,
                "the kernel reads the argument, and the image was created with CL_MEM_WRITE_ONLY");
  if (use != ImageUse::Read && image.flags() & CL_MEM_READ_ONLY)
    return fail(CL_INVALID_ARG_VALUE,
                "the kernel writes the argument, and the image was created with CL_MEM_READ_ONLY");
  return {};
}

Status checkImagesOfLaunch(const DeviceObject &device, const KernelInfo &kernel, std::span<MemObject *const> objects) {
  size_t counts[3]{}, samplers = 0;
  for (size_t i = 0; i < kernel.args.size(); ++i) {
    const ArgInfo &argument = kernel.args[i];
    samplers += argument.kind == ArgKind::Sampler;
    if (argument.kind != ArgKind::Image)
      continue;
    const ImageUse use = useOf(argument.access);
    ++counts[size_t(use)];
    const auto &image = static_cast<const Image &>(*objects[i]);
    KILN_TRY(image.checkOn(device));
    if (!isSupported(image.format(), image.type(), use))
      return fail(CL_IMAGE_FORMAT_NOT_SUPPORTED, "argument ", i, ": images of channel order 0x", std::hex,
                  image.format().image_channel_order, " and type 0x", image.format().image_channel_data_type,
                  " do not support this access qualifier");
    for (size_t other = 0; other < i; ++other)
      if (objects[other] == objects[i]) {
        const ImageUse otherUse = useOf(kernel.args[other].access);
        if (use != otherUse || use == ImageUse::ReadWrite)
          return fail(CL_INVALID_KERNEL_ARGS, "arguments ", other, " and ", i,
                      " are the same image, and one of them is written");
      }
  }
  const DeviceInfo &info = device.info();
  KILN_TRY(checkCount(device, "read_only images", counts[size_t(ImageUse::Read)], info.maxReadImageArgs));
  KILN_TRY(checkCount(device, "write_only images", counts[size_t(ImageUse::Write)], info.maxWriteImageArgs));
  KILN_TRY(checkCount(device, "read_write images", counts[size_t(ImageUse::ReadWrite)], info.maxReadWriteImageArgs));
  return checkCount(device, "samplers", samplers, info.maxSamplers);
}

} // namespace kiln
