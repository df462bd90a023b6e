// The accesses of one group since its last barrier that have not been compared with others yet.
//
// One entry is for all work-items that access base + stride * item at one place of the source:
//
//   tile[l] = ...   work-items 0 to 15  at 0x1000, 4 bytes each, stride 4    } one entry: base 0x1000, stride 4,
//                   work-items 16 to 31 at 0x1040, 4 bytes each, stride 4    } work-items 0 to 31
//
// So a barrier compares a few entries instead of each access. Entries are exact: the set of work-items is a bit map.
#pragma once
#include "base/abi/Check.h"
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

    uintptr_t addressOf(uint64_t item) const { return base + uintptr_t(stride) * item; }
    /// All bytes are in [lowest(), highest()).
    uintptr_t lowest() const { return addressOf(stride < 0 ? end - 1 : first); }
    uintptr_t highest() const { return addressOf(stride < 0 ? first : end - 1) + bytes; }
    bool writes() const { return site->access != 0; }
  };
  static constexpr size_t MostEntries = 256;

  /// Removes all entries, and makes room for sets of this many work-items. Returns false if there is no memory.
  bool resize(uint64_t items) noexcept;
  void clear() { count_ = 0; }
  bool empty() const { return count_ == 0; }

  enum class Added : uint8_t { ToEntry, AsEntry, No };
  /// Adds a plain access of the work-items `item` + n, for each bit n of `lanes`, at `pointer` + n * `stride`. Returns
  /// No, and changes nothing, if there is no room for the entry or a work-item.
  Added add(const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes, int64_t stride, uint64_t lanes,
            uint64_t item) noexcept;
  /// The same for the entry that the site has used last, which most accesses are added to. Returns false, and changes
  /// nothing, if it is for other addresses.
  [[gnu::always_inline]] bool addToLast(const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes, int64_t stride,
                                        uint64_t lanes, uint64_t item) noexcept {
    const uint16_t last = last_[site.number % last_.size()];
    if (last >= count_ || item + 64 > room_)
      return false;
    Entry &entry = entries_[last];
    // One lane matches whatever stride the others have: scalar code does not know it.
    if (entry.site != &site || entry.bytes != bytes || entry.addressOf(item) != pointer ||
        (entry.stride != stride && lanes != 1))
      return false;
    addItems(entry, lanes, item);
    return true;
  }

  /// In the order of their first accesses.
  std::span<const Entry> entries() const { return {entries_.data(), count_}; }
  /// The set of an entry's work-items: words of 64 bits; those outside of [first, end) are not in it.
  const uint64_t *itemsOf(const Entry &entry) const { return items_.get() + size_t(&entry - entries_.data()) * words_; }
  /// Returns false if no two work-items access the same bytes, of which one writes them.
  bool mayConflict() const noexcept;
  /// Returns true if an entry may access bytes in [begin, end).
  bool mayAccess(uintptr_t begin, uintptr_t end) const noexcept;

private:
  static constexpr size_t Slots = 1024; // of the hash table: a power of two, and more than the entries

  [[gnu::always_inline]] void addItems(Entry &entry, uint64_t lanes, uint64_t item) noexcept;
  /// Returns true if different work-items of the entries may access the same bytes: those of the entries overlap.
  bool haveCommonBytes(const Entry &a, const Entry &b) const noexcept;
  bool contains(const Entry &entry, int64_t item) const noexcept {
    return item >= entry.first && item < entry.end && (itemsOf(entry)[item / 64] >> (item % 64) & 1);
  }

  size_t count_ = 0, words_ = 0;
  uint64_t room_ = 0;                   // work-items that fit in a set
  std::array<uint16_t, 64> last_{};     // the last entry of a site, by its number
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

} // namespace kiln::check
