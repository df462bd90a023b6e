// What is known about the last accesses of memory: a few cells for each granule of 1, 2, 4 or 8 bytes.
//
// The memory of a page of addresses has three arrays of cells: the last write, and the last two readers that nothing
// orders. A later write that conflicts with any reader conflicts with one of two, because two are not the same
// work-item. A cell is one word, so that threads which run other groups read and write it whole.
//
//   global memory:  work-item (group and item) : 32 | time of the group : 16 | site : 14 | atomic : 2
//   local memory:   time of the thread : 32         | item : 16              | site : 14 | atomic : 2
//
// Cells of local memory stay from group to group of a thread: they are older than the group.
#pragma once
#include "base/support/Mutex.h"
#include <array>
#include <atomic>
#include <cstdint>
#include <unordered_map>

namespace kiln::check {

using Cell = uint64_t; // 0: no access

/// Of an access: not atomic; atomic for the work-items of the group only; atomic for those of the device.
enum AtomicScope : uint8_t { NotAtomic, AtomicInGroup, AtomicInDevice };

inline AtomicScope atomicOf(Cell cell) { return AtomicScope(cell & 3); }
inline uint16_t siteOf(Cell cell) { return uint16_t(cell >> 2 & 0x3fff); }

struct ShadowPage {
  static constexpr unsigned AddressBits = 12; // a page of addresses
  static constexpr uintptr_t Bytes = uintptr_t(1) << AddressBits;

  uint32_t granule; // log2
  uint32_t count;   // granules
  std::atomic<Cell> *writes() { return reinterpret_cast<std::atomic<Cell> *>(this + 1); }
  std::atomic<Cell> *reads() { return writes() + count; }
  std::atomic<Cell> *otherReads() { return writes() + 2 * size_t(count); }

  /// Returns a page without accesses; null if there is no memory, or if shadows have a quarter of the machine's.
  static ShadowPage *acquire(unsigned granule) noexcept;
  static void release(ShadowPage *page) noexcept;
};

/// Of the pages that a thread has used last.
template <size_t Entries> class ShadowCache {
public:
  ShadowPage *find(uintptr_t page) const {
    const Entry &entry = entries_[page % Entries];
    return entry.page == page ? entry.shadow : nullptr;
  }
  void set(uintptr_t page, ShadowPage *shadow) { entries_[page % Entries] = {page, shadow}; }
  void clear() { entries_ = {}; }

private:
  struct Entry {
    uintptr_t page = 0;
    ShadowPage *shadow = nullptr;
  };
  std::array<Entry, Entries> entries_{};
};

/// The shadow of the global memory that a launch accesses.
class GlobalShadow {
public:
  GlobalShadow() = default;
  GlobalShadow(const GlobalShadow &) = delete;
  ~GlobalShadow();
  /// The shadow of the page with this number; null if there is no memory.
  ShadowPage *page(uintptr_t number, unsigned granule) noexcept;

private:
  static constexpr size_t Shards = 64;
  struct Shard {
    Mutex mutex;
    std::unordered_map<uintptr_t, ShadowPage *> pages KILN_GUARDED_BY(mutex);
  };
  std::array<Shard, Shards> shards_;
};

} // namespace kiln::check
