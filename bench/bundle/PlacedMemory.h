// The memory of a bundle in this process, at the addresses of the captured process if they are free.
#pragma once
#include "bench/bundle/Bundle.h"
#include <cstddef>

namespace bench {

class PlacedMemory {
public:
  /// Maps zeroed pages for the bundle's ranges and buffers, and copies the bytes from before the launch to them. If one
  /// page's address is taken, all are mapped elsewhere, each at the same offset in a page. Throws if that fails.
  explicit PlacedMemory(const Bundle &bundle);
  ~PlacedMemory();
  PlacedMemory(const PlacedMemory &) = delete;

  /// Returns true if memory is at the bundle's addresses.
  bool atAddresses() const { return atAddresses_; }
  /// The byte that has this address in the bundle; null if the bundle has no memory there.
  std::byte *at(uint64_t address) const;
  /// Copies the bytes from before the launch to one range.
  void restore(const Bundle::Range &range) const;

private:
  struct Pages {
    uint64_t begin, end;         // the addresses in the bundle
    std::byte *mapped = nullptr; // of `begin`
  };
  bool map(bool anywhere);
  void unmap();

  std::vector<Pages> pages_; // sorted
  bool atAddresses_ = true;
};

} // namespace bench
