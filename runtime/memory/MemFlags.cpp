#include "runtime/memory/MemFlags.h"
#include <bit>

namespace kiln {

Status checkFlags(cl_mem_flags flags) {
  if (flags & ~(AccessFlags | PointerFlags | HostFlags))
    return fail(CL_INVALID_VALUE, "memory flags 0x", std::hex, flags, " contain unknown bits");
  if (std::popcount(flags & AccessFlags) > 1)
    return fail(CL_INVALID_VALUE, "memory flags 0x", std::hex, flags,
                " contain more than one of CL_MEM_READ_WRITE, _READ_ONLY and _WRITE_ONLY");
  if (std::popcount(flags & HostFlags) > 1)
    return fail(CL_INVALID_VALUE, "memory flags 0x", std::hex, flags,
                " contain more than one of CL_MEM_HOST_READ_ONLY, _HOST_WRITE_ONLY and _HOST_NO_ACCESS");
  if ((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
    return fail(CL_INVALID_VALUE, "CL_MEM_USE_HOST_PTR excludes CL_MEM_ALLOC_HOST_PTR and CL_MEM_COPY_HOST_PTR");
  return {};
}

Status checkHostPointer(cl_mem_flags flags, const void *host) {
  const bool wantsHost = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
  if (wantsHost != (host != nullptr))
    return fail(CL_INVALID_HOST_PTR, wantsHost ? "host_ptr is null" : "host_ptr is not null, but no flag uses it");
  return {};
}

Result<cl_mem_flags> inheritFlags(cl_mem_flags flags, cl_mem_flags from) {
  KILN_TRY(checkFlags(flags));
  if (flags & PointerFlags)
    return fail(CL_INVALID_VALUE,
                "host pointer flags are inherited and cannot be set for an object in another one's storage");
  const cl_mem_flags access = flags & AccessFlags, hostAccess = flags & HostFlags;
  bool widensDevice = ((from & CL_MEM_WRITE_ONLY) && (access & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY))) ||
                      ((from & CL_MEM_READ_ONLY) && (access & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)));
  bool widensHost = ((from & CL_MEM_HOST_WRITE_ONLY) && (hostAccess & CL_MEM_HOST_READ_ONLY)) ||
                    ((from & CL_MEM_HOST_READ_ONLY) && (hostAccess & CL_MEM_HOST_WRITE_ONLY)) ||
                    ((from & CL_MEM_HOST_NO_ACCESS) && (hostAccess & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)));
  if (widensDevice || widensHost)
    return fail(CL_INVALID_VALUE, "flags 0x", std::hex, flags, " allow more than 0x", from,
                " of the object that has the storage");
  return (access ? access : from & AccessFlags) | (from & PointerFlags) | (hostAccess ? hostAccess : from & HostFlags);
}

} // namespace kiln
