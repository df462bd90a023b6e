#include "runtime/program/HostLaunch.h"
#include "runtime/program/Kernel.h"

namespace kiln {

HostLaunch HostLaunch::repeat(const DeviceObject &device) const {
  HostLaunch copy;
  copy.kernel = kernel;
  copy.uses = uses;
  if (pointed) {
    copy.pointed = std::make_unique<PointedMemory>(*pointed);
    if (pointed->isIndirect)
      copy.pointed->indirect = kernel->context().allocations().currentEpoch();
  }
  copy.arguments = arguments;
  copy.grid = grid;
  copy.requestedLocalSize = requestedLocalSize;
  copy.localArguments = localArguments;
  copy.selectCode(*kernel->on(device), kernel->state(device)->program, known);
  return copy;
}

void HostLaunch::leaveEpoch() {
  if (pointed)
    pointed->indirect = nullptr;
}

} // namespace kiln
