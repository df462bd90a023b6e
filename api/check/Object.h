// Converts handles to objects; the only code that dereferences an unchecked handle. A handle is valid if its first word
// is our dispatch table and the object behind it has the expected kind. Any other handle gives the specification's
// error for that kind of handle.
#pragma once
#include "runtime/enqueue/DeviceQueue.h"
#include "runtime/memory/Buffer.h"
#include "runtime/memory/Image.h"
#include "runtime/memory/Pipe.h"
#include "runtime/memory/Sampler.h"
#include "runtime/queue/CommandBuffer.h"

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
KILN_HANDLE_OF(DeviceQueue, cl_command_queue, CL_INVALID_COMMAND_QUEUE, "device queue")
KILN_HANDLE_OF(MemObject, cl_mem, CL_INVALID_MEM_OBJECT, "memory object")
KILN_HANDLE_OF(Buffer, cl_mem, CL_INVALID_MEM_OBJECT, "buffer")
KILN_HANDLE_OF(Image, cl_mem, CL_INVALID_MEM_OBJECT, "image")
KILN_HANDLE_OF(Pipe, cl_mem, CL_INVALID_MEM_OBJECT, "pipe")
KILN_HANDLE_OF(Program, cl_program, CL_INVALID_PROGRAM, "program")
KILN_HANDLE_OF(Kernel, cl_kernel, CL_INVALID_KERNEL, "kernel")
KILN_HANDLE_OF(Event, cl_event, CL_INVALID_EVENT, "event")
KILN_HANDLE_OF(Sampler, cl_sampler, CL_INVALID_SAMPLER, "sampler")
KILN_HANDLE_OF(CommandBuffer, cl_command_buffer_khr, CL_INVALID_COMMAND_BUFFER_KHR, "command buffer")
KILN_HANDLE_OF(MutableCommand, cl_mutable_command_khr, CL_INVALID_MUTABLE_COMMAND_KHR, "mutable command")
#undef KILN_HANDLE_OF

/// Checks that the handle is of an object of this type.
template <typename T> Status checkHandle(typename HandleOf<T>::Handle handle) {
  auto reject = [&](const char *why) {
    return fail(HandleOf<T>::Invalid, static_cast<const void *>(handle), " is not a ", HandleOf<T>::Name, ": ", why);
  };
  if (!handle)
    return reject("it is null");
  if (reinterpret_cast<uintptr_t>(handle) % alignof(void *) || handle->dispatch != icdDispatch())
    return reject("Kiln did not create it");
  // Only the kind is read before it has been checked.
  if (static_cast<T *>(handle)->kind() != T::Kind)
    return reject("it was released, or has another type");
  if constexpr (std::is_same_v<T, Buffer>)
    if (static_cast<MemObject *>(handle)->type() != CL_MEM_OBJECT_BUFFER)
      return reject("it is an image or a pipe");
  if constexpr (std::is_same_v<T, Image>)
    if (!isImageType(static_cast<MemObject *>(handle)->type()))
      return reject("it is a buffer or a pipe");
  if constexpr (std::is_same_v<T, Pipe>)
    if (static_cast<MemObject *>(handle)->type() != CL_MEM_OBJECT_PIPE)
      return reject("it is a buffer or an image");
  return {};
}

/// The object of a handle. Inlined, so that the Result stays in registers.
template <typename T> [[gnu::always_inline]] inline Result<T *> object(typename HandleOf<T>::Handle handle) {
  if (Status status = checkHandle<T>(handle); !status.ok())
    return status;
  return static_cast<T *>(handle);
}

inline bool isTerminated(const Context &context) { return context.isTerminated(); }
inline bool isTerminated(const CommandBuffer &buffer) { return isTerminated(buffer.queue().context()); }
inline bool isTerminated(const auto &object) { return isTerminated(object.context()); }
/// The object of a handle, for calls that create objects or enqueue commands: CL_CONTEXT_TERMINATED_KHR if its context
/// has been terminated.
template <typename T> [[gnu::always_inline]] inline Result<T *> live(typename HandleOf<T>::Handle handle) {
  T *found = KILN_TRY(object<T>(handle));
  if (isTerminated(*found)) [[unlikely]]
    return fail(CL_CONTEXT_TERMINATED_KHR, "the context of the ", HandleOf<T>::Name, " has been terminated");
  return found;
}

/// clRetain*
template <typename T> Status retain(typename HandleOf<T>::Handle handle) {
  T *found = KILN_TRY(object<T>(handle));
  found->retain();
  return {};
}
/// clRelease*
template <typename T> Status release(typename HandleOf<T>::Handle handle) {
  T *found = KILN_TRY(object<T>(handle));
  if (!found->release())
    return fail(HandleOf<T>::Invalid, "the ", HandleOf<T>::Name, " was released more often than it was retained");
  return {};
}

/// A list of devices; each must be valid and one of `allowed`. `devices` stays empty for an empty list.
Status devices(const std::vector<DeviceObject *> &allowed, cl_uint count, const cl_device_id *handles,
               std::vector<DeviceObject *> &devices);

} // namespace kiln::check
