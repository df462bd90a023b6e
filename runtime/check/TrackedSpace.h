// The part of the tracker that compares accesses with cells and rows: the state of a thread, and what is different
// between local and global memory. Only AccessTracker.cpp includes it.
#pragma once
#include "base/abi/KernelAbi.h"
#include "runtime/check/AccessTracker.h"
#include "runtime/check/GlobalShadow.h"
#include "runtime/check/LocalPattern.h"
#include "runtime/check/PendingAccesses.h"
#include "runtime/check/ShadowRows.h"
#include <algorithm>
#include <bit>
#include <new>
#include <type_traits>
#include <utility>

namespace kiln::check {

inline constexpr uint16_t LastTime = UINT16_MAX; // a group's time does not go on: its accesses count as ordered

inline uint64_t idOf(Cell cell) { return cell >> 32; }

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
  PendingAccesses pendingLocal, pendingGlobal;
  LocalPattern pattern;
  bool hasReported = false;                               // a race of local memory in this interval
  uintptr_t comparedBegin = UINTPTR_MAX, comparedEnd = 0; // local memory that has cells of this time
  ShadowCache<RowPage, 1024> globalPages;
  ShadowCache<ShadowPage, 64> localPages;
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
  PendingAccesses &pending() const { return IsLocal ? thread.pendingLocal : thread.pendingGlobal; }
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

  /// Null if there is no memory.
  auto *page(uintptr_t number, unsigned granule) const {
    if constexpr (IsLocal) {
      ShadowPage *known = thread.localPages.find(number);
      if (!known || known->granule != granule)
        thread.localPages.set(number, known = localPage(number, granule));
      return known;
    } else {
      RowPage *known = thread.globalPages.find(number);
      if (!known || known->granule() != granule)
        thread.globalPages.set(number, known = tracker.global_.page(number, granule));
      return known;
    }
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
    thread.hasReported |= IsLocal;
    const abi::CheckSite *first = tracker.siteAt(siteOf(earlier)), *second = tracker.siteAt(siteOf(mine));
    if (first && second)
      tracker.reports_.race({*first, itemOf(earlier)}, {*second, itemOf(mine)}, address);
  }
  ItemId itemOf(Cell cell) const {
    if (IsLocal)
      return {thread.group, cell >> 16 & 0xffff};
    return {idOf(cell) >> tracker.itemBits_, idOf(cell) & ((uint64_t(1) << tracker.itemBits_) - 1)};
  }

  /// The cells of one granule.
  struct Granule {
    Cell &written, &reader, &otherReader;
  };
  void write(const Granule &cells, Cell mine, uintptr_t address) const {
    if (cells.written == mine) // accesses of others since then were compared with it
      return;
    if (isRepeated(cells, mine))
      return;
    if (tracker.limits_.findsRaces)
      for (Cell earlier : {writtenByOther(cells, mine), isOfTwo(cells) ? 0 : cells.reader, cells.otherReader})
        compare(earlier, mine, address);
    const bool isAfterAtomic = isAtomicAtOneTime(cells.written, mine);
    if (isWeaker(mine, cells.written) || (isAfterAtomic && isOfTwo(cells)))
      return;
    if (isAfterAtomic && !isSameItem(cells.written, mine) && timeOf(cells.reader) < order().barrier)
      cells.reader = cells.written, mine |= OfTwo;
    cells.written = mine;
  }

