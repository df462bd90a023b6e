#include "backends/gpu/driver/Driver.h"
#include "base/support/Log.h"
#include "base/support/Thread.h"
#include <atomic>
#include <dlfcn.h>
#include <mutex>

namespace kiln::gpu {
namespace {

constinit std::atomic<uint32_t> forksSince{0}; // since a driver was initialised

} // namespace

void *SymbolLoader::find(const char *name, bool required) {
  void *function = dlsym(library_, name);
  if (!function && required && missing_.empty())
    missing_ = name;
  return function;
}

uint32_t Driver::forks() { return forksSince.load(std::memory_order_relaxed); }

Status Driver::load(const std::string &path) {
  if (forked())
    return fail(CL_DEVICE_NOT_AVAILABLE, "the driver was initialised before a fork and cannot be used after it");
  if (path.empty() && !deviceLikelyPresent())
    return fail(CL_DEVICE_NOT_FOUND, "the machine has no such device");
  void *library = nullptr;
  std::string why;
  for (const std::string &name : path.empty() ? libraries() : std::vector<std::string>{path}) {
    // Never closed: drivers leave threads and exit handlers.
    if ((library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)))
      break;
    const char *message = dlerror();
    if (why.empty() && message)
      why = message;
  }
  if (!library)
    return fail(CL_DEVICE_NOT_FOUND, "no driver library: ", why);
  SymbolLoader binder(library);
  bind(binder);
  if (!binder.missing().empty())
    return fail(CL_DEVICE_NOT_FOUND, "the driver library has no ", binder.missing());
  // From here on the library may have threads and open devices.
  static constinit ForkHandler noteTheChild{[] { forksSince.fetch_add(1, std::memory_order_relaxed); }};
  onFork(noteTheChild);
  if (int code = calls.init.function(0u))
    return fail(CL_DEVICE_NOT_FOUND, calls.init.name, " returned ", errorName(code), " (", code, ")");
  if (!DriverGate::guard()) // the library has registered its exit handlers
    return Status::withoutMessage(CL_OUT_OF_HOST_MEMORY);
  return checkVersion();
}

cl_int Driver::errorCode(int code) {
  switch (code) {
  case 0:
    return CL_SUCCESS;
  case 1: // invalid value
    return CL_INVALID_VALUE;
  case OutOfMemory:
    return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  case 200: // invalid image
  case 209: // no binary for the device
  case 218: // invalid PTX
  case 222: // PTX of a version that the driver does not know
    return CL_INVALID_BINARY;
  case 300: // invalid source
    return CL_BUILD_PROGRAM_FAILURE;
  case 500: // no such name
    return CL_INVALID_PROGRAM_EXECUTABLE;
  case 801: // not supported
    return CL_INVALID_OPERATION;
  default:
    return CL_OUT_OF_RESOURCES;
  }
}

bool Driver::isFatal(int code) {
  switch (code) {
  case 3: // not initialised: a child of the process that did
  case Deinitialised:
  case 46:  // device unavailable
  case 201: // invalid context
  case 214: // uncorrectable ECC
  case 220: // uncorrectable NVLink
  case 226: // a contained hardware error
  case 700: // illegal address
  case 702: // launch timeout
  case 709: // context destroyed
  case 710: // assert
  case 714: // hardware stack
  case 715: // illegal instruction
  case 716: // misaligned address
  case 717: // invalid address space
  case 718: // invalid program counter
  case 719: // launch failed
  case 721: // tensor memory leak
  case 810: // MPS server ended this client
  case 911: // external device
    return true;
  default:
    return false;
  }
}

const char *Driver::advice(int code) {
  constexpr int MisalignedAddress = 716;
  return code == MisalignedAddress ? "; KILN_CHECK_ASSUMPTIONS=1 on the CPU logs the kernel and the line" : "";
}

Status Driver::failed(int code, const char *call) const {
  Status status =
      fail(errorCode(code), name(), ": ", call, " returned ", errorName(code), " (", code, ")", advice(code));
  KILN_LOG(Warn, Device, status.message());
  return status;
}

} // namespace kiln::gpu
