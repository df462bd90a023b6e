// Texture objects read an image's rows in place. So copies, maps and transfers of images are the same with and without
// one.
#include "backends/gpu/driver/GpuTexture.h"
#include "base/support/Log.h"
#include "base/support/Options.h"

namespace kiln::gpu {
namespace {

/// Returns the rule that an image breaks; empty if it can have a texture object.
std::string obstacle(const Driver &driver, const Driver::TextureLimits &limits, const abi::Image &image) {
  if (!driver.hasTextures(image.format))
    return text("its format is 0x", std::hex, image.format, ", which is read by loads");
  if (image.pixels % limits.alignment)
    return text("its address is 0x", std::hex, image.pixels, ", must be a multiple of ", std::dec, limits.alignment);
  if (image.rowPitch % limits.pitchAlignment || image.rowPitch > limits.pitch)
    return text("its row pitch is ", image.rowPitch, ", must be a multiple of ", limits.pitchAlignment, " and at most ",
                limits.pitch);
  if (image.width > limits.width || image.height > limits.height)
    return text("it has ", image.width, " x ", image.height, " pixels, must have at most ", limits.width, " x ",
                limits.height);
  return {};
}

} // namespace

GpuTexture::~GpuTexture() {
  if (!device_.usable())
    return;
  ScopedContext current(device_);
  if (int code = device_.driver().destroyTexture(handle))
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
  auto none = [&](std::string_view why) {
    KILN_LOG(Info, Device, info_.name, ": kernels read an image of ", image.width, " x ", image.height,
             " pixels without a texture object: ", why);
    return nullptr;
  };
  if (std::string why = obstacle(*driver_, textureLimits_, image); !why.empty())
    return none(why);
  if (Status opened = open(); !opened.ok())
    return none(opened.message());
  ScopedContext current(*this);
  uint64_t handle = 0;
  if (int code = driver_->createTexture(handle, image))
    return none(failed(code, "cuTexObjectCreate").message());
  auto *texture = new (std::nothrow) GpuTexture(*this, handle);
  if (!texture) {
    (void)driver_->destroyTexture(handle);
    throw std::bad_alloc();
  }
  KILN_LOG(Debug, Device, info_.name, ": texture object 0x", std::hex, handle, " for an image of ", std::dec,
           image.width, " x ", image.height, " pixels of format 0x", std::hex, image.format);
  return std::unique_ptr<Texture>(texture);
}

} // namespace kiln::gpu
