// What an application holds: a pointer to a struct whose first word is the ICD loader's dispatch table. The loader
// reads that word and nothing else, so the structs hold only it, and an API object derives from its struct first.
#pragma once
#include "runtime/support/OpenCL.h"

namespace kiln {

/// The table that new handles point to; null until api/ has said which, as in the runtime's own tests.
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
#undef KILN_HANDLE
