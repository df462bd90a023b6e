// What code that checks its accesses (KILN_CHECK) and the runtime exchange. The passes use offsetof for the fields.
#pragma once
#include <cstddef>
#include <cstdint>

namespace kiln::abi {

/// The source of an access, a constant in the code. Two strings with a zero at their ends follow: the name of the
/// variable or argument, and the file; both may be empty.
struct CheckSite {
  uint32_t line, column; // 0: unknown
  int32_t argument;      // index of the kernel's argument; -1 for other objects
  uint8_t access;        // ocl::AccessKind: 0 read, 1 write, 2 atomic operation; or CheckedBarrier
  uint8_t space;         // ocl::AddressSpace: 0 private, 1 global, 2 constant, 3 local, 4 generic
  uint16_t reserved;
  const char *name() const { return reinterpret_cast<const char *>(this + 1); }
};

inline constexpr uint8_t CheckedBarrier = 3;

/// The memory that an argument may access. In local memory only `size` is set. All ones as the size: any memory.
struct CheckRange {
  uint64_t begin, size;
};

/// One launch of a kernel that is checked.
struct CheckLaunch {
  /// Called for an access of `bytes` bytes at `pointer` that is not in the `size` bytes at `base`; 0 bytes if the
  /// compiler does not know the object. For a private variable `base` is null, and `pointer` its offset. Returns the
  /// address to access: `pointer`, or other memory. `x`, `y` and `z` are global ids; all ones: not known. Called by any
  /// thread that runs work-groups.
  void *(*check)(const CheckLaunch *launch, const CheckSite *site, void *pointer, void *base, uint64_t size,
                 uint64_t bytes, uint64_t x, uint64_t y, uint64_t z);
  const CheckRange *ranges; // of the arguments
  /// Called for a work-item that does not reach the barrier at `site`, which others of its group have reached. Its
  /// `access` is CheckedBarrier.
  void (*missing)(const CheckLaunch *launch, const CheckSite *site, uint64_t x, uint64_t y, uint64_t z);
};

} // namespace kiln::abi
