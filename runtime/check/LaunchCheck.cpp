#include "runtime/check/LaunchCheck.h"
#include "base/protocol/Protocol.h"
#include "base/support/Checks.h"
#include "base/support/Log.h"
#include "base/support/SourceLine.h"
#include "runtime/check/Redirect.h"
#include "runtime/memory/FreedMemory.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace kiln::check {
namespace {

constexpr uint64_t AnyMemory = UINT64_MAX; // CheckRange::size
constexpr uint64_t UnknownId = UINT64_MAX;
// No object is on the first page: Linux maps nothing there (vm.mmap_min_addr).
constexpr uintptr_t FirstAddress = 4096;

enum Space : uint8_t { Private, Global, Constant, Local, Generic };
constexpr const char *Verb[] = {"reads", "writes", "has an atomic operation on"};
constexpr const char *SpaceName[] = {"private", "global", "constant", "local", "generic"};

bool contains(uintptr_t begin, size_t size, uintptr_t address, uint64_t bytes) {
  return bytes <= size && address - begin <= size - bytes;
}

/// How the bytes are outside of an object: "4 bytes after the end".
std::string distanceText(uintptr_t address, uint64_t bytes, uintptr_t base, uint64_t size) {
  const auto offset = int64_t(address - base);
  if (offset < 0)
    return text(-offset, " bytes before its begin");
  if (uint64_t(offset) >= size)
    return uint64_t(offset) == size ? "right after its end" : text(uint64_t(offset) - size, " bytes after its end");
  return text("of which the last ", uint64_t(offset) + bytes - size, " are after its end");
}

std::string hintFor(const RaceSide &first, const RaceSide &second) {
  constexpr uint8_t Atomic = 2;
  const bool areAtomic = first.site.access == Atomic && second.site.access == Atomic;
  if (areAtomic)
    return "atomic operations of work-items in different groups need memory_scope_device";
  if (first.item.group != second.item.group)
    return "no barrier orders work-items of different groups: divide the kernel into two launches, or use atomic "
           "operations";
  if (first.site.access == Atomic || second.site.access == Atomic)
    return "only one of the two accesses is atomic";
  return text("a barrier with ", second.site.space == Local ? "CLK_LOCAL_MEM_FENCE" : "CLK_GLOBAL_MEM_FENCE",
              " between the two accesses would order them, as would atomic operations");
}

} // namespace

LaunchCheck::LaunchCheck(const HostLaunch &launch, const DeviceObject &device)
    : launch_(launch), device_(device), info_(*launch.kernel->info(device)) {
  check = checkAccess;
  missing = reportMissing;
  enter = enterGroup, synchronise = synchroniseGroup, track = trackAccess, undefinedPrivate = reportPrivate;
  const MemoryUse *use = launch.uses.data();
  for (size_t index = 0; index < info_.args.size(); ++index) {
    const Argument argument = argumentOf(index, info_.args[index], use);
    arguments_.push_back(argument);
    ranges_.push_back({argument.begin,
                       argument.kind == Argument::Any     ? AnyMemory
                       : argument.kind == Argument::Freed ? 0
                                                          : argument.size,
                       0});
  }
  if (checks().tracks())
    startTracking();
  ranges = ranges_.data();
}

LaunchCheck::~LaunchCheck() {
  if (!written_.empty() && !notesAccesses_)
    for (const MemoryUse &use : launch_.uses)
      if (WrittenBytes *written = use.writes ? use.object->storage().written() : nullptr)
        written->set(use.object->storage().offset(), use.object->storage().offset() + use.object->size());
  Lock lock(mutex_);
  for (auto &[sites, repeated] : repeated_)
    if ((repeated.finding.count = repeated.times.load(std::memory_order_relaxed)))
      try {
        Findings::get().add(std::move(repeated.finding));
      } catch (const std::bad_alloc &) { // the count is lost
      }
}

