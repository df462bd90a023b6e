#include "runtime/check/AccessTracker.h"
#include "base/support/ThreadEnd.h"
#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace kiln::check {
namespace {

constexpr uint16_t LastTime = UINT16_MAX; // a group's time does not go on: its accesses count as ordered
std::atomic<uint64_t> launches{0};

uint64_t idOf(Cell cell) { return cell >> 32; }

// Rows of cells of local memory, which only this thread uses. The loops have no branches, so that they become vectors.
// `barrier` is the time of the last barrier, where cells have theirs.
constexpr Cell ItemMask = 0xffff0000;

#if defined(__x86_64__)
#define KILN_VECTOR_FORMS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define KILN_VECTOR_FORMS
#endif

/// Returns true if each cell is older than the barrier, or of the item that accesses it now.
KILN_VECTOR_FORMS bool areRight(const Cell *cells, size_t count, Cell mine, Cell step, Cell barrier) {
  Cell wrong = 0;
  for (size_t i = 0; i < count; ++i, mine += step) {
    const Cell isOther = (cells[i] ^ mine) & ItemMask;
    wrong |= cells[i] >= barrier ? isOther : 0;
  }
  return wrong == 0;
}

KILN_VECTOR_FORMS void setRow(Cell *cells, size_t count, Cell mine, Cell step) {
  for (size_t i = 0; i < count; ++i, mine += step)
    cells[i] = mine;
}

/// Puts readers into the first row of cells where it has none that is not ordered, else into the second.
KILN_VECTOR_FORMS void addReaders(Cell *first, Cell *second, size_t count, Cell mine, Cell step, Cell barrier) {
  for (size_t i = 0; i < count; ++i, mine += step) {
    const Cell known = first[i];
    const bool isFree = known < barrier || ((known ^ mine) & ItemMask) == 0;
    first[i] = isFree ? mine : known;
    second[i] = isFree ? second[i] : mine;
  }
}

} // namespace

/// How this thread's group has ordered accesses to one kind of memory.
struct AccessTracker::Order {
  uint32_t time = 0, barrier = 0; // the time of the last barrier
  bool isAcquired = false, isAcquiredFromDevice = false;
  bool releasesSoon = false, releasesSoonToDevice = false; // a fence, at the next atomic operation
};

struct AccessTracker::Thread {
  uint64_t serial = 0; // of the launch
  uint64_t group = 0;
  uint64_t firstId = 0;    // of the group's work-items in global cells
  uint32_t groupBegin = 0; // local.time when it began
  bool hasAtomic = false;  // has executed an atomic operation
  Order local, global;
  ShadowCache<1024> globalPages;
  ShadowCache<64> localPages;
  std::unordered_map<uintptr_t, ShadowPage *> ownPages; // of local memory, by number

  void dropLocalPages() noexcept {
    for (const auto &[number, page] : ownPages)
      if (page)
        ShadowPage::release(page);
    ownPages.clear();
    localPages.clear();
  }
};

