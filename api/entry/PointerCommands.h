// The common part of SVM and USM commands.
#pragma once
#include "api/check/Pointer.h"

namespace kiln::api {

/// Checks a fill of memory on `queue`, except the queue and the wait list.
inline Result<FillMemory> fillMemory(const Queue &queue, void *to, const void *pattern, size_t patternSize, size_t size,
                                     cl_command_type type) {
  PointerOperand pointed = KILN_TRY(check::devicePointerOperand(queue, to, size));
  KILN_TRY(check::fillPattern(pattern, patternSize, uintptr_t(to), size));
  return FillMemory{std::move(pointed), {pattern, patternSize}, size, type};
}

/// The same for a copy.
inline Result<CopyMemory> copyMemory(const Queue &queue, void *to, const void *from, size_t size,
                                     cl_command_type type) {
  CopyMemory copy{KILN_TRY(check::pointerOperand(queue, to, size)), KILN_TRY(check::pointerOperand(queue, from, size)),
                  size, type};
  KILN_TRY(check::noOverlap(to, from, size));
  return copy;
}

} // namespace kiln::api
