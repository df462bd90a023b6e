#include "runtime/capture/DeviceRanges.h"
#include <algorithm>

namespace kiln::capture {
namespace {

class Collector {
public:
  explicit Collector(DeviceRanges &out) : out_(out) {}

  /// Memory that several arguments name is one range.
  void add(Memory &memory, size_t offset, size_t size, bool written) {
    auto *begin = reinterpret_cast<std::byte *>(memory.address + offset);
    auto same = std::ranges::find(out_.reached.ranges, begin, &Range::begin);
    if (same != out_.reached.ranges.end()) {
      same->written |= written;
      return;
    }
    if (!size)
      return;
    out_.reached.ranges.push_back({begin, size, written});
    Region region;
    region.memory = &memory;
    region.offset = offset;
    region.extent = {size, 1, 1};
    region.rowPitch = region.slicePitch = size;
    out_.regions.push_back(region);
  }

private:
  DeviceRanges &out_;
};

} // namespace

DeviceRanges rangesOn(const DeviceObject &device, const KernelLaunch &launch, const BuildState &state,
                      uint32_t traits) {
  DeviceRanges made;
  Collector collector(made);
  for (const MemoryUse &use : launch.uses) {
    Residency &residency = use.object->storage().residency();
    Result<Memory *> memory = residency.storageFor(device);
    if (memory.ok()) // cannot fail: the launch has its address
      collector.add(**memory, residency.origin(), residency.size(), use.writes);
  }
  if (const uint64_t address = state.program->variables()) {
    const size_t size = state.program->info().variables.size;
    if ((made.variables = device.device().wrapAddress(address, size)))
      collector.add(*made.variables, 0, size, true);
  }
  if (launch.pointed) {
    made.reached.unknown = launch.pointed->unknown;
    for (const Ref<Allocation> &allocation : launch.pointed->allocations)
      if (Memory *memory = allocation->memoryFor(device)) {
        made.reached.allocations.push_back(allocation);
        collector.add(*memory, 0, allocation->size(), true);
      }
  }
  if (traits & TraitFollowsPointers)
    made.reached.unknown = "the kernel follows pointers in a GPU's memory";
  return made;
}

} // namespace kiln::capture
