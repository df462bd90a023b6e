// What clSetKernelExecInfo says of a kernel: which memory it may use besides that of its arguments.
#pragma once
#include "runtime/platform/Context.h"
#include <algorithm>
#include <optional>

namespace kiln {

struct ExecInfo {
  std::vector<const void *> svmPointers, usmPointers;
  std::vector<uint64_t> deviceAddresses;
  std::optional<bool> systemMemory; // as set; unset, it is what the device can do
  bool indirectHost = false, indirectDevice = false, indirectShared = false;

  bool indirect() const { return indirectHost || indirectDevice || indirectShared; }
  bool any() const {
    return indirect() || systemMemory || !svmPointers.empty() || !usmPointers.empty() || !deviceAddresses.empty();
  }
  /// Each name replaces what was said under it before. CL_INVALID_VALUE; CL_INVALID_OPERATION where no device of the
  /// context has what the name is about.
  Status set(const Context &context, cl_kernel_exec_info name, size_t size, const void *value);
};

template <typename Has> bool someDevice(const Context &context, Has has) {
  return std::ranges::any_of(context.devices(), [&](const DeviceObject *device) { return has(*device); });
}
inline bool hasSystemSvm(const DeviceObject &device) { return device.info().svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM; }

} // namespace kiln
