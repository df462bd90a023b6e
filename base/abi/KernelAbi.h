// The interface between compiled kernels and the runtime: one definition for code generators and drivers.
//
// A kernel is launched with one *argument block*. Each argument is at the offset in the program's metadata (natural
// alignment, as in a C struct, up to `MaxArgumentAlignment`; a three-component vector counts as four). Buffers are
// device addresses, a `local` pointer argument is a byte offset into the work-group's local memory, structs are inline.
//
// A work-group's local memory: statically declared variables first (`KernelPlan::staticLocalBytes`), then one range per
// `local` argument in argument order, each at a multiple of `LocalAlignment`.
#pragma once
#include <cstddef>
#include <cstdint>

namespace kiln::abi {

/// Largest alignment of any OpenCL C type (long16, double16).
inline constexpr uint64_t LocalAlignment = 128;

/// NVIDIA's drivers place parameters after data of their own, which ends at a multiple of 16, and align them from
/// there. The address of a parameter with a larger alignment depends on the GPU.
inline constexpr uint64_t MaxArgumentAlignment = 16;

/// The printf buffer of a launch: this head, `capacity` bytes for records, and room for one more record. A work-item
/// adds its record's size to `used`. If the record fits, the old value is its distance from the head's end. If not, it
/// is written to the room at the end, which is not read. Records are at multiples of 8, and their memory is zero before
/// the launch, so that a size of 0 ends the list.
struct PrintfBuffer {
  uint64_t used;
  uint64_t capacity; // at least MaxPrintfRecord
};

/// The head of a record. Each argument follows at a multiple of 8, as in memory; a pointer has 64 bits. An argument
/// that may point to a string literal has 64 bits more: the literal's index among the program's strings plus one, or 0.
struct PrintfRecord {
  uint32_t bytes;     // of the record with its arguments, a multiple of 8
  uint32_t signature; // index among the program's signatures: the types of the arguments
  uint64_t format;    // index of the literal plus one
};
inline constexpr uint64_t MaxPrintfRecord = 16384;
/// The size that a device reports. The minimum of the full profile is 1 MiB of output. A record is larger than its
/// output: a printf of one character has 24 bytes.
inline constexpr uint64_t PrintfCapacity = 4ull << 20;

/// One launch on the CPU, the same for every work-group. The passes use offsetof for its fields.
struct CpuLaunch {
  uint64_t globalSize[3];
  uint64_t globalOffset[3];
  uint64_t localSize[3]; // the enqueued size; groups at the high end may be smaller
  uint64_t numGroups[3];
  uint64_t workDim;
  uint64_t programVariables;       // address of the program's block of variables; 0 without one
  uint64_t printfBuffer;           // address of a PrintfBuffer; 0 for a kernel that does not print
  uint64_t enqueueArena;           // address of an EnqueueArena (EnqueueAbi.h); 0 for a kernel that does not enqueue
  uint64_t localBytes, itemsBytes; // of the two areas that CpuEntry is given
  uint64_t assumptions;            // address of an AssumptionReport (Assumptions.h)
  uint64_t distinctArguments;      // 1: see Launch::distinctArguments
  uint64_t check;                  // address of a CheckLaunch (Check.h); used by code that checks its accesses
  uint64_t accessNote;             // address of an AccessNote; 0 except for the located form
};

/// Entry point of a kernel on the CPU. One call runs the work-groups with linear ids in [firstGroup, endGroup),
/// dimension 0 fastest. `local` is the group's local memory, reused by the next group. `items` has the values that are
/// in memory per work-item: `KernelPlan::itemBytes` for each of the group's work-items (rounded up to `ItemRounding`
/// items), plus `KernelPlan::threadBytes` once. Both are aligned to `LocalAlignment`.
using CpuEntry = void(const void *arguments, const CpuLaunch *launch, uint64_t firstGroup, uint64_t endGroup,
                      void *local, void *items);

/// The maximum stack frame of one function of a kernel on the CPU, and the stack that a thread must have left to run a
/// kernel: for the kernel, an outlined region and the math library.
inline constexpr uint64_t MaxCpuFrame = 224 << 10, CpuStack = 512 << 10;

/// The largest work-group of the CPU.
inline constexpr uint64_t MaxCpuGroupSize = 4096;
/// The maximum items area of one thread, in bytes. A kernel that needs more per work-item runs in smaller groups.
inline constexpr uint64_t MaxItemsArea = 64ull << 20;

/// Work-items of a sub-group of the CPU: consecutive linear local ids; the last sub-group of a group may be smaller.
/// The number of 32-bit elements of the widest vectors, on every machine, so that results do not depend on the machine.
inline constexpr uint64_t CpuSubGroupSize = 16;
/// The sizes that a kernel may require instead, in ascending order. A ballot has 32 bits on the CPU.
inline constexpr uint64_t CpuSubGroupSizes[] = {8, 16, 32};

/// The number of elements of a slot array is rounded up to a multiple of this, so that the next array is aligned.
inline constexpr uint64_t ItemRounding = 64;

// ---- GPUs -----------------------------------------------------------------------------------------------------------
//
// A kernel's parameters are the argument block, padded to 8 bytes, and a GpuLaunch after it. One launch runs whole
// work-groups of one size. An NDRange with remainders, or with more groups than the hardware's grid, takes several
// launches. In the dimensions of `KernelPlan::roundedDims`, a launch may have more work-items than the NDRange; a
// work-item whose index in the launch is at least GpuLaunch::items ends at once. Enqueued blocks are launched with all
// work-items of a group in one dimension: a kernel can query only the size limit of the whole group, not those of each
// dimension.
//
// Static local variables are first in a group's local memory, placed by the compiler. The `local` arguments follow in
// one dynamically sized array, which starts at `KernelPlan::staticLocalBytes` rounded up to LocalAlignment. As on the
// CPU, the offsets in the argument block are from the start of local memory.

/// The largest argument block: with GpuLaunch it fits in the parameters of every GPU (32764 bytes).
inline constexpr uint64_t MaxGpuArgumentBytes = 32000;

/// The fields that nearly every kernel reads come first: they are near the arguments, and most often in the same line
/// of the constant cache, which a GPU reads anew in each launch.
struct GpuLaunch {
  uint64_t firstItem[3]; // global id of this launch's first work-item: globalOffset + firstGroup * localSize
  uint64_t items[3];     // of this launch in each dimension; with those beyond the end at most 2^32 - 1 in
                         // KernelPlan::roundedDims
  uint64_t globalSize[3];
  uint64_t globalOffset[3];
  uint64_t localSize[3];  // the enqueued size; the hardware has this launch's own
  uint64_t numGroups[3];  // of the whole NDRange
  uint64_t firstGroup[3]; // group id of this launch's first group
  uint64_t workDim;
  uint64_t programVariables; // device address of the program's block of variables; 0 without one
  uint64_t printfBuffer;     // device address of a PrintfBuffer; 0 for a kernel that does not print
  uint64_t enqueueArena;     // device address of an EnqueueArena (EnqueueAbi.h); 0 for a kernel that does not enqueue
  uint64_t ownSize[3];       // of this launch's groups
  uint64_t check;            // device address of a GpuCheck (CheckAbi.h); 0 for a kernel that checks nothing
};

} // namespace kiln::abi
