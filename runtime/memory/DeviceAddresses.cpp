#include "runtime/memory/DeviceAddresses.h"
#include "runtime/memory/Buffer.h"
#include <algorithm>

namespace kiln {

void DeviceAddresses::add(size_t memory, uint64_t address, Buffer &buffer) {
  Lock lock(mutex_);
  buffers_.emplace(std::pair(memory, address), &buffer);
}

void DeviceAddresses::remove(size_t memory, uint64_t address, const Buffer &buffer) noexcept {
  Lock lock(mutex_);
  auto [first, end] = buffers_.equal_range(std::pair(memory, address));
  auto found = std::find_if(first, end, [&](const auto &entry) { return entry.second == &buffer; });
  if (found != end)
    buffers_.erase(found);
}

Ref<Buffer> DeviceAddresses::find(size_t memory, uint64_t address) const {
  Lock lock(mutex_);
  auto after = buffers_.upper_bound(std::pair(memory, address));
  if (after == buffers_.begin())
    return {};
  const auto &[place, buffer] = *--after;
  if (place.first != memory || address - place.second >= buffer->size())
    return {};
  return Ref<Buffer>::ifAlive(buffer);
}

} // namespace kiln
