// What an application holds: a pointer to a struct whose first word is the ICD loader's dispatch table. The second one
// belongs to loaders that know version 2 of cl_khr_icd: they keep a table of their own there, which they give to the
// platform before anything else is made, and find through every object. The structs hold only these words, and an API
// object derives from its struct first.
#pragma once
#include "runtime/support/OpenCL.h"

namespace kiln {

/// The table that new handles point to; null until api/ has said which, as in the runtime's own tests.
const void *icdDispatch();
void setIcdDispatch(const void *table);
/// What a loader has given for its own use; null where it knows version 1 only.
void *icdDispatchData();
void setIcdDispatchData(void *data);

} // namespace kiln

#define KILN_HANDLE(name)                                                                                              \
  struct name {                                                                                                        \
    const void *dispatch = kiln::icdDispatch();                                                                        \
    void *dispatchData = kiln::icdDispatchData();                                                                      \
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
