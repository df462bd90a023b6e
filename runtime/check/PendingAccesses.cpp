#include "runtime/check/PendingAccesses.h"
#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace kiln::check {
namespace {

// Bounds of the arithmetic of haveCommonBytes, and of its time.
constexpr uint64_t MostBytes = 4096;
constexpr int64_t MostStride = int64_t(1) << 40;

} // namespace

bool PendingAccesses::resize(uint64_t items, bool hasRows) noexcept {
  clear();
  hasRows_ = hasRows;
  const size_t words = size_t((items + 63) / 64) + 1;
  if (words != words_) {
    words_ = 0, room_ = 0;
    items_.reset(new (std::nothrow) uint64_t[words * MostEntries]);
    if (!items_)
      return false;
    words_ = words, room_ = words * 64;
  }
  return true;
}

PendingAccesses::Added PendingAccesses::add(const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes,
                                            int64_t stride, uint64_t lanes, uint64_t item) noexcept {
  if (item + 64 > room_)
    return Added::No;
  if (addToLast(site, pointer, bytes, stride, lanes, item))
    return Added::ToEntry;
  // The accesses of a line have the same order for each work-item, so the oldest entry is the likely one.
  Last &last = last_[site.number % last_.size()];
  if (lanes == 1 && stride == 0)
    for (auto index = last.rbegin(); index != last.rend(); ++index)
      if (*index < count_ && addSecondItem(entries_[*index], site, pointer, bytes, item))
        return Added::ToEntry;
  if (bytes > MostBytes || std::abs(stride) >= MostStride)
    return Added::No;
  const uintptr_t base = pointer - uintptr_t(stride) * item;
  const uint64_t hash = (base ^ uint64_t(site.number) << 48 ^ uint64_t(stride) << 32) * 0x9e3779b97f4a7c15;
  for (size_t slot = hash >> 54;; slot = (slot + 1) % Slots) {
    const uint16_t index = slots_[slot];
    if (index >= count_ || entries_[index].slot != slot) { // free
      for (auto known = last.rbegin(); known != last.rend(); ++known)
        if (*known < count_ && addRow(entries_[*known], site, pointer, bytes, stride, lanes, item))
          return Added::ToEntry;
      if (count_ == MostEntries)
        return Added::No;
      Entry &made = entries_[count_];
      made = {.site = &site,
              .base = base,
              .stride = stride,
              .bytes = uint32_t(bytes),
              .first = UINT32_MAX,
              .end = 0,
              .slot = uint16_t(slot),
              .rows = 1,
              .start = uint32_t(item),
              .rowItems = 0,
              .rowStart = uint32_t(item),
              .rowStep = 0,
              .rowBase = base};
      slots_[slot] = uint16_t(count_);
      use(last, uint16_t(count_));
      for (uint64_t *word = items_.get() + count_ * words_, *end = word + words_; word < end; ++word)
        *static_cast<volatile uint64_t *>(word) = 0; // a few words: a call of memset takes longer
      ++count_;
      addItems(made, lanes, item);
      return Added::AsEntry;
    }
    Entry &entry = entries_[index];
    const bool isInFirstRow =
        !entry.rowItems || (item >= entry.start && item + widthOf(lanes) <= uint64_t(entry.start) + entry.rowItems);
    if (entry.site == &site && entry.base == base && entry.stride == stride && entry.bytes == bytes && isInFirstRow) {
      use(last, index);
      addItems(entry, lanes, item);
      return Added::ToEntry;
    }
  }
}

bool PendingAccesses::addRows(const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes, int64_t stride,
                              uint64_t rowItems, int64_t pitch, uint64_t rows) noexcept {
  if (rowItems == 1)
    rowItems = std::exchange(rows, 1), stride = pitch;
  if (site.access == 0 && pitch == 0)
    rows = std::min<uint64_t>(rows, 2); // two work-items that read the same bytes are enough
  if (rows == 1)
    pitch = 0;
  const auto isShort = [](int64_t distance) { return distance > -MostStride && distance < MostStride; };
  if (!rowItems || !rows || rowItems >= room_ || rows > MostRows || rowItems * rows + 64 > room_ || bytes > MostBytes ||
      !isShort(stride) || !isShort(pitch) || count_ == MostEntries)
    return false;
  const uint64_t items = rowItems * rows;
  const int64_t rowStep = rows == 1 ? 0 : pitch - stride * int64_t(rowItems);
  const bool hasRows = rowStep != 0;
  if (hasRows && !hasRows_)
    return false;
  const auto lastRow = hasRows ? uint32_t(items - rowItems) : 0;
  entries_[count_] = {.site = &site,
                      .base = pointer,
                      .stride = stride,
                      .bytes = uint32_t(bytes),
                      .first = 0,
                      .end = uint32_t(items),
                      .slot = Slots, // is not in the table: no other access is added
                      .rows = uint16_t(hasRows ? rows : 1),
                      .start = 0,
                      .rowItems = hasRows ? uint32_t(rowItems) : 0,
                      .rowStart = lastRow,
                      .rowStep = rowStep,
                      .rowBase = pointer + uintptr_t(rowStep) * (hasRows ? rows - 1 : 0)};
  uint64_t *set = items_.get() + count_ * words_;
  for (size_t word = 0; word < words_; ++word) {
    const uint64_t left = items > word * 64 ? items - word * 64 : 0;
    set[word] = left >= 64 ? ~uint64_t(0) : (uint64_t(1) << left) - 1;
  }
  ++count_;
  return true;
}

