// Included by every file of entries.
#pragma once
#include "api/Enter.h"
#include "api/Info.h"
#include "api/check/Enqueue.h"
#include "api/check/Object.h"
#include "api/check/Platform.h"
#include "base/support/Checks.h"

namespace kiln::api {

/// As `create`, of a memory object. With KILN_CHECK, notes the entry's caller: the default argument is evaluated in the
/// entry. Loaders jump to the entry, so its caller is the application.
template <typename Body>
cl_mem createMemory(const char *entry, cl_int *errcode, Body &&body,
                    const void *caller = __builtin_return_address(0)) noexcept {
  return create(entry, errcode, [&]() -> Result<cl_mem> {
    const cl_mem made = KILN_TRY(body());
    if (checks().any())
      static_cast<MemObject *>(made)->setCreatedAt(caller);
    return made;
  });
}

} // namespace kiln::api

/// Expands a row of Queries.def to a case of a switch.
#define KILN_QUERY_CASE(name, type, value)                                                                             \
  case name:                                                                                                           \
    return writer.write<type>(value);
