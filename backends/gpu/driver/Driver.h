// A vendor's driver library: found, loaded and bound to the table of functions when the process first lists its
// devices. Subclasses implement the differences between vendors. There is one object for each library, shared by its
// devices.
//
// A driver does not survive a fork: the child finds no devices, and the parent's devices are lost there. It does not
// survive `exit` either: every call is inside of the DriverGate, which is closed before the libraries' exit handlers
// run. From then on the devices are lost.
#pragma once
#include "backends/Device.h"
#include "backends/gpu/driver/DriverFunctions.h"
#include "backends/gpu/driver/PinnedRanges.h"
#include "base/abi/ImageAbi.h"
#include "base/support/ExitGate.h"
#include "base/support/Status.h"
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::gpu {

/// Device attributes. Their numbers differ between vendors.
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
  CacheBytes, // L2 cache
  MaxPitch,
  Integrated,
  Ecc,
  ConcurrentManaged, // managed memory that host and device may access at the same time
  AnyMemory,         // the device can access pageable host memory
  HostAtomics,       // the device's atomics on host memory are atomic for the host
  Count
};

/// Looks up names in a loaded library.
class SymbolLoader {
public:
  explicit SymbolLoader(void *library) : library_(library) {}
  template <typename... P> void operator()(DriverFunction<P...> &call, const char *name) { bind(call, name, true); }
  template <typename... P> void optional(DriverFunction<P...> &call, const char *name) { bind(call, name, false); }
  /// For functions that are not in the table.
  template <typename F> void other(F *&function, const char *name, bool required = true) {
    function = reinterpret_cast<F *>(find(name, required));
  }
  /// The first required name that is missing; empty if there is none.
  const std::string &missing() const { return missing_; }

private:
  template <typename... P> void bind(DriverFunction<P...> &call, const char *name, bool required) {
    call = {reinterpret_cast<int (*)(P...)>(find(name, required)), name};
  }
  void *find(const char *name, bool required);
  void *const library_;
  std::string missing_;
};

class Driver;
/// The gate of all driver libraries of the process. It is closed when the first of them ends.
using DriverGate = ExitGate<Driver>;

class Driver {
public:
  virtual ~Driver() = default;

  DriverFunctions calls;
  PinnedRanges pinned;  // host memory that the library's devices access directly
  PinnedRanges managed; // managed memory

  /// Loads and initialises the library: `path`, or its usual names. A failure's message goes to the log.
  Status load(const std::string &path);

  virtual std::string_view name() const = 0; // of the backend
  virtual std::string_view vendorName() const = 0;
  virtual uint32_t vendorId() const = 0;
  /// CL_DRIVER_VERSION. After load.
  virtual std::string version() const = 0;
  virtual std::array<int, size_t(DeviceAttribute::Count)> attributes() const = 0;
  virtual const char *errorName(int code) const = 0;
  /// The UUID that Vulkan reports for the device; nothing if the library does not have it.
  virtual std::optional<Uuid> uuid(int device, const std::optional<cl_device_pci_bus_info_khr> &pci) const = 0;
  /// kilnc's name of the device, such as "nvptx:sm_90".
  virtual Result<std::string> target(int device) = 0;

  /// Returns true if kernels of the device have atomics of half: add, min, max, load and store.
  virtual bool hasHalfAtomics(int device) const { return false; }
  /// The properties of cl_nv_device_attribute_query, if the device has the extension.
  virtual std::optional<HardwareInfo> hardwareInfo(int device) const { return std::nullopt; }

  /// The context that makes the device current.
  virtual Result<uint64_t> open(int device) = 0;
  virtual uint64_t current() const = 0;
  virtual void setCurrent(uint64_t context) const = 0;
  /// The value of `current` if the application has set none.
  virtual uint64_t noContext() const = 0;

  /// Copies rows with pitches. Host addresses are in pinned memory.
  enum class CopyDirection : uint8_t { ToDevice, ToHost, OnDevice };
  virtual int copyRows(CopyDirection direction, Address to, size_t toPitch, Address from, size_t fromPitch,
                       size_t width, size_t rows, StreamHandle stream) const = 0;
  /// Copies between two devices, which are given by their contexts.
  virtual int copyPeer(Address to, uint64_t toContext, Address from, uint64_t fromContext, size_t bytes,
                       StreamHandle stream) const = 0;
  /// Lets the current device access the memory of another one directly.
  virtual int enablePeer(uint64_t context) const = 0;
  /// The largest write from pageable memory that the library buffers itself, without waiting for the stream.
  virtual size_t directWriteBytes() const = 0;