  /// A bit of the last write of local memory, after the bits of work-items: two of them have executed atomic operations
  /// at that time, and the cell of the other one is that of a reader. So an access that is not atomic is a race with
  /// one of them, whichever work-item it is of.
  static constexpr Cell OfTwo = Cell(1) << 31;
  static_assert(abi::MaxCpuGroupSize <= 1 << 15, "a work-item has 15 bits");
  bool isOfTwo(const Granule &cells) const {
    return IsLocal && (cells.written & OfTwo) != 0 && timeOf(cells.written) >= order().barrier;
  }
  /// The cell of the last write; of two, that of another work-item than the one of `mine`.
  Cell writtenByOther(const Granule &cells, Cell mine) const {
    if (!isOfTwo(cells))
      return cells.written;
    const Cell last = cells.written & ~OfTwo;
    return isSameItem(last, mine) ? cells.reader : last;
  }
  static constexpr Cell ItemsAndSites = 0xfffffffc; // of a cell of local memory
  /// Returns true if both are atomic operations at the same time and with the same scope.
  static bool isAtomicAtOneTime(Cell written, Cell mine) {
    return IsLocal && atomicOf(mine) != NotAtomic && ((written ^ mine) & ~ItemsAndSites) == 0;
  }
  /// Returns true if two work-items have executed such operations, and nothing has read the bytes since then. Kernels
  /// count in local memory in this way.
  bool isRepeated(const Granule &cells, Cell mine) const {
    return IsLocal && atomicOf(mine) != NotAtomic &&
           ((cells.written ^ (mine | OfTwo)) & (~ItemsAndSites | OfTwo)) == 0 &&
           timeOf(cells.otherReader) < order().barrier;
  }
  /// Returns the lanes whose atomic operations are not repeated. `bytes`: one granule.
  uint64_t newAtomics(const abi::CheckSite &site, const uintptr_t *pointers, uint64_t lanes, uint64_t item) const {
    uint64_t others = 0;
    for (uint64_t left = lanes; left;) {
      const auto lane = unsigned(std::countr_zero(left));
      const uintptr_t number = pointers[lane] >> ShadowPage::AddressBits;
      ShadowPage *shadow = thread.localPages.find(number);
      LaneSets found{.inPage = uint64_t(1) << lane, .repeated = 0};
      if (shadow && shadow->granule == site.granule)
        found = LocalRows::repeatedAtomics(*shadow, {.pointers = pointers,
                                                     .count = unsigned(std::bit_width(lanes)),
                                                     .begin = number << ShadowPage::AddressBits,
                                                     .granule = site.granule,
                                                     .mine = cellOf(item, site),
                                                     .barrier = Cell(order().barrier) << 32});
      others |= left & found.inPage & ~found.repeated;
      left &= ~found.inPage;
    }
    return others;
  }
  void compare(Cell earlier, Cell mine, uintptr_t address) const {
    if (earlier && !isPlainlyRight(earlier, mine) && isRace(earlier, mine))
      report(earlier, mine, address);
  }

  /// Returns true if `mine` is an atomic operation of a work-item whose access before is not atomic: more is a race
  /// with that one.
  bool isWeaker(Cell mine, Cell earlier) const {
    return atomicOf(mine) != NotAtomic && atomicOf(earlier) == NotAtomic && earlier != 0 && isSameItem(earlier, mine) &&
           timeOf(earlier) == timeOf(mine);
  }

  void requireWritten(const Granule &cells, Cell mine, uintptr_t address, const abi::CheckSite &site) const {
    if (cells.written == 0 || timeOf(cells.written) < thread.groupBegin)
      tracker.reports_.undefined(site, itemOf(mine), address);
  }

  void read(const Granule &cells, Cell mine, uintptr_t address) const {
    if (!tracker.limits_.findsRaces || cells.reader == mine)
      return;
    compare(writtenByOther(cells, mine), mine, address);
    if (isWeaker(mine, cells.reader))
      return;
    const bool isFree = !isOfTwo(cells) && (isPlainlyRight(cells.reader, mine) || isOrdered(cells.reader, mine));
    (isFree ? cells.reader : cells.otherReader) = mine;
  }

  /// What all accesses of a site have in common.
  struct Kind {
    const abi::CheckSite &site;
    bool needsValue, writes;
  };
  Kind kindOf(const abi::CheckSite &site) const {
    // An atomic read-modify-write operation is a write that conflicts with reads.
    const bool isAtomic = site.access == 2;
    const bool writes = site.access == 1 || (isAtomic && !(site.sync & abi::CheckOnlyReads));
    const bool needsValue = IsLocal && tracker.limits_.findsUndefined && site.access != 1 &&
                            !(site.sync & (abi::CheckOnlyWrites | abi::CheckIsCopy));
    return {site, needsValue, writes};
  }
  Cell cellOf(uint64_t item, const abi::CheckSite &site) const {
    return cellOf(item, site,
                  site.access != 2                 ? NotAtomic
                  : site.sync & abi::CheckOfDevice ? AtomicInDevice
                                                   : AtomicInGroup);
  }

