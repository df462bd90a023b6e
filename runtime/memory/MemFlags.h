// The rules for cl_mem_flags that all memory objects share.
#pragma once
#include "runtime/support/Status.h"

namespace kiln {

inline constexpr cl_mem_flags AccessFlags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
inline constexpr cl_mem_flags PointerFlags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
inline constexpr cl_mem_flags HostFlags = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

/// CL_INVALID_VALUE: bits that nobody knows or that exclude one another.
Status checkFlags(cl_mem_flags flags);
/// A host pointer stands beside the flags that use it, and only there: CL_INVALID_HOST_PTR.
Status checkHostPointer(cl_mem_flags flags, const void *host);

/// The flags of an object that lies in another one's storage: what is not said it takes from there, with all about host
/// pointers. CL_INVALID_VALUE where it would allow more.
Result<cl_mem_flags> inheritFlags(cl_mem_flags flags, cl_mem_flags from);

} // namespace kiln