/// What differs between local and global memory.
template <bool IsLocal> struct AccessTracker::Space {
  AccessTracker &tracker;
  Thread &thread;

  Order &order() const { return IsLocal ? thread.local : thread.global; }
  Cell cellOf(uint64_t item, const abi::CheckSite &site, AtomicScope atomic) const {
    const Cell low = Cell(site.number) << 2 | atomic;
    if (IsLocal)
      return Cell(order().time) << 32 | (item & 0xffff) << 16 | low;
    return (thread.firstId + item) << 32 | Cell(order().time) << 16 | low;
  }
  static Cell step() { return Cell(1) << (IsLocal ? 16 : 32); } // to the next work-item

  static bool isSameItem(Cell a, Cell b) {
    return IsLocal ? (a >> 16 & 0xffff) == (b >> 16 & 0xffff) : idOf(a) == idOf(b);
  }
  bool isSameGroup(Cell a, Cell b) const { return IsLocal || (idOf(a) ^ idOf(b)) >> tracker.itemBits_ == 0; }
  static uint32_t timeOf(Cell cell) { return IsLocal ? uint32_t(cell >> 32) : uint32_t(cell >> 16 & 0xffff); }

  /// Returns true if the earlier access of another work-item happens before one that `mine` does now.
  bool isOrdered(Cell earlier, Cell mine) const {
    const Order &now = order();
    const uint32_t time = timeOf(earlier);
    if (isSameGroup(earlier, mine))
      return time < now.barrier || (now.isAcquired && time < now.time) || (!IsLocal && now.time == LastTime);
    return now.isAcquiredFromDevice && tracker.wasReleased(idOf(earlier) >> tracker.itemBits_, uint16_t(time));
  }
  /// Returns true if nothing is wrong, without a look at what the order is. Most accesses are.
  bool isPlainlyRight(Cell earlier, Cell mine) const {
    if (IsLocal)
      return timeOf(earlier) < order().barrier || isSameItem(earlier, mine);
    return earlier == 0 || isSameItem(earlier, mine) ||
           (isSameGroup(earlier, mine) && timeOf(earlier) < order().barrier);
  }
  bool isRace(Cell earlier, Cell mine) const {
    if (earlier == 0 || isSameItem(earlier, mine) || isOrdered(earlier, mine))
      return false;
    const AtomicScope a = atomicOf(earlier), b = atomicOf(mine);
    if (a != NotAtomic && b != NotAtomic)
      return !isSameGroup(earlier, mine) && (a == AtomicInGroup || b == AtomicInGroup);
    return true;
  }

  ShadowPage *page(uintptr_t number, unsigned granule) const {
    auto &cache = [this]() -> auto & {
      if constexpr (IsLocal)
        return thread.localPages;
      else
        return thread.globalPages;
    }();
    if (ShadowPage *known = cache.find(number); known && known->granule == granule)
      return known;
    ShadowPage *found = nullptr;
    if constexpr (IsLocal)
      found = localPage(number, granule);
    else
      found = tracker.global_.page(number, granule);
    if (found)
      cache.set(number, found);
    return found;
  }
  ShadowPage *localPage(uintptr_t number, unsigned granule) const {
    try {
      ShadowPage *&page = thread.ownPages[number];
      if (page && page->granule != granule) // of an earlier launch
        ShadowPage::release(std::exchange(page, nullptr));
      if (!page)
        page = ShadowPage::acquire(granule);
      return page;
    } catch (const std::bad_alloc &) {
      return nullptr;
    }
  }

  void report(Cell earlier, Cell mine, uintptr_t address) const {
    const abi::CheckSite *first = tracker.sites_[siteOf(earlier)].load(std::memory_order_relaxed);
    const abi::CheckSite *second = tracker.sites_[siteOf(mine)].load(std::memory_order_relaxed);
    tracker.reports_.race({*first, itemOf(earlier)}, {*second, itemOf(mine)}, address);
  }
  ItemId itemOf(Cell cell) const {
    if (IsLocal)
      return {thread.group, cell >> 16 & 0xffff};
    return {idOf(cell) >> tracker.itemBits_, idOf(cell) & ((uint64_t(1) << tracker.itemBits_) - 1)};
  }

  void write(ShadowPage &page, size_t index, Cell mine, uintptr_t address) const {
    std::atomic<Cell> &cell = page.writes()[index];
    const Cell written = cell.load(std::memory_order_relaxed);
    if (tracker.limits_.findsRaces) {
      const Cell read = page.reads()[index].load(std::memory_order_relaxed);
      if (!isPlainlyRight(written, mine) && isRace(written, mine))
        report(written, mine, address);
      if (read) {
        if (!isPlainlyRight(read, mine) && isRace(read, mine))
          report(read, mine, address);
        const Cell other = page.otherReads()[index].load(std::memory_order_relaxed);
        if (other && !isPlainlyRight(other, mine) && isRace(other, mine))
          report(other, mine, address);
      }
    }
    if (!isWeaker(mine, written))
      cell.store(mine, std::memory_order_relaxed);
  }

  /// Returns true if `mine` is an atomic operation of a work-item whose access before is not atomic: more is a race
  /// with that one.
  bool isWeaker(Cell mine, Cell earlier) const {
    return atomicOf(mine) != NotAtomic && atomicOf(earlier) == NotAtomic && earlier != 0 && isSameItem(earlier, mine) &&
           timeOf(earlier) == timeOf(mine);
  }

  void requireWritten(ShadowPage &page, size_t index, Cell mine, uintptr_t address, const abi::CheckSite &site) const {
    const Cell written = page.writes()[index].load(std::memory_order_relaxed);
    if (written == 0 || timeOf(written) < thread.groupBegin)
      tracker.reports_.undefined(site, itemOf(mine), address);
  }

  void read(ShadowPage &page, size_t index, Cell mine, uintptr_t address) const {
    if (!tracker.limits_.findsRaces)
      return;
    const Cell written = page.writes()[index].load(std::memory_order_relaxed);
    if (!isPlainlyRight(written, mine) && isRace(written, mine))
      report(written, mine, address);
    std::atomic<Cell> &cell = page.reads()[index];
    const Cell reader = cell.load(std::memory_order_relaxed);
    if (isWeaker(mine, reader))
      return;
    if (isPlainlyRight(reader, mine) || isOrdered(reader, mine))
      cell.store(mine, std::memory_order_relaxed);
    else
      page.otherReads()[index].store(mine, std::memory_order_relaxed);
  }

  /// The granules that are wholly in the bytes.
  void access(const abi::CheckSite &site, uintptr_t begin, uint64_t bytes, Cell mine, bool needsValue,
              bool writes) const {
    const unsigned granule = site.granule;
    uintptr_t first = (begin + (uintptr_t(1) << granule) - 1) >> granule;
    const uintptr_t end = (begin + bytes) >> granule;
    while (first < end) {
      const unsigned pageBits = ShadowPage::AddressBits - granule;
      const uintptr_t number = first >> pageBits, pageEnd = std::min(end, (number + 1) << pageBits);
      ShadowPage *shadow = page(number, granule);
      for (; first < pageEnd; ++first) {
        const size_t index = first & ((uintptr_t(1) << pageBits) - 1);
        if (!shadow)
          continue;
        if (needsValue)
          requireWritten(*shadow, index, mine, first << granule, site);
        if (writes)
          write(*shadow, index, mine, first << granule);
        else
          read(*shadow, index, mine, first << granule);
      }
    }
  }

  /// Accesses of one granule each, adjacent from lane to lane, all in one page.
  void accessRow(const abi::CheckSite &site, ShadowPage &page, size_t index, uintptr_t begin, uint64_t lanes, Cell mine,
                 bool needsValue, bool writes) const {
    uintptr_t address = begin;
    for (; lanes; lanes >>= 1, ++index, address += uintptr_t(1) << site.granule, mine += step())
      if (lanes & 1) {
        if (needsValue)
          requireWritten(page, index, mine, address, site);
        if (writes)
          write(page, index, mine, address);
        else
          read(page, index, mine, address);
      }
  }

  /// The same for plain accesses of all lanes. Returns false, and changes nothing, if it needs a closer look.
  bool accessLocalRow(ShadowPage &page, size_t index, unsigned count, uint64_t lanes, Cell mine, bool writes) const {
    if (lanes & (lanes + 1) || atomicOf(mine) != NotAtomic || !tracker.limits_.findsRaces)
      return false;
    const auto row = [&](std::atomic<Cell> *cells) { return reinterpret_cast<Cell *>(cells + index); };
    const Cell barrier = Cell(order().barrier) << 32;
    if (!areRight(row(page.writes()), count, mine, step(), barrier))
      return false;
    if (!writes) {
      addReaders(row(page.reads()), row(page.otherReads()), count, mine, step(), barrier);
      return true;
    }
    if (!areRight(row(page.reads()), count, mine, step(), barrier) ||
        !areRight(row(page.otherReads()), count, mine, step(), barrier))
      return false;
    setRow(row(page.writes()), count, mine, step());
    return true;
  }

  void track(const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes, int64_t stride, uint64_t lanes,
             uint64_t item) const {
    const bool isAtomic = site.access == 2;
    const AtomicScope atomic = !isAtomic ? NotAtomic : site.sync & abi::CheckOfDevice ? AtomicInDevice : AtomicInGroup;
    // An atomic read-modify-write operation is a write that conflicts with reads.
    const bool writes = site.access == 1 || (isAtomic && !(site.sync & abi::CheckOnlyReads));
    const bool needsValue = IsLocal && tracker.limits_.findsUndefined && site.access != 1 &&
                            !(site.sync & (abi::CheckOnlyWrites | abi::CheckIsCopy));
    Cell mine = cellOf(item, site, atomic);
    const uint64_t granuleBytes = uint64_t(1) << site.granule;
    const unsigned count = unsigned(std::bit_width(lanes));
    const uintptr_t last = pointer + (count - 1) * granuleBytes;
    if (bytes == granuleBytes && stride == int64_t(bytes) && pointer % granuleBytes == 0 &&
        pointer >> ShadowPage::AddressBits == last >> ShadowPage::AddressBits) {
      ShadowPage *shadow = page(pointer >> ShadowPage::AddressBits, site.granule);
      const size_t index = (pointer & (ShadowPage::Bytes - 1)) >> site.granule;
      if constexpr (IsLocal)
        if (shadow && !needsValue && accessLocalRow(*shadow, index, count, lanes, mine, writes))
          return;
      if (shadow)
        accessRow(site, *shadow, index, pointer, lanes, mine, needsValue, writes);
      return;
    }
    if (stride == 0 && !writes && lanes && !needsValue) // two readers are enough
      lanes = (uint64_t(1) << std::countr_zero(lanes)) | (uint64_t(1) << (count - 1));
    for (; lanes; lanes >>= 1, pointer += uintptr_t(stride), mine += step())
      if (lanes & 1)
        access(site, pointer, bytes, mine, needsValue, writes);
  }
};