void LaunchCheck::startTracking() {
  uint64_t groups = 1, items = 1;
  for (int d = 0; d < 3; ++d) {
    groups *= (launch_.grid.globalSize[d] - 1) / launch_.grid.localSize[d] + 1;
    items *= launch_.grid.localSize[d];
  }
  const bool findsRaces = checks().races && AccessTracker::hasCells(groups, items);
  if (checks().races && !findsRaces)
    KILN_LOG(Error, Program, "KILN_CHECK: a launch of kernel ", info_.name,
             " has 2^32 work-items or more; its races are "
             "not found");
  tracker_.emplace(AccessTracker::Limits{groups, items, findsRaces, checks().init},
                   static_cast<TrackerReports &>(*this));
  for (size_t index = 0; index < ranges_.size(); ++index)
    if (arguments_[index].kind == Argument::Local || (findsRaces && maySeeWrites(index)))
      ranges_[index].tracked = abi::CheckTracksReads | abi::CheckTracksWrites;
  if (checks().init)
    startInit();
}

void LaunchCheck::startInit() {
  written_.resize(arguments_.size());
  const bool isNoted = !(info_.plan.traits & TraitFollowsPointers) && !info_.plan.enqueues;
  for (const MemoryUse &use : launch_.uses) {
    Buffer &buffer = use.object->storage();
    WrittenBytes *written = buffer.written();
    if (!written)
      continue;
    const size_t begin = buffer.offset(), end = begin + use.object->size();
    if (!isNoted && use.writes)
      written->set(begin, end);
    else if (isNoted && use.argument >= 0 && written->firstUnwritten(begin, end) != end) {
      written_[size_t(use.argument)] = {written, begin};
      ranges_[size_t(use.argument)].tracked = abi::CheckTracksReads | abi::CheckTracksWrites;
    }
  }
}

void LaunchCheck::trackWritten(const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes, int64_t stride,
                               uint64_t lanes, uint64_t item) {
  if (written_.empty() || (site.argument >= 0 && !written_[size_t(site.argument)].bytes))
    return;
  if (stride == int64_t(bytes) && lanes && (lanes & (lanes + 1)) == 0) // lanes without a gap
    return trackWritten(site, pointer, bytes * uint64_t(std::popcount(lanes)), bytes, item);
  for (uint64_t left = lanes; left; left &= left - 1) {
    const auto lane = uint64_t(std::countr_zero(left));
    trackWritten(site, pointer + lane * uint64_t(stride), bytes, bytes, item + lane);
  }
}

void LaunchCheck::trackWritten(const abi::CheckSite &site, uintptr_t begin, uint64_t bytes, uint64_t itemBytes,
                               uint64_t item) {
  size_t index = size_t(site.argument);
  if (site.argument < 0) // a pointer that the kernel has chosen
    for (index = 0; index < written_.size(); ++index)
      if (written_[index].bytes && contains(arguments_[index].begin, arguments_[index].size, begin, bytes))
        break;
  if (index == written_.size() || !contains(arguments_[index].begin, arguments_[index].size, begin, bytes))
    return; // KILN_CHECK=memory reports it
  const Argument &argument = arguments_[index];
  const Written &written = written_[index];
  const size_t first = written.begin + (begin - argument.begin), end = first + bytes;
  const bool reads = site.access != 1 && !(site.sync & (abi::CheckOnlyWrites | abi::CheckIsCopy));
  const size_t missing = reads ? written.bytes->firstUnwritten(first, end) : end;
  if (missing != end)
    undefined(site, {tracker_->groupOfThisThread(), item + (missing - first) / itemBytes}, begin + (missing - first));
  if (site.access != 0 && !(site.sync & abi::CheckOnlyReads))
    written.bytes->set(first, end);
}

bool LaunchCheck::maySeeWrites(size_t index) const {
  if (info_.plan.traits & TraitFollowsPointers)
    return true;
  const auto overlap = [](const Argument &a, const Argument &b) {
    if (a.kind == Argument::Any || b.kind == Argument::Any)
      return true;
    return a.begin < b.begin ? b.begin - a.begin < a.size : a.begin - b.begin < b.size;
  };
  for (size_t other = 0; other < arguments_.size(); ++other)
    if (isPointer(info_.args[other].kind) && info_.args[other].written &&
        (other == index || overlap(arguments_[index], arguments_[other])))
      return true;
  return false;
}

