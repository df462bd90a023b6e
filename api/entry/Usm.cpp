// cl_intel_unified_shared_memory: memory of the host, of one device, or shared, named by pointers.
#include "api/entry/Entry.h"
#include "api/entry/PointerCommands.h"

using namespace kiln;
using namespace kiln::api;

namespace {

/// Parses the properties; the only one is CL_MEM_ALLOC_FLAGS_INTEL. `placement`: initial placement flags are allowed,
/// for shared memory.
Result<cl_mem_alloc_flags_intel> allocFlags(const cl_mem_properties_intel *properties, bool placement) {
  constexpr cl_mem_alloc_flags_intel Placement =
      CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
  std::optional<cl_mem_alloc_flags_intel> flags;
  for (; properties && *properties; properties += 2) {
    if (*properties != CL_MEM_ALLOC_FLAGS_INTEL || flags)
      return fail(CL_INVALID_PROPERTY, "memory property 0x", std::hex, *properties, " is unknown or repeated");
    flags = properties[1];
    if (*flags & ~(CL_MEM_ALLOC_WRITE_COMBINED_INTEL | (placement ? Placement : 0)))
      return fail(CL_INVALID_PROPERTY, "allocation flags 0x", std::hex, *flags,
                  " are unknown or not allowed for this memory");
    if ((*flags & Placement) == Placement)
      return fail(CL_INVALID_PROPERTY, "allocation flags name two initial placements");
  }
  return flags.value_or(0);
}

/// The common part of the three allocation calls. `caller`: their return address. `has`: returns true if a device
/// supports this memory.
template <typename Has>
Result<void *> allocate(const void *caller, Context &context, Allocation::Kind kind, DeviceObject *device,
                        const cl_mem_properties_intel *properties, size_t size, cl_uint alignment, Has has) {
  size_t largest = SIZE_MAX;
  for (const DeviceObject *each : context.devices())
    if (device ? each == device : has(each->info()))
      largest = std::min<size_t>(largest, each->info().maxAllocSize);
  if (device ? !has(device->info()) : largest == SIZE_MAX)
    return fail(CL_INVALID_OPERATION, "the device, or no device of the context, supports this kind of USM");
  KILN_TRY(check::alignment(alignment));
  const cl_mem_alloc_flags_intel flags = KILN_TRY(allocFlags(properties, kind == Allocation::Kind::Shared));
  if (!size || size > largest)
    return fail(CL_INVALID_BUFFER_SIZE, "size is ", size, ", must be in 1 to ", largest);
  return context.allocations().allocate(
      context, {.kind = kind, .flags = flags, .device = device, .size = size, .allocatedAt = caller});
}

/// Converts the handle of a device of the context.
Status deviceOf(const Context &context, cl_device_id handle, DeviceObject *&device) {
  device = KILN_TRY(check::object<DeviceObject>(handle));
  if (context.indexOf(device) < 0)
    return fail(CL_INVALID_DEVICE, "device ", device->info().name, " is not in the context");
  return {};
}

Status freeMemory(cl_context handle, void *pointer, bool blocking) {
  Context *context = KILN_TRY(check::object<Context>(handle));
  if (!pointer)
    return {};
  Ref<Allocation> allocation = context->allocations().at(pointer);
  if (allocation && allocation->kind() == Allocation::Kind::Svm)
    allocation = nullptr;
  if (!allocation ||
      !(blocking ? context->freeAndWait(std::move(allocation)) : context->allocations().free(*allocation)))
    return fail(CL_INVALID_VALUE, pointer, " is not the address of a USM allocation of the context");
  return {};
}

cl_unified_shared_memory_type_intel typeOf(const Allocation *allocation) {
  switch (allocation ? allocation->kind() : Allocation::Kind::Svm) {
  case Allocation::Kind::Host:
    return CL_MEM_TYPE_HOST_INTEL;
  case Allocation::Kind::Device:
    return CL_MEM_TYPE_DEVICE_INTEL;
  case Allocation::Kind::Shared:
    return CL_MEM_TYPE_SHARED_INTEL;
  case Allocation::Kind::Svm:
    break;
  }
  return CL_MEM_TYPE_UNKNOWN_INTEL;
}

} // namespace

void *CL_API_CALL clHostMemAllocINTEL(cl_context handle, const cl_mem_properties_intel *properties, size_t size,
                                      cl_uint alignment, cl_int *errcode) {
  const void *caller = __builtin_return_address(0);
  return create("clHostMemAllocINTEL", errcode, [&]() -> Result<void *> {
    Context *context = KILN_TRY(check::live<Context>(handle));
    return allocate(caller, *context, Allocation::Kind::Host, nullptr, properties, size, alignment,
                    [](const DeviceInfo &info) { return info.usmHost != 0; });
  });
}

void *CL_API_CALL clDeviceMemAllocINTEL(cl_context handle, cl_device_id deviceHandle,
                                        const cl_mem_properties_intel *properties, size_t size, cl_uint alignment,
                                        cl_int *errcode) {
  const void *caller = __builtin_return_address(0);
  return create("clDeviceMemAllocINTEL", errcode, [&]() -> Result<void *> {
    DeviceObject *device;
    Context *context = KILN_TRY(check::live<Context>(handle));
    KILN_TRY(deviceOf(*context, deviceHandle, device));
    return allocate(caller, *context, Allocation::Kind::Device, device, properties, size, alignment,
                    [](const DeviceInfo &info) { return info.usmDevice != 0; });
  });
}

