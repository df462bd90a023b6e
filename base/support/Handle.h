// Handles: pointers to structs whose only word is the ICD dispatch table. An API object derives from its struct first.
#pragma once
#include "base/support/OpenCL.h"

namespace kiln {

/// The dispatch table of new handles; null until api/ has set it, as in the runtime's unit tests.
const void *icdDispatch();
void setIcdDispatch(const void *table);

} // namespace kiln

#define KILN_HANDLE(name)                                                                                              \
  struct name {                                                                                                        \
    const void *dispatch = kiln::icdDispatch();                                                                        \
  };
KILN_HANDLE(_cl_platform_id)
KILN_HANDLE(_cl_device_id)
KILN_HANDLE(_cl_context)
KILN_HANDLE(_cl_command_queue)
KILN_HANDLE(_cl_mem)
KILN_HANDLE(_cl_program)
KILN_HANDLE(_cl_kernel)
KILN_HANDLE(_cl_event)
KILN_HANDLE(_cl_sampler)
KILN_HANDLE(_cl_command_buffer_khr)
KILN_HANDLE(_cl_mutable_command_khr)
#undef KILN_HANDLE
