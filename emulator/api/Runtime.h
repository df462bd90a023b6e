// The state that HIP's entries share: devices, streams, events, modules. One object for the process.
#pragma once
#include "emulator/api/Stream.h"
#include "emulator/loader/CodeObject.h"
#include "emulator/machine/Gpu.h"
#include <map>
#include <set>

namespace kiln::emulator {

/// Results, as in hipError_t.
enum Code : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  InvalidConfiguration = 9,
  InvalidDevice = 101,
  InvalidImage = 200,
  NoBinaryForGpu = 209,
  InvalidHandle = 400,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  IllegalInstruction = 715,
  LaunchFailure = 719,
  NotSupported = 801,
  PeerAccessAlreadyEnabled = 704,
};

struct Function {
  std::shared_ptr<CodeObject> code;
  const KernelCode *kernel;
  /// KILN_EMULATOR_REPLACE: where the explicit arguments are that the other code gets; empty if it is not replaced.
  std::vector<ExplicitArgument> original = {};
};

struct Module {
  std::shared_ptr<CodeObject> code;
  std::map<std::string, std::unique_ptr<Function>> functions;
};

/// Memory of one of HIP's allocation functions.
struct Allocation {
  enum class Kind : u8 { Device, Host, Managed, Registered } kind;
  size_t bytes;  // that the application asked for
  size_t mapped; // 0 for registered memory
  int device;
};

class Runtime {
public:
  Runtime();

  /// Empty if the switch KILN_EMULATED_GPU names a processor that LLVM does not have.
  const std::vector<Gpu> &gpus() const { return gpus_; }
  bool isDevice(int device) const { return device >= 0 && size_t(device) < gpus_.size(); }
  size_t deviceBytes() const { return deviceBytes_; }

  /// Allocates; null if there is no memory, or more than the device has.
  void *allocate(Allocation::Kind kind, size_t bytes, int device) KILN_EXCLUDES(mutex_);
  int registerHost(void *host, size_t bytes) KILN_EXCLUDES(mutex_);
  /// Returns InvalidValue if no allocation of these kinds starts there.
  int release(void *memory, std::initializer_list<Allocation::Kind> kinds) KILN_EXCLUDES(mutex_);
  size_t allocatedBytes(int device) KILN_EXCLUDES(mutex_);

  Stream *createStream(int device, int priority) KILN_EXCLUDES(mutex_);
  /// Null if it is no stream. The null stream is created on first use.
  std::shared_ptr<Stream> stream(void *handle) KILN_EXCLUDES(mutex_);
  int destroyStream(void *handle) KILN_EXCLUDES(mutex_);

  int loadModule(const void *image, int device, void **handle) KILN_EXCLUDES(mutex_);
  int unloadModule(void *handle) KILN_EXCLUDES(mutex_);
  int function(void *module, const char *name, void **function) KILN_EXCLUDES(mutex_);

  /// The first error of a kernel. As with the real library, no later call succeeds.
  std::atomic<int> broken{0};

private:
  std::vector<Gpu> gpus_;
  size_t deviceBytes_ = 0;
  Mutex mutex_;
  std::map<u64, Allocation> allocations_ KILN_GUARDED_BY(mutex_);
  std::map<int, size_t> allocated_ KILN_GUARDED_BY(mutex_);
  std::map<void *, std::shared_ptr<Stream>> streams_ KILN_GUARDED_BY(mutex_);
  std::map<int, std::shared_ptr<Stream>> nullStreams_ KILN_GUARDED_BY(mutex_);
  std::map<void *, std::unique_ptr<Module>> modules_ KILN_GUARDED_BY(mutex_);
};

Runtime &runtime();

/// The calling thread's current device.
int &currentDevice();

} // namespace kiln::emulator

#define HIP_ENTRY extern "C" __attribute__((visibility("default"))) int
