// What compiled kernels and the runtime agree on: one definition for code generators and drivers.
//
// A kernel is launched with one *argument block*: every argument at the offset that the program's metadata names
// (natural alignment, as in a C struct, up to `MaxArgumentAlignment`; a three-component vector counts as four). Buffers
// are device addresses, a `local` pointer argument is a byte offset into the work-group's local memory, structs stand
// inline.
//
// A work-group's local memory: statically declared variables first (`Plan::staticLocalBytes`), then one range per
// `local` argument in argument order, each at a multiple of `LocalAlignment`.
#pragma once
#include <cstddef>
#include <cstdint>

namespace kiln::abi {

/// Largest alignment of any OpenCL C type (long16, double16).
inline constexpr uint64_t LocalAlignment = 128;

/// NVIDIA's drivers keep parameters behind something of theirs that ends at a multiple of 16 and align them from there:
/// where a larger alignment puts one depends on the GPU.
inline constexpr uint64_t MaxArgumentAlignment = 16;

/// Where the work-items of a launch leave what they print: this head, `capacity` bytes for records, and room for one
/// more. A work-item adds its record's size to `used`. Where the old value says that the record fits it lies at that
/// distance from the head's end, otherwise in the room behind, where nobody reads it. Records are at multiples of 8 and
/// the memory for them is zero before the launch, so that a size of 0 ends the list.
struct PrintfBuffer {
  uint64_t used;
  uint64_t capacity; // at least MaxPrintfRecord
};

/// The head of a record. Each argument follows at a multiple of 8, as it lies in memory, a pointer as 64 bits. One that
/// may point to a literal has 64 bits more behind: one more than the literal's number among the program's strings, 0
/// for none.
struct PrintfRecord {
  uint32_t bytes; // of the record with its arguments, a multiple of 8
  uint32_t signature; // number among the program's signatures: the types of the arguments
  uint64_t format;    // as of a literal: one more than its number among the program's strings
};
inline constexpr uint64_t MaxPrintfRecord = 16384;
/// What a device reports, at least what the full profile asks for.
inline constexpr uint64_t PrintfCapacity = 1ull << 20;

/// One launch, the same for every work-group. Field order is known to the passes, through offsetof.
struct LaunchInfo {
  uint64_t globalSize[3];
  uint64_t globalOffset[3];
  uint64_t localSize[3]; // the enqueued size: groups at the high end may be smaller
  uint64_t numGroups[3];
  uint64_t workDim;
  uint64_t programVariables; // address of the program's block of variables; 0 without one
  uint64_t printfBuffer;     // address of a PrintfBuffer; 0 for a kernel that does not print
  uint64_t enqueueArena;     // address of an EnqueueArena (EnqueueAbi.h); 0 for a kernel that does not enqueue
  uint64_t localBytes, itemsBytes; // of the two areas that CpuEntry is given: what a pointer into them points to
  uint64_t assumptions;            // address of an AssumptionReport (Assumptions.h)
};

/// Entry point of a kernel on the CPU; one call runs the work-groups whose linear ids lie in [firstGroup, endGroup),
/// dimension 0 fastest. `local` is the group's local memory, reused from group to group; `items` holds what lives in
/// memory per work-item: `Plan::itemBytes` for each of the group's work-items (rounded up to `ItemRounding` items),
/// plus `Plan::threadBytes` once. Both are aligned to `LocalAlignment`.
using CpuEntry = void(const void *arguments, const LaunchInfo *launch, uint64_t firstGroup, uint64_t endGroup,
                      void *local, void *items);

/// What one function of a kernel on the CPU may take of its thread's stack, and what has to be left there for the
/// kernel: it and a region in a function of its own, and the math library's under these.
inline constexpr uint64_t MaxCpuFrame = 224 << 10, CpuStack = 512 << 10;

/// The largest work-group of the CPU.
inline constexpr uint64_t MaxCpuGroupSize = 4096;
/// What the items area of one thread may take; a kernel that needs more for each work-item runs in smaller groups.
inline constexpr uint64_t MaxItemsArea = 64ull << 20;

/// Work-items of a sub-group of the CPU: consecutive linear local ids; the last one of a group may be smaller. As many
/// as the widest vectors have lanes of 32 bits, on every machine, so that kernels give the same results everywhere.
inline constexpr uint64_t CpuSubGroupSize = 16;
/// Those that a kernel may require instead, in rising order. A ballot has 32 bits on the CPU.
inline constexpr uint64_t CpuSubGroupSizes[] = {8, 16, 32};

/// Work-items that a per-item slot array is rounded up to, so that each slot array starts aligned.
inline constexpr uint64_t ItemRounding = 64;

// ---- GPUs -----------------------------------------------------------------------------------------------------------
//
// A kernel's parameters are the argument block as it is, padded to 8 bytes, with GpuLaunch behind it. One launch runs
// whole work-groups of one size: an ND-range whose sizes leave a rest is several launches, as is one with more groups
// than the hardware's grid has. A kernel that kernels enqueue is launched with all work-items of a group in one
// dimension: hosts learn what the hardware's limits are in each of three, and kernels only that of the whole group.
//
// Static local variables lie first in a group's local memory, placed by the compiler; the `local` arguments follow in
// one dynamically sized array, which starts at `Plan::staticLocalBytes` rounded up to LocalAlignment. The offsets in the
// argument block count from the start of it all, as on the CPU.

/// The largest argument block: with the launch behind it, it fits what every processor takes (32764 bytes).
inline constexpr uint64_t MaxGpuArgumentBytes = 32000;

struct GpuLaunch {
  uint64_t globalSize[3];
  uint64_t globalOffset[3];
  uint64_t localSize[3];  // the enqueued size; the hardware knows this launch's own
  uint64_t numGroups[3];  // of the whole ND-range
  uint64_t firstGroup[3]; // the group id of this launch's first group
  uint64_t workDim;
  uint64_t programVariables; // device address of the program's block of variables; 0 without one
  uint64_t firstItem[3]; // global id of this launch's first work-item: globalOffset + firstGroup * localSize
  uint64_t printfBuffer; // device address of a PrintfBuffer; 0 for a kernel that does not print
  uint64_t enqueueArena; // device address of an EnqueueArena (EnqueueAbi.h); 0 for a kernel that does not enqueue
  uint64_t ownSize[3];   // of this launch's groups
};

} // namespace kiln::abi