LaunchCheck::Argument LaunchCheck::argumentOf(size_t index, const ArgInfo &info, const MemoryUse *&use) const {
  if (info.kind == ArgKind::Local) {
    for (const LocalArgument &local : launch_.localArguments)
      if (local.index == index)
        return {Argument::Local, 0, local.bytes};
    return {};
  }
  const MemoryUse *end = launch_.uses.data() + launch_.uses.size();
  while (use != end && use->argument < int64_t(index))
    ++use;
  if (!isPointer(info.kind))
    return {};
  uint64_t address;
  std::memcpy(&address, launch_.arguments->data + info.offset, sizeof address);
  if (!address)
    return {Argument::Null};
  if (use != end && use->argument == int64_t(index))
    return {use->object->parent() ? Argument::SubBuffer : Argument::Buffer, uintptr_t(address), use->object->size()};
  return pointedBy(uintptr_t(address));
}

LaunchCheck::Argument LaunchCheck::pointedBy(uintptr_t address) const {
  Context &context = launch_.kernel->context();
  if (Ref<kiln::Allocation> found = allocationAt(address))
    return {Argument::Allocation, uintptr_t(found->begin()), found->size()};
  if (Ref<Buffer> buffer = context.deviceAddresses().find(context.memoryIndexOf(device_), address))
    if (Result<uint64_t> begin = buffer->address(device_); begin.ok())
      return {Argument::Buffer, uintptr_t(*begin), buffer->size()};
  if (const auto freed = findFreed(address))
    return {Argument::Freed, freed->begin, freed->size};
  return {}; // memory of the application (fine-grain system SVM)
}

Ref<kiln::Allocation> LaunchCheck::allocationAt(uintptr_t address) const {
  return launch_.kernel->context().allocations().find(reinterpret_cast<const void *>(address));
}

void *LaunchCheck::checkAccess(const abi::CheckLaunch *launch, const abi::CheckSite *site, void *pointer, void *base,
                               uint64_t size, uint64_t bytes, uint64_t x, uint64_t y, uint64_t z) {
  const auto &self = static_cast<const LaunchCheck &>(*launch);
  const Access access{*site, uintptr_t(pointer), uintptr_t(base), size, bytes, {x, y, z}};
  if (!bytes || self.isAccepted(access))
    return pointer;
  try {
    Finding finding = self.findingAt(*site, access.item);
    finding.what = text(Verb[site->access], " ", bytes, " bytes ", self.objectOf(access));
    const bool isPrivate = site->argument < 0 && size && !base;
    finding.address = isPrivate ? 0 : access.address; // of a private variable it is an offset
    Findings::get().add(std::move(finding));
  } catch (const std::bad_alloc &) { // the report is lost
  }
  return redirected(bytes, site->access == 0);
}

void LaunchCheck::reportMissing(const abi::CheckLaunch *launch, const abi::CheckSite *site, uint64_t x, uint64_t y,
                                uint64_t z) {
  try {
    Finding finding = static_cast<const LaunchCheck &>(*launch).findingAt(*site, {x, y, z});
    finding.check = "barriers";
    finding.what = "has a barrier that other work-items of the group reach, and this one does not";
    Findings::get().add(std::move(finding));
  } catch (const std::bad_alloc &) { // the report is lost
  }
}

void LaunchCheck::enterGroup(const abi::CheckLaunch *launch, uint64_t x, uint64_t y, uint64_t z) {
  auto &self = const_cast<LaunchCheck &>(static_cast<const LaunchCheck &>(*launch));
  self.notesAccesses_.store(true, std::memory_order_relaxed);
  const auto groups = [&](int d) { return (self.launch_.grid.globalSize[d] - 1) / self.launch_.grid.localSize[d] + 1; };
  if (self.tracker_)
    self.tracker_->enter((z * groups(1) + y) * groups(0) + x);
}

void LaunchCheck::synchroniseGroup(const abi::CheckLaunch *launch, uint64_t sync) {
  auto &self = const_cast<LaunchCheck &>(static_cast<const LaunchCheck &>(*launch));
  if (self.tracker_)
    self.tracker_->synchronise(sync);
}

