// The common part of SVM and USM commands.
#pragma once
#include "api/check/Pointer.h"

namespace kiln::api {

inline Status fillMemory(Queue &queue, void *to, const void *pattern, size_t patternSize, size_t size,
                         cl_command_type type, const WaitList &wait, cl_event *event) {
  PointerOperand pointed = KILN_TRY(check::devicePointerOperand(queue, to, size));
  KILN_TRY(check::fillPattern(pattern, patternSize, uintptr_t(to), size));
  return queue.enqueue(RareCommand{FillMemory{std::move(pointed), {pattern, patternSize}, size, type}}, wait, event);
}

inline Status copyMemory(Queue &queue, cl_bool blocking, void *to, const void *from, size_t size, cl_command_type type,
                         const WaitList &wait, cl_event *event) {
  CopyMemory copy{KILN_TRY(check::pointerOperand(queue, to, size)), KILN_TRY(check::pointerOperand(queue, from, size)),
                  size, type};
  KILN_TRY(check::noOverlap(to, from, size));
  return queue.enqueue(RareCommand{std::move(copy)}, wait, event, blocking);
}

} // namespace kiln::api
