// A device of a vendor's driver library: the state that its streams share. GpuStream.h describes how operations run.
#pragma once
#include "backends/Device.h"
#include "backends/gpu/driver/CompletionPoller.h"
#include "backends/gpu/driver/Driver.h"
#include "backends/gpu/driver/DriverMemoryPool.h"
#include "backends/gpu/driver/Events.h"
#include "base/support/Ref.h"
#include <atomic>
#include <mutex>
#include <optional>

namespace kiln::gpu {

class GpuStreamState;

/// The limits by which launches are split.
struct LaunchLimits {
  uint64_t maxThreads = 1;
  std::array<uint64_t, 3> maxBlock{1, 1, 1}, maxGrid{1, 1, 1};
  uint64_t localBytes = 0;
};

class GpuDevice final : public Device {
public:
  static Result<std::unique_ptr<GpuDevice>> create(std::shared_ptr<Driver> driver, int ordinal);
  ~GpuDevice() override;

  const DeviceInfo &info() const override { return info_; }
  bool isAvailable() const override { return usable(); }
  Result<std::unique_ptr<Memory>> allocate(size_t bytes) override;
  Result<std::unique_ptr<Memory>> import(void *host, size_t bytes) override;
  Result<std::unique_ptr<Memory>> allocateHost(size_t bytes) override;
  std::unique_ptr<Memory> wrapAddress(uint64_t address, size_t bytes) override;
  Result<std::unique_ptr<Memory>> allocateShared(size_t bytes) override;
  std::unique_ptr<Texture> createTexture(const abi::Image &image) override;
  size_t imageRowAlignment(uint32_t format) const override;
  bool canAccessPeer(const Device &other) const override;
  Assembler assembler() const override;
  Result<std::unique_ptr<Code>> load(const CodePaths &paths, const ProgramInfo &info, std::string &log) override;
  Result<std::unique_ptr<Stream>> createStream(QueueHints hints) override;

  Driver &driver() const { return *driver_; }
  /// Creates the device's context on first use. That takes time, which listing the devices must not cost.
  Status open();
  uint64_t context() const { return context_; } // after open
  int number() const { return device_; }        // the driver's ordinal
  const LaunchLimits &limits() const { return limits_; }
  size_t maxPitch() const { return maxPitch_; }

  /// Calls the driver; the device's context must be current (ScopedContext). A fatal result loses the device.
  template <typename... P, typename... A> Status run(const DriverFunction<P...> &call, A... arguments) {
    int code = call.function(arguments...);
    return code == 0 ? Status() : failed(code, call.name);
  }
  Status failed(int code, const char *call);
  /// Takes the device as lost, without a call of the driver: a launch of this kernel does not end.
  void loseByTimeout(const std::string &kernel);
  /// Calls the driver on this device, which loses the device if it is broken.
  void probe();
  /// Waits until the event is reached: inside of the driver a thread could not leave it when the process ends. Returns
  /// the driver's result.
  int wait(EventHandle event);
  /// Returns false if the device is lost, in a forked child, and when the process ends. The driver must not be called
  /// then. In a ScopedContext it becomes false only if a call fails or `wait` ends early.
  bool usable() const { return !lost_.load(std::memory_order_relaxed) && Driver::mayBeCalled(); }
  Status lostStatus() const { return fail(CL_OUT_OF_RESOURCES, "device ", info_.name, " is lost"); }

  EventPool &events() { return events_; }
  EventClock &eventClock() { return eventClock_; }
  CompletionPoller &poller() { return poller_; }
  DriverMemoryPool &devicePool() { return devicePool_; }
  DriverMemoryPool &hostPool() { return hostPool_; }

  /// Operations of all streams that were issued and have not ended.
  std::atomic<size_t> pending{0};
  /// Bytes of managed memory that are allocated.
  std::atomic<size_t> managedBytes{0};
  /// The next stream from index `at` on with operations that have not ended; null at the end. If streams are created or
  /// destroyed meanwhile, one may be skipped; the next poll finds it.
  Ref<GpuStreamState> nextBusyStream(size_t &at) const;
  void remove(GpuStreamState &stream);
  /// Destroys the graphs of all streams' launch chains. The device is current.
  void destroyLaunchGraphs() KILN_EXCLUDES(mutex_);
  /// Enables direct copies from that device's memory if the machine can. This device is current.
  void connect(const GpuDevice &peer) KILN_EXCLUDES(mutex_);
  Result<StreamHandle> acquireStream(HintLevel priority);
  void releaseStream(StreamHandle stream, HintLevel priority) noexcept;

private:
  GpuDevice(std::shared_ptr<Driver> driver, int device);
  Status describe();
  /// Sets what kernels may do with memory that the host can access as well.
  void describeShared(bool managed, bool anyMemory, bool hostAtomics);
  /// The device's PCI address; nothing if the driver does not report it.
  std::optional<cl_device_pci_bus_info_khr> pciBusInfo() const;

  const std::shared_ptr<Driver> driver_;
  const int device_;
  std::once_flag opened_;
  uint64_t context_ = 0;
  DeviceInfo info_;
  LaunchLimits limits_;
  size_t maxPitch_ = SIZE_MAX;
  Driver::TextureLimits textureLimits_;
  bool hasManagedMemory_ = false;
  std::atomic<bool> lost_{false};
  mutable Mutex mutex_;
  std::vector<Ref<GpuStreamState>> streams_ KILN_GUARDED_BY(mutex_);
  std::vector<StreamHandle> spareStreams_[3] KILN_GUARDED_BY(mutex_); // by priority
  std::vector<int> connected_ KILN_GUARDED_BY(mutex_);
  EventPool events_;
  EventClock eventClock_;
  DriverMemoryPool devicePool_, hostPool_;
  CompletionPoller poller_;
};

/// Makes a device current on the calling thread for a scope, inside of the DriverGate. Restores the application's
/// current device. If there was none, the device stays current, so that a thread with many launches sets it once.
/// Converts to false if the driver must not be called in the scope.
class ScopedContext {
public:
  explicit ScopedContext(const GpuDevice &device) : device_(device), driver_(device.driver()) {
    if (Driver::forked() || !inside_)
      return;
    before_ = driver_.current();
    if (before_ != device.context()) {
      driver_.setCurrent(device.context());
      restore_ = before_ != driver_.noContext();
    }
  }
  ~ScopedContext() {
    if (restore_ && Driver::mayBeCalled())
      driver_.setCurrent(before_);
  }
  ScopedContext(const ScopedContext &) = delete;
  ScopedContext &operator=(const ScopedContext &) = delete;
  explicit operator bool() const { return device_.usable(); }

private:
  const DriverGate::Pass inside_;
  const GpuDevice &device_;
  const Driver &driver_;
  uint64_t before_ = 0;
  bool restore_ = false;
};

/// The devices of a library, loaded from `path` or found by its usual names. Empty, with a line in the log, if that
/// fails.
std::vector<std::unique_ptr<Device>> discover(std::shared_ptr<Driver> driver, const std::string &path);

} // namespace kiln::gpu