  void accessGranule(const Kind &kind, const Granule &cells, uintptr_t address, Cell mine) const {
    if (kind.needsValue)
      requireWritten(cells, mine, address, kind.site);
    if (kind.writes)
      write(cells, mine, address);
    else
      read(cells, mine, address);
  }

  /// The page that accesses have used last. One of global memory is locked.
  struct HeldPage {
    using Page = std::conditional_t<IsLocal, ShadowPage, RowPage>;
    uintptr_t number = UINTPTR_MAX;
    Page *page = nullptr;
    HeldPage() = default;
    HeldPage(const HeldPage &) = delete;
    ~HeldPage() { set(UINTPTR_MAX, nullptr); }
    void set(uintptr_t newNumber, Page *newPage) {
      if constexpr (!IsLocal) {
        if (page)
          page->unlock();
        if (newPage)
          newPage->lock();
      }
      number = newNumber, page = newPage;
    }
  };

  // ---- local memory: cells

  /// The granules that are wholly in the bytes.
  void access(const Kind &kind, uintptr_t begin, uint64_t bytes, Cell mine, HeldPage &held) const {
    const unsigned granule = kind.site.granule;
    uintptr_t first = (begin + (uintptr_t(1) << granule) - 1) >> granule;
    const uintptr_t end = (begin + bytes) >> granule;
    if constexpr (!IsLocal) {
      accessRows(kind, first, end, mine, held);
    } else {
      const unsigned pageBits = ShadowPage::AddressBits - granule;
      for (; first < end; ++first) {
        if (first >> pageBits != held.number)
          held.set(first >> pageBits, page(first >> pageBits, granule));
        if (held.page)
          accessGranule(kind, granuleOf(*held.page, first & ((uintptr_t(1) << pageBits) - 1)), first << granule, mine);
      }
    }
  }
  static Granule granuleOf(ShadowPage &page, size_t index) {
    return {page.writes()[index], page.reads()[index], page.otherReads()[index]};
  }

  /// Accesses of one granule each, adjacent from lane to lane, all in one page.
  void accessRow(const Kind &kind, ShadowPage &page, size_t index, uintptr_t begin, CellRow row) const {
    if (!kind.needsValue && accessPlainRow(kind, page, index, row))
      return;
    for (uintptr_t address = begin; row.lanes; row.lanes >>= 1, ++index, row.mine += step()) {
      if (row.lanes & 1)
        accessGranule(kind, granuleOf(page, index), address, row.mine);
      address += uintptr_t(1) << kind.site.granule;
    }
  }

  /// Returns false, and changes nothing, if the accesses need a closer look.
  bool accessPlainRow(const Kind &kind, ShadowPage &page, size_t index, const CellRow &row) const {
    Cell *writes = page.writes() + index, *reads = page.reads() + index, *otherReads = page.otherReads() + index;
    if (atomicOf(row.mine) != NotAtomic || !tracker.limits_.findsRaces || order().isAcquired ||
        !LocalRows::areRight(writes, row))
      return false;
    if (!kind.writes) {
      LocalRows::addReaders(reads, otherReads, row);
      return true;
    }
    if (!LocalRows::areRight(reads, row) || !LocalRows::areRight(otherReads, row))
      return false;
    LocalRows::set(writes, row);
    return true;
  }

