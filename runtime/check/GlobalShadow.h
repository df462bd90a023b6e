// The last accesses of the global memory that a launch accesses.
//
// Most accesses of 16 adjacent granules are of adjacent work-items at one place of the source. So a row of 16 granules
// has up to four maps, each with the granules that it is about:
//
//   map:  write, work-item 64 + (granule >> 1), time 0, site 3    granules 1111 1111 0000 0000
//
// A map is a cell (Shadow.h) of the row's first granule, and a shift. A row whose accesses have no such form gets three
// cells for each granule.
//
// Two readers of a granule that are of different groups are enough: a write of any group is compared with one of
// another group. Nothing orders the groups, or the row has cells.
//
// Memory of rows is not emptied: a row of another launch has its number.
#pragma once
#include "base/support/Mutex.h"
#include "runtime/check/Shadow.h"
#include <array>
#include <atomic>
#include <memory>
#include <unordered_map>

namespace kiln::check {

struct alignas(64) ShadowRow {
  static constexpr unsigned GranuleBits = 4, Granules = 1 << GranuleBits; // log2, and their number
  static constexpr unsigned Maps = 4;

  /// The cells of a row's granules: the last write, and the last two readers that nothing orders.
  struct Cells {
    std::array<Cell, Granules> writes, reads, otherReads;
  };

  std::array<Cell, Maps> cells;     // of the first granule, whether the map has it or not
  std::array<uint16_t, Maps> masks; // granules of the map; 0: there is none
  std::array<uint8_t, Maps> shifts; // log2 of the granules of a work-item
  uint8_t writes;                   // bit n: map n is of a write
  uint16_t settled;                 // granules that work-items of two groups have read: further reads are not kept
  uint32_t launch;                  // 0: none
  Cells *own;                       // null: the maps say all

  static constexpr Cell Step = Cell(1) << 32; // to the next work-item
  Cell cellOf(unsigned map, unsigned granule) const { return cells[map] + Step * (granule >> shifts[map]); }
  /// Sets `own` from the maps. Returns false if there is no memory.
  bool divide() noexcept;
};

/// The rows of a page of addresses. Threads lock it.
class RowPage {
public:
  static constexpr unsigned AddressBits = 14;

  unsigned granule() const { return granule_; }
  ShadowRow &row(uintptr_t address) {
    return rows()[(address & ((uintptr_t(1) << AddressBits) - 1)) >> (granule_ + ShadowRow::GranuleBits)];
  }
  /// Sets the cells of a row from its maps. Returns false if there is no memory.
  bool divide(ShadowRow &row) noexcept {
    hasCells_ = row.divide() || hasCells_;
    return row.own;
  }
  void lock() noexcept;
  void unlock() noexcept { isLocked_.store(false, std::memory_order_release); }

  /// Returns a page for a launch; null if there is no memory, or if shadows have a quarter of the machine's.
  static RowPage *acquire(unsigned granule) noexcept;
  static void release(RowPage *page) noexcept;

private:
  explicit RowPage(unsigned granule) : granule_(granule) {}
  ShadowRow *rows() { return reinterpret_cast<ShadowRow *>(reinterpret_cast<std::byte *>(this) + alignof(ShadowRow)); }
  static size_t rowCount(unsigned granule) { return size_t(1) << (AddressBits - granule - ShadowRow::GranuleBits); }

  const unsigned granule_; // log2
  std::atomic<bool> isLocked_{false};
  bool hasCells_ = false; // some row
};

class GlobalShadow {
public:
  GlobalShadow() = default;
  GlobalShadow(const GlobalShadow &) = delete;
  ~GlobalShadow();
  /// The page with this number; null if there is no memory.
  RowPage *page(uintptr_t number, unsigned granule) noexcept;

private:
  static constexpr size_t Shards = 64;
  struct Shard {
    Mutex mutex;
    std::unordered_map<uintptr_t, RowPage *> pages KILN_GUARDED_BY(mutex);
  };
  std::array<Shard, Shards> shards_;
};

} // namespace kiln::check
