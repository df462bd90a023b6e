// HIP's entries for devices.
#include "base/support/Options.h"
#include "emulator/api/Runtime.h"
#include "emulator/machine/StreamGate.h"
#include <cstring>

using namespace kiln::emulator;

namespace {

/// Attributes by their numbers in hipDeviceAttribute_t.
int attribute(const Gpu &gpu, int number, int &value) {
  switch (number) {
  case 63: // multiprocessors
    value = int(kiln::options().emulatedUnits ? kiln::options().emulatedUnits : gpu.computeUnits);
    return Success;
  case 5: // clock in kHz: instructions have no time
    value = 1'000'000;
    return Success;
  case 87: // work-items of a wave
    value = int(gpu.waveSize);
    return Success;
  case 56: // work-items of a group, in all and in each dimension
  case 26:
  case 27:
  case 28:
    value = 1024;
    return Success;
  case 29: // groups of a grid in each dimension
    value = 0x7fffffff;
    return Success;
  case 30:
  case 31:
    value = 65535;
    return Success;
  case 74: // local memory of a group
    value = int(gpu.localBytes);
    return Success;
  case 58: // pitch of a copy
    value = 0x7fffffff;
    return Success;
  case 9:  // managed memory that host and device access at the same time
  case 15: // atomic operations on host memory
    value = 1;
    return Success;
  case 0:  // error correction
  case 16: // integrated
  case 19: // cache
  case 65: // access to pageable memory
    value = 0;
    return Success;
  default:
    return NotSupported;
  }
}

} // namespace

HIP_ENTRY hipInit(unsigned) {
  static const bool guarded = StreamGate::guard(); // LLVM's handlers were registered when it was loaded
  return !guarded ? OutOfMemory : runtime().gpus().empty() ? 100 : Success;
}
HIP_ENTRY hipDriverGetVersion(int *version) {
  *version = 60'200'000;
  return Success;
}
HIP_ENTRY hipGetDeviceCount(int *count) {
  *count = int(runtime().gpus().size());
  return Success;
}
HIP_ENTRY hipDeviceGet(int *device, int ordinal) {
  if (!runtime().isDevice(ordinal))
    return InvalidDevice;
  *device = ordinal;
  return Success;
}
HIP_ENTRY hipGetDevice(int *device) {
  *device = currentDevice();
  return Success;
}
HIP_ENTRY hipSetDevice(int device) {
  if (!runtime().isDevice(device))
    return InvalidDevice;
  currentDevice() = device;
  return Success;
}
HIP_ENTRY hipDeviceGetName(char *name, int length, int device) {
  if (!runtime().isDevice(device) || length <= 0)
    return InvalidValue;
  const std::string text = "Emulated " + runtime().gpus()[size_t(device)].name;
  std::strncpy(name, text.c_str(), size_t(length));
  name[length - 1] = 0;
  return Success;
}
HIP_ENTRY hipDeviceTotalMem(size_t *bytes, int device) {
  if (!runtime().isDevice(device))
    return InvalidDevice;
  *bytes = runtime().deviceBytes();
  return Success;
}
HIP_ENTRY hipDeviceGetAttribute(int *value, int number, int device) {
  return runtime().isDevice(device) ? attribute(runtime().gpus()[size_t(device)], number, *value) : InvalidDevice;
}
/// Sets the two texts of hipDeviceProp_t only: the name, and the processor's name (gcnArchName).
HIP_ENTRY hipGetDevicePropertiesR0600(void *properties, int device) {
  if (!runtime().isDevice(device))
    return InvalidDevice;
  constexpr size_t StructBytes = 1472, ProcessorAt = 1160;
  std::memset(properties, 0, StructBytes);
  hipDeviceGetName(static_cast<char *>(properties), 256, device);
  std::strcpy(static_cast<char *>(properties) + ProcessorAt, runtime().gpus()[size_t(device)].name.c_str());
  return Success;
}
HIP_ENTRY hipDeviceGetPCIBusId(char *, int, int) { return NotSupported; }
HIP_ENTRY hipDeviceCanAccessPeer(int *can, int device, int peer) {
  *can = runtime().isDevice(device) && runtime().isDevice(peer) && device != peer;
  return Success;
}
HIP_ENTRY hipDeviceEnablePeerAccess(int device, unsigned) {
  return runtime().isDevice(device) ? Success : InvalidDevice;
}
HIP_ENTRY hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
  *least = *greatest = 0; // streams of one priority
  return Success;
}

extern "C" __attribute__((visibility("default"))) const char *hipGetErrorName(int code) {
  switch (code) {
  case Success:
    return "hipSuccess";
  case InvalidValue:
    return "hipErrorInvalidValue";
  case OutOfMemory:
    return "hipErrorOutOfMemory";
  case InvalidConfiguration:
    return "hipErrorInvalidConfiguration";
  case 100:
    return "hipErrorNoDevice";
  case InvalidDevice:
    return "hipErrorInvalidDevice";
  case InvalidImage:
    return "hipErrorInvalidImage";
  case NoBinaryForGpu:
    return "hipErrorNoBinaryForGpu";
  case InvalidHandle:
    return "hipErrorInvalidHandle";
  case NotFound:
    return "hipErrorNotFound";
  case NotReady:
    return "hipErrorNotReady";
  case IllegalAddress:
    return "hipErrorIllegalAddress";
  case IllegalInstruction:
    return "hipErrorIllegalInstruction";
  case LaunchFailure:
    return "hipErrorLaunchFailure";
  case NotSupported:
    return "hipErrorNotSupported";
  default:
    return "hipErrorUnknown";
  }
}
