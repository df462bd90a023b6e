// Addresses in a bundle's memory, if the memory is elsewhere in this process or on its device.
//
// A word of 64 bits counts as a pointer, and is replaced, if its value is an address in the bundle's memory or the end
// of a range. Words at all multiples of four bytes are read, because structs may be packed. A number with such a value
// is replaced as well, so a difference in the result may have this reason. Equal bits are certain: each word of the
// result has the bundle's bits, or is the new address of the bundle's pointer.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace bench {

class Relocation {
public:
  /// Bytes that are at `address` in the bundle are at `here` on the device.
  void add(uint64_t address, uint64_t size, uint64_t here) { moved_[address] = {size, here}; }
  /// Replaces all pointers in the bytes. Returns their number.
  size_t replace(std::string &bytes) const;
  /// Replaces pointers in `bytes` by the bundle's if `expected` has these at the same offsets.
  void restore(std::string &bytes, const std::string &expected) const;

private:
  struct Moved {
    uint64_t size, here;
  };
  /// Returns the address on the device, or `word` itself if it is not an address in the bundle's memory.
  uint64_t moved(uint64_t word) const;

  std::map<uint64_t, Moved> moved_; // by the address in the bundle
};

} // namespace bench