AccessTracker::AccessTracker(const Limits &limits, TrackerReports &reports)
    : limits_(limits), reports_(reports), serial_(launches.fetch_add(1, std::memory_order_relaxed) + 1),
      itemBits_(unsigned(std::bit_width(limits.groupItems - 1))),
      sites_(new std::atomic<const abi::CheckSite *>[abi::MaxTrackedSites + size_t(1)]()) {}

AccessTracker::~AccessTracker() { delete[] released_.load(std::memory_order_relaxed); }

AccessTracker::Thread *AccessTracker::thisThread() noexcept {
  static constinit thread_local Thread *own = nullptr; // see ThreadArena for why it is no object
  if (own)
    return own;
  auto made = std::unique_ptr<Thread>(new (std::nothrow) Thread);
  const auto end = [](void *ended) {
    Thread *thread = std::exchange(*static_cast<Thread **>(ended), nullptr);
    thread->dropLocalPages();
    delete thread;
  };
  if (!made || !atThreadEnd<+end>(&own))
    return nullptr;
  return own = made.release();
}

uint64_t AccessTracker::groupOfThisThread() const noexcept {
  const Thread *own = thisThread();
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
  }
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

void AccessTracker::synchronise(uint64_t sync) noexcept {
  Thread *thread = thisThread();
  if (!thread || thread->serial != serial_)
    return;
  Thread &own = *thread;
  if (sync & abi::CheckOfLocal)
    own.local.barrier = ++own.local.time;
  if (sync & abi::CheckOfGlobal) {
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
  constexpr uint8_t LocalSpace = 3;
  Thread *thread = thisThread();
  if (!thread || thread->serial != serial_)
    return;
  Thread &own = *thread;
  if (bytes) {
    std::atomic<const abi::CheckSite *> &known = sites_[site.number];
    if (known.load(std::memory_order_relaxed) != &site)
      known.store(&site, std::memory_order_relaxed);
    if (site.space == LocalSpace)
      Space<true>{*this, own}.track(site, pointer, bytes, stride, lanes, item);
    else if (limits_.findsRaces)
      Space<false>{*this, own}.track(site, pointer, bytes, stride, lanes, item);
  }
  if (site.access == 2 && limits_.findsRaces)
    order(own, site, bytes == 0);
}

} // namespace kiln::check
