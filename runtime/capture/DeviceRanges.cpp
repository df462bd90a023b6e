#include "runtime/capture/DeviceRanges.h"
#include <algorithm>
#include <cstring>
#include <map>

namespace kiln::capture {
namespace {

class Collector {
public:
  explicit Collector(DeviceRanges &out) : out_(out) {}

  /// Adds bytes of the memory. Ranges of it that overlap become one: several arguments, or buffers in an allocation.
  void add(Memory &memory, size_t offset, size_t size, bool written, bool onlyPointed) {
    if (!size)
      return;
    std::vector<Range> &ranges = out_.reached.ranges;
    size_t end = offset + size;
    for (size_t i = 0; i < ranges.size();) {
      const Region &other = out_.regions[i];
      if (other.memory->address != memory.address || other.offset >= end || other.offset + ranges[i].size <= offset) {
        ++i;
        continue;
      }
      offset = std::min(offset, other.offset);
      end = std::max(end, other.offset + ranges[i].size);
      written |= ranges[i].written;
      onlyPointed &= out_.onlyPointed[i];
      ranges.erase(ranges.begin() + ptrdiff_t(i));
      out_.regions.erase(out_.regions.begin() + ptrdiff_t(i));
      out_.onlyPointed.erase(out_.onlyPointed.begin() + ptrdiff_t(i));
    }
    ranges.push_back({reinterpret_cast<std::byte *>(memory.address + offset), end - offset, written});
    Region region;
    region.memory = &memory;
    region.offset = offset;
    region.extent = {end - offset, 1, 1};
    region.rowPitch = region.slicePitch = end - offset;
    out_.regions.push_back(region);
    out_.onlyPointed.push_back(onlyPointed);
  }

private:
  DeviceRanges &out_;
};

} // namespace

DeviceRanges rangesOn(const DeviceObject &device, const HostLaunch &launch, const BuildState &state, uint32_t traits) {
  DeviceRanges made;
  Collector collector(made);
  for (const MemoryUse &use : launch.uses) {
    Residency &residency = use.object->storage().residency();
    Result<Memory *> memory = residency.storageFor(device);
    if (memory.ok()) // cannot fail: the launch has its address
      collector.add(**memory, residency.origin(), residency.size(), use.writes, false);
  }
  if (const uint64_t address = state.program->variables()) {
    const size_t size = state.program->info().variables.size;
    if ((made.variables = device.device().wrapAddress(address, size)))
      collector.add(*made.variables, 0, size, true, false);
  }
  auto addAllocations = [&](const auto &allocations, bool onlyPointed) {
    for (const Ref<Allocation> &allocation : allocations)
      if (Memory *memory = allocation->memoryFor(device)) {
        made.reached.allocations.push_back(allocation);
        collector.add(*memory, 0, allocation->size(), true, onlyPointed);
      }
  };
  const Allocations::Epoch *epoch = nullptr;
  if (launch.pointed) {
    made.reached.unknown = launch.pointed->unknown;
    epoch = launch.pointed->indirect.get();
    addAllocations(launch.pointed->allocations, false);
  }
  if (traits & TraitFollowsPointers)
    addAllocations(launch.kernel->context().allocations().all(epoch), true);
  return made;
}

std::vector<bool> reachableRanges(const DeviceRanges &ranges, const HostLaunch &launch, const Copies &before) {
  const std::vector<Range> &all = ranges.reached.ranges;
  std::vector<bool> reachable(all.size());
  std::vector<size_t> unread;      // reachable ranges
  std::map<uint64_t, size_t> left; // the others, by address
  for (size_t i = 0; i < all.size(); ++i)
    if (ranges.onlyPointed[i])
      left.emplace(uint64_t(all[i].begin), i);
    else
      reachable[i] = true, unread.push_back(i);
  auto read = [&](const std::byte *bytes, size_t size) {
    constexpr size_t Step = 4;
    for (size_t at = 0; at + sizeof(uint64_t) <= size && !left.empty(); at += Step) {
      uint64_t word;
      std::memcpy(&word, bytes + at, sizeof word);
      auto after = left.upper_bound(word);
      if (after == left.begin())
        continue;
      const auto found = std::prev(after);
      if (!all[found->second].contains(word))
        continue;
      reachable[found->second] = true;
      unread.push_back(found->second);
      left.erase(found);
    }
  };
  read(launch.arguments->data, launch.arguments->size);
  while (!unread.empty()) {
    const size_t i = unread.back();
    unread.pop_back();
    read(before[i].get(), all[i].size);
  }
  return reachable;
}

} // namespace kiln::capture
