// A vendor's driver library: found, loaded and bound to the table of calls when the process first asks for devices.
// Subclasses say what differs between vendors; there is one object a library, shared by its devices.
//
// A driver does not survive a fork: in the child there are no devices, and those that the parent had are lost.
#pragma once
#include "backends/DeviceInfo.h"
#include "backends/gpu/driver/DriverFunctions.h"
#include "backends/gpu/driver/PinnedRanges.h"
#include "runtime/support/Status.h"
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::gpu {

/// What is asked of a device; the numbers by which are the vendor's.
enum class DeviceAttribute : uint8_t {
  ComputeUnits,
  ClockKHz,
  WarpSize,
  MaxThreads, // of a work-group
  MaxBlockX,
  MaxBlockY,
  MaxBlockZ,
  MaxGridX,
  MaxGridY,
  MaxGridZ,
  LocalBytes, // of a work-group
  CacheBytes, // second level
  MaxPitch,
  Integrated,
  Ecc,
  ConcurrentManaged, // whether host and device may use the same pages at once
  AnyMemory,         // whether the device takes whatever memory the program has
  HostAtomics,       // whether its atomics in the host's memory are atomic there
  Count
};

/// Looks names up in a loaded library.
class SymbolLoader {
public:
  explicit SymbolLoader(void *library) : library_(library) {}
  template <typename... P> void operator()(DriverFunction<P...> &call, const char *name) { bind(call, name, true); }
  template <typename... P> void optional(DriverFunction<P...> &call, const char *name) { bind(call, name, false); }
  /// Functions that are not in the table.
  template <typename F> void other(F *&function, const char *name, bool required = true) {
    function = reinterpret_cast<F *>(find(name, required));
  }
  /// The first name that was required and is not there; empty when all are.
  const std::string &missing() const { return missing_; }

private:
  template <typename... P> void bind(DriverFunction<P...> &call, const char *name, bool required) {
    call = {reinterpret_cast<int (*)(P...)>(find(name, required)), name};
  }
  void *find(const char *name, bool required);
  void *const library_;
  std::string missing_;
};

class Driver {
public:
  virtual ~Driver() = default;

  DriverFunctions calls;
  PinnedRanges pinned;  // host memory that the library's devices reach themselves
  PinnedRanges managed; // pages that it moves between them and the host

  /// Loads the library, `path` or else the usual names, and starts it. Fails with the sentence for the log.
  Status load(const std::string &path);

  virtual std::string_view name() const = 0; // the backend's
  virtual std::string_view vendorName() const = 0;
  virtual uint32_t vendorId() const = 0;
  /// The version as a text, once loaded.
  virtual std::string version() const = 0;
  virtual std::array<int, size_t(DeviceAttribute::Count)> attributes() const = 0;
  virtual const char *errorName(int code) const = 0;
  /// By what Vulkan knows the device; nothing where the library does not say.
  virtual std::optional<Uuid> uuid(int device, const std::optional<cl_device_pci_bus_info_khr> &pci) const = 0;
  /// What kilnc calls the device, "nvptx:sm_90".
  virtual Result<std::string> target(int device) = 0;

  /// What makes a device the calling thread's current one.
  virtual Result<uint64_t> open(int device) = 0;
  virtual uint64_t current() const = 0;
  virtual void setCurrent(uint64_t context) const = 0;
  /// What `current` says where the application has made no choice.
  virtual uint64_t noContext() const = 0;

  /// Rows from pitch to pitch. Host addresses are those of pinned memory.
  enum class CopyDirection : uint8_t { ToDevice, ToHost, OnDevice };
  virtual int copyRows(CopyDirection direction, Address to, size_t toPitch, Address from, size_t fromPitch,
                       size_t width, size_t rows, StreamHandle stream) const = 0;
  /// Between devices, which are named by their contexts.
  virtual int copyPeer(Address to, uint64_t toContext, Address from, uint64_t fromContext, size_t bytes,
                       StreamHandle stream) const = 0;
  /// Lets the current device reach the memory of another one itself.
  virtual int enablePeer(uint64_t context) const = 0;
  /// Writes through pageable memory up to this size the library takes as they are, without waiting for the stream.
  virtual size_t directWriteBytes() const = 0;

  virtual Status loadModule(ModuleHandle &module, std::string image, std::string &log) const = 0;
  struct LaunchExtra {
    void *pointer, *size, *end; // keys of the launch call's last operand
  };
  virtual LaunchExtra launchExtra() const = 0;
  /// Largest number of work-items that one launch may have in a dimension.
  virtual uint64_t maxItemsOfLaunch() const = 0;

  /// Whether this is a child of the process that started a driver.
  static bool forked() { return forks() != 0; }
  /// How many forks lie between the two.
  static uint32_t forks();
  /// What a result of the library means. Both vendors use the same numbers.
  static cl_int errorCode(int code);
  /// Whether the device's context can do nothing more after this result.
  static bool isFatal(int code);
  static constexpr int NotReady = 600, OutOfMemory = 2, Deinitialised = 4, PeerEnabled = 704;

  Status failed(int code, const char *call) const;
  /// Calls, and makes a Status of the result.
  template <typename... P, typename... A> Status run(const DriverFunction<P...> &call, A... arguments) const {
    int code = call.function(arguments...);
    return code == 0 ? Status() : failed(code, call.name);
  }

protected:
  virtual std::vector<std::string> libraries() const = 0;
  /// Whether the machine looks as if the library would find a device: loading one costs milliseconds.
  virtual bool deviceLikelyPresent() const = 0;
  virtual void bind(SymbolLoader &bind) = 0;
  /// Says whether the library is new enough, after `calls.init`.
  virtual Status checkVersion() = 0;
};

} // namespace kiln::gpu
