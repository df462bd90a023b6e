// What is known about the last accesses of memory: a few cells for each granule of 1, 2, 4 or 8 bytes.
//
// They are the last write, and the last two readers that nothing orders. A later write that conflicts with any reader
// conflicts with one of two, because two are not the same work-item. GlobalShadow.h has those of global memory. If the
// last writes of local memory are atomic operations of several work-items, the first reader is another one of them.
//
//   global memory:  work-item (group and item) : 32 | time of the group : 16 | site : 14 | atomic : 2
//   local memory:   time of the thread : 32         | two : 1 | item : 15    | site : 14 | atomic : 2
//
// Cells of local memory stay from group to group of a thread: they are older than the group.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace kiln::check {

using Cell = uint64_t; // 0: no access

/// Of an access: not atomic; atomic for the work-items of the group only; atomic for those of the device.
enum AtomicScope : uint8_t { NotAtomic, AtomicInGroup, AtomicInDevice };

inline AtomicScope atomicOf(Cell cell) { return AtomicScope(cell & 3); }
inline uint16_t siteOf(Cell cell) { return uint16_t(cell >> 2 & 0x3fff); }

/// Adds to the bytes of all shadows. Returns false, and adds nothing, if they would have more than a quarter of the
/// machine's memory; the log says so once.
bool reserveShadow(size_t bytes) noexcept;
void returnShadow(size_t bytes) noexcept;

/// The cells of a page of addresses of local memory, which one thread uses.
struct alignas(64) ShadowPage {               // as a line of the cache, so that vectors of cells are in one
  static constexpr unsigned AddressBits = 12; // a page of addresses
  static constexpr uintptr_t Bytes = uintptr_t(1) << AddressBits;

  uint32_t granule; // log2
  uint32_t count;   // granules
  Cell *writes() { return reinterpret_cast<Cell *>(this + 1); }
  Cell *reads() { return writes() + count; }
  Cell *otherReads() { return writes() + 2 * size_t(count); }

  /// Returns a page without accesses; null if there is no memory, or if shadows have a quarter of the machine's.
  static ShadowPage *acquire(unsigned granule) noexcept;
  static void release(ShadowPage *page) noexcept;
};

/// Of the pages that a thread has used last.
template <typename Page, size_t Entries> class ShadowCache {
public:
  Page *find(uintptr_t page) const {
    const Entry &entry = entries_[page % Entries];
    return entry.page == page ? entry.shadow : nullptr;
  }
  void set(uintptr_t page, Page *shadow) { entries_[page % Entries] = {page, shadow}; }
  void clear() { entries_ = {}; }

private:
  struct Entry {
    uintptr_t page = 0;
    Page *shadow = nullptr;
  };
  std::array<Entry, Entries> entries_{};
};

} // namespace kiln::check
