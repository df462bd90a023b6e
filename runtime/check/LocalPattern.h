// The accesses of local memory that a thread has compared in the groups before.
//
// Most kernels access local memory in each group alike: at the same places of the source, by the same work-items, at
// the same addresses, because a thread's groups have the same local memory. What was no race in one group is none in
// the next one. So the thread follows the pattern of the groups before, access by access, and compares nothing up to
// the first barrier of an interval that is different.
//
//   pattern:   tile[l] = ...  | barrier | tile[l] += tile[l + 8] | barrier | ... | end
//   group 7:   the same       | the same| another mask: compares this interval, and all that follow
//
// Intervals with a race are not part of it, nor are those with atomic operations and fences, whose order may differ.
#pragma once
#include "base/abi/Check.h"
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace kiln::check {

class LocalPattern {
public:
  /// One access as the code has noted it. `pointers`: of lanes that scatter; else null, and `pointer` and `stride` say
  /// where the lanes are.
  struct Access {
    const abi::CheckSite *site;
    uintptr_t pointer;
    const uintptr_t *pointers;
    uint64_t bytes;
    int64_t stride;
    uint64_t lanes, item;
  };

  /// Of another launch, whose sites are others.
  void clear() {
    words_[end_ = 0] = 0;
    begin();
  }
  /// A group begins.
  void begin() { at_ = interval_ = 0, follows_ = true, records_ = false; }

  /// True until an access differs from the pattern.
  bool follows() const { return follows_; }
  /// Returns true if the pattern has this access next. Only while it follows.
  [[gnu::always_inline]] bool hasNext(const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes, int64_t stride,
                                      uint64_t lanes, uint64_t item) {
    const uint64_t *next = &words_[at_];
    const bool isSame = ((next[0] ^ uintptr_t(&site)) | (next[1] ^ pointer) | (next[2] ^ bytes) |
                         (next[3] ^ uint64_t(stride)) | (next[4] ^ lanes) | (next[5] ^ item)) == 0;
    at_ += isSame ? PlainWords : 0;
    return isSame;
  }
  bool hasNext(const abi::CheckSite &site, const uintptr_t *pointers, uint64_t bytes, uint64_t lanes, uint64_t item) {
    const uint64_t *next = &words_[at_];
    if (next[0] != (uintptr_t(&site) | Scatters) || next[1] != bytes || next[2] != lanes || next[3] != item)
      return false;
    next += LanesHeader;
    uint64_t differs = 0;
    for (uint64_t left = lanes; left; left &= left - 1)
      differs |= *next++ ^ pointers[std::countr_zero(left)];
    at_ += differs ? 0 : size_t(next - &words_[at_]);
    return !differs;
  }
  /// Returns true if the pattern has a barrier next, or its end.
  bool hasNextBarrier() { return hasNextMark(Barrier); }
  bool hasNextEnd() { return hasNextMark(End); }

  /// Ends to follow the pattern: calls `compare`, which does not use this object, for each access of this interval.
  template <typename Compare> void leave(const Compare &compare) {
    follows_ = false, records_ = true;
    end_ = at_;
    for (size_t i = interval_; i < at_;) {
      const uint64_t *next = &words_[i];
      const auto *site = reinterpret_cast<const abi::CheckSite *>(next[0] & ~uint64_t(Scatters));
      if (!(next[0] & Scatters)) {
        compare(Access{site, next[1], nullptr, next[2], int64_t(next[3]), next[4], next[5]});
        i += PlainWords;
        continue;
      }
      uintptr_t pointers[64];
      size_t words = LanesHeader;
      for (uint64_t left = next[2]; left; left &= left - 1)
        pointers[std::countr_zero(left)] = next[words++];
      compare(Access{site, 0, pointers, next[1], 0, next[2], next[3]});
      i += words;
    }
  }
  /// Adds an access that is being compared, after `leave`.
  void add(const Access &access) {
    if (!records_ || !makeRoom())
      return;
    uint64_t *next = &words_[end_];
    if (!access.pointers) {
      const uint64_t words[] = {uintptr_t(access.site),  access.pointer, access.bytes,
                                uint64_t(access.stride), access.lanes,   access.item};
      for (uint64_t word : words)
        *next++ = word;
    } else {
      for (uint64_t word : {uintptr_t(access.site) | Scatters, access.bytes, access.lanes, access.item})
        *next++ = word;
      for (uint64_t left = access.lanes; left; left &= left - 1)
        *next++ = access.pointers[std::countr_zero(left)];
    }
    end_ = size_t(next - words_.data());
    *next = 0;
  }
  /// The interval ends. `isClean`: it had no race.
  void addBarrier(bool isClean) { addMark(Barrier, isClean); }
  void addEnd(bool isClean) { addMark(End, isClean); }
  /// What follows in this group is not part of the pattern, nor is this interval.
  void stop() {
    if (records_)
      end_ = interval_, words_[end_] = 0;
    records_ = false;
  }

private:
  // Sites are aligned. No access has a site of these values.
  enum Mark : uint64_t { Scatters = 1, Barrier = 2, End = 3 };
  static constexpr size_t PlainWords = 6, LanesHeader = 4;
  static constexpr size_t Slack = LanesHeader + 64; // of the last access; it may be compared with words after the end
  static constexpr size_t MostWords = size_t(1) << 15; // 256 KiB

  bool hasNextMark(Mark mark) {
    if (words_[at_] != mark)
      return false;
    interval_ = ++at_;
    return true;
  }
  void addMark(Mark mark, bool isClean) {
    if (!isClean)
      stop();
    if (!records_ || !makeRoom())
      return;
    words_[end_++] = mark;
    words_[end_] = 0;
    interval_ = end_;
  }
  /// Returns false, and stops, if the pattern is too long or there is no memory.
  bool makeRoom() {
    if (end_ + 2 * Slack > words_.size()) {
      if (words_.size() >= MostWords)
        return stop(), false;
      try {
        words_.resize(std::min(MostWords, 2 * words_.size() + 4 * Slack));
      } catch (const std::bad_alloc &) {
        return stop(), false;
      }
    }
    return true;
  }

  std::vector<uint64_t> words_ = std::vector<uint64_t>(4 * Slack);
  size_t end_ = 0;      // of the pattern; a zero follows
  size_t at_ = 0;       // what comes next
  size_t interval_ = 0; // where the interval begins
  bool follows_ = false, records_ = false;
};

} // namespace kiln::check
