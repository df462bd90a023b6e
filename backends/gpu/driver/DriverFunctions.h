// The functions of a GPU's driver library, declared here. Most have the same name and operands in both vendors'
// libraries, so one table serves both; the others are virtual functions of Driver.
//
// A device address is an integer here and a pointer in one of the libraries; both are passed in the same register. The
// same holds for handles, and for enumerations as int. 0 means success in both.
#pragma once
#include <cstddef>
#include <cstdint>

namespace kiln::gpu {

using Address = uint64_t;
using StreamHandle = void *;
using EventHandle = void *;
using ModuleHandle = void *;
using FunctionHandle = void *;
using GraphHandle = void *; // executable

/// A function of the library, and its name for the log.
template <typename... Parameters> struct DriverFunction {
  int (*function)(Parameters...) = nullptr;
  const char *name = "";
  explicit operator bool() const { return function; }
};

struct DriverFunctions {
  DriverFunction<unsigned> init; // flags
  DriverFunction<int *> driverVersion;

  // Devices
  DriverFunction<int *> deviceCount;
  DriverFunction<int *, int> device; // by ordinal
  DriverFunction<char *, int, int> deviceName;
  DriverFunction<size_t *, int> deviceMemory;
  DriverFunction<int *, int, int> deviceAttribute;     // value, attribute, device
  DriverFunction<int *, int, int> deviceCanAccessPeer; // result, device, peer
  DriverFunction<char *, int, int> devicePciBusId;     // as text

  // Memory
  DriverFunction<Address *, size_t> allocate;
  DriverFunction<Address> free;
  DriverFunction<void **, size_t, unsigned> allocateHost;
  DriverFunction<void *> freeHost;
  DriverFunction<void *, size_t, unsigned> registerHost;
  DriverFunction<void *> unregisterHost;
  DriverFunction<Address *, void *, unsigned> hostGetDevicePointer;
  DriverFunction<Address *, size_t, unsigned> allocManaged; // may be missing
  DriverFunction<size_t *, size_t *> memGetInfo; // free and total bytes of the current device; may be missing
  DriverFunction<Address, size_t, int, StreamHandle> memPrefetch; // to a device, or NoDevice; may be missing

  // Transfers
  DriverFunction<Address, const void *, size_t, StreamHandle> copyToDevice;
  DriverFunction<void *, Address, size_t, StreamHandle> copyToHost;
  DriverFunction<Address, Address, size_t, StreamHandle> copyOnDevice;
  DriverFunction<Address, unsigned char, size_t, StreamHandle> fill8;
  DriverFunction<Address, unsigned short, size_t, StreamHandle> fill16;
  DriverFunction<Address, unsigned, size_t, StreamHandle> fill32;

  // Streams and events
  DriverFunction<StreamHandle *, unsigned> createStream;
  DriverFunction<StreamHandle *, unsigned, int> createStreamWithPriority; // priority
  DriverFunction<int *, int *> priorityRange;                             // least and greatest, of the current device
  DriverFunction<StreamHandle> destroyStream;
  DriverFunction<StreamHandle, EventHandle, unsigned> streamWait;
  DriverFunction<EventHandle *, unsigned> createEvent;
  DriverFunction<EventHandle> destroyEvent;
  DriverFunction<EventHandle, StreamHandle> record;
  DriverFunction<EventHandle> query;
  DriverFunction<float *, EventHandle, EventHandle> elapsed;           // milliseconds
  DriverFunction<StreamHandle> queryStream;                            // may be missing
  DriverFunction<StreamHandle, Address, uint32_t, unsigned> writeWord; // may be missing

  // Code
  DriverFunction<ModuleHandle> unloadModule;
  DriverFunction<FunctionHandle *, ModuleHandle, const char *> function;
  DriverFunction<int *, int, FunctionHandle> functionAttribute;
  DriverFunction<FunctionHandle, int, int> setFunctionAttribute; // may be missing
  DriverFunction<FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, StreamHandle,
                 void **,
                 void **>
      launch;                                            // grid, block, dynamic local bytes, stream, parameters, extra
  DriverFunction<GraphHandle, StreamHandle> launchGraph; // missing without Driver::hasLaunchGraphs
};

// Flags and numbers that are equal in both libraries.
inline constexpr unsigned StreamNonBlocking = 1;
inline constexpr unsigned EventNoTiming = 2;
inline constexpr unsigned HostPortable = 1, HostMapped = 2; // of allocateHost and registerHost
inline constexpr unsigned ForAllStreams = 1;                // of allocateShared
inline constexpr int NoDevice = -1;                         // the host
inline constexpr int FunctionMaxThreads = 0, FunctionLocalBytes = 1, FunctionThreadBytes = 3, FunctionRegisters = 4,
                     FunctionMaxDynamicLocalBytes = 8;

} // namespace kiln::gpu
