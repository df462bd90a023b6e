// Chapter 5.6: shared virtual memory.
#include "api/entry/Commands.h"
#include "api/entry/Entry.h"
#include "api/entry/PointerCommands.h"
#include <bit>

using namespace kiln;
using namespace kiln::api;

namespace {

/// Checks the flags of clSVMAlloc. Returns the capabilities that they require.
Result<cl_device_svm_capabilities> svmFlags(cl_svm_mem_flags flags) {
  constexpr cl_svm_mem_flags Access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
  if (flags & ~(Access | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS))
    return fail(CL_INVALID_VALUE, "flags 0x", std::hex, flags, " have unknown bits");
  if (std::popcount(flags & Access) > 1)
    return fail(CL_INVALID_VALUE, "flags 0x", std::hex, flags, " must have at most one access flag");
  if ((flags & CL_MEM_SVM_ATOMICS) && !(flags & CL_MEM_SVM_FINE_GRAIN_BUFFER))
    return fail(CL_INVALID_VALUE, "CL_MEM_SVM_ATOMICS needs CL_MEM_SVM_FINE_GRAIN_BUFFER");
  cl_device_svm_capabilities needed = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
  if (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER)
    needed |= CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
  if (flags & CL_MEM_SVM_ATOMICS)
    needed |= CL_DEVICE_SVM_ATOMICS;
  return needed;
}

/// Returns the SVM allocation that begins at `pointer`; null if there is none.
Ref<Allocation> svmAt(Context &context, void *pointer) {
  Ref<Allocation> found = context.allocations().at(pointer);
  return found && found->kind() == Allocation::Kind::Svm ? found : nullptr;
}

} // namespace

void *CL_API_CALL clSVMAlloc(cl_context handle, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  const void *caller = __builtin_return_address(0);
  return create("clSVMAlloc", nullptr, [&]() -> Result<void *> {
    Context *context = KILN_TRY(check::live<Context>(handle));
    const cl_device_svm_capabilities needed = KILN_TRY(svmFlags(flags));
    bool any = false;
    for (const DeviceObject *device : context->devices()) {
      const DeviceInfo &info = device->info();
      if (!size || size > info.maxAllocSize)
        return fail(CL_INVALID_BUFFER_SIZE, "size is ", size, ", must be in 1 to ", info.maxAllocSize);
      any |= info.svm != 0;
      if (info.svm && (info.svm & needed) != needed)
        return fail(CL_INVALID_OPERATION, "device ", info.name, " does not support SVM with flags 0x", std::hex, flags);
    }
    if (!any)
      return fail(CL_INVALID_OPERATION, "no device of the context supports SVM");
    KILN_TRY(check::alignment(alignment));
    return context->allocations().allocate(*context, {.kind = Allocation::Kind::Svm,
                                                      .flags = flags,
                                                      .device = nullptr,
                                                      .size = size,
                                                      .atomics = (flags & CL_MEM_SVM_ATOMICS) != 0,
                                                      .allocatedAt = caller});
  });
}

// An invalid pointer only gives a line in the log, because the call returns nothing.
void CL_API_CALL clSVMFree(cl_context handle, void *pointer) {
  (void)enter("clSVMFree", [&]() -> Status {
    Context *context = KILN_TRY(check::object<Context>(handle));
    if (!pointer)
      return {};
    Ref<Allocation> allocation = svmAt(*context, pointer);
    if (!allocation || !context->allocations().free(*allocation))
      return fail(CL_INVALID_VALUE, pointer, " is not the address of an SVM allocation of the context");
    return {};
  });
}

cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue queue, cl_uint count, void *pointers[],
                                    SvmFreeCallback::Function function, void *userData, cl_uint numWaits,
                                    const cl_event *waits, cl_event *event) {
  return enter("clEnqueueSVMFree", [&]() -> Status {
    Queue *q;
    WaitList wait;
    KILN_TRY(check::svmCommand(queue, numWaits, waits, q, wait));
    if ((count == 0) != (pointers == nullptr))
      return fail(CL_INVALID_VALUE, "num_svm_pointers is ", count, ", svm_pointers is ",
                  pointers ? "not null" : "null");
    FreeMemory command;
    if (function) {
      command.call =
          KILN_TRY(SvmFreeCallback::create(*q, std::vector<void *>(pointers, pointers + count), function, userData));
    } else {
      for (cl_uint i = 0; i < count; ++i) {
        if (!pointers[i])
          continue;
        command.allocations.push_back(svmAt(q->context(), pointers[i]));
        if (!command.allocations.back())
          return fail(CL_INVALID_VALUE, "svm_pointers[", i, "] is ", pointers[i],
                      ", must be from clSVMAlloc if pfn_free_func is null");
      }
    }
    return q->enqueue(std::move(command), wait, event);
  });
}

cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *to, const void *from, size_t size,
                                      cl_uint numWaits, const cl_event *waits, cl_event *event) {
  return enter("clEnqueueSVMMemcpy", [&]() -> Status {
    Queue *q;
    WaitList wait;
    KILN_TRY(check::svmCommand(queue, numWaits, waits, q, wait));
    return q->enqueue(KILN_TRY(copyMemory(*q, to, from, size, CL_COMMAND_SVM_MEMCPY)), wait, event, blocking);
  });
}

cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue queue, void *to, const void *pattern, size_t patternSize,
                                       size_t size, cl_uint numWaits, const cl_event *waits, cl_event *event) {
  return enter("clEnqueueSVMMemFill", [&]() -> Status {
    Queue *q;
    WaitList wait;
    KILN_TRY(check::svmCommand(queue, numWaits, waits, q, wait));
    return q->enqueue(KILN_TRY(fillMemory(*q, to, pattern, patternSize, size, CL_COMMAND_SVM_MEMFILL)), wait, event);
  });
}

cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *pointer,
                                   size_t size, cl_uint numWaits, const cl_event *waits, cl_event *event) {
  const void *caller = __builtin_return_address(0);
  return enter("clEnqueueSVMMap", [&]() -> Status {
    Queue *q;
    WaitList wait;
    KILN_TRY(check::svmCommand(queue, numWaits, waits, q, wait));
    PointerOperand pointed = KILN_TRY(check::devicePointerOperand(*q, pointer, size));
    if (!size)
      return fail(CL_INVALID_VALUE, "size is 0");
    KILN_TRY(check::mapFlags(flags));
    return q->enqueue(MapMemory{std::move(pointed), CL_COMMAND_SVM_MAP, size, flags, caller}, wait, event, blocking);
  });
}

cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue queue, void *pointer, cl_uint numWaits, const cl_event *waits,
                                     cl_event *event) {
  return enter("clEnqueueSVMUnmap", [&]() -> Status {
    Queue *q;
    WaitList wait;
    KILN_TRY(check::svmCommand(queue, numWaits, waits, q, wait));
    PointerOperand pointed = KILN_TRY(check::devicePointerOperand(*q, pointer, 0));
    return q->enqueue(MapMemory{std::move(pointed), CL_COMMAND_SVM_UNMAP}, wait, event);
  });
}

cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint count, const void **pointers,
                                          const size_t *sizes, cl_mem_migration_flags flags, cl_uint numWaits,
                                          const cl_event *waits, cl_event *event) {
  return enter("clEnqueueSVMMigrateMem", [&]() -> Status {
    Queue *q;
    WaitList wait;
    KILN_TRY(check::svmCommand(queue, numWaits, waits, q, wait));
    if (!count || !pointers)
      return fail(CL_INVALID_VALUE, "num_svm_pointers is ", count, ", svm_pointers is ",
                  pointers ? "not null" : "null");
    KILN_TRY(check::migrationFlags(flags));
    MigrateMemory command{{}, flags, CL_COMMAND_SVM_MIGRATE_MEM};
    for (cl_uint i = 0; i < count; ++i) {
      const size_t size = sizes ? sizes[i] : 0;
      PointerOperand pointed = KILN_TRY(check::pointerOperand(*q, pointers[i], size));
      if (!pointed.in)
        return fail(CL_INVALID_VALUE, "svm_pointers[", i, "] is ", pointers[i],
                    ", must be in an allocation of the context");
      if (!size) // the whole allocation
        command.ranges.push_back({{pointed.in->begin(), pointed.in}, pointed.in->size()});
      else
        command.ranges.push_back({std::move(pointed), size});
    }
    return q->enqueue(std::move(command), wait, event);
  });
}

Status api::setKernelArgSvm(Kernel &kernel, cl_uint index, const void *pointer) {
  if (!someDevice(kernel.context(), [](const DeviceObject &device) { return device.info().svm != 0; }))
    return fail(CL_INVALID_OPERATION, "no device of the context supports SVM");
  return kernel.setArgPointer(index, Kernel::PointerKind::Svm, uint64_t(pointer));
}

cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel handle, cl_uint index, const void *pointer) {
  return enter("clSetKernelArgSVMPointer", [&]() -> Status {
    Kernel *kernel = KILN_TRY(check::object<Kernel>(handle));
    return setKernelArgSvm(*kernel, index, pointer);
  });
}

cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel handle, cl_kernel_exec_info name, size_t size, const void *value) {
  return enter("clSetKernelExecInfo", [&]() -> Status {
    Kernel *kernel = KILN_TRY(check::object<Kernel>(handle));
    return kernel->setExecInfo(name, size, value);
  });
}
