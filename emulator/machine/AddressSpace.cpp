#include "emulator/machine/AddressSpace.h"
#include <algorithm>

namespace kiln::emulator {

void AddressSpace::add(const void *memory, u64 bytes, bool writable) {
  Lock lock(mutex_);
  ranges_[u64(memory)] = {u64(memory), u64(memory) + bytes, writable};
  snapshot_.reset();
}

bool AddressSpace::remove(const void *memory) {
  Lock lock(mutex_);
  snapshot_.reset();
  return ranges_.erase(u64(memory));
}

Range AddressSpace::find(u64 address, u64 bytes) {
  Lock lock(mutex_);
  auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin())
    return {};
  const Range &range = std::prev(after)->second;
  return range.contains(address, bytes) ? range : Range{};
}

std::shared_ptr<const Ranges> AddressSpace::ranges() {
  Lock lock(mutex_);
  if (!snapshot_) {
    auto made = std::make_shared<Ranges>();
    for (const auto &[begin, range] : ranges_)
      made->push_back(range);
    snapshot_ = std::move(made);
  }
  return snapshot_;
}

const Range *findRange(const Ranges &ranges, u64 address) {
  auto after = std::ranges::upper_bound(ranges, address, {}, &Range::begin);
  if (after == ranges.begin())
    return nullptr;
  const Range &range = *std::prev(after);
  return address < range.end ? &range : nullptr;
}

AddressSpace &addressSpace() {
  static auto *leaked = new AddressSpace; // streams' threads use it until the process ends
  return *leaked;
}

} // namespace kiln::emulator
