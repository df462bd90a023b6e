// A device behind a vendor's driver library: what is shared by its streams. Start at Line.h for how work runs.
#pragma once
#include "backends/Device.h"
#include "backends/gpu/driver/CompletionPoller.h"
#include "backends/gpu/driver/Driver.h"
#include "backends/gpu/driver/DriverMemoryPool.h"
#include "backends/gpu/driver/Events.h"
#include "runtime/support/Ref.h"
#include <atomic>
#include <mutex>
#include <optional>

namespace kiln::gpu {

class GpuStreamState;

/// The limits that launches are cut to.
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
  Result<std::unique_ptr<Memory>> allocate(size_t bytes) override;
  Result<std::unique_ptr<Memory>> import(void *host, size_t bytes) override;
  Result<std::unique_ptr<Memory>> allocateHost(size_t bytes) override;
  std::unique_ptr<Memory> wrapAddress(uint64_t address, size_t bytes) override;
  Result<std::unique_ptr<Memory>> allocateShared(size_t bytes) override;
  bool canAccessPeer(const Device &other) const override;
  Result<std::unique_ptr<Code>> load(const std::string &path, const ProgramInfo &info, std::string &log) override;
  Result<std::unique_ptr<Stream>> createStream(QueueHints hints) override;

  Driver &driver() const { return *driver_; }
  /// Makes the device ready for work; costs a moment the first time, which who only lists devices need not pay.
  Status open();
  uint64_t context() const { return context_; } // once open
  int number() const { return device_; }        // the driver's
  const LaunchLimits &limits() const { return limits_; }
  size_t maxPitch() const { return maxPitch_; }

  /// Calls the driver; the device's context must be current (Current below). A result after which the context can do
  /// nothing more loses the device.
  template <typename... P, typename... A> Status run(const DriverFunction<P...> &call, A... arguments) {
    int code = call.function(arguments...);
    return code == 0 ? Status() : failed(code, call.name);
  }
  Status failed(int code, const char *call);
  /// Not lost, and not in a forked child: the driver may be called.
  bool usable() const { return !lost_.load(std::memory_order_relaxed) && !Driver::forked(); }
  Status lostStatus() const { return fail(CL_OUT_OF_RESOURCES, "device ", info_.name, " is lost"); }

  EventPool &events() { return events_; }
  EventClock &eventClock() { return eventClock_; }
  CompletionPoller &poller() { return poller_; }
  DriverMemoryPool &devicePool() { return devicePool_; }
  DriverMemoryPool &hostPool() { return hostPool_; }

  /// Operations that were issued and have not ended, over all lines.
  std::atomic<size_t> pending{0};
  /// What allocateShared has given out and not got back.
  std::atomic<size_t> managedBytes{0};
  /// The next line from number `at` on with work that has not ended; null behind the last. Lines come and go meanwhile:
  /// one may be missed, and is found by who looks next.
  Ref<GpuStreamState> nextBusyStream(size_t &at) const;
  void remove(GpuStreamState &stream);
  /// Makes copies from that device's memory as direct as the machine allows. This device is current.
  void connect(const GpuDevice &peer) KILN_EXCLUDES(mutex_);
  Result<StreamHandle> acquireStream(HintLevel priority);
  void releaseStream(StreamHandle stream, HintLevel priority) noexcept;

private:
  GpuDevice(std::shared_ptr<Driver> driver, int device);
  Status describe();
  /// What kernels may do with memory that the host has as well.
  void describeShared(bool managed, bool anyMemory, bool hostAtomics);
  /// What the driver says of the device's place; nothing where it does not.
  std::optional<cl_device_pci_bus_info_khr> pciBusInfo() const;

  const std::shared_ptr<Driver> driver_;
  const int device_;
  std::once_flag opened_;
  uint64_t context_ = 0;
  DeviceInfo info_;
  LaunchLimits limits_;
  size_t maxPitch_ = SIZE_MAX;
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

/// Makes a device current on the calling thread for a scope. What the application had current comes back; where it had
/// nothing the device stays, so that a thread that keeps launching asks once a launch and no more.
class ScopedContext {
public:
  explicit ScopedContext(const GpuDevice &device) : driver_(device.driver()) {
    if (Driver::forked())
      return;
    before_ = driver_.current();
    if (before_ != device.context()) {
      driver_.setCurrent(device.context());
      restore_ = before_ != driver_.noContext();
    }
  }
  ~ScopedContext() {
    if (restore_)
      driver_.setCurrent(before_);
  }
  ScopedContext(const ScopedContext &) = delete;
  ScopedContext &operator=(const ScopedContext &) = delete;

private:
  const Driver &driver_;
  uint64_t before_ = 0;
  bool restore_ = false;
};

/// The devices of a library, loaded from `path` or found by its usual names. None, and a line in the log, where that
/// does not work.
std::vector<std::unique_ptr<Device>> discover(std::shared_ptr<Driver> driver, const std::string &path);

} // namespace kiln::gpu
