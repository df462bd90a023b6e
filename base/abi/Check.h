// What code that checks its accesses (KILN_CHECK) and the runtime exchange. The passes use offsetof for the fields.
#pragma once
#include <cstddef>
#include <cstdint>

namespace kiln::abi {

struct Image;

/// The source of an access, a constant in the code. Two strings with a zero at their ends follow: the name of the
/// variable or argument, and the file; both may be empty.
struct CheckSite {
  uint32_t line, column; // 0: unknown
  int32_t argument;      // index of the kernel's argument; -1 for other objects
  uint8_t access;        // ocl::AccessKind: 0 read, 1 write, 2 atomic operation; or CheckedBarrier, CheckedCollective
  uint8_t space;         // ocl::AddressSpace: 0 private, 1 global, 2 constant, 3 local, 4 generic
  uint16_t
      number; // of a tracked access: identifies it in the module, from 1; those after MaxTrackedSites share the last
  uint8_t granule; // of a tracked access: log2 of the bytes that all tracked accesses of the kernel in this memory are
                   // made of
  uint8_t sync;    // of a tracked access: bits of CheckSync
  uint8_t shape;   // of an access of an image: abi::ShapeDims and abi::ShapeLayers; of a collective: CheckedNumber
  uint8_t alignment; // if the address is checked: log2 of the bytes of which it has to be a multiple; else 0
  const char *name() const { return reinterpret_cast<const char *>(this + 1); }
};

inline constexpr uint8_t CheckedBarrier = 3, CheckedCollective = 4; // after the numbers of ocl::AccessKind

/// A number that a collective gets, and its limit.
enum CheckedNumber : uint8_t {
  NumberOfSubGroupItem, // a sub-group local id; the size of the sub-group
  NumberOfGroupItem,    // a linear local id; the work-items of the group
  DistanceInSubGroup,   // of sub-group local ids; the size with which the kernel runs
  IndexInPair,          // of values, of which each work-item has two; twice the maximum sub-group size
  ItemsOfCluster,       // the size with which the kernel runs, which is right itself
};

inline constexpr uint16_t MaxTrackedSites = (1 << 14) - 1; // bits of a cell (runtime/check/Shadow.h)

/// How an atomic operation or a fence orders other accesses.
enum CheckSync : uint8_t {
  CheckReleases = 1,
  CheckAcquires = 2,
  CheckOfDevice = 4,    // the scope is the device or more
  CheckOnlyReads = 8,   // an atomic load
  CheckOnlyWrites = 16, // an atomic store
  CheckOfLocal = 32,    // a fence or a barrier of local memory
  CheckOfGlobal = 64,   // a fence or a barrier of global memory
  CheckIsCopy = 128,    // reads bytes that it only stores again: those of a struct may have gaps
};

/// Bits of CheckRange::tracked.
enum CheckTracked : uint64_t {
  CheckTracksReads = 1,
  CheckTracksWrites = 2,
  /// Accesses of bytes that no other work-item accesses through this argument. They are no race, unless another
  /// argument has this memory.
  CheckTracksOwn = 4,
};

/// The memory that an argument may access. In local memory only `size` is set. All ones as the size: any memory.
struct CheckRange {
  uint64_t begin, size;
  uint64_t tracked; // which accesses are tracked: bits of CheckTracked
};

/// One launch of a kernel that is checked. Any thread that runs work-groups calls the functions.
struct CheckLaunch {
  /// Called for an access of `bytes` bytes at `pointer` that is not in the `size` bytes at `base`; 0 bytes if the
  /// compiler does not know the object. For a private variable `base` is null, and `pointer` its offset. Returns the
  /// address to access: `pointer`, or other memory. `x`, `y` and `z` are global ids; all ones: not known.
  void *(*check)(const CheckLaunch *launch, const CheckSite *site, void *pointer, void *base, uint64_t size,
                 uint64_t bytes, uint64_t x, uint64_t y, uint64_t z);
  const CheckRange *ranges; // of the arguments
  /// Called for a work-item that does not reach the barrier at `site`, which others of its group have reached. Its
  /// `access` is CheckedBarrier.
  void (*missing)(const CheckLaunch *launch, const CheckSite *site, uint64_t x, uint64_t y, uint64_t z);
  /// Called before the work-items of the group with these ids begin.
  void (*enter)(const CheckLaunch *launch, uint64_t x, uint64_t y, uint64_t z);
  /// Called when all work-items of the group have reached a barrier. `sync`: CheckOfLocal, CheckOfGlobal,
  /// CheckOfDevice.
  void (*synchronise)(const CheckLaunch *launch, uint64_t sync);
  /// Called before tracked accesses: for each bit n of `lanes`, the work-item with the linear local id `item` + n
  /// accesses `bytes` bytes at `pointer` + n * `stride`. 0 bytes: a fence.
  void (*track)(const CheckLaunch *launch, const CheckSite *site, void *pointer, uint64_t bytes, int64_t stride,
                uint64_t lanes, uint64_t item);
  /// Called for a work-item, by its linear local id, that reads an element of a private array which it has not written.
  void (*undefinedPrivate)(const CheckLaunch *launch, const CheckSite *site, uint64_t item);
  /// Called after the last access of the work-items of a group, on the thread that has called `enter`.
  void (*leave)(const CheckLaunch *launch);
  /// As `track`; the work-item `item` + n accesses `bytes` bytes at `pointers`[n], which has no value where bit n of
  /// `lanes` is not set.
  void (*trackLanes)(const CheckLaunch *launch, const CheckSite *site, const uintptr_t *pointers, uint64_t bytes,
                     uint64_t lanes, uint64_t item);
  /// Called for an access of an image at coordinates that are outside of it. `x`, `y` and `z` are the coordinates, as
  /// many as `site->shape` says; the ids are as those of `check`.
  void (*outsideImage)(const CheckLaunch *launch, const CheckSite *site, const Image *image, double x, double y,
                       double z, uint64_t globalX, uint64_t globalY, uint64_t globalZ);
  /// Called before an access at `pointer`, which is no multiple of the alignment of its site. For a private variable
  /// `pointer` is its offset.
  void (*misaligned)(const CheckLaunch *launch, const CheckSite *site, void *pointer, uint64_t x, uint64_t y,
                     uint64_t z);
  /// Called for a collective whose number is not below its limit (`site->shape`: CheckedNumber).
  void (*wrongNumber)(const CheckLaunch *launch, const CheckSite *site, uint64_t number, uint64_t limit, uint64_t x,
                      uint64_t y, uint64_t z);
  /// Called when a group begins, instead of `track` for each of its work-items: the work-item `item` accesses `bytes`
  /// bytes at `pointer` + `item` % `rowItems` * `stride` + `item` / `rowItems` * `pitch`, in `rows` rows. Returns 0,
  /// and has no effect, if `track` must be called for each work-item.
  uint64_t (*trackGroup)(const CheckLaunch *launch, const CheckSite *site, void *pointer, uint64_t bytes,
                         int64_t stride, uint64_t rowItems, int64_t pitch, uint64_t rows);
  /// 0 once a group has ended without a race in local memory, if all groups have the same size. Code whose groups
  /// access local memory alike notes these accesses, and barriers of local memory, only until then. Other threads may
  /// set it meanwhile.
  uint64_t comparesLocal;
};

} // namespace kiln::abi