  /// The same for lanes of one granule each that are adjacent.
  void accessAdjacent(const Kind &kind, uintptr_t pointer, uint64_t lanes, Cell mine) const {
    const unsigned granule = kind.site.granule;
    const auto count = unsigned(std::bit_width(lanes));
    for (unsigned done = 0; done < count;) {
      const uintptr_t begin = pointer + (uintptr_t(done) << granule);
      const size_t index = (begin & (ShadowPage::Bytes - 1)) >> granule;
      const auto inPage = std::min(count - done, unsigned((ShadowPage::Bytes >> granule) - index));
      const uint64_t own = lanes >> done & (~uint64_t(0) >> (64 - inPage));
      if constexpr (IsLocal)
        if (ShadowPage *shadow = page(begin >> ShadowPage::AddressBits, granule))
          accessRow(kind, *shadow, index, begin, {inPage, own, mine + done * step(), Cell(order().barrier) << 32});
      done += inPage;
    }
  }

  // ---- global memory: rows

  /// The granules [first, end), by one work-item.
  void accessRows(const Kind &kind, uintptr_t first, uintptr_t end, Cell mine, HeldPage &held) const {
    while (first < end) {
      const uintptr_t row = first >> ShadowRow::GranuleBits << ShadowRow::GranuleBits,
                      rowEnd = std::min(end, row + ShadowRow::Granules);
      const unsigned mask = (2u << (rowEnd - 1 - row)) - (1u << (first - row));
      accessRow(kind, row, uint16_t(mask), mine, ShadowRow::GranuleBits, held);
      first = rowEnd;
    }
  }

  /// Lanes that are `size` granules apart, a power of two, and have `count` granules each, which are in a multiple of
  /// `size`. `first`: the first granule.
  void accessStrided(const Kind &kind, uintptr_t first, unsigned size, unsigned count, uint64_t lanes, Cell mine,
                     HeldPage &held) const {
    const auto shift = unsigned(std::countr_zero(size));
    const uintptr_t last = first + uintptr_t(std::bit_width(lanes) - 1) * size + count - 1;
    for (uintptr_t row = first >> ShadowRow::GranuleBits; row <= last >> ShadowRow::GranuleBits; ++row) {
      const uintptr_t rowFirst = row << ShadowRow::GranuleBits;
      const auto distance = int64_t(rowFirst >> shift) - int64_t(first >> shift); // in work-items
      uint64_t own = distance >= 0 ? lanes >> distance : lanes << -distance;
      own &= (uint64_t(1) << (ShadowRow::Granules >> shift)) - 1;
      unsigned mask = unsigned(own);
      if (size > 1) {
        mask = 0;
        const unsigned ofOne = ((1u << count) - 1) << (first & (size - 1));
        for (; own; own &= own - 1)
          mask |= ofOne << (unsigned(std::countr_zero(own)) << shift);
      }
      if (mask)
        accessRow(kind, rowFirst, uint16_t(mask), mine + step() * Cell(distance), shift, held);
    }
  }

  /// A granule that all lanes read.
  void accessShared(const Kind &kind, uintptr_t granule, uint64_t lanes, Cell mine, HeldPage &held) const {
    if constexpr (!IsLocal) {
      const uintptr_t inRow = granule & (ShadowRow::Granules - 1);
      const auto mask = uint16_t(1u << inRow);
      accessRow(kind, granule - inRow, mask, mine - inRow * step(), 0, held);
      if (const unsigned last = unsigned(std::bit_width(lanes)) - 1)
        accessRow(kind, granule - inRow, mask, mine + (last - inRow) * step(), 0, held);
    }
  }
  /// Returns true if a read of these granules need not be kept. After a barrier it takes the place of the group's
  /// reader before it, with which later writes of the group are ordered.
  bool isSettled(const ShadowRow &row, unsigned mask) const { return !(mask & ~row.settled) && order().time == 0; }
  bool isSettled(const Kind &kind, uintptr_t granule, HeldPage &held) const {
    if constexpr (!IsLocal) {
      const uintptr_t inRow = granule & (ShadowRow::Granules - 1);
      const ShadowRow *row = rowOf(kind, granule - inRow, held);
      return row && isSettled(*row, 1u << inRow);
    }
    return false;
  }

