// From a handle to the object: the one place that trusts a caller's pointer. A handle is taken when its first word is
// our dispatch table and the object behind it says that it is of the kind asked for; anything else is the error that
// the specification has for that kind of handle.
#pragma once
#include "runtime/enqueue/DeviceQueue.h"
#include "runtime/memory/Buffer.h"
#include "runtime/memory/Image.h"
#include "runtime/memory/Pipe.h"
#include "runtime/memory/Sampler.h"
#include "runtime/queue/Queue.h"

namespace kiln::check {

template <typename T> struct HandleOf;
#define KILN_HANDLE_OF(Type, handle, invalid, what)                                                                    \
  template <> struct HandleOf<Type> {                                                                                  \
    using Handle = handle;                                                                                             \
    static constexpr cl_int Invalid = invalid;                                                                         \
    static constexpr const char *Name = what;                                                                          \
  };
KILN_HANDLE_OF(Platform, cl_platform_id, CL_INVALID_PLATFORM, "platform")
KILN_HANDLE_OF(DeviceObject, cl_device_id, CL_INVALID_DEVICE, "device")
KILN_HANDLE_OF(Context, cl_context, CL_INVALID_CONTEXT, "context")
KILN_HANDLE_OF(Queue, cl_command_queue, CL_INVALID_COMMAND_QUEUE, "command queue")
KILN_HANDLE_OF(DeviceQueue, cl_command_queue, CL_INVALID_COMMAND_QUEUE, "queue on the device")
KILN_HANDLE_OF(MemObject, cl_mem, CL_INVALID_MEM_OBJECT, "memory object")
KILN_HANDLE_OF(Buffer, cl_mem, CL_INVALID_MEM_OBJECT, "buffer")
KILN_HANDLE_OF(Image, cl_mem, CL_INVALID_MEM_OBJECT, "image")
KILN_HANDLE_OF(Pipe, cl_mem, CL_INVALID_MEM_OBJECT, "pipe")
KILN_HANDLE_OF(Program, cl_program, CL_INVALID_PROGRAM, "program")
KILN_HANDLE_OF(Kernel, cl_kernel, CL_INVALID_KERNEL, "kernel")
KILN_HANDLE_OF(Event, cl_event, CL_INVALID_EVENT, "event")
KILN_HANDLE_OF(Sampler, cl_sampler, CL_INVALID_SAMPLER, "sampler")
#undef KILN_HANDLE_OF

template <typename T> Status object(typename HandleOf<T>::Handle handle, T *&object) {
  auto refuse = [&](const char *why) {
    return fail(HandleOf<T>::Invalid, static_cast<const void *>(handle), " is no ", HandleOf<T>::Name, ": ", why);
  };
  if (!handle)
    return refuse("it is null");
  if (reinterpret_cast<uintptr_t>(handle) % alignof(void *) || handle->dispatch != icdDispatch())
    return refuse("Kiln did not make it");
  // Only the kind is looked at before it is known to be right.
  if (static_cast<T *>(handle)->kind() != T::Kind)
    return refuse("it was released, or is something else");
  if constexpr (std::is_same_v<T, Buffer>)
    if (static_cast<MemObject *>(handle)->type() != CL_MEM_OBJECT_BUFFER)
      return refuse("it is an image or a pipe");
  if constexpr (std::is_same_v<T, Image>)
    if (!isImageType(static_cast<MemObject *>(handle)->type()))
      return refuse("it is a buffer or a pipe");
  if constexpr (std::is_same_v<T, Pipe>)
    if (static_cast<MemObject *>(handle)->type() != CL_MEM_OBJECT_PIPE)
      return refuse("it is a buffer or an image");
  object = static_cast<T *>(handle);
  return {};
}

/// clRetain*
template <typename T> Status retain(typename HandleOf<T>::Handle handle) {
  T *found;
  KILN_TRY(object(handle, found));
  found->retain();
  return {};
}
/// clRelease*
template <typename T> Status release(typename HandleOf<T>::Handle handle) {
  T *found;
  KILN_TRY(object(handle, found));
  if (!found->release())
    return fail(HandleOf<T>::Invalid, "the ", HandleOf<T>::Name, " was released more often than it was retained");
  return {};
}

/// The list of devices that many calls take: each valid and one of `allowed`. None stands for all.
Status devices(const std::vector<DeviceObject *> &allowed, cl_uint count, const cl_device_id *handles,
               std::vector<DeviceObject *> &devices);

} // namespace kiln::check
