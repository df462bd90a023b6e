#include "runtime/capture/Describe.h"
#include "base/abi/ImageAbi.h"
#include "base/support/Json.h"
#include "runtime/memory/Image.h"
#include <algorithm>

namespace kiln::capture {
namespace {

/// The end of a local argument: the start of the next one, or the end of local memory.
uint64_t localEnd(const HostLaunch &launch, uint64_t begin) {
  uint64_t end = launch.grid.localBytes;
  for (const ArgInfo &argument : launch.kernel->info().args) {
    uint64_t other;
    if (argument.kind != ArgKind::Local)
      continue;
    std::memcpy(&other, launch.arguments->data + argument.offset, sizeof other);
    if (other > begin)
      end = std::min(end, other);
  }
  return end;
}

/// The cl_addressing_mode of abi::SamplerMode.
unsigned addressingOf(uint32_t sampler) {
  static_assert(CL_ADDRESS_NONE == 0x1130 && CL_ADDRESS_MIRRORED_REPEAT == 0x1134);
  return CL_ADDRESS_NONE + (sampler & abi::SamplerModeMask);
}

/// The device's address of the buffer's first byte.
uint64_t beginOf(Buffer &buffer, const DeviceObject &device) {
  Result<uint64_t> address = buffer.address(device);
  return address.ok() ? *address : 0; // cannot fail: the launch has the address
}

std::string describe(Buffer &buffer, const DeviceObject &device) {
  Buffer &root = buffer.root();
  return text("{\"kind\":\"buffer\",\"root\":", beginOf(root, device), ",\"rootSize\":", root.size(),
              ",\"offset\":", buffer.offset(), ",\"size\":", buffer.size(), "}");
}

std::string describe(Image &image, const DeviceObject &device) {
  return text("{\"kind\":\"image\",\"address\":", beginOf(image.storage(), device),
              ",\"size\":", image.storage().size(), ",\"type\":", image.type(),
              ",\"order\":", image.format().image_channel_order,
              ",\"channel\":", image.format().image_channel_data_type, ",\"width\":", image.width(),
              ",\"height\":", image.height(), ",\"depth\":", image.depth(), ",\"arraySize\":", image.arraySize(),
              ",\"rowPitch\":", image.storedRowPitch(), ",\"slicePitch\":", image.storedSlicePitch(), "}");
}

} // namespace

std::string describeArguments(const HostLaunch &launch, const DeviceObject &device) {
  std::string out;
  // Memory objects come first among the uses, in the order of their arguments.
  auto use = launch.uses.begin();
  for (const ArgInfo &argument : launch.kernel->info().args) {
    const std::byte *slot = launch.arguments->data + argument.offset;
    out += out.empty() ? "\n  " : ",\n  ";
    uint64_t word = 0;
    std::memcpy(&word, slot, std::min<size_t>(argument.size, sizeof word));
    switch (argument.kind) {
    case ArgKind::Value:
      out += text("{\"kind\":\"value\",\"bytes\":\"", json::hex(slot, argument.size), "\"}");
      break;
    case ArgKind::Global:
    case ArgKind::Constant:
      if (word && use != launch.uses.end() && beginOf(use->object->storage(), device) == word &&
          use->object->type() == CL_MEM_OBJECT_BUFFER)
        out += describe((use++)->object->storage(), device);
      else
        out += word ? text("{\"kind\":\"pointer\",\"address\":", word, "}") : "{\"kind\":\"null\"}";
      break;
    case ArgKind::Image:
      out += describe(static_cast<Image &>(*(use++)->object), device);
      break;
    case ArgKind::Local:
      out += text("{\"kind\":\"local\",\"size\":", localEnd(launch, word) - word, "}");
      break;
    case ArgKind::Sampler:
      out += text("{\"kind\":\"sampler\",\"normalized\":", word & abi::SamplerNormalized ? "true" : "false",
                  ",\"linear\":", word & abi::SamplerLinear ? "true" : "false",
                  ",\"addressing\":", addressingOf(uint32_t(word)), "}");
      break;
    case ArgKind::Pipe:
      ++use;
      out += "{\"kind\":\"pipe\"}";
      break;
    case ArgKind::Queue:
      out += "{\"kind\":\"queue\"}";
      break;
    }
  }
  return out;
}

} // namespace kiln::capture