  /// The row with this first granule, whose page stays locked; null if there is no memory.
  [[gnu::always_inline]] ShadowRow *rowOf(const Kind &kind, uintptr_t rowFirst, HeldPage &held) const {
    const uintptr_t address = rowFirst << kind.site.granule, number = address >> RowPage::AddressBits;
    if (number != held.number)
      held.set(number, page(number, kind.site.granule));
    if (!held.page)
      return nullptr;
    ShadowRow &row = held.page->row(address);
    if (row.launch != uint32_t(tracker.serial_))
      row.masks = {}, row.writes = 0, row.settled = 0, row.launch = uint32_t(tracker.serial_);
    return &row;
  }

  /// Granules of one row; of `granule` >> `shift` in it are those of the work-item of `mine` and that number.
  void accessRow(const Kind &kind, uintptr_t rowFirst, uint16_t mask, Cell mine, unsigned shift, HeldPage &held) const {
    if constexpr (!IsLocal) {
      ShadowRow *found = rowOf(kind, rowFirst, held);
      if (!found)
        return;
      ShadowRow &row = *found;
      if (!kind.writes && isSettled(row, mask))
        return;
      const uintptr_t address = rowFirst << kind.site.granule;
      if ((row.own || !addToMaps(row, kind.writes, mask, mine, shift)) && (row.own || held.page->divide(row)))
        for (unsigned left = mask; left; left &= left - 1) {
          const auto granule = unsigned(std::countr_zero(left));
          accessGranule(kind, {row.own->writes[granule], row.own->reads[granule], row.own->otherReads[granule]},
                        address + (uintptr_t(granule) << kind.site.granule), mine + step() * (granule >> shift));
        }
    }
  }

  /// Returns true if the granules of a map were accessed by this group before its last barrier.
  bool isBeforeBarrier(const ShadowRow &row, unsigned map, unsigned granules) const {
    const Cell first = row.cellOf(map, unsigned(std::countr_zero(granules))),
               last = row.cellOf(map, unsigned(std::bit_width(granules)) - 1), own = Cell(thread.firstId) << 32;
    return timeOf(row.cells[map]) < order().barrier && isSameGroup(first, own) && isSameGroup(last, own);
  }

  /// Returns false if the accesses need a closer look, or have no place in the maps.
  bool addToMaps(ShadowRow &row, bool writes, uint16_t mask, Cell mine, unsigned shift) const {
    unsigned replaced = 0, readers = 0, hasTwo = 0; // maps; granules
    Cell reader = 0;                                // of the readers' last map
    unsigned ofReader = 0;                          // granules of that map, if a plain access of one group
    for (unsigned map = 0; map < ShadowRow::Maps; ++map) {
      const unsigned both = row.masks[map] & mask;
      if (!both)
        continue;
      const Cell known = row.cells[map];
      const bool isOfWrite = row.writes >> map & 1, isSame = row.shifts[map] == shift && isSameItem(known, mine);
      if (isSame || isBeforeBarrier(row, map, both)) {
        if (atomicOf(mine) != NotAtomic && atomicOf(known) == NotAtomic)
          return false;
        replaced |= isOfWrite == writes ? 1u << map : 0;
      } else if (atomicOf(known) == AtomicInDevice && atomicOf(mine) == AtomicInDevice) {
        replaced |= isOfWrite == writes ? 1u << map : 0;
      } else if (isOfWrite || writes) {
        return false;
      } else { // two readers are enough, unless both are of one other group
        const Cell first = row.cellOf(map, unsigned(std::countr_zero(both))),
                   last = row.cellOf(map, unsigned(std::bit_width(both)) - 1);
        const bool areOfOneOther =
            !isSameGroup(first, last) || (isSameGroup(reader, first) && !isSameGroup(first, mine));
        if (reader && !areOfOneOther)
          hasTwo |= readers & both;
        const unsigned ofGroup = isSameGroup(first, last) && atomicOf(known) == NotAtomic ? both : 0;
        if (!isSameGroup(reader, first))
          row.settled |= uint16_t(ofReader & ofGroup);
        readers |= both;
        reader = first, ofReader = ofGroup;
      }
    }
    for (unsigned map = 0; map < ShadowRow::Maps; ++map)
      if (replaced >> map & 1)
        row.masks[map] &= uint16_t(~mask);
    mask &= uint16_t(~hasTwo);
    if (!mask)
      return true;
    unsigned place = ShadowRow::Maps;
    for (unsigned map = 0; map < ShadowRow::Maps; ++map) {
      if (!row.masks[map]) {
        place = map;
      } else if (row.cells[map] == mine && row.shifts[map] == shift && (row.writes >> map & 1) == writes) {
        row.masks[map] |= mask;
        return true;
      }
    }
    if (place == ShadowRow::Maps)
      return false;
    row.cells[place] = mine, row.masks[place] = mask, row.shifts[place] = uint8_t(shift);
    row.writes = uint8_t((row.writes & ~(1u << place)) | unsigned(writes) << place);
    return true;
  }

