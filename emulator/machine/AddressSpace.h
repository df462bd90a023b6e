// The memory that the emulated device may access: allocations of the HIP library, code objects and kernel arguments.
// An address of the device is the host's address of the same byte.
#pragma once
#include "base/support/Mutex.h"
#include "emulator/machine/Types.h"
#include <map>
#include <memory>
#include <vector>

namespace kiln::emulator {

/// The apertures of flat addresses, in unused parts of the host's address space.
inline constexpr u64 SharedBase = 0x0001'0000'0000'0000, PrivateBase = 0x0002'0000'0000'0000;
/// The last word of the buffer descriptor of scratch memory, by which instructions find that it is this one.
inline constexpr u32 ScratchBuffer = 0x5c4a7c40;
inline constexpr u64 ApertureBytes = 1ull << 32;

struct Range {
  u64 begin = 0, end = 0;
  bool writable = true;
  bool contains(u64 address, u64 bytes) const { return address >= begin && address < end && bytes <= end - address; }
};

/// The ranges at one moment, in ascending order. A launch uses those that exist when it starts.
using Ranges = std::vector<Range>;

class AddressSpace {
public:
  void add(const void *memory, u64 bytes, bool writable = true) KILN_EXCLUDES(mutex_);
  /// Returns false if no range starts there.
  bool remove(const void *memory) KILN_EXCLUDES(mutex_);
  /// The range that contains the bytes; an empty one if there is none.
  Range find(u64 address, u64 bytes) KILN_EXCLUDES(mutex_);
  std::shared_ptr<const Ranges> ranges() KILN_EXCLUDES(mutex_);

private:
  Mutex mutex_;
  std::map<u64, Range> ranges_ KILN_GUARDED_BY(mutex_);
  std::shared_ptr<const Ranges> snapshot_ KILN_GUARDED_BY(mutex_); // null after a change
};

/// The range of a snapshot that contains the address; null if there is none.
const Range *findRange(const Ranges &ranges, u64 address);

/// There is one address space for all emulated devices, as in HIP.
AddressSpace &addressSpace();

} // namespace kiln::emulator
