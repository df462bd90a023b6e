// The errors of features that no device has yet. The entries are there, as a loader's table needs them, and say what
// the specification has for a device without the feature.
#pragma once
#include "api/check/Object.h"

namespace kiln::check {

/// R10: the queue's device has no images.
inline Status images(cl_command_queue handle) {
  Queue *queue;
  KILN_TRY(object(handle, queue));
  return fail(CL_INVALID_OPERATION, "the device has no images (CL_DEVICE_IMAGE_SUPPORT)");
}
inline Status images(cl_context handle) {
  Context *context;
  KILN_TRY(object(handle, context));
  return fail(CL_INVALID_OPERATION, "no device of the context has images (CL_DEVICE_IMAGE_SUPPORT)");
}
inline Status sampler(cl_sampler handle) {
  return fail(CL_INVALID_SAMPLER, static_cast<const void *>(handle), " is no sampler");
}
/// No object is of a kind that no device has.
inline Status memObjectOfKind(cl_mem handle, const char *kind) {
  MemObject *found;
  KILN_TRY(object(handle, found));
  return fail(CL_INVALID_MEM_OBJECT, "the object is no ", kind);
}

} // namespace kiln::check