  // ----

  /// Compares accesses with the cells. The work-item `item` + n accesses `pointer` + n * `stride`.
  void compareWithCells(const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes, int64_t stride, uint64_t lanes,
                        uint64_t item) const {
    HeldPage held;
    compareWithCells(kindOf(site), pointer, bytes, stride, lanes, item, held);
  }
  void compareWithCells(const Kind &kind, uintptr_t pointer, uint64_t bytes, int64_t stride, uint64_t lanes,
                        uint64_t item, HeldPage &held) const {
    const abi::CheckSite &site = kind.site;
    const auto skipped = uint64_t(std::countr_zero(lanes));
    lanes >>= skipped, pointer += uintptr_t(stride) * skipped, item += skipped;
    Cell mine = cellOf(item, site);
    const uint64_t granuleBytes = uint64_t(1) << site.granule;
    const bool isAligned = (pointer | bytes | uint64_t(stride)) % granuleBytes == 0;
    if (IsLocal && isAligned && bytes == granuleBytes && stride == int64_t(bytes))
      return accessAdjacent(kind, pointer, lanes, mine);
    if (!IsLocal && isAligned && stride > 0 && std::has_single_bit(uint64_t(stride))) {
      const uint64_t size = uint64_t(stride) / granuleBytes, count = bytes / granuleBytes;
      const uintptr_t first = pointer / granuleBytes;
      if (size <= ShadowRow::Granules && (first & (size - 1)) + count <= size)
        return accessStrided(kind, first, unsigned(size), unsigned(count), lanes, mine, held);
    }
    if (stride == 0 && !kind.writes && !kind.needsValue) { // two readers are enough
      if (!IsLocal && isAligned && bytes == granuleBytes)
        return accessShared(kind, pointer / granuleBytes, lanes, mine, held);
      lanes = 1 | uint64_t(1) << (std::bit_width(lanes) - 1);
    }
    for (; lanes; lanes >>= 1, pointer += uintptr_t(stride), mine += step())
      if (lanes & 1)
        access(kind, pointer, bytes, mine, held);
  }

  void compareWithCells(const PendingAccesses::Entry &entry) const {
    const Kind kind = kindOf(*entry.site);
    HeldPage held;
    const uintptr_t granuleBytes = uintptr_t(1) << kind.site.granule;
    const bool isShared = !IsLocal && entry.stride == 0 && !entry.writes() && entry.bytes == granuleBytes &&
                          (entry.base | uintptr_t(entry.rowStep)) % granuleBytes == 0;
    pending().forEachRun(
        entry,
        [&](uintptr_t pointer, uint64_t lanes, uint64_t item) {
          if (!isShared)
            return compareWithCells(kind, pointer, entry.bytes, entry.stride, lanes, item, held);
          const auto first = unsigned(std::countr_zero(lanes));
          accessShared(kind, pointer / granuleBytes, lanes >> first, cellOf(item + first, kind.site), held);
        },
        [&](uintptr_t pointer) { return isShared && isSettled(kind, pointer >> kind.site.granule, held); });
    noteCompared(entry.lowest(), entry.highest());
  }
  void noteCompared(uintptr_t begin, uintptr_t end) const {
    if constexpr (IsLocal) {
      thread.comparedBegin = std::min(thread.comparedBegin, begin);
      thread.comparedEnd = std::max(thread.comparedEnd, end);
    }
  }
  /// Compares all accesses that wait.
  void comparePending() const {
    for (const PendingAccesses::Entry &entry : pending().entries())
      compareWithCells(entry);
    pending().clear();
  }
  /// Compares them before another access of the same bytes, so that they are compared in their order.
  void comparePendingOf(uintptr_t begin, uintptr_t end) const {
    constexpr size_t FewEntries = 32; // a look at each would take as long as the comparison
    if (!pending().empty() && (pending().entries().size() > FewEntries || pending().mayAccess(begin, end)))
      comparePending();
  }

