// The rules for cl_mem_flags that are common to all memory objects.
#pragma once
#include "base/support/Status.h"

namespace kiln {

inline constexpr cl_mem_flags AccessFlags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
inline constexpr cl_mem_flags PointerFlags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
inline constexpr cl_mem_flags HostFlags = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

/// CL_INVALID_VALUE if a bit is unknown or two bits exclude each other.
Status checkFlags(cl_mem_flags flags);
/// CL_INVALID_HOST_PTR unless the host pointer is null exactly if no flag uses it.
Status checkHostPointer(cl_mem_flags flags, const void *host);

/// The flags of an object in another one's storage. Unset access flags and all host pointer flags are inherited.
/// CL_INVALID_VALUE if the result would allow more than the storage's object.
Result<cl_mem_flags> inheritFlags(cl_mem_flags flags, cl_mem_flags from);

} // namespace kiln
