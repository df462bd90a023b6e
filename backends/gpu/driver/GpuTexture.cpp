// Texture objects read an image's rows in place. So copies, maps and transfers of images are the same with and without
// them. They have two dimensions, so the slices of an image are one plane: a read adds its slice's first row to y.
#include "backends/gpu/driver/GpuTexture.h"
#include "base/abi/TextureUse.h"
#include "base/support/Log.h"
#include "base/support/Options.h"

namespace kiln::gpu {
namespace {

/// The slices of an image as one plane of rows.
abi::Image planeOf(const abi::Image &image, size_t pitchAlignment) {
  abi::Image plane = image;
  const uint64_t rows = uint64_t(image.sliceRows) * (image.slices - 1) + image.height;
  plane.height = uint32_t(std::min<uint64_t>(rows, UINT32_MAX));
  plane.slices = 1;
  if (image.height == 1) // then the rows of the plane are the slices; one row has any pitch
    plane.rowPitch =
        image.slices > 1 ? image.slicePitch : (image.rowPitch + pitchAlignment - 1) / pitchAlignment * pitchAlignment;
  return plane;
}

/// Returns the rule that the plane of an image breaks; empty if it can have texture objects.
std::string obstacle(const Driver &driver, const Driver::TextureLimits &limits, const abi::Image &image) {
  if (!driver.hasTextures(image.format))
    return text("its format is 0x", std::hex, image.format, ", which is read by loads");
  if (image.pixels % limits.alignment)
    return text("its address is 0x", std::hex, image.pixels, ", must be a multiple of ", std::dec, limits.alignment);
  if (image.rowPitch % limits.pitchAlignment || image.rowPitch > limits.pitch)
    return text("its row pitch is ", image.rowPitch, ", must be a multiple of ", limits.pitchAlignment, " and at most ",
                limits.pitch);
  if (image.width > limits.width || image.height > limits.height)
    return text("it has ", image.height, " rows of ", image.width, " pixels, must have at most ", limits.height, " of ",
                limits.width);
  return {};
}

} // namespace

GpuTexture::~GpuTexture() {
  if (!device_.usable())
    return;
  ScopedContext current(device_);
  if (!current)
    return;
  for (uint64_t object : {handle, filter})
    if (int code = object ? device_.driver().destroyTexture(object) : 0)
      (void)device_.failed(code, "cuTexObjectDestroy");
}

size_t GpuDevice::imageRowAlignment(uint32_t format) const {
  return textureLimits_.alignment && options().gpuTextures && driver_->hasTextures(format)
             ? textureLimits_.pitchAlignment
             : 1;
}

std::unique_ptr<Texture> GpuDevice::createTexture(const abi::Image &image) {
  if (!textureLimits_.alignment || !options().gpuTextures)
    return nullptr;
  const std::string shape = text("an image of ", image.width, " x ", image.height, " x ", image.slices,
                                 " pixels of format 0x", std::hex, image.format);
  auto none = [&](std::string_view why) {
    KILN_LOG(Info, Device, info_.name, ": kernels read ", shape, " by loads: ", why);
    return nullptr;
  };
  const abi::Image plane = planeOf(image, textureLimits_.pitchAlignment);
  if (std::string why = obstacle(*driver_, textureLimits_, plane); !why.empty())
    return none(why);
  if (Status opened = open(); !opened.ok())
    return none(opened.message());
  auto texture = std::make_unique<GpuTexture>(*this);
  ScopedContext current(*this);
  if (!current)
    return none(lostStatus().message());
  const bool isFiltered = abi::isFilteredByTexture(image.format);
  int code = abi::hasPixelTexture(image.format) ? driver_->createTexture(texture->handle, plane, false) : 0;
  if (!code && (isFiltered || abi::isGatheredByTexture(image.format)))
    code = driver_->createTexture(texture->filter, plane, isFiltered);
  if (code)
    return none(failed(code, "cuTexObjectCreate").message());
  KILN_LOG(Debug, Device, info_.name, ": kernels read ", shape, " through textures 0x", std::hex, texture->handle,
           " and 0x", texture->filter, textureUse(image.format));
  return texture;
}

} // namespace kiln::gpu
