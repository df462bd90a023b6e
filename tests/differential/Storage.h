// Bytes of a buffer or of a local array during an evaluation, with checks for races and bounds.
#pragma once
#include "tests/differential/Program.h"

namespace kiln::differential {

/// Throws Undefined if an access is out of bounds, or conflicts with an access of another work-item in the same
/// interval. Intervals are what barriers separate: local memory starts a new one at each barrier, global memory has
/// one for the whole kernel.
class Storage {
public:
  /// `initial` empty: memory of `size` bytes without a value, which must be written before it is read.
  Storage(std::vector<uint8_t> initial, size_t size);

  Value load(size_t offset, Type type, uint32_t item);
  void store(size_t offset, const Value &value, uint32_t item);
  /// An atomic operation that replaces the uint at `offset` by update(uint). It conflicts with accesses that are not
  /// atomic, those of its own work-item included.
  template <typename Update> void updateAtomically(size_t offset, Update update) {
    Value value = load(offset, {Kind::U32, 1}, Atomic);
    value.lanes[0] = update(uint32_t(value.lanes[0]));
    store(offset, value, Atomic);
  }
  void beginInterval() { ++interval_; }
  std::vector<uint8_t> take() { return std::move(bytes_); }

private:
  struct Use {
    uint32_t interval = 0, item = 0;
  };
  static constexpr uint32_t Several = ~0u, Atomic = ~1u; // in place of a work-item's number
  void checkBounds(size_t offset, size_t size) const;

  std::vector<uint8_t> bytes_;
  std::vector<bool> hasValue_;
  std::vector<Use> writers_, readers_; // the last use of each byte
  uint32_t interval_ = 1;
};

} // namespace kiln::differential
