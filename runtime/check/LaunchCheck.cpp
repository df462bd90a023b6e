#include "runtime/check/LaunchCheck.h"
#include "base/support/Checks.h"
#include "base/support/Log.h"
#include "runtime/check/Redirect.h"
#include "runtime/memory/FreedMemory.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace kiln::check {
namespace {

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

LaunchCheck::LaunchCheck(const CheckTarget &launch, const DeviceObject &device) : LaunchReports(launch, device) {
  check = checkAccess;
  missing = reportMissing;
  enter = enterGroup, synchronise = synchroniseGroup, track = trackAccess, undefinedPrivate = reportPrivate;
  outsideImage = reportOutside, misaligned = reportMisaligned, wrongNumber = reportNumber;
  leave = leaveGroup, LaunchCheck::CheckLaunch::trackLanes = LaunchCheck::trackLanes;
  LaunchCheck::CheckLaunch::trackGroup = LaunchCheck::trackGroup;
  for (const Argument &argument : arguments_)
    ranges_.push_back({argument.begin, argument.allowedBytes(), 0});
  if (checks().tracks())
    startTracking();
  if (checks().memory)
    reportMapped();
  ranges = ranges_.data();
  comparesLocal = 1;
}

LaunchCheck::~LaunchCheck() {
  if (!written_.empty() && !notesAccesses_)
    for (const auto &uses : {launch_.uses, launch_.captured})
      for (const MemoryUse &use : uses)
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
  for (size_t d = 0; d < 3; ++d) {
    hasEqualGroups_ &= launch_.grid.globalSize[d] % launch_.grid.localSize[d] == 0;
    groups *= groups_[d] = (launch_.grid.globalSize[d] - 1) / launch_.grid.localSize[d] + 1;
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
      ranges_[index].tracked =
          abi::CheckTracksReads | abi::CheckTracksWrites | (hasOwnMemory(index) ? 0 : abi::CheckTracksOwn);
  if (checks().init)
    startInit();
  else
    track = trackForRaces;
}

void LaunchCheck::startInit() {
  written_.resize(arguments_.size());
  for (const MemoryUse &use : launch_.uses)
    if (use.argument >= 0 && startInit(size_t(use.argument), *use.object))
      ranges_[size_t(use.argument)].tracked = abi::CheckTracksReads | abi::CheckTracksWrites | abi::CheckTracksOwn;
  for (size_t index = 0; index < arguments_.size(); ++index) // of a block, whose pointers are in memory
    if (arguments_[index].captured)
      startInit(index, *arguments_[index].captured->object);
}

bool LaunchCheck::startInit(size_t argument, MemObject &object) {
  WrittenBytes *written = object.storage().written();
  const size_t begin = object.storage().offset(), end = begin + object.size();
  if (!written || written->firstUnwritten(begin, end) == end)
    return false;
  written_[argument] = {written, begin};
  return true;
}

void LaunchCheck::trackWritten(const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes, int64_t stride,
                               uint64_t lanes, uint64_t item) {
  if (site.argument >= 0 && !written_[size_t(site.argument)].bytes)
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
  if (site.argument < 0) // a pointer that the kernel has chosen, or loaded
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

bool LaunchCheck::overlap(const Argument &a, const Argument &b) {
  if (a.kind == Argument::Any || b.kind == Argument::Any)
    return true;
  return a.begin < b.begin ? b.begin - a.begin < a.size : a.begin - b.begin < b.size;
}

bool LaunchCheck::hasOwnMemory(size_t index) const {
  if (info_.plan.traits & TraitFollowsPointers)
    return false;
  for (size_t other = 0; other < info_.args.size(); ++other)
    if (other != index && isPointer(info_.args[other].kind) && overlap(arguments_[index], arguments_[other]))
      return false;
  return true;
}

bool LaunchCheck::maySeeWrites(size_t index) const {
  if (info_.plan.traits & TraitFollowsPointers)
    return true;
  for (size_t other = 0; other < info_.args.size(); ++other)
    if (isPointer(info_.args[other].kind) && info_.args[other].written &&
        (other == index || overlap(arguments_[index], arguments_[other])))
      return true;
  return false;
}

void *LaunchCheck::checkAccess(const abi::CheckLaunch *launch, const abi::CheckSite *site, void *pointer, void *base,
                               uint64_t size, uint64_t bytes, uint64_t x, uint64_t y, uint64_t z) {
  const auto &self = static_cast<const LaunchCheck &>(*launch);
  const Access access{*site, uintptr_t(pointer), uintptr_t(base), size, bytes, {x, y, z}};
  if (!bytes || self.isAccepted(access))
    return pointer;
  try {
    Finding finding = self.findingOf(access);
    const bool isPrivate = site->argument < 0 && size && !base;
    finding.address = isPrivate ? 0 : access.address; // of a private variable it is an offset
    Findings::get().add(std::move(finding));
  } catch (const std::bad_alloc &) { // the report is lost
  }
  return redirected(bytes, site->access == 0);
}

void LaunchCheck::reportOutside(const abi::CheckLaunch *launch, const abi::CheckSite *site, const abi::Image *image,
                                double x, double y, double z, uint64_t globalX, uint64_t globalY, uint64_t globalZ) {
  const auto &self = static_cast<const LaunchCheck &>(*launch);
  try {
    Findings::get().add(self.findingOfOutside(*site, image, {x, y, z}, {globalX, globalY, globalZ}));
  } catch (const std::bad_alloc &) { // the report is lost
  }
}

void LaunchCheck::reportMisaligned(const abi::CheckLaunch *launch, const abi::CheckSite *site, void *pointer,
                                   uint64_t x, uint64_t y, uint64_t z) {
  const auto &self = static_cast<const LaunchCheck &>(*launch);
  try {
    Findings::get().add(self.findingOfMisaligned(*site, uintptr_t(pointer), {x, y, z}));
  } catch (const std::bad_alloc &) { // the report is lost
  }
}

void LaunchCheck::reportMissing(const abi::CheckLaunch *launch, const abi::CheckSite *site, uint64_t x, uint64_t y,
                                uint64_t z) {
  try {
    Findings::get().add(static_cast<const LaunchCheck &>(*launch).findingOfMissing(*site, {x, y, z}));
  } catch (const std::bad_alloc &) { // the report is lost
  }
}

void LaunchCheck::reportNumber(const abi::CheckLaunch *launch, const abi::CheckSite *site, uint64_t number,
                               uint64_t limit, uint64_t x, uint64_t y, uint64_t z) {
  try {
    Findings::get().add(static_cast<const LaunchCheck &>(*launch).findingOfNumber(*site, number, limit, {x, y, z}));
  } catch (const std::bad_alloc &) { // the report is lost
  }
}

void LaunchCheck::enterGroup(const abi::CheckLaunch *launch, uint64_t x, uint64_t y, uint64_t z) {
  auto &self = const_cast<LaunchCheck &>(static_cast<const LaunchCheck &>(*launch));
  self.notesAccesses_.store(true, std::memory_order_relaxed);
  if (self.tracker_)
    self.tracker_->enter((z * self.groups_[1] + y) * self.groups_[0] + x);
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
  if (bytes && site->space == Global && !self.written_.empty())
    self.trackWritten(*site, uintptr_t(pointer), bytes, stride, lanes, item);
  self.tracker_->track(*site, uintptr_t(pointer), bytes, stride, lanes, item);
}

void LaunchCheck::trackForRaces(const abi::CheckLaunch *launch, const abi::CheckSite *site, void *pointer,
                                uint64_t bytes, int64_t stride, uint64_t lanes, uint64_t item) {
  auto &self = const_cast<LaunchCheck &>(static_cast<const LaunchCheck &>(*launch));
  self.tracker_->track(*site, uintptr_t(pointer), bytes, stride, lanes, item);
}

void LaunchCheck::trackLanes(const abi::CheckLaunch *launch, const abi::CheckSite *site, const uintptr_t *pointers,
                             uint64_t bytes, uint64_t lanes, uint64_t item) {
  auto &self = const_cast<LaunchCheck &>(static_cast<const LaunchCheck &>(*launch));
  if (!self.tracker_)
    return;
  if (site->space == Global && !self.written_.empty())
    for (uint64_t left = lanes; left; left &= left - 1) {
      const auto lane = unsigned(std::countr_zero(left));
      self.trackWritten(*site, pointers[lane], bytes, 0, 1, item + lane);
    }
  self.tracker_->trackLanes(*site, pointers, bytes, lanes, item);
}

uint64_t LaunchCheck::trackGroup(const abi::CheckLaunch *launch, const abi::CheckSite *site, void *pointer,
                                 uint64_t bytes, int64_t stride, uint64_t rowItems, int64_t pitch, uint64_t rows) {
  auto &self = const_cast<LaunchCheck &>(static_cast<const LaunchCheck &>(*launch));
  const bool findsUnwritten = !self.written_.empty(); // in the order of the accesses
  return self.tracker_ && !findsUnwritten &&
         self.tracker_->trackGroup(*site, uintptr_t(pointer), bytes, stride, rowItems, pitch, rows);
}

void LaunchCheck::leaveGroup(const abi::CheckLaunch *launch) {
  auto &self = const_cast<LaunchCheck &>(static_cast<const LaunchCheck &>(*launch));
  if (!self.tracker_)
    return;
  self.tracker_->leave();
  if (self.hasEqualGroups_ && !self.hasLocalRace_.load(std::memory_order_relaxed))
    __atomic_store_n(&self.comparesLocal, 0, __ATOMIC_RELAXED);
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
  if (second.site.space == Local)
    hasLocalRace_.store(true, std::memory_order_relaxed);
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
    addCreation(finding, creationOf(second.site, address));
    return finding;
  });
}

void LaunchCheck::undefined(const abi::CheckSite &site, const ItemId &item, uintptr_t address) noexcept {
  addOnce(&site, nullptr, [&] {
    Finding finding = findingAt(site, globalIdOf(item));
    finding.check = "init";
    const Argument buffer = site.argument < 0 && site.space == Global ? objectAt(address) : Argument();
    const std::string place =
        buffer.isLive() ? text("a buffer: byte ", address - buffer.begin) : placeOf(site, address);
    finding.what = text("reads memory that was never written: ", place);
    finding.address = address;
    addCreation(finding, creationOf(site, address));
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

bool LaunchCheck::isAccepted(const Access &access) const {
  const bool isUnknown = access.site.argument < 0 && !access.size;
  if (isUnknown) {
    if (access.address < FirstAddress)
      return false;
    if (access.site.space != Global && access.site.space != Constant && access.site.space != Generic)
      return true;
    if (isInSomeObject(access.address, access.bytes))
      return true;
    // Address arithmetic stays in the object that the pointer points into (C99 6.5.6p8).
    return !findFreed(access.address) && !pointedInto(access).isLive();
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

} // namespace kiln::check