bool PendingAccesses::addSecondItem(Entry &entry, const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes,
                                    uint64_t item) noexcept {
  const auto distance = int64_t(pointer - entry.base);
  if (entry.site != &site || entry.bytes != bytes || entry.stride != 0 || entry.rowItems ||
      entry.end != entry.first + 1 || item != entry.end || std::abs(distance) >= MostStride)
    return false;
  entry.stride = distance;
  entry.base -= uintptr_t(entry.stride) * entry.first;
  entry.rowBase = entry.base;
  addItems(entry, 1, item);
  return true;
}

bool PendingAccesses::addRow(Entry &entry, const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes,
                             int64_t stride, uint64_t lanes, uint64_t item) noexcept {
  if (!hasRows_ || entry.rowItems || entry.site != &site || entry.bytes != bytes ||
      (entry.stride != stride && lanes != 1) || item <= entry.start || item < entry.end || entry.first < entry.start ||
      widthOf(lanes) > item - entry.start)
    return false;
  entry.rowItems = uint32_t(item - entry.start);
  entry.rowStart = uint32_t(item), entry.rows = 2;
  entry.rowStep = int64_t(pointer - entry.addressOf(item));
  entry.rowBase = entry.base + uintptr_t(entry.rowStep);
  addItems(entry, lanes, item);
  return true;
}

bool PendingAccesses::haveCommonBytes(const Entry &a, const Entry &b) const noexcept {
  if (a.end - a.first == 1 && b.end - b.first == 1)
    return a.first != b.first;
  if (a.stride != b.stride || a.stride == 0)
    return true;
  // Work-item i of `a` and i + m of `b` have common bytes if -b.bytes < distance + m * stride < a.bytes.
  const int64_t distance = int64_t(b.base - a.base), stride = a.stride;
  const int64_t width = stride < 0 ? -stride : stride;
  const int64_t most = (std::max(a.bytes, b.bytes) + width - 1) / width; // of m, from where the two would coincide
  const int64_t middle = -distance / stride;
  for (int64_t m = middle - most; m <= middle + most; ++m) {
    const int64_t apart = distance + m * stride;
    if (m == 0 || apart <= -int64_t(b.bytes) || apart >= int64_t(a.bytes))
      continue;
    const int64_t first = std::max<int64_t>(a.first, int64_t(b.first) - m),
                  end = std::min<int64_t>(a.end, int64_t(b.end) - m);
    for (int64_t item = first; item < end; ++item)
      if (contains(a, item) && contains(b, item + m))
        return true;
  }
  return false;
}

bool PendingAccesses::mayConflict() const noexcept {
  std::array<std::pair<uintptr_t, uintptr_t>, MostEntries> bytes; // NOLINT(cppcoreguidelines-pro-type-member-init)
  for (size_t i = 0; i < count_; ++i)
    bytes[i] = {entries_[i].lowest(), entries_[i].highest()};
  for (size_t i = 0; i < count_; ++i) {
    const Entry &a = entries_[i];
    if (!a.writes())
      continue;
    for (size_t k = 0; k < count_; ++k) {
      const Entry &b = entries_[k];
      const bool areApart = bytes[i].second <= bytes[k].first || bytes[k].second <= bytes[i].first;
      if (!areApart && (k >= i || !b.writes()) && haveCommonBytes(a, b))
        return true;
    }
  }
  return false;
}

bool PendingAccesses::mayAccess(uintptr_t begin, uintptr_t end) const noexcept {
  return std::any_of(entries_.begin(), entries_.begin() + ptrdiff_t(count_),
                     [&](const Entry &entry) { return entry.lowest() < end && begin < entry.highest(); });
}

} // namespace kiln::check
