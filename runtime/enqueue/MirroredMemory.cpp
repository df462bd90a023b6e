#include "runtime/enqueue/MirroredMemory.h"
#include <cstring>

namespace kiln {
namespace {

Region flat(Region region, size_t offset, size_t bytes) {
  region.offset = offset;
  region.rowPitch = region.slicePitch = bytes;
  region.extent = {bytes, 1, 1};
  return region;
}

} // namespace

Result<MirroredMemory> MirroredMemory::create(Device &device, size_t bytes, size_t extra) {
  MirroredMemory made;
  made.memory_ = KILN_TRY(device.allocate(bytes));
  if (!made.memory_->host)
    made.copy_ = KILN_TRY(device.allocateHost(bytes + extra));
  return made;
}

Status MirroredMemory::download(Issuer &issuer, size_t offset, size_t bytes, std::byte *host) const {
  if (!copy_ || !bytes)
    return {};
  Region to;
  to.host = host;
  return issuer.copy(flat(to, 0, bytes), flat({.memory = memory_.get()}, offset, bytes));
}

Status MirroredMemory::upload(Issuer &issuer, size_t offset, size_t bytes) const {
  if (!copy_ || !bytes)
    return {};
  Region from;
  from.host = host();
  return issuer.copy(flat({.memory = memory_.get()}, offset, bytes), flat(from, offset, bytes));
}

Status MirroredMemory::clear(Issuer &issuer, size_t offset, size_t bytes) const {
  constexpr uint64_t zero = 0;
  return issuer.fill(flat({.memory = memory_.get()}, offset, bytes), std::as_bytes(std::span(&zero, 1)));
}

} // namespace kiln
