#include "runtime/program/ExecInfo.h"
#include <cstring>

namespace kiln {
namespace {

Status needs(const Context &context, bool (*has)(const DeviceObject &), const char *what) {
  if (!someDevice(context, has))
    return fail(CL_INVALID_OPERATION, "no device of the context supports ", what);
  return {};
}

/// Reads a list of pointers; an empty list is null with size 0.
template <typename T> Status readList(std::vector<T> &list, size_t size, const void *value) {
  if (size % sizeof(T) || (size == 0) != (value == nullptr))
    return fail(CL_INVALID_VALUE, "param_value_size is ", size, " and param_value ", value,
                ", must be a list of pointers of ", sizeof(T), " bytes");
  std::vector<T> given(size / sizeof(T));
  if (size)
    std::memcpy(given.data(), value, size);
  list = std::move(given);
  return {};
}

Result<bool> readFlag(size_t size, const void *value) {
  if (size != sizeof(cl_bool) || !value)
    return fail(CL_INVALID_VALUE, "param_value_size is ", size, " and param_value ", value, ", must be a cl_bool");
  cl_bool flag;
  std::memcpy(&flag, value, sizeof flag);
  return flag != CL_FALSE;
}

bool hasSvm(const DeviceObject &device) { return device.info().svm; }
bool hasHost(const DeviceObject &device) { return device.info().usmHost; }
bool hasDevice(const DeviceObject &device) { return device.info().usmDevice; }
bool hasShared(const DeviceObject &device) { return device.info().usmShared | device.info().usmSharedAcross; }
bool hasUsm(const DeviceObject &device) { return hasHost(device) || hasDevice(device) || hasShared(device); }
bool hasAddresses(const DeviceObject &device) { return device.hasExtension("cl_ext_buffer_device_address"); }

} // namespace

Status ExecInfo::set(const Context &context, cl_kernel_exec_info name, size_t size, const void *value) {
  switch (name) {
  case CL_KERNEL_EXEC_INFO_SVM_PTRS:
    KILN_TRY(needs(context, hasSvm, "SVM"));
    return readList(svmPointers, size, value);
  case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM: {
    const bool flag = KILN_TRY(readFlag(size, value));
    if (flag)
      KILN_TRY(needs(context, hasSystemSvm, "fine-grain system SVM"));
    systemMemory = flag;
    return {};
  }
  case CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL:
    KILN_TRY(needs(context, hasUsm, "USM"));
    return readList(usmPointers, size, value);
  case CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL:
    KILN_TRY(needs(context, hasHost, "host USM"));
    indirectHost = KILN_TRY(readFlag(size, value));
    return {};
  case CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL:
    KILN_TRY(needs(context, hasDevice, "device USM"));
    indirectDevice = KILN_TRY(readFlag(size, value));
    return {};
  case CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL:
    KILN_TRY(needs(context, hasShared, "shared USM"));
    indirectShared = KILN_TRY(readFlag(size, value));
    return {};
  case CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT:
    KILN_TRY(needs(context, hasAddresses, "cl_ext_buffer_device_address"));
    return readList(deviceAddresses, size, value);
  }
  return fail(CL_INVALID_VALUE, "unknown param_name 0x", std::hex, name);
}

} // namespace kiln
