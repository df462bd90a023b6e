// The issuer of a stream, its device, and where the bytes of commands are on that device.
#pragma once
#include "runtime/queue/CommandKinds.h"

namespace kiln {

/// `start` with the position and the pitches of a box.
inline Region boxRegion(Region start, const BoxLayout &layout, const Extent &extent) {
  start.offset = layout.offset;
  start.extent = extent;
  start.rowPitch = layout.rowPitch ? layout.rowPitch : extent[0];
  start.slicePitch = layout.slicePitch ? layout.slicePitch : start.rowPitch * extent[1];
  return start;
}
inline Region contiguousRegion(Region start, size_t offset, size_t size) {
  return boxRegion(start, {offset}, {size, 1, 1});
}
inline Region hostRegion(const void *host, const BoxLayout &layout, const Extent &extent) {
  Region region;
  region.host = static_cast<std::byte *>(const_cast<void *>(host));
  return boxRegion(region, layout, extent);
}

struct DeviceIssuer {
  Issuer &issuer;
  const DeviceObject &device;

  /// A box of the buffer, in the storage of its root buffer on a memory node.
  Region inNode(MemoryNode node, Buffer &buffer, const BoxLayout &layout, const Extent &extent) const {
    return shifted(buffer.residency().regionIn(node, device), buffer, layout, extent);
  }
  /// A box of the buffer in the device's storage.
  Result<Region> in(Buffer &buffer, const BoxLayout &layout, const Extent &extent) const {
    Region start;
    start.memory = KILN_TRY(buffer.residency().storageFor(device));
    Region region = shifted(start, buffer, layout, extent);
    region.offset += buffer.residency().origin();
    return region;
  }
  /// Memory that a pointer leads to.
  Region range(const PointerOperand &pointed, size_t size) const {
    Region start;
    start.memory = pointed.in ? pointed.in->memoryFor(device) : nullptr;
    if (start.memory)
      return contiguousRegion(start, pointed.in->offsetOf(pointed.at), size);
    start.host = pointed.at;
    return contiguousRegion(start, 0, size);
  }

private:
  static Region shifted(Region start, const Buffer &buffer, const BoxLayout &layout, const Extent &extent) {
    Region region = boxRegion(start, layout, extent);
    region.offset += buffer.offset();
    return region;
  }
};

} // namespace kiln
