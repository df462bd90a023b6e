// The calls of a GPU's driver library, as Kiln declares them. The two vendors' libraries agree in most of them, name
// for name and operand for operand, so one table serves both; what differs is in Driver's virtual functions.
//
// A device address is an integer here, where one of the libraries says pointer: both travel in the same register. The
// same goes for handles, and for enumerations as int. 0 means success in both.
#pragma once
#include <cstddef>
#include <cstdint>

namespace kiln::gpu {

using Address = uint64_t;
using StreamHandle = void *;
using EventHandle = void *;
using ModuleHandle = void *;
using FunctionHandle = void *;

/// A function of the library, and its name there for the log.
template <typename... Parameters> struct Call {
  int (*function)(Parameters...) = nullptr;
  const char *name = "";
  explicit operator bool() const { return function; }
};

struct Calls {
  Call<unsigned> init; // flags
  Call<int *> driverVersion;

  // Devices
  Call<int *> deviceCount;
  Call<int *, int> device; // by ordinal
  Call<char *, int, int> deviceName;
  Call<size_t *, int> deviceMemory;
  Call<int *, int, int> deviceAttribute; // value, attribute, device
  Call<int *, int, int> deviceReaches;   // whether, device, peer
  Call<char *, int, int> devicePlace;    // on the PCI bus, as text

  // Memory
  Call<Address *, size_t> allocate;
  Call<Address> free;
  Call<void **, size_t, unsigned> allocateHost;
  Call<void *> freeHost;
  Call<void *, size_t, unsigned> registerHost;
  Call<void *> unregisterHost;
  Call<Address *, void *, unsigned> hostAddress;
  Call<Address *, size_t, unsigned> allocateShared;   // pages that move; may be missing
  Call<size_t *, size_t *> memoryLeft;                // free and total bytes, of the current device; may be missing
  Call<Address, size_t, int, StreamHandle> movePages; // to a device, or NoDevice; may be missing

  // Transfers
  Call<Address, const void *, size_t, StreamHandle> copyToDevice;
  Call<void *, Address, size_t, StreamHandle> copyToHost;
  Call<Address, Address, size_t, StreamHandle> copyOnDevice;
  Call<Address, unsigned char, size_t, StreamHandle> fill8;
  Call<Address, unsigned short, size_t, StreamHandle> fill16;
  Call<Address, unsigned, size_t, StreamHandle> fill32;

  // Streams and events
  Call<StreamHandle *, unsigned> createStream;
  Call<StreamHandle *, unsigned, int> createStreamOf; // a priority
  Call<int *, int *> priorityRange;                   // least and greatest, of the current device
  Call<StreamHandle> destroyStream;
  Call<StreamHandle, EventHandle, unsigned> streamWait;
  Call<EventHandle *, unsigned> createEvent;
  Call<EventHandle> destroyEvent;
  Call<EventHandle, StreamHandle> record;
  Call<EventHandle> query;
  Call<EventHandle> synchronize;
  Call<float *, EventHandle, EventHandle> elapsed; // milliseconds

  // Code
  Call<ModuleHandle> unloadModule;
  Call<FunctionHandle *, ModuleHandle, const char *> function;
  Call<int *, int, FunctionHandle> functionAttribute;
  Call<FunctionHandle, int, int> setFunctionAttribute; // may be missing
  Call<FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, StreamHandle, void **,
       void **>
      launch; // grid, block, dynamic local bytes, stream, parameters, extra
};

// Flags and numbers that mean the same to both libraries.
inline constexpr unsigned StreamNonBlocking = 1;
inline constexpr unsigned EventNoTiming = 2;
inline constexpr unsigned HostPortable = 1, HostMapped = 2; // of allocateHost and registerHost
inline constexpr unsigned ForAllStreams = 1;                // of allocateShared
inline constexpr int NoDevice = -1;                         // the host
inline constexpr int FunctionMaxThreads = 0, FunctionLocalBytes = 1, FunctionMaxDynamicLocalBytes = 8;

} // namespace kiln::gpu