void *CL_API_CALL clSharedMemAllocINTEL(cl_context handle, cl_device_id deviceHandle,
                                        const cl_mem_properties_intel *properties, size_t size, cl_uint alignment,
                                        cl_int *errcode) {
  const void *caller = __builtin_return_address(0);
  return create("clSharedMemAllocINTEL", errcode, [&]() -> Result<void *> {
    DeviceObject *device = nullptr;
    Context *context = KILN_TRY(check::live<Context>(handle));
    if (deviceHandle)
      KILN_TRY(deviceOf(*context, deviceHandle, device));
    return allocate(caller, *context, Allocation::Kind::Shared, device, properties, size, alignment,
                    [&](const DeviceInfo &info) { return (device && info.usmShared) || info.usmSharedAcross; });
  });
}

cl_int CL_API_CALL clMemFreeINTEL(cl_context context, void *pointer) {
  return enter("clMemFreeINTEL", [&] { return freeMemory(context, pointer, false); });
}

cl_int CL_API_CALL clMemBlockingFreeINTEL(cl_context context, void *pointer) {
  return enter("clMemBlockingFreeINTEL", [&] { return freeMemory(context, pointer, true); });
}

cl_int CL_API_CALL clGetMemAllocInfoINTEL(cl_context handle, const void *pointer, cl_mem_info_intel param, size_t size,
                                          void *value, size_t *sizeRet) {
  return enter("clGetMemAllocInfoINTEL", [&]() -> Status {
    Context *context = KILN_TRY(check::object<Context>(handle));
    Ref<Allocation> found = context->allocations().find(pointer);
    const cl_unified_shared_memory_type_intel type = typeOf(found.get());
    const Allocation *allocation = type == CL_MEM_TYPE_UNKNOWN_INTEL ? nullptr : found.get();
    InfoWriter writer(size, value, sizeRet);
    switch (param) {
#define KILN_ALLOCATION_QUERY(...) KILN_QUERY_CASE(__VA_ARGS__)
#include "api/spec/Queries.def"
    }
    return writer.unknownParam(param);
  });
}

cl_int CL_API_CALL clSetKernelArgMemPointerINTEL(cl_kernel handle, cl_uint index, const void *pointer) {
  return enter("clSetKernelArgMemPointerINTEL", [&]() -> Status {
    Kernel *kernel = KILN_TRY(check::object<Kernel>(handle));
    return kernel->setArgPointer(index, Kernel::PointerKind::Usm, uint64_t(pointer));
  });
}

cl_int CL_API_CALL clEnqueueMemFillINTEL(cl_command_queue queue, void *to, const void *pattern, size_t patternSize,
                                         size_t size, cl_uint numWaits, const cl_event *waits, cl_event *event) {
  return enter("clEnqueueMemFillINTEL", [&]() -> Status {
    Queue *q;
    WaitList wait;
    KILN_TRY(check::usmCommand(queue, numWaits, waits, q, wait));
    return q->enqueue(KILN_TRY(fillMemory(*q, to, pattern, patternSize, size, CL_COMMAND_MEMFILL_INTEL)), wait, event);
  });
}

cl_int CL_API_CALL clEnqueueMemcpyINTEL(cl_command_queue queue, cl_bool blocking, void *to, const void *from,
                                        size_t size, cl_uint numWaits, const cl_event *waits, cl_event *event) {
  return enter("clEnqueueMemcpyINTEL", [&]() -> Status {
    Queue *q;
    WaitList wait;
    KILN_TRY(check::usmCommand(queue, numWaits, waits, q, wait));
    return q->enqueue(KILN_TRY(copyMemory(*q, to, from, size, CL_COMMAND_MEMCPY_INTEL)), wait, event, blocking);
  });
}

cl_int CL_API_CALL clEnqueueMigrateMemINTEL(cl_command_queue queue, const void *pointer, size_t size,
                                            cl_mem_migration_flags flags, cl_uint numWaits, const cl_event *waits,
                                            cl_event *event) {
  return enter("clEnqueueMigrateMemINTEL", [&]() -> Status {
    Queue *q;
    WaitList wait;
    KILN_TRY(check::usmCommand(queue, numWaits, waits, q, wait));
    KILN_TRY(check::migrationFlags(flags));
    MigrateMemory command{{}, flags, CL_COMMAND_MIGRATEMEM_INTEL};
    command.ranges.push_back({KILN_TRY(check::pointerOperand(*q, pointer, size)), size});
    return q->enqueue(std::move(command), wait, event);
  });
}

cl_int CL_API_CALL clEnqueueMemAdviseINTEL(cl_command_queue queue, const void *pointer, size_t size,
                                           cl_mem_advice_intel advice, cl_uint numWaits, const cl_event *waits,
                                           cl_event *event) {
  return enter("clEnqueueMemAdviseINTEL", [&]() -> Status {
    Queue *q;
    WaitList wait;
    KILN_TRY(check::usmCommand(queue, numWaits, waits, q, wait));
    PointerOperand pointed = KILN_TRY(check::pointerOperand(*q, pointer, size));
    if (advice) // the extension defines none
      return fail(CL_INVALID_VALUE, "advice ", advice, " is unknown");
    return q->enqueue(NoOpCommand{std::move(pointed), CL_COMMAND_MEMADVISE_INTEL}, wait, event);
  });
}
