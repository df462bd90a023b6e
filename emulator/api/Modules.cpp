// HIP's entries for code objects and launches.
#include "base/support/Log.h"
#include "base/support/Options.h"
#include "emulator/api/Runtime.h"
#include "emulator/machine/Fault.h"
#include "emulator/machine/Launch.h"
#include <cstring>

using namespace kiln::emulator;

namespace {

/// The keys of the list `extra` of a launch.
const auto ArgumentPointer = reinterpret_cast<void *>(1), ArgumentSize = reinterpret_cast<void *>(2),
           ArgumentsEnd = reinterpret_cast<void *>(3);

/// The explicit arguments at the offsets of the code that runs instead. Pointers to local memory have 32 bits in some
/// code and 64 in other.
std::vector<u8> moveArguments(const Function &function, const u8 *bytes, size_t size) {
  const std::vector<ExplicitArgument> &wanted = function.kernel->arguments;
  std::vector<u8> moved(function.kernel->descriptor.kernarg_size);
  for (size_t i = 0; i < std::min(wanted.size(), function.original.size()); ++i) {
    const ExplicitArgument &from = function.original[i], &to = wanted[i];
    if (from.offset + from.size <= size && to.offset + to.size <= moved.size())
      std::memcpy(moved.data() + to.offset, bytes + from.offset, std::min(from.size, to.size));
  }
  return moved;
}

int runLaunch(Launch &launch) {
  makePacket(launch);
  addressSpace().add(launch.arguments.data(), launch.arguments.size(), false);
  addressSpace().add(&launch.packet, sizeof launch.packet, false);
  const int code = run(launch);
  addressSpace().remove(launch.arguments.data());
  addressSpace().remove(&launch.packet);
  return code;
}

} // namespace

HIP_ENTRY hipModuleLoadData(void **module, const void *image) {
  if (int code = runtime().broken)
    return code;
  return runtime().loadModule(image, currentDevice(), module);
}
HIP_ENTRY hipModuleUnload(void *module) { return runtime().unloadModule(module); }
HIP_ENTRY hipModuleGetFunction(void **function, void *module, const char *name) {
  return runtime().function(module, name, function);
}
HIP_ENTRY hipFuncGetAttribute(int *value, int attribute, void *handle) {
  const KernelCode &kernel = *static_cast<Function *>(handle)->kernel;
  switch (attribute) {
  case 0: // work-items of a group
    *value = int(kernel.maxGroupSize);
    return Success;
  case 1: // static local memory
    *value = int(kernel.descriptor.group_segment_fixed_size);
    return Success;
  case 3: // scratch memory of a work-item
    *value = int(kernel.descriptor.private_segment_fixed_size);
    return Success;
  case 4: // vector registers
    *value = int(kernel.vectorRegisters);
    return Success;
  default:
    return NotSupported;
  }
}

HIP_ENTRY hipModuleLaunchKernel(void *handle, unsigned groupsX, unsigned groupsY, unsigned groupsZ, unsigned sizeX,
                                unsigned sizeY, unsigned sizeZ, unsigned localBytes, void *streamHandle,
                                void **parameters, void **extra) {
  if (int code = runtime().broken)
    return code;
  const std::shared_ptr<Stream> stream = runtime().stream(streamHandle);
  if (!stream || !handle)
    return InvalidHandle;
  if (parameters)
    return NotSupported; // the arguments one by one
  if (!extra || extra[0] != ArgumentPointer || extra[2] != ArgumentSize || extra[4] != ArgumentsEnd)
    return InvalidValue;
  const auto &function = *static_cast<Function *>(handle);
  auto launch = std::make_shared<Launch>();
  launch->gpu = &runtime().gpus()[size_t(stream->device)];
  launch->code = function.code;
  launch->kernel = function.kernel;
  launch->groups = {groupsX, groupsY, groupsZ};
  launch->groupSize = {sizeX, sizeY, sizeZ};
  launch->dynamicLocalBytes = localBytes;
  launch->seed = kiln::options().emulatorSeed;
  launch->checks = kiln::options().emulatorChecks;
  launch->races = kiln::options().emulatorRaces;
  launch->counts = !kiln::options().emulatorCounts.empty();
  static std::atomic<u64> launches{0};
  launch->number = ++launches;
  u64 items = 1;
  for (unsigned d = 0; d < 3; ++d) {
    if (!launch->groups[d] || !launch->groupSize[d] || u64(launch->groups[d]) * launch->groupSize[d] > UINT32_MAX)
      return InvalidConfiguration; // the grid of a dispatch packet is in work-items
    items *= launch->groupSize[d];
  }
  if (items > function.kernel->maxGroupSize || launch->localBytes() > launch->gpu->localBytes)
    return InvalidConfiguration;
  try {
    const size_t bytes = *static_cast<size_t *>(extra[3]);
    if (function.original.empty()) {
      launch->arguments = makeArguments(*launch, extra[1], bytes);
    } else {
      const std::vector<u8> moved = moveArguments(function, static_cast<const u8 *>(extra[1]), bytes);
      launch->arguments = makeArguments(*launch, moved.data(), moved.size());
    }
  } catch (const Fault &fault) {
    KILN_LOG(Error, Device, "emulated ", launch->gpu->name, ": ", fault.what());
    return int(fault.kind);
  }
  stream->push([launch] { return runLaunch(*launch); });
  return Success;
}
