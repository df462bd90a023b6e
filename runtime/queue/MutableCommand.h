// A kernel command of a command buffer that the application has a handle of (cl_khr_command_buffer_mutable_dispatch,
// version 0.9.5). Between executions, an update replaces its arguments and sizes: the launch is prepared anew, as when
// it was recorded.
//
// The command buffer owns it, and the handle is valid while the command buffer lives. Concurrent calls on one command
// buffer are undefined (appendix A), so the members have no lock.
#pragma once
#include "runtime/program/Kernel.h"
#include <optional>

namespace kiln {

class CommandBuffer;

/// What an update may change: a kernel that no other object uses, with its arguments, and the sizes.
struct Dispatch {
  Ref<Kernel> kernel;
  cl_uint workDim = 1;
  std::array<size_t, 3> globalOffset{}, globalSize{};
  std::optional<std::array<size_t, 3>> localSize; // null: Kiln chooses

  LaunchSizes sizes() const {
    return {workDim, globalOffset.data(), globalSize.data(), localSize ? localSize->data() : nullptr};
  }
  /// Returns true if local sizes were given that do not divide the global sizes.
  bool isNonUniform() const {
    for (size_t d = 0; localSize && d < workDim; ++d)
      if ((*localSize)[d] && globalSize[d] % (*localSize)[d])
        return true;
    return false;
  }
};

class MutableCommand final : public _cl_mutable_command_khr, public Object {
public:
  static constexpr ObjectKind Kind = ObjectKind::MutableCommand;
  /// CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR
  static constexpr cl_mutable_dispatch_fields_khr Capabilities =
      CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR |
      CL_MUTABLE_DISPATCH_ARGUMENTS_KHR | CL_MUTABLE_DISPATCH_EXEC_INFO_KHR;

  /// `kernel` is the one that the application recorded, `fields` what updates may change, and `list` the property list
  /// as given.
  MutableCommand(CommandBuffer &buffer, Kernel &kernel, Dispatch dispatch, cl_mutable_dispatch_fields_khr fields,
                 std::vector<cl_command_properties_khr> list)
      : Object(Kind), buffer(buffer), kernel(&kernel), fields(fields), list(std::move(list)),
        dispatch(std::move(dispatch)) {}

  CommandBuffer &buffer;
  const Ref<Kernel> kernel;
  const cl_mutable_dispatch_fields_khr fields;
  const std::vector<cl_command_properties_khr> list;
  Dispatch dispatch;
  size_t index = 0; // in the command buffer's commands
};

} // namespace kiln