  /// The limits of texture objects over rows of pixels. All 0: the library has none.
  struct TextureLimits {
    size_t alignment = 0, pitchAlignment = 0; // of the first pixel's address and the row pitch, in bytes
    size_t width = 0, height = 0, pitch = 0;  // at most: pixels and bytes
  };
  virtual TextureLimits textureLimits(int device) const { return {}; }
  /// Returns true if texture objects have this abi::imageFormat: the unit decodes it as OpenCL requires, and is faster
  /// than loads.
  virtual bool hasTextures(uint32_t format) const { return false; }
  /// Creates a texture object of the current device over an image of one slice. It returns single pixels, or filtered
  /// ones. The image is within the limits, and its format has textures. These two are only called then.
  virtual int createTexture(uint64_t &texture, const abi::Image &image, bool isFilter) const { return NotSupported; }
  virtual int destroyTexture(uint64_t texture) const { return NotSupported; }

  /// Returns true if the compiler's code is not machine code: the library assembles what `loadModule` gets.
  virtual bool assemblesCode() const { return false; }
  /// The library's assembler for other processes, without the processor in its identity. After load.
  virtual Assembler assembler() const { return {}; }
  /// The number of registers of a work-item in a function whose group's size has no bound.
  enum class Registers : uint8_t {
    AsNeeded,         // a group of the device's maximum size may not fit
    ForLargestGroups, // it fits, and work-items may spill; only for code that the library assembles
  };
  /// Loads code or machine code on the current device.
  virtual Status loadModule(ModuleHandle &module, std::string image, Registers registers, std::string &log) const = 0;
  struct LaunchExtra {
    void *pointer, *size, *end; // keys of the launch function's last operand
  };
  virtual LaunchExtra launchExtra() const = 0;
  /// One launch of the library.
  struct GridLaunch {
    FunctionHandle function;
    std::array<unsigned, 3> grid, block;
    unsigned localBytes;
    std::span<const std::byte> parameters;
  };
  /// A graph of launches, each after the one before (LaunchGraph.h).
  struct GraphHandles {
    void *graph = nullptr, *executable = nullptr;
    std::vector<void *> nodes;
  };
  virtual bool hasLaunchGraphs() const { return false; }
  /// These three are only called if there are launch graphs. After a failure nothing is left to destroy.
  virtual int createLaunchGraph(GraphHandles &graph, std::span<const GridLaunch> launches) const {
    return NotSupported;
  }
  /// Replaces the launch at index `at` for later starts.
  virtual int setLaunch(const GraphHandles &graph, size_t at, const GridLaunch &launch) const { return NotSupported; }
  virtual void destroyLaunchGraph(const GraphHandles &graph) const {}
  /// The maximum number of work-items of one launch in a dimension.
  virtual uint64_t maxItemsOfLaunch() const = 0;

  /// Returns true in a child of the process that initialised a driver.
  static bool forked() { return forks() != 0; }
  /// The number of forks since a driver was initialised.
  static uint32_t forks();
  /// Returns true if the calling thread may call a library. Returns false after some time when the process ends.
  static bool mayBeCalled();
  /// The OpenCL error for a result. Both vendors use the same numbers.
  static cl_int errorCode(int code);
  /// Returns true if the device's context is unusable after this result.
  static bool isFatal(int code);
  /// What the user can do about a result, for the end of its message; empty for most.
  static const char *advice(int code);
  static constexpr int NotReady = 600, OutOfMemory = 2, Deinitialised = 4, PeerEnabled = 704, NotSupported = 801;

  Status failed(int code, const char *call) const;
  /// Calls the function and converts the result to a Status.
  template <typename... P, typename... A> Status run(const DriverFunction<P...> &call, A... arguments) const {
    int code = call.function(arguments...);
    return code == 0 ? Status() : failed(code, call.name);
  }

protected:
  virtual std::vector<std::string> libraries() const = 0;
  /// Returns false if the machine shows no sign of a device. Loading the library takes milliseconds.
  virtual bool deviceLikelyPresent() const = 0;
  virtual void bind(SymbolLoader &bind) = 0;
  /// Fails if the library is too old. Called after `calls.init`.
  virtual Status checkVersion() = 0;
};

inline bool Driver::mayBeCalled() { return !forked() && DriverGate::admits(); }

} // namespace kiln::gpu
