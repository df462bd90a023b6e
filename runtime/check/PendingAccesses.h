// The accesses of one group since its last barrier that have not been compared with others yet.
//
// One entry is for all work-items that access base + stride * item at one place of the source:
//
//   tile[l] = ...   work-items 0 to 15  at 0x1000, 4 bytes each, stride 4    } one entry: base 0x1000, stride 4,
//                   work-items 16 to 31 at 0x1040, 4 bytes each, stride 4    } work-items 0 to 31
//
// Entries of global memory may have rows of as many work-items each, at a constant distance, the pitch:
//
//   m[y * 100 + x]  work-items 0 to 15  at 0x1000, 4 bytes each, stride 4    } one entry: rows of 16 work-items,
//                   work-items 16 to 31 at 0x1190, 4 bytes each, stride 4    } pitch 400, work-items 0 to 31
//
// So a barrier compares a few entries instead of each access. Entries are exact: the set of work-items is a bit map.
#pragma once
#include "base/abi/Check.h"
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace kiln::check {

class PendingAccesses {
public:
  struct Entry {
    const abi::CheckSite *site;
    uintptr_t base;      // of the work-item 0, which need not be in the set
    int64_t stride;      // in bytes
    uint32_t bytes;      // of one work-item
    uint32_t first, end; // all work-items of the set are in [first, end)
    uint16_t slot;
    uint16_t rows;     // 1: none
    uint32_t start;    // the first work-item of the first row, which need not be in the set
    uint32_t rowItems; // 0: there are no rows
    uint32_t rowStart; // as `start`, of the last row
    int64_t rowStep;   // what a row adds to the base
    uintptr_t rowBase; // `base` for the last row

    uintptr_t addressOf(uint64_t item) const { return base + uintptr_t(stride) * item; } // of the first row
    /// All bytes are in [lowest(), highest()), unless addresses wrap around.
    uintptr_t lowest() const {
      if (!rowItems)
        return addressOf(stride < 0 ? end - 1 : first);
      return std::min({addressOf(start), addressOf(start + rowItems - 1), lastRow(0), lastRow(rowItems - 1)});
    }
    uintptr_t highest() const {
      if (!rowItems)
        return addressOf(stride < 0 ? first : end - 1) + bytes;
      return bytes + std::max({addressOf(start), addressOf(start + rowItems - 1), lastRow(0), lastRow(rowItems - 1)});
    }
    uintptr_t lastRow(uint32_t item) const { return rowBase + uintptr_t(stride) * (uint64_t(rowStart) + item); }
    int64_t pitch() const { return rowStep + stride * int64_t(rowItems); }
    bool writes() const { return site->access != 0; }
  };
  static constexpr size_t MostEntries = 256;

  /// Removes all entries, and makes room for sets of this many work-items. `hasRows`: entries may have rows. Returns
  /// false if there is no memory.
  bool resize(uint64_t items, bool hasRows) noexcept;
  void clear() { count_ = 0; }
  bool empty() const { return count_ == 0; }

  enum class Added : uint8_t { ToEntry, AsEntry, No };
  /// Adds a plain access of the work-items `item` + n, for each bit n of `lanes`, at `pointer` + n * `stride`. Returns
  /// No, and changes nothing, if there is no room for the entry or a work-item.
  Added add(const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes, int64_t stride, uint64_t lanes,
            uint64_t item) noexcept;
  /// The same for the entries that the site has used last, which most accesses are added to. Returns false, and changes
  /// nothing, if they are for other addresses.
  [[gnu::always_inline]] bool addToLast(const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes, int64_t stride,
                                        uint64_t lanes, uint64_t item) noexcept {
    if (item + 64 > room_)
      return false;
    for (const uint16_t index : last_[site.number % last_.size()]) {
      if (index >= count_)
        continue;
      Entry &entry = entries_[index];
      // One lane matches whatever stride the others have: scalar code does not know it.
      if (entry.site != &site || entry.bytes != bytes || (entry.stride != stride && lanes != 1))
        continue;
      if (!isInLastRow(entry, pointer, lanes, item)) {
        if (!isInNextRow(entry, pointer, lanes, item))
          continue;
        entry.rowStart = uint32_t(item), entry.rowBase += uintptr_t(entry.rowStep), ++entry.rows;
      }
      addItems(entry, lanes, item);
      return true;
    }
    return false;
  }

  /// Adds a plain access of all work-items of `rows` rows of `rowItems` each, from the work-item 0 on, which accesses
  /// `pointer`. Returns false, and changes nothing, if there is no room for the entry or a work-item.
  bool addRows(const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes, int64_t stride, uint64_t rowItems,
               int64_t pitch, uint64_t rows) noexcept;

  /// In the order of their first accesses.
  std::span<const Entry> entries() const { return {entries_.data(), count_}; }
  /// The set of an entry's work-items: words of 64 bits; those outside of [first, end) are not in it.
  const uint64_t *itemsOf(const Entry &entry) const { return items_.get() + size_t(&entry - entries_.data()) * words_; }
  /// Calls run(pointer, lanes, item) for sets that have all work-items of an entry: `item` + n accesses `pointer` + n *
  /// the entry's stride, for each bit n of `lanes`, which is not 0.
  /// skip(pointer) returns true if a row whose first work-item accesses `pointer` is left out.
  template <typename Run, typename Skip>
  [[gnu::always_inline]] void forEachRun(const Entry &entry, const Run &run, const Skip &skip) const;
  /// Returns false if no two work-items access the same bytes, of which one writes them.
  bool mayConflict() const noexcept;
  /// Returns true if an entry may access bytes in [begin, end).
  bool mayAccess(uintptr_t begin, uintptr_t end) const noexcept;

private:
  static constexpr size_t Slots = 1024; // of the hash table: a power of two, and more than the entries

  static constexpr uint32_t MostRows = UINT16_MAX;

  static unsigned widthOf(uint64_t lanes) { return 64 - unsigned(__builtin_clzll(lanes)); }
  [[gnu::always_inline]] static bool isInLastRow(const Entry &entry, uintptr_t pointer, uint64_t lanes, uint64_t item) {
    return entry.rowBase + uintptr_t(entry.stride) * item == pointer &&
           (!entry.rowItems ||
            (item >= entry.rowStart && item + widthOf(lanes) <= uint64_t(entry.rowStart) + entry.rowItems));
  }
  [[gnu::always_inline]] static bool isInNextRow(const Entry &entry, uintptr_t pointer, uint64_t lanes, uint64_t item) {
    return entry.rowItems && item == uint64_t(entry.rowStart) + entry.rowItems && widthOf(lanes) <= entry.rowItems &&
           entry.rows < MostRows &&
           entry.rowBase + uintptr_t(entry.rowStep) + uintptr_t(entry.stride) * item == pointer;
  }
  // The entries that a site has used last, the last one first. A line with several accesses is one site.
  using Last = std::array<uint16_t, 4>;
  static void use(Last &last, uint16_t index) {
    if (std::find(last.begin(), last.end(), index) != last.end())
      return;
    std::copy_backward(last.begin(), last.end() - 1, last.end());
    last[0] = index;
  }
  /// Gives an entry of one work-item its stride, if the access may be that of the second one.
  bool addSecondItem(Entry &entry, const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes,
                     uint64_t item) noexcept;
  /// Makes rows of an entry that has none, if the access may be the first one of the second row.
  bool addRow(Entry &entry, const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes, int64_t stride,
              uint64_t lanes, uint64_t item) noexcept;
  /// The `count` work-items from `item` on, at most 64; `count` is not 0.
  static uint64_t lanesAt(const uint64_t *items, uint64_t item, uint64_t count) {
    const unsigned shift = item % 64;
    uint64_t lanes = items[item / 64] >> shift;
    if (shift)
      lanes |= items[item / 64 + 1] << (64 - shift); // a word follows the last work-item's
    return lanes & (~uint64_t(0) >> (64 - count));
  }

  [[gnu::always_inline]] void addItems(Entry &entry, uint64_t lanes, uint64_t item) noexcept;
  /// Returns true if different work-items of the entries may access the same bytes: those of the entries overlap.
  bool haveCommonBytes(const Entry &a, const Entry &b) const noexcept;
  bool contains(const Entry &entry, int64_t item) const noexcept {
    return item >= entry.first && item < entry.end && (itemsOf(entry)[item / 64] >> (item % 64) & 1);
  }

  size_t count_ = 0, words_ = 0;
  uint64_t room_ = 0; // work-items that fit in a set
  bool hasRows_ = false;
  std::array<Last, 64> last_{};         // by the numbers of sites
  std::array<uint16_t, Slots> slots_{}; // entries by what they are for; one is right if the entry names the slot
  std::array<Entry, MostEntries> entries_{};
  std::unique_ptr<uint64_t[]> items_;
};

[[gnu::always_inline]] inline void PendingAccesses::addItems(Entry &entry, uint64_t lanes, uint64_t item) noexcept {
  uint64_t *items = items_.get() + size_t(&entry - entries_.data()) * words_ + item / 64;
  const unsigned shift = item % 64;
  items[0] |= lanes << shift;
  if (shift)
    items[1] |= lanes >> (64 - shift); // a word follows the last work-item's
  const auto first = uint32_t(item) + uint32_t(__builtin_ctzll(lanes));
  const auto end = uint32_t(item) + 64 - uint32_t(__builtin_clzll(lanes));
  entry.first = first < entry.first ? first : entry.first;
  entry.end = end > entry.end ? end : entry.end;
}

template <typename Run, typename Skip>
[[gnu::always_inline]] inline void PendingAccesses::forEachRun(const Entry &entry, const Run &run,
                                                               const Skip &skip) const {
  const uint64_t *items = itemsOf(entry);
  if (!entry.rowItems) {
    for (uint64_t word = entry.first / 64; word * 64 < entry.end; ++word)
      if (items[word])
        run(entry.addressOf(word * 64), items[word], word * 64);
    return;
  }
  // Rows that read the same bytes: two work-items are enough.
  const bool readsAgain = !entry.writes() && entry.pitch() == 0;
  uintptr_t base = entry.base;
  for (uint32_t row = 0; row < entry.rows; ++row, base += uintptr_t(entry.rowStep)) {
    if (skip(base + uintptr_t(entry.stride) * (entry.start + uint64_t(row) * entry.rowItems)))
      continue;
    for (uint32_t done = 0; done < entry.rowItems; done += 64) {
      const uint64_t item = entry.start + uint64_t(row) * entry.rowItems + done;
      if (item >= entry.end)
        break;
      const uint64_t count = std::min<uint64_t>({64, entry.rowItems - done, entry.end - item});
      uint64_t lanes = lanesAt(items, item, count);
      if (readsAgain && row > 1)
        lanes &= ~(lanesAt(items, uint64_t(entry.start) + done, count) &
                   lanesAt(items, uint64_t(entry.start) + entry.rowItems + done, count));
      if (lanes)
        run(base + uintptr_t(entry.stride) * item, lanes, item);
    }
  }
}

} // namespace kiln::check
