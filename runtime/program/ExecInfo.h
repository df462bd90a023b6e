// The values of clSetKernelExecInfo: memory that a kernel may access besides its arguments'.
#pragma once
#include "runtime/memory/Context.h"
#include <algorithm>
#include <optional>

namespace kiln {

struct ExecInfo {
  std::vector<const void *> svmPointers, usmPointers;
  std::vector<uint64_t> deviceAddresses;
  std::optional<bool> systemMemory; // as set; unset: as the device supports it
  bool indirectHost = false, indirectDevice = false, indirectShared = false;

  bool indirect() const { return indirectHost || indirectDevice || indirectShared; }
  bool any() const {
    return indirect() || systemMemory || !svmPointers.empty() || !usmPointers.empty() || !deviceAddresses.empty();
  }
  /// Sets one parameter; replaces its earlier value. CL_INVALID_VALUE; CL_INVALID_OPERATION if no device of the context
  /// has the feature.
  Status set(const Context &context, cl_kernel_exec_info name, size_t size, const void *value);
};

template <typename Has> bool someDevice(const Context &context, Has has) {
  return std::ranges::any_of(context.devices(), [&](const DeviceObject *device) { return has(*device); });
}
inline bool hasSystemSvm(const DeviceObject &device) { return device.info().svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM; }

} // namespace kiln
