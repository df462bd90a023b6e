// Chapter 5.9: kernels, their arguments and queries.
#include "api/entry/Commands.h"
#include "api/entry/Entry.h"
#include "runtime/program/SubGroups.h"

using namespace kiln;
using namespace kiln::api;

namespace {

cl_kernel_arg_address_qualifier addressQualifier(const ArgInfo &arg) {
  switch (arg.kind) {
  case ArgKind::Global:
  case ArgKind::Image:
  case ArgKind::Pipe:
    return CL_KERNEL_ARG_ADDRESS_GLOBAL;
  case ArgKind::Constant:
    return CL_KERNEL_ARG_ADDRESS_CONSTANT;
  case ArgKind::Local:
    return CL_KERNEL_ARG_ADDRESS_LOCAL;
  case ArgKind::Value:
  case ArgKind::Sampler:
  case ArgKind::Queue:
    break;
  }
  return CL_KERNEL_ARG_ADDRESS_PRIVATE;
}

cl_kernel_arg_access_qualifier accessQualifier(const ArgInfo &arg) {
  switch (arg.access) {
  case AccessQualifier::ReadOnly:
    return CL_KERNEL_ARG_ACCESS_READ_ONLY;
  case AccessQualifier::WriteOnly:
    return CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
  case AccessQualifier::ReadWrite:
    return CL_KERNEL_ARG_ACCESS_READ_WRITE;
  case AccessQualifier::None:
    break;
  }
  return CL_KERNEL_ARG_ACCESS_NONE;
}

std::array<size_t, 3> sizes(const std::array<uint64_t, 3> &given) {
  return {size_t(given[0]), size_t(given[1]), size_t(given[2])};
}

/// CL_KERNEL_WORK_GROUP_SIZE: the smaller of the kernel's and the device's limit.
size_t largestGroup(const KernelInfo &info, const DeviceObject &device) {
  size_t limit = device.info().maxWorkGroupSize;
  return info.plan.maxWorkGroupSize ? std::min<size_t>(info.plan.maxWorkGroupSize, limit) : limit;
}

/// The device of a query about a kernel; null is allowed if the program has one device.
Status kernelDevice(const Kernel &kernel, cl_device_id handle, DeviceObject *&device) {
  const std::vector<DeviceObject *> &devices = kernel.program().devices();
  if (!handle) {
    if (devices.size() != 1)
      return fail(CL_INVALID_DEVICE, "device is null, and the program has ", devices.size(), " devices");
    device = devices.front();
  } else {
    device = KILN_TRY(check::object<DeviceObject>(handle));
  }
  if (!kernel.info(*device))
    return fail(CL_INVALID_DEVICE, "the kernel's program is not built for the device");
  return {};
}

/// Sets a memory object. `value` points to a handle; the handle or `value` may be null.
Status setObjectArg(Kernel &kernel, cl_uint index, size_t size, const void *value) {
  if (size != sizeof(cl_mem))
    return fail(CL_INVALID_ARG_SIZE, "argument ", index, " is a memory object: arg_size is ", size, ", must be ",
                sizeof(cl_mem));
  cl_mem handle = nullptr;
  if (value)
    std::memcpy(&handle, value, sizeof handle);
  MemObject *object = nullptr;
  if (handle) {
    object = KILN_TRY(check::object<MemObject>(handle));
    if (&object->context() != &kernel.context())
      return fail(CL_INVALID_MEM_OBJECT, "argument ", index, " and the kernel have different contexts");
  }
  return kernel.setArgMem(index, object);
}

Status setSamplerArg(Kernel &kernel, cl_uint index, size_t size, const void *value) {
  if (size != sizeof(cl_sampler))
    return fail(CL_INVALID_ARG_SIZE, "argument ", index, " is a sampler: arg_size is ", size, ", must be ",
                sizeof(cl_sampler));
  if (!value)
    return fail(CL_INVALID_SAMPLER, "argument ", index, " is a sampler: arg_value is null");
  cl_sampler handle;
  std::memcpy(&handle, value, sizeof handle);
  Sampler *sampler = KILN_TRY(check::object<Sampler>(handle));
  if (&sampler->context() != &kernel.context())
    return fail(CL_INVALID_SAMPLER, "argument ", index, " and the kernel have different contexts");
  return kernel.setArgSampler(index, *sampler);
}

Status setQueueArg(Kernel &kernel, cl_uint index, size_t size, const void *value) {
  if (size != sizeof(cl_command_queue))
    return fail(CL_INVALID_ARG_SIZE, "argument ", index, " is a device queue: arg_size is ", size, ", must be ",
                sizeof(cl_command_queue));
  if (!value)
    return fail(CL_INVALID_ARG_VALUE, "argument ", index, " is a device queue: arg_value is null");
  cl_command_queue handle; // `value` may be unaligned
  std::memcpy(&handle, value, sizeof handle);
  Result<DeviceQueue *> found = check::object<DeviceQueue>(handle);
  if (!found.ok())
    return fail(CL_INVALID_DEVICE_QUEUE, "argument ", index, ": ", found.message());
  DeviceQueue &queue = **found;
  if (&queue.context() != &kernel.context())
    return fail(CL_INVALID_DEVICE_QUEUE, "argument ", index, " and the kernel have different contexts");
  return kernel.setArgQueue(index, queue, queue.address());
}

} // namespace

