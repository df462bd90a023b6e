#include "runtime/capture/Reached.h"
#include "base/abi/ImageAbi.h"
#include <algorithm>

namespace kiln::capture {
namespace {

const void *toPointer(uint64_t address) { return reinterpret_cast<const void *>(address); }

/// Sorts, and merges ranges that overlap.
void merge(std::vector<Range> &ranges) {
  std::erase_if(ranges, [](const Range &range) { return range.size == 0; });
  std::ranges::sort(ranges, {}, &Range::begin);
  size_t kept = 0;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (kept && ranges[i].begin < ranges[kept - 1].end()) {
      Range &last = ranges[kept - 1];
      last.size = size_t(std::max(last.end(), ranges[i].end()) - last.begin);
      last.written |= ranges[i].written;
    } else {
      ranges[kept++] = ranges[i];
    }
  }
  ranges.resize(kept);
}

/// Returns true if another device of the context may write to this one's memory during the launch.
bool othersMayWrite(const Context &context) {
  return std::ranges::any_of(context.devices(), [](const DeviceObject *other) { return !other->info().runsInIssue; });
}

void addObject(std::vector<Range> &ranges, const MemoryUse &use, const DeviceObject &device, bool alone) {
  Buffer &buffer = use.object->storage();
  Residency &residency = buffer.residency();
  Result<Memory *> memory = residency.storageFor(device);
  if (!memory.ok())
    return; // cannot fail: the launch has its address
  auto *root = reinterpret_cast<std::byte *>((*memory)->address) + residency.origin();
  std::byte *begin = root + buffer.offset();
  ranges.push_back({begin, buffer.size(), use.writes});
  if (!alone || &buffer.root() == &buffer || buffer.root().isMapped() || residency.hostPointer())
    return;
  ranges.push_back({root, buffer.offset(), false});
  ranges.push_back({begin + buffer.size(), residency.size() - buffer.offset() - buffer.size(), false});
}

void addAllocation(Reached &reached, const Ref<Allocation> &allocation, const DeviceObject &device,
                   std::optional<bool> written) {
  if (!written || !allocation->memoryFor(device))
    return;
  reached.allocations.push_back(allocation);
  reached.ranges.push_back({allocation->begin(), allocation->size(), *written});
}

/// Returns nothing if a launch that names the allocation does not access it.
std::optional<bool> isWritten(const HostLaunch &launch, const Allocation &allocation, uint32_t traits) {
  if (traits & TraitFollowsPointers)
    return true;
  std::optional<bool> written;
  for (const ArgInfo &argument : launch.kernel->info().args)
    if (const uint64_t address = addressOf(launch, argument); address && allocation.contains(toPointer(address)))
      written = written.value_or(false) || argument.written;
  return written;
}

/// Adds allocations whose addresses are in reached memory, transitively. Structs may be packed, so every multiple of
/// four bytes is read.
void follow(Reached &reached, const HostLaunch &launch, const DeviceObject &device) {
  const Allocations::Epoch *epoch = launch.pointed ? launch.pointed->indirect.get() : nullptr;
  std::vector<Ref<Allocation>> left = launch.kernel->context().allocations().all(epoch);
  std::erase_if(left, [&](const Ref<Allocation> &one) {
    return std::ranges::find(reached.allocations, one) != reached.allocations.end();
  });
  std::ranges::sort(left, {}, [](const Ref<Allocation> &one) { return one->begin(); });
  constexpr size_t Step = 4;
  for (size_t i = 0; i < reached.ranges.size() && !left.empty(); ++i) {
    const Range range = reached.ranges[i]; // copied, because the list grows
    for (size_t at = 0; at + sizeof(uint64_t) <= range.size && !left.empty(); at += Step) {
      uint64_t word;
      std::memcpy(&word, range.begin + at, sizeof word);
      if (word < uint64_t(left.front()->begin()))
        continue;
      auto after =
          std::ranges::upper_bound(left, word, {}, [](const Ref<Allocation> &one) { return uint64_t(one->begin()); });
      auto found = std::prev(after);
      if (!(*found)->contains(toPointer(word)))
        continue;
      addAllocation(reached, *found, device, true);
      left.erase(found);
    }
  }
}

} // namespace

uint64_t Reached::copyBytes() const {
  uint64_t bytes = 0;
  for (const Range &range : ranges)
    bytes += range.size * (range.written ? 2 : 1);
  return bytes;
}

Reached reachedBy(const HostLaunch &launch, const DeviceObject &device, const BuildState &state, uint32_t traits) {
  Reached reached;
  const bool alone = !othersMayWrite(launch.kernel->context());
  for (const MemoryUse &use : launch.uses)
    addObject(reached.ranges, use, device, alone);
  if (uint64_t variables = state.program->variables())
    reached.ranges.push_back(
        {reinterpret_cast<std::byte *>(variables), size_t(state.program->info().variables.size), true});
  reached.ranges.push_back({launch.arguments->data, launch.arguments->size, false});
  if (launch.pointed) {
    reached.unknown = launch.pointed->unknown;
    for (const Ref<Allocation> &allocation : launch.pointed->allocations)
      addAllocation(reached, allocation, device, isWritten(launch, *allocation, traits));
  }
  if (traits & TraitFollowsPointers)
    follow(reached, launch, device);
  merge(reached.ranges);
  return reached;
}

uint64_t addressOf(const HostLaunch &launch, const ArgInfo &argument) {
  if (argument.kind != ArgKind::Global && argument.kind != ArgKind::Constant && argument.kind != ArgKind::Pipe &&
      argument.kind != ArgKind::Image)
    return 0;
  static_assert(offsetof(abi::Image, pixels) == 0);
  uint64_t address = 0;
  std::memcpy(&address, launch.arguments->data + argument.offset, sizeof address);
  return address;
}

int argumentAt(const HostLaunch &launch, const Reached &reached, const std::byte *address) {
  auto range = std::ranges::find_if(reached.ranges, [&](const Range &one) { return one.contains(uint64_t(address)); });
  if (range == reached.ranges.end())
    return -1;
  int nearest = -1;
  uint64_t best = 0;
  const std::vector<ArgInfo> &args = launch.kernel->info().args;
  for (size_t i = 0; i < args.size(); ++i) {
    const uint64_t begin = addressOf(launch, args[i]);
    if (begin && begin <= uint64_t(address) && range->contains(begin) && (nearest < 0 || begin > best))
      nearest = int(i), best = begin;
  }
  return nearest;
}

std::string nameOf(const HostLaunch &launch, const BuildState &state, const Reached &reached,
                   const std::byte *address) {
  const std::vector<ArgInfo> &args = launch.kernel->info().args;
  if (int index = argumentAt(launch, reached, address); index >= 0) {
    const ArgInfo &argument = args[size_t(index)];
    std::string words;
    if (!argument.name.empty())
      words = text(" (", argument.typeName, argument.typeName.empty() ? "" : " ", argument.name, ")");
    return text("argument ", index, words, ", byte ", uint64_t(address) - addressOf(launch, argument));
  }
  for (const Ref<Allocation> &allocation : reached.allocations)
    if (allocation->contains(address))
      return text("allocation ", static_cast<const void *>(allocation->begin()), ", byte ",
                  allocation->offsetOf(address));
  if (uint64_t(address) - state.program->variables() < state.program->info().variables.size)
    return text("program variables, byte ", uint64_t(address) - state.program->variables());
  if (size_t(address - launch.arguments->data) < launch.arguments->size)
    return text("argument block, byte ", address - launch.arguments->data);
  return "memory beside a sub-buffer";
}

} // namespace kiln::capture
