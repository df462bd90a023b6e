// The kernarg segment of a launch: the explicit arguments, and the hidden ones that the kernel's metadata lists.
#include "emulator/machine/Fault.h"
#include "emulator/machine/Launch.h"
#include <cstring>

namespace kiln::emulator {
namespace {

/// The value of a hidden argument.
u64 hiddenValue(const std::string &kind, const Launch &launch) {
  constexpr const char *Dimensions[] = {"_x", "_y", "_z"};
  for (unsigned d = 0; d < 3; ++d) {
    const std::string suffix = Dimensions[d];
    if (kind == "hidden_block_count" + suffix)
      return launch.groups[d];
    if (kind == "hidden_group_size" + suffix)
      return launch.groupSize[d];
    if (kind == "hidden_remainder" + suffix || kind == "hidden_global_offset" + suffix)
      return 0; // hipModuleLaunchKernel has whole groups and no offset
  }
  if (kind == "hidden_grid_dims")
    return launch.groups[2] > 1 || launch.groupSize[2] > 1   ? 3
           : launch.groups[1] > 1 || launch.groupSize[1] > 1 ? 2
                                                             : 1;
  if (kind == "hidden_private_base")
    return PrivateBase >> 32;
  if (kind == "hidden_shared_base")
    return SharedBase >> 32;
  if (kind == "hidden_dynamic_lds_size")
    return launch.dynamicLocalBytes;
  // Services of the runtime that there are not: a kernel that uses one faults at address 0.
  for (const char *service : {"hidden_none", "hidden_hostcall_buffer", "hidden_heap_v1", "hidden_default_queue",
                              "hidden_completion_action", "hidden_multigrid_sync_arg", "hidden_queue_ptr"})
    if (kind == service)
      return 0;
  throw Fault(FaultKind::NotSupported, "kernel ", launch.kernel->name, " has the argument ", kind,
              ", which the emulator does not provide");
}

} // namespace

std::vector<u8> makeArguments(const Launch &launch, const void *explicitBytes, size_t size) {
  std::vector<u8> segment(std::max<size_t>(launch.kernel->descriptor.kernarg_size, size));
  if (size)
    std::memcpy(segment.data(), explicitBytes, size);
  for (const HiddenArgument &argument : launch.kernel->hidden) {
    const u64 value = hiddenValue(argument.kind, launch);
    if (argument.size > sizeof value || argument.offset + argument.size > segment.size())
      throw Fault(FaultKind::LaunchFailure, "kernel ", launch.kernel->name, ": the argument ", argument.kind,
                  " is outside of the kernarg segment");
    std::memcpy(segment.data() + argument.offset, &value, argument.size);
  }
  return segment;
}

void makePacket(Launch &launch) {
  DispatchPacket &packet = launch.packet;
  for (unsigned d = 0; d < 3; ++d) {
    packet.groupSize[d] = u16(launch.groupSize[d]);
    packet.gridSize[d] = launch.groups[d] * launch.groupSize[d];
  }
  packet.scratchBytes = launch.kernel->descriptor.private_segment_fixed_size;
  packet.localBytes = launch.localBytes();
  packet.arguments = u64(launch.arguments.data());
}

} // namespace kiln::emulator
