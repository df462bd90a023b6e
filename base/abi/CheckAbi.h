// What checked code for GPUs (KILN_CHECK) and the runtime exchange: memory of the device, one block for each launch.
// dialects/library/Check.clcpp is the kernels' side, runtime/check/GpuLaunchCheck the runtime's.
//
// The block is a GpuCheck, a GpuCheckRange for each of the kernel's arguments and one more, a GpuFinding for each of
// its sites (KernelInfo::checkSites), and the CheckedObjects.
#pragma once
#include "base/abi/AbiTypes.h"

namespace kiln::abi {

/// Which accesses outside of a range are right.
enum CheckOutside : uint64_t {
  OutsideIsWrong,
  OutsideInAllocation, // those in another allocation
  OutsideUnlessWrong,  // all but those at null pointers, in freed allocations, and across the end of an allocation
};

/// The memory that accesses through an argument may use. In local memory only `size` is set. All ones as the size: any
/// memory. The range after that of the last argument is for pointers whose object the compiler does not know.
struct GpuCheckRange {
  uint64_t begin, size;
  uint64_t outside; // CheckOutside
};

/// The first finding at a site, and the number of all. The kernel that changes `count` from 0 writes the rest.
struct GpuFinding {
  uint64_t count;
  uint64_t values[4]; // as the operands of ocl.report_access or ocl.report_finding; of a barrier zero
  uint64_t item[3];   // global ids
};

/// An allocation of the context.
struct CheckedObject {
  uint64_t begin, size;
  uint64_t isFreed;
};

struct GpuCheck {
  uint64_t findings; // address of the first one
  uint64_t objects;  // address of the first one; ascending, apart from each other
  uint64_t objectCount;
};

// No object is on the first page of addresses.
inline constexpr uint64_t FirstCheckedAddress = 4096;

/// In a group's local memory: where its work-items are, for ocl.check_barrier. A word of bits for each 32 work-items.
struct BarrierArrivals {
  uint32_t site;        // the least one at which a work-item waits; all ones: none
  uint32_t count;       // work-items at the site
  uint32_t isBroken;    // the group's work-items do not wait for each other any more
  uint32_t arrived[32]; // at the site
  uint32_t waiting[32]; // at any site
  uint32_t ended[32];   // have returned
};

} // namespace kiln::abi
