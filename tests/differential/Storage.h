// The bytes of a buffer or of a local array during an evaluation, with checks for races and bounds.
#pragma once
#include "tests/differential/Program.h"

namespace kiln::differential {

/// Throws Undefined if an access is out of bounds, or conflicts with an access of another work-item in the same
/// interval. Local memory starts a new interval at each barrier; global memory has one interval for the whole kernel.
class Storage {
public:
  /// If `initial` is empty, the `size` bytes have no value and must be written before they are read.
  Storage(std::vector<uint8_t> initial, size_t size);

  Value load(size_t offset, Type type, uint32_t item);
  void store(size_t offset, const Value &value, uint32_t item);
  /// Atomically replaces the uint at `offset` by update(uint). Conflicts with every non-atomic access, also of the same
  /// work-item.
  template <typename Update> void updateAtomically(size_t offset, Update update) {
    Value value = load(offset, {Kind::U32, 1}, Atomic);
    value.components[0] = update(uint32_t(value.components[0]));
    store(offset, value, Atomic);
  }
  void beginInterval() { ++interval_; }
  std::vector<uint8_t> take() { return std::move(bytes_); }

private:
  struct ByteUse {
    uint32_t interval = 0, item = 0;
  };
  static constexpr uint32_t ManyItems = ~0u, Atomic = ~1u; // special values of `item`
  void checkBounds(size_t offset, size_t size) const;

  std::vector<uint8_t> bytes_;
  std::vector<bool> hasValue_;
  std::vector<ByteUse> writers_, readers_; // the last use of each byte
  uint32_t interval_ = 1;
};

} // namespace kiln::differential