  void track(const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes, int64_t stride, uint64_t lanes,
             uint64_t item) const {
    if (site.access != 2 && (IsLocal ? tracker.localWaits_ : tracker.limits_.findsRaces)) {
      auto added = pending().add(site, pointer, bytes, stride, lanes, item);
      if (added == PendingAccesses::Added::ToEntry)
        return;
      tracker.noteSite(site);
      if (added == PendingAccesses::Added::No) {
        comparePending();
        added = pending().add(site, pointer, bytes, stride, lanes, item);
      }
      if (added != PendingAccesses::Added::No)
        return;
    }
    tracker.noteSite(site);
    const uintptr_t last = pointer + uintptr_t(stride) * uintptr_t(std::bit_width(lanes) - 1);
    const uintptr_t begin = std::min(pointer, last), end = std::max(pointer, last) + bytes;
    comparePendingOf(begin, end);
    compareWithCells(site, pointer, bytes, stride, lanes, item);
    noteCompared(begin, end);
  }

  /// The number of adjacent lanes from `lane` on that access adjacent granules of one row, one granule each; at
  /// least 1.
  static unsigned adjacentInRow(const abi::CheckSite &site, const uintptr_t *pointers, uint64_t bytes, uint64_t lanes,
                                unsigned lane) {
    const uintptr_t granuleBytes = uintptr_t(1) << site.granule, pointer = pointers[lane];
    if (bytes != granuleBytes || pointer % granuleBytes)
      return 1;
    const auto inRow = unsigned(pointer >> site.granule) & (ShadowRow::Granules - 1);
    const unsigned most = std::min(ShadowRow::Granules - inRow, 64 - lane);
    unsigned count = 1;
    while (count < most && lanes >> (lane + count) & 1 && pointers[lane + count] == pointer + count * granuleBytes)
      ++count;
    return count;
  }

  void trackLanes(const abi::CheckSite &site, const uintptr_t *pointers, uint64_t bytes, uint64_t lanes,
                  uint64_t item) const {
    tracker.noteSite(site);
    uintptr_t begin = UINTPTR_MAX, end = 0;
    if (IsLocal || !pending().empty()) {
      for (uint64_t left = lanes; left; left &= left - 1) {
        const uintptr_t pointer = pointers[std::countr_zero(left)];
        begin = std::min(begin, pointer), end = std::max(end, pointer + bytes);
      }
      comparePendingOf(begin, end);
    }
    const Kind kind = kindOf(site);
    const Cell mine = cellOf(item, site);
    HeldPage held;
    for (uint64_t left = lanes; left;) {
      const auto lane = unsigned(std::countr_zero(left));
      const unsigned count = IsLocal ? 1 : adjacentInRow(site, pointers, bytes, left, lane);
      if (count > 1) {
        const uintptr_t granule = pointers[lane] >> site.granule, inRow = granule & (ShadowRow::Granules - 1);
        const auto mask = uint16_t(((1u << count) - 1) << inRow);
        accessRow(kind, granule - inRow, mask, mine + (lane - inRow) * step(), 0, held);
      } else {
        access(kind, pointers[lane], bytes, mine + lane * step(), held);
      }
      left &= ~(((uint64_t(2) << (count - 1)) - 1) << lane);
    }
    noteCompared(begin, end);
  }
};

} // namespace kiln::check
