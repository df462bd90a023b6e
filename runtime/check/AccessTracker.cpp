#include "runtime/check/AccessTracker.h"
#include "base/support/ThreadEnd.h"
#include "runtime/check/TrackedSpace.h"
#include <algorithm>
#include <bit>
#include <new>
#include <optional>
#include <tuple>
#include <utility>

namespace kiln::check {
namespace {

constexpr uint8_t LocalSpace = 3; // of a CheckSite

/// Returns the distance of adjacent lanes' addresses if it is constant. `lanes` has at least two.
std::optional<int64_t> strideOf(const uintptr_t *pointers, uint64_t lanes) {
  const auto first = unsigned(std::countr_zero(lanes)), second = unsigned(std::countr_zero(lanes & (lanes - 1)));
  const auto distance = int64_t(pointers[second] - pointers[first]);
  const int64_t stride = distance / int64_t(second - first);
  for (uint64_t left = lanes & (lanes - 1); left; left &= left - 1) {
    const auto lane = unsigned(std::countr_zero(left));
    if (pointers[lane] != pointers[first] + uintptr_t(stride) * (lane - first))
      return {};
  }
  return stride;
}
std::atomic<uint64_t> launches{0};

} // namespace

AccessTracker::AccessTracker(const Limits &limits, TrackerReports &reports)
    : limits_(limits),
      // Reads of memory that was never written are found only if accesses are compared in their order.
      localWaits_(limits.findsRaces && !limits.findsUndefined), reports_(reports),
      serial_(launches.fetch_add(1, std::memory_order_relaxed) + 1),
      itemBits_(unsigned(std::bit_width(limits.groupItems - 1))) {}

AccessTracker::~AccessTracker() {
  delete[] released_.load(std::memory_order_relaxed);
  for (const auto &sites : sites_)
    delete sites.load(std::memory_order_relaxed);
}

constinit thread_local AccessTracker::Thread *AccessTracker::current = nullptr;

AccessTracker::Thread *AccessTracker::thisThread() noexcept {
  if (current)
    return current;
  std::unique_ptr<Thread> made;
  try {
    made = std::make_unique<Thread>();
  } catch (const std::bad_alloc &) { // no accesses of this thread are compared
  }
  const auto end = [](void *ended) {
    Thread *thread = std::exchange(*static_cast<Thread **>(ended), nullptr);
    thread->dropLocalPages();
    delete thread;
  };
  if (!made || !atThreadEnd<+end>(&current))
    return nullptr;
  return current = made.release();
}

AccessTracker::Thread *AccessTracker::runningThread() const noexcept {
  Thread *own = current; // made when its group began
  return own && own->serial == serial_ ? own : nullptr;
}

void AccessTracker::noteSite(const abi::CheckSite &site) noexcept {
  auto &place = sites_[site.number / std::tuple_size_v<Sites>];
  Sites *sites = place.load(std::memory_order_acquire);
  if (!sites) {
    Lock lock(mutex_);
    sites = place.load(std::memory_order_relaxed);
    if (!sites)
      place.store(sites = new (std::nothrow) Sites{}, std::memory_order_release);
    if (!sites)
      return; // races of this site are not reported
  }
  auto &known = (*sites)[site.number % std::tuple_size_v<Sites>];
  if (known.load(std::memory_order_relaxed) != &site)
    known.store(&site, std::memory_order_relaxed);
}

const abi::CheckSite *AccessTracker::siteAt(uint16_t number) const noexcept {
  const Sites *sites = sites_[number / std::tuple_size_v<Sites>].load(std::memory_order_acquire);
  return sites ? (*sites)[number % std::tuple_size_v<Sites>].load(std::memory_order_relaxed) : nullptr;
}

uint64_t AccessTracker::groupOfThisThread() const noexcept {
  const Thread *own = current;
  return own ? own->group : 0;
}

bool AccessTracker::hasCells(uint64_t groups, uint64_t groupItems) {
  return groups <= uint64_t(1) << (32 - std::bit_width(groupItems - 1));
}

void AccessTracker::enter(uint64_t group) noexcept {
  Thread *thread = thisThread();
  if (!thread)
    return;
  Thread &own = *thread;
  if (own.serial != serial_) {
    own.serial = serial_;
    own.globalPages.clear();
    own.pattern.clear();
    if (limits_.findsRaces) { // without memory for them, each access is compared at once
      own.pendingLocal.resize(limits_.groupItems, false);
      own.pendingGlobal.resize(limits_.groupItems, true);
    }
  }
  own.pendingLocal.clear(), own.pendingGlobal.clear(); // of a group that a fault has ended
  own.pattern.begin();
  own.hasReported = false;
  own.comparedBegin = UINTPTR_MAX, own.comparedEnd = 0;
  own.group = group;
  own.firstId = group << itemBits_;
  own.hasAtomic = false;
  if (own.local.time >= UINT32_MAX / 2) { // the cells of earlier groups would be of the future
    own.dropLocalPages();
    own.local.time = 0;
  }
  const uint32_t begin = own.local.time + 1;
  own.local = {.time = begin, .barrier = begin};
  own.groupBegin = begin;
  own.global = {};
}

void AccessTracker::settleLocal(Thread &thread) noexcept {
  const PendingAccesses &pending = thread.pendingLocal;
  if (!pending.empty() && (pending.mayAccess(thread.comparedBegin, thread.comparedEnd) || pending.mayConflict()))
    Space<true>{*this, thread}.comparePending();
  thread.pendingLocal.clear();
  thread.comparedBegin = UINTPTR_MAX, thread.comparedEnd = 0;
}

void AccessTracker::leave() noexcept {
  Thread *thread = runningThread();
  if (!thread)
    return;
  Space<false>{*this, *thread}.comparePending();
  if (thread->pattern.follows()) {
    if (thread->pattern.hasNextEnd())
      return;
    leavePattern(*thread);
  }
  settleLocal(*thread);
  thread->pattern.addEnd(!std::exchange(thread->hasReported, false));
}

void AccessTracker::synchronise(uint64_t sync) noexcept {
  Thread *thread = runningThread();
  if (!thread)
    return;
  Thread &own = *thread;
  if (sync & abi::CheckOfLocal) {
    if (!own.pattern.follows() || !own.pattern.hasNextBarrier()) {
      if (own.pattern.follows())
        leavePattern(own);
      settleLocal(own);
      own.pattern.addBarrier(!std::exchange(own.hasReported, false));
    }
    own.local.barrier = ++own.local.time;
  }
  if (sync & abi::CheckOfGlobal) {
    Space<false>{*this, own}.comparePending();
    own.global.time = std::min<uint32_t>(own.global.time + 1, LastTime);
    own.global.barrier = own.global.time;
  }
  if (!(sync & abi::CheckOfDevice))
    return;
  own.global.releasesSoon = own.global.releasesSoonToDevice = true;
  own.global.isAcquired |= own.hasAtomic;
  own.global.isAcquiredFromDevice |= own.hasAtomic;
}

void AccessTracker::release(Thread &own, bool local, bool global, bool ofDevice) noexcept {
  if (local)
    ++own.local.time;
  if (!global)
    return;
  own.global.time = std::min<uint32_t>(own.global.time + 1, LastTime);
  if (!ofDevice)
    return;
  std::atomic<uint16_t> *times = released_.load(std::memory_order_acquire);
  if (!times) {
    Lock lock(mutex_);
    times = released_.load(std::memory_order_relaxed);
    if (!times) {
      times = new (std::nothrow) std::atomic<uint16_t>[limits_.groups]();
      released_.store(times, std::memory_order_release);
    }
  }
  if (times)
    times[own.group].store(uint16_t(own.global.time), std::memory_order_relaxed);
}

bool AccessTracker::wasReleased(uint64_t group, uint16_t time) const noexcept {
  const std::atomic<uint16_t> *times = released_.load(std::memory_order_acquire);
  if (!times)
    return false;
  const uint16_t released = times[group].load(std::memory_order_relaxed);
  return released > time || released == LastTime;
}

void AccessTracker::order(Thread &own, const abi::CheckSite &site, bool isFence) noexcept {
  const bool orders = isFence || site.sync & (abi::CheckReleases | abi::CheckAcquires) || own.local.releasesSoon ||
                      own.global.releasesSoon;
  if (orders) { // those of local memory are still to be compared with others until the next barrier
    Space<true>{*this, own}.comparePending();
    Space<false>{*this, own}.comparePending();
  }
  const bool local = !isFence || site.sync & abi::CheckOfLocal, global = !isFence || site.sync & abi::CheckOfGlobal;
  const bool ofDevice = site.sync & abi::CheckOfDevice;
  if (isFence) {
    if (site.sync & abi::CheckReleases) {
      own.local.releasesSoon |= local;
      own.global.releasesSoon |= global;
      own.global.releasesSoonToDevice |= global && ofDevice;
    }
  } else {
    const bool releases = site.sync & abi::CheckReleases;
    if (!(site.sync & abi::CheckOnlyReads) && (releases || own.local.releasesSoon || own.global.releasesSoon)) {
      const bool toDevice = (releases && ofDevice) || (own.global.releasesSoonToDevice && ofDevice);
      release(own, releases || own.local.releasesSoon, releases || own.global.releasesSoon, toDevice);
    }
    own.hasAtomic = true;
  }
  if (site.sync & abi::CheckAcquires && own.hasAtomic) {
    own.local.isAcquired |= local;
    own.global.isAcquired |= global;
    own.global.isAcquiredFromDevice |= global && ofDevice;
  }
}

void AccessTracker::track(const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes, int64_t stride, uint64_t lanes,
                          uint64_t item) noexcept {
  Thread *thread = runningThread();
  if (!thread || !lanes)
    return;
  const bool isLocal = site.space == LocalSpace;
  if (site.access != 2 && (isLocal ? localWaits_ : limits_.findsRaces)) [[likely]] {
    if (isLocal) {
      if (thread->pattern.follows()) {
        if (thread->pattern.hasNext(site, pointer, bytes, stride, lanes, item)) [[likely]]
          return;
        leavePattern(*thread);
      }
      thread->pattern.add({&site, pointer, nullptr, bytes, stride, lanes, item});
    }
    if ((isLocal ? thread->pendingLocal : thread->pendingGlobal).addToLast(site, pointer, bytes, stride, lanes, item))
      return;
  }
  trackMore(*thread, site, pointer, bytes, stride, lanes, item);
}

bool AccessTracker::trackGroup(const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes, int64_t stride,
                               uint64_t rowItems, int64_t pitch, uint64_t rows) noexcept {
  Thread *thread = runningThread();
  const bool isAdded = thread && limits_.findsRaces && site.access != 2 && site.space != LocalSpace &&
                       thread->pendingGlobal.addRows(site, pointer, bytes, stride, rowItems, pitch, rows);
  if (isAdded)
    noteSite(site);
  return isAdded;
}

void AccessTracker::trackMore(Thread &thread, const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes,
                              int64_t stride, uint64_t lanes, uint64_t item) noexcept {
  if (site.access == 2)
    stopPattern(thread);
  if (bytes) {
    if (site.space == LocalSpace)
      Space<true>{*this, thread}.track(site, pointer, bytes, stride, lanes, item);
    else if (limits_.findsRaces)
      Space<false>{*this, thread}.track(site, pointer, bytes, stride, lanes, item);
  }
  if (site.access == 2 && limits_.findsRaces)
    order(thread, site, bytes == 0);
}

void AccessTracker::trackLanes(const abi::CheckSite &site, const uintptr_t *pointers, uint64_t bytes, uint64_t lanes,
                               uint64_t item) noexcept {
  Thread *thread = runningThread();
  if (!thread || !bytes || !lanes)
    return;
  if (site.access != 2) {
    const auto first = uint64_t(std::countr_zero(lanes));
    if (!(lanes & (lanes - 1)))
      return track(site, pointers[first], bytes, 0, 1, item + first);
    if (const auto stride = strideOf(pointers, lanes))
      return track(site, pointers[first], bytes, *stride, lanes >> first, item + first);
  }
  if (site.access == 2) {
    stopPattern(*thread);
    if (site.space == LocalSpace && localWaits_ && bytes == uint64_t(1) << site.granule && thread->pendingLocal.empty())
      lanes = Space<true>{*this, *thread}.newAtomics(site, pointers, lanes, item);
    if (!lanes)
      return order(*thread, site, false);
  } else if (site.space == LocalSpace && localWaits_) {
    if (thread->pattern.follows()) {
      if (thread->pattern.hasNext(site, pointers, bytes, lanes, item))
        return;
      leavePattern(*thread);
    }
    thread->pattern.add({&site, 0, pointers, bytes, 0, lanes, item});
  }
  if (site.space == LocalSpace)
    Space<true>{*this, *thread}.trackLanes(site, pointers, bytes, lanes, item);
  else if (limits_.findsRaces)
    Space<false>{*this, *thread}.trackLanes(site, pointers, bytes, lanes, item);
  if (site.access == 2 && limits_.findsRaces)
    order(*thread, site, false);
}

void AccessTracker::leavePattern(Thread &thread) noexcept {
  const Space<true> local{*this, thread};
  thread.pattern.leave([&](const LocalPattern::Access &access) {
    if (access.pointers)
      local.trackLanes(*access.site, access.pointers, access.bytes, access.lanes, access.item);
    else
      local.track(*access.site, access.pointer, access.bytes, access.stride, access.lanes, access.item);
  });
}

void AccessTracker::stopPattern(Thread &thread) noexcept {
  if (thread.pattern.follows())
    leavePattern(thread);
  thread.pattern.stop();
}

} // namespace kiln::check