void LaunchCheck::trackAccess(const abi::CheckLaunch *launch, const abi::CheckSite *site, void *pointer, uint64_t bytes,
                              int64_t stride, uint64_t lanes, uint64_t item) {
  auto &self = const_cast<LaunchCheck &>(static_cast<const LaunchCheck &>(*launch));
  if (!self.tracker_)
    return;
  if (bytes && site->space == Global)
    self.trackWritten(*site, uintptr_t(pointer), bytes, stride, lanes, item);
  self.tracker_->track(*site, uintptr_t(pointer), bytes, stride, lanes, item);
}

template <typename Make>
void LaunchCheck::addOnce(const abi::CheckSite *first, const abi::CheckSite *second, const Make &make) {
  try {
    Lock lock(mutex_);
    auto [place, isNew] = repeated_.try_emplace({first, second});
    if (!isNew) {
      place->second.times.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    place->second.finding = make();
    Finding finding = place->second.finding;
    lock.unlock();
    Findings::get().add(std::move(finding));
  } catch (const std::bad_alloc &) { // the report is lost
  }
}

void LaunchCheck::race(const RaceSide &first, const RaceSide &second, uintptr_t address) noexcept {
  addOnce(&first.site, &second.site, [&] {
    const auto idOfSecond = globalIdOf(second.item), idOfFirst = globalIdOf(first.item);
    Finding finding = findingAt(second.site, idOfSecond);
    finding.check = "races";
    finding.what = text("has a race in ", placeOf(second.site, address));
    finding.item += text(" ", Verb[second.site.access], " it");
    finding.address = address;
    Finding earlier = findingAt(first.site, idOfFirst);
    finding.other = {earlier.file,    earlier.source, earlier.line,
                     earlier.column,  earlier.access, text(earlier.item, " ", Verb[first.site.access], " it"),
                     earlier.globalId};
    finding.hint = hintFor(first, second);
    return finding;
  });
}

void LaunchCheck::undefined(const abi::CheckSite &site, const ItemId &item, uintptr_t address) noexcept {
  addOnce(&site, nullptr, [&] {
    Finding finding = findingAt(site, globalIdOf(item));
    finding.check = "init";
    finding.what = text("reads memory that was never written: ", placeOf(site, address));
    finding.address = address;
    return finding;
  });
}

void LaunchCheck::reportPrivate(const abi::CheckLaunch *launch, const abi::CheckSite *site, uint64_t item) {
  auto &self = const_cast<LaunchCheck &>(static_cast<const LaunchCheck &>(*launch));
  if (self.tracker_)
    self.addOnce(site, nullptr, [&] {
      Finding finding = self.findingAt(*site, self.globalIdOf({self.tracker_->groupOfThisThread(), item}));
      finding.check = "init";
      finding.what = "reads bytes of a private variable that were never written";
      return finding;
    });
}

std::array<uint64_t, 3> LaunchCheck::globalIdOf(const ItemId &item) const {
  const Launch &grid = launch_.grid;
  std::array<uint64_t, 3> id{};
  uint64_t group = item.group, local = item.item;
  for (int d = 0; d < 3; ++d) {
    const uint64_t groups = (grid.globalSize[d] - 1) / grid.localSize[d] + 1,
                   begin = group % groups * grid.localSize[d];
    const uint64_t size = std::min(grid.localSize[d], grid.globalSize[d] - begin); // the last group may be smaller
    id[d] = grid.globalOffset[d] + begin + local % size;
    group /= groups, local /= size;
  }
  return id;
}

std::string LaunchCheck::placeOf(const abi::CheckSite &site, uintptr_t address) const {
  const char *name = site.name();
  const std::string called = *name ? text(" (", name, ")") : "";
  if (site.argument < 0)
    return text(site.space == Local ? "a local variable" : "global memory", called);
  const Argument &argument = arguments_[size_t(site.argument)];
  constexpr const char *Kind[] = {"memory", "the buffer", "the sub-buffer",  "the allocation",
                                  "memory", "memory",     "the local memory"};
  const bool hasBegin = argument.kind != Argument::Any && argument.kind != Argument::Local;
  return text(Kind[argument.kind], " of argument ", site.argument, called,
              hasBegin ? text(": byte ", address - argument.begin) : "");
}

bool LaunchCheck::isAccepted(const Access &access) const {
  const bool isUnknown = access.site.argument < 0 && !access.size;
  if (isUnknown) {
    if (access.address < FirstAddress)
      return false;
    if (access.site.space != Global && access.site.space != Constant && access.site.space != Generic)
      return true;
    if (Ref<kiln::Allocation> found = allocationAt(access.address))
      return contains(uintptr_t(found->begin()), found->size(), access.address, access.bytes);
    return !findFreed(access.address);
  }
  if (access.site.argument < 0)
    return false;
  // A kernel may get from one allocation to another by differences of pointers, and programs do.
  const Argument &argument = arguments_[size_t(access.site.argument)];
  if (argument.kind != Argument::Allocation)
    return argument.kind == Argument::Any;
  Ref<kiln::Allocation> found = allocationAt(access.address);
  return found && uintptr_t(found->begin()) != argument.begin &&
         contains(uintptr_t(found->begin()), found->size(), access.address, access.bytes);
}

std::string LaunchCheck::objectOf(const Access &access) const {
  const abi::CheckSite &site = access.site;
  const char *name = site.name();
  const std::string called = *name ? text(" (", name, ")") : "";
  const std::string distance = distanceText(access.address, access.bytes, access.base, access.size);
  if (site.argument >= 0) {
    const Argument &argument = arguments_[size_t(site.argument)];
    const std::string which = text(" of argument ", site.argument, called);
    switch (argument.kind) {
    case Argument::Null:
      return text("through the null pointer", which);
    case Argument::Freed:
      return text("in the allocation", which, ", which has been freed: byte ", access.address - argument.begin, " of ",
                  argument.size);
    default: {
      constexpr const char *Kind[] = {"memory", "the buffer", "the sub-buffer",  "the allocation",
                                      "",       "",           "the local memory"};
      return text("outside of ", Kind[argument.kind], which, ", which has ", access.size, " bytes: ", distance);
    }
    }
  }
  if (access.size)
    return text("outside of a ", SpaceName[site.space], " variable", called, ", which has ", access.size,
                " bytes: ", distance);
  if (access.address < FirstAddress)
    return "through a null pointer";
  if (const auto freed = findFreed(access.address))
    return text("in an allocation of ", freed->size, " bytes that has been freed: byte ",
                access.address - freed->begin);
  Ref<kiln::Allocation> found = allocationAt(access.address);
  return found ? text("outside of an allocation, which has ", found->size(),
                      " bytes: ", distanceText(access.address, access.bytes, uintptr_t(found->begin()), found->size()))
               : std::string("outside of every object");
}

std::string LaunchCheck::itemText(const std::array<uint64_t, 3> &item) const {
  std::string global = "(", group = "(", local = "(";
  for (uint32_t d = 0; d < launch_.grid.workDim; ++d) {
    const char *separator = d ? ", " : "";
    uint64_t id = item[d];
    if (id == UnknownId && launch_.grid.globalSize[d] == 1)
      id = launch_.grid.globalOffset[d];
    if (id == UnknownId) {
      for (std::string *text : {&global, &group, &local})
        *text += text->size() > 1 ? ", ?" : "?";
      continue;
    }
    const uint64_t inLaunch = id - launch_.grid.globalOffset[d], size = launch_.requestedLocalSize[d];
    global += text(separator, id);
    group += text(separator, inLaunch / size);
    local += text(separator, inLaunch % size);
  }
  return text("work-item ", global, "), local id ", local, ") in work-group ", group, ")");
}

Finding LaunchCheck::findingAt(const abi::CheckSite &site, const std::array<uint64_t, 3> &item) const {
  Finding finding;
  finding.kernel = info_.name;
  finding.file = site.name() + std::strlen(site.name()) + 1;
  finding.line = site.line, finding.column = site.column;
  finding.access = site.access;
  finding.argument = site.argument;
  finding.item = itemText(item);
  // Clang may name the folder. The text of other files is not known.
  if (finding.file.substr(finding.file.rfind('/') + 1) == protocol::SourceName)
    finding.source = sourceLine(launch_.kernel->program().source(), finding.line);
  for (uint32_t d = 0; d < launch_.grid.workDim; ++d)
    finding.globalId.push_back(item[d] == UnknownId ? launch_.grid.globalOffset[d] : item[d]);
  return finding;
}

} // namespace kiln::check