cl_kernel CL_API_CALL clCreateKernel(cl_program handle, const char *name, cl_int *errcode) {
  return create("clCreateKernel", errcode, [&]() -> Result<cl_kernel> {
    Program *program = KILN_TRY(check::live<Program>(handle));
    if (!name)
      return fail(CL_INVALID_VALUE, "kernel_name is null");
    return KILN_TRY(Kernel::create(*program, name)).handle();
  });
}

cl_int CL_API_CALL clCreateKernelsInProgram(cl_program handle, cl_uint numKernels, cl_kernel *kernels,
                                            cl_uint *numKernelsRet) {
  return enter("clCreateKernelsInProgram", [&]() -> Status {
    Program *program = KILN_TRY(check::live<Program>(handle));
    std::vector<Ref<Kernel>> made = KILN_TRY(Kernel::createAll(*program));
    if (kernels && numKernels < made.size())
      return fail(CL_INVALID_VALUE, "num_kernels is ", numKernels, ", must be at least ", made.size());
    if (kernels)
      std::transform(made.begin(), made.end(), kernels, [](const Ref<Kernel> &kernel) { return kernel.handle(); });
    if (numKernelsRet)
      *numKernelsRet = cl_uint(made.size());
    return {};
  });
}

cl_kernel CL_API_CALL clCloneKernel(cl_kernel handle, cl_int *errcode) {
  return create("clCloneKernel", errcode, [&]() -> Result<cl_kernel> {
    Kernel *kernel = KILN_TRY(check::live<Kernel>(handle));
    return kernel->clone().handle();
  });
}

cl_int CL_API_CALL clRetainKernel(cl_kernel kernel) {
  return enter("clRetainKernel", [&] { return check::retain<Kernel>(kernel); });
}

cl_int CL_API_CALL clReleaseKernel(cl_kernel kernel) {
  return enter("clReleaseKernel", [&] { return check::release<Kernel>(kernel); });
}

Status api::setKernelArg(Kernel &kernel, cl_uint index, size_t size, const void *value) {
  switch (KILN_TRY(kernel.argKind(index))) {
  case ArgKind::Global:
  case ArgKind::Constant:
  case ArgKind::Image:
  case ArgKind::Pipe:
    return setObjectArg(kernel, index, size, value);
  case ArgKind::Sampler:
    return setSamplerArg(kernel, index, size, value);
  case ArgKind::Queue:
    return setQueueArg(kernel, index, size, value);
  case ArgKind::Value:
  case ArgKind::Local:
    break;
  }
  return kernel.setArg(index, size, value);
}

cl_int CL_API_CALL clSetKernelArg(cl_kernel handle, cl_uint index, size_t size, const void *value) {
  return enter("clSetKernelArg", [&]() -> Status {
    Kernel *kernel = KILN_TRY(check::object<Kernel>(handle));
    return setKernelArg(*kernel, index, size, value);
  });
}

extern "C" cl_int CL_API_CALL clSetKernelArgDevicePointerEXT(cl_kernel handle, cl_uint index,
                                                             cl_mem_device_address_ext address) {
  return enter("clSetKernelArgDevicePointerEXT", [&]() -> Status {
    Kernel *kernel = KILN_TRY(check::object<Kernel>(handle));
    if (!someDevice(kernel->context(),
                    [](const DeviceObject &device) { return device.hasExtension("cl_ext_buffer_device_address"); }))
      return fail(CL_INVALID_OPERATION, "no device of the context has cl_ext_buffer_device_address");
    if (index >= kernel->info().args.size())
      return fail(CL_INVALID_ARG_INDEX, "arg_index is ", index, ", must be below ", kernel->info().args.size());
    return kernel->setArgPointer(index, Kernel::PointerKind::DeviceAddress, address);
  });
}

cl_int CL_API_CALL clGetKernelInfo(cl_kernel handle, cl_kernel_info param, size_t size, void *value, size_t *sizeRet) {
  return enter("clGetKernelInfo", [&]() -> Status {
    Kernel *kernel = KILN_TRY(check::object<Kernel>(handle));
    InfoWriter writer(size, value, sizeRet);
    switch (param) {
#define KILN_KERNEL_QUERY(...) KILN_QUERY_CASE(__VA_ARGS__)
#include "api/spec/Queries.def"
    }
    return writer.unknownParam(param);
  });
}

cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel handle, cl_uint index, cl_kernel_arg_info param, size_t size,
                                      void *value, size_t *sizeRet) {
  return enter("clGetKernelArgInfo", [&]() -> Status {
    Kernel *kernel = KILN_TRY(check::object<Kernel>(handle));
    if (index >= kernel->info().args.size())
      return fail(CL_INVALID_ARG_INDEX, "arg_index is ", index, ", must be below ", kernel->info().args.size());
    const ArgInfo &arg = kernel->info().args[index];
    if (!kernel->argumentInfoAvailable())
      return fail(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "the program was built without -cl-kernel-arg-info");
    InfoWriter writer(size, value, sizeRet);
    switch (param) {
#define KILN_ARG_QUERY(...) KILN_QUERY_CASE(__VA_ARGS__)
#include "api/spec/Queries.def"
    }
    return writer.unknownParam(param);
  });
}

cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernelHandle, cl_device_id deviceHandle,
                                            cl_kernel_work_group_info param, size_t size, void *value,
                                            size_t *sizeRet) {
  return enter("clGetKernelWorkGroupInfo", [&]() -> Status {
    DeviceObject *device;
    Kernel *kernel = KILN_TRY(check::object<Kernel>(kernelHandle));
    KILN_TRY(kernelDevice(*kernel, deviceHandle, device));
    const KernelInfo *info = kernel->info(*device);
    InfoWriter writer(size, value, sizeRet);
    switch (param) {
#define KILN_WORK_GROUP_QUERY(...) KILN_QUERY_CASE(__VA_ARGS__)
#include "api/spec/Queries.def"
    }
    // CL_KERNEL_GLOBAL_WORK_SIZE is not supported: it is for custom devices and built-in kernels.
    return writer.unknownParam(param);
  });
}

cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel kernelHandle, cl_device_id deviceHandle,
                                           cl_kernel_sub_group_info param, size_t inputSize, const void *input,
                                           size_t size, void *value, size_t *sizeRet) {
  return enter("clGetKernelSubGroupInfo", [&]() -> Status {
    DeviceObject *device;
    Kernel *kernel = KILN_TRY(check::object<Kernel>(kernelHandle));
    KILN_TRY(kernelDevice(*kernel, deviceHandle, device));
    if (!device->info().maxSubGroups)
      return fail(CL_INVALID_OPERATION, "the device has no sub-groups (CL_DEVICE_MAX_NUM_SUB_GROUPS)");
    const KernelInfo *info = kernel->info(*device);
    const SubGroupRules rules{info->plan.subGroupSize, largestGroup(*info, *device), device->info().maxWorkItemSizes,
                              info->requiredLocalSize, info->requiredSubGroups};
    auto *sizes = static_cast<const size_t *>(input);
    InfoWriter writer(size, value, sizeRet);
    switch (param) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE: {
      if (!input || inputSize % sizeof *sizes || !inputSize || inputSize > 3 * sizeof *sizes)
        return fail(CL_INVALID_VALUE, "input_value_size is ", inputSize, ", must be a local size of 1 to 3 dimensions");
      const std::span<const size_t> local(sizes, inputSize / sizeof *sizes);
      return writer.write<size_t>(param == CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE ? rules.countIn(local)
                                                                                 : rules.largestIn(local));
    }
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: {
      if (!input || inputSize != sizeof *sizes)
        return fail(CL_INVALID_VALUE, "input_value_size is ", inputSize, ", must be ", sizeof *sizes);
      // The number of dimensions follows from param_value_size.
      const size_t dimensions = value ? std::min<size_t>(3, size / sizeof *sizes) : 3;
      if (!dimensions)
        return fail(CL_INVALID_VALUE, "param_value_size is ", size, ", must be at least ", sizeof *sizes);
      const std::array<size_t, 3> local = rules.localSizeFor(*sizes);
      bool fits = std::all_of(local.begin() + ptrdiff_t(dimensions), local.end(), [](size_t s) { return s <= 1; });
      const std::array<size_t, 3> none{};
      return writer.write<size_t[]>(std::span((fits ? local : none).data(), dimensions));
    }
    case CL_KERNEL_MAX_NUM_SUB_GROUPS:
      return writer.write<size_t>(rules.maxPerWorkGroup());
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
      return writer.write<size_t>(info->requiredSubGroups);
    case CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL:
      return writer.write<size_t>(info->requiredSubGroupSize);
    }
    return writer.unknownParam(param);
  });
}

extern "C" cl_int CL_API_CALL clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device,
                                                         cl_kernel_sub_group_info param, size_t inputSize,
                                                         const void *input, size_t size, void *value, size_t *sizeRet) {
  return clGetKernelSubGroupInfo(kernel, device, param, inputSize, input, size, value, sizeRet);
}
