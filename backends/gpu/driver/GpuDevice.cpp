#include "backends/gpu/driver/GpuDevice.h"
#include "backends/CommonInfo.h"
#include "backends/gpu/driver/GpuStream.h"
#include "backends/gpu/driver/WaitPace.h"
#include "base/abi/KernelAbi.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include "base/support/Trace.h"
#include <algorithm>
#include <charconv>
#include <cstring>

namespace kiln::gpu {
namespace {

constexpr size_t PinnedKept = 256 << 20; // bytes of unused pinned memory
constexpr size_t MaxArguments = 3840;    // fits the driver's parameter buffer with abi::GpuLaunch

} // namespace

Result<std::unique_ptr<GpuDevice>> GpuDevice::create(std::shared_ptr<Driver> driver, int ordinal) {
  int handle = 0;
  KILN_TRY(driver->run(driver->calls.device, &handle, ordinal));
  std::unique_ptr<GpuDevice> device(new GpuDevice(std::move(driver), handle));
  KILN_TRY(device->describe());
  return device;
}

GpuDevice::GpuDevice(std::shared_ptr<Driver> driver, int device)
    : driver_(std::move(driver)), device_(device), events_(*this), eventClock_(*this),
      devicePool_(*this, DriverMemoryPool::Where::Device), hostPool_(*this, DriverMemoryPool::Where::Host),
      poller_(*this) {}

Status GpuDevice::open() {
  if (!usable())
    return lostStatus();
  Status status;
  std::call_once(opened_, [&] {
    const DriverGate::Pass inside;
    Result<uint64_t> context = inside ? driver_->open(device_) : lostStatus();
    if (context.ok()) {
      context_ = *context;
    } else {
      status = std::move(context).status();
      lost_.store(true);
    }
  });
  return status;
}

GpuDevice::~GpuDevice() {
  poller_.stop();
  if (!usable())
    return;
  ScopedContext current(*this);
  if (!current)
    return;
  eventClock_.clear();
  events_.clear();
  devicePool_.trim();
  hostPool_.trim();
  for (const std::vector<StreamHandle> &spare : spareStreams_)
    for (StreamHandle stream : spare)
      driver_->calls.destroyStream.function(stream);
}

Status GpuDevice::describe() {
  const DriverFunctions &calls = driver_->calls;
  const auto numbers = driver_->attributes();
  int facts[size_t(DeviceAttribute::Count)]{};
  for (size_t i = 0; i < std::size(facts); ++i)
    if (int code = calls.deviceAttribute.function(&facts[i], numbers[i], device_)) {
      KILN_LOG(Info, Device, driver_->name(), ": attribute ", numbers[i], ": ", driver_->errorName(code));
      facts[i] = 0;
    }
  auto fact = [&](DeviceAttribute which) { return uint64_t(std::max(0, facts[size_t(which)])); };
  char name[256] = "";
  KILN_TRY(driver_->run(calls.deviceName, name, int(sizeof name - 1), device_));
  size_t memory = 0;
  KILN_TRY(driver_->run(calls.deviceMemory, &memory, device_));

  limits_.maxThreads = fact(DeviceAttribute::MaxThreads);
  limits_.maxBlock = {fact(DeviceAttribute::MaxBlockX), fact(DeviceAttribute::MaxBlockY),
                      fact(DeviceAttribute::MaxBlockZ)};
  limits_.maxGrid = {fact(DeviceAttribute::MaxGridX), fact(DeviceAttribute::MaxGridY), fact(DeviceAttribute::MaxGridZ)};
  limits_.localBytes = fact(DeviceAttribute::LocalBytes);
  for (uint64_t limit :
       {limits_.maxThreads, limits_.maxBlock[0], limits_.maxBlock[1], limits_.maxBlock[2], limits_.maxGrid[0],
        limits_.maxGrid[1], limits_.maxGrid[2], fact(DeviceAttribute::ComputeUnits), fact(DeviceAttribute::WarpSize)})
    if (!limit)
      return fail(CL_DEVICE_NOT_FOUND, "the driver does not report the limits of ", name);
  if (fact(DeviceAttribute::MaxPitch))
    maxPitch_ = fact(DeviceAttribute::MaxPitch);
  textureLimits_ = driver_->textureLimits(device_);
  devicePool_.setLimit(memory / 16);
  hostPool_.setLimit(PinnedKept);

  DeviceInfo &info = info_;
  info.type = CL_DEVICE_TYPE_GPU;
  info.vendorId = driver_->vendorId();
  info.name = name;
  info.vendor = driver_->vendorName();
  info.driverVersion = driver_->version();
  info.target = KILN_TRY(driver_->target(device_));
  info.maxWorkGroupSize = limits_.maxThreads;
  const uint64_t subGroupSize = fact(DeviceAttribute::WarpSize);
  describeLanguages(info);
  describeGroups(info, {&subGroupSize, 1}, subGroupSize);
  describePipes(info);
  describeImages(info, 32768);
  describeFloatAtomics(info);
  describeEnqueue(info, 2, 1024, 1 << 20); // a launch's records and all events are copied back with it
  describeOpenclC20(info);
  describeClock(info);
  if (driver_->hasHalfAtomics(device_))
    describeHalfAtomics(info, /*minMax=*/true);
  report(info, Needs::PriorityHints);
  info.pci = pciBusInfo();
  if (info.pci)
    report(info, Needs::PciBus);
  info.hardware = driver_->hardwareInfo(device_);
  if (info.hardware)
    report(info, Needs::NvidiaAttributes);
  info.assembly = true;
  info.uuid = driver_->uuid(device_, info.pci);
  if (info.uuid)
    report(info, Needs::Uuid);

  info.computeUnits = cl_uint(fact(DeviceAttribute::ComputeUnits));
  info.maxClockMHz = cl_uint(fact(DeviceAttribute::ClockKHz) / 1000);
  info.errorCorrection = fact(DeviceAttribute::Ecc);
  for (int d = 0; d < 3; ++d)
    info.maxWorkItemSizes[d] = limits_.maxBlock[d];
  info.preferredWorkGroupSizeMultiple = subGroupSize;
  info.hostQueueProperties = CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  info.profilingTimerResolution = 1000; // the approximate resolution of the driver's events

  info.singleFp =
      CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM | CL_FP_FMA | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  // Required by cl_khr_fp64; conversions support the other rounding modes.
  info.doubleFp =
      CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_INF_NAN | CL_FP_DENORM | CL_FP_FMA;
  info.halfFp = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM | CL_FP_FMA;
  info.preferredVectorWidth = info.nativeVectorWidth = {1, 1, 1, 1, 1, 1, 1};

  info.globalMemSize = memory;
  // One allocation may have all that is free in an otherwise unused device. The driver's own context has 0.5 GiB of 80.
  info.maxAllocSize = memory - memory / 32;
  info.maxGlobalVariableSize = info.globalVariablePreferredTotalSize =
      std::min<cl_ulong>(info.maxAllocSize / 4, MaxVariableBytes);
  info.localMemSize = limits_.localBytes;
  info.localMemType = CL_LOCAL;
  info.globalCacheSize = fact(DeviceAttribute::CacheBytes);
  info.globalCacheType = info.globalCacheSize ? CL_READ_WRITE_CACHE : CL_NONE;
  info.globalCacheLine = info.globalCacheSize ? 128 : 0;
  info.maxConstantBufferSize = info.maxAllocSize; // constant memory is read-only global memory
  info.maxConstantArgs = 128;
  info.maxParameterSize = MaxArguments;
  info.hostUnifiedMemory = fact(DeviceAttribute::Integrated);
  info.hasFences = true;
  describeShared(fact(DeviceAttribute::ConcurrentManaged), fact(DeviceAttribute::AnyMemory),
                 fact(DeviceAttribute::HostAtomics));
  return {};
}

void GpuDevice::describeShared(bool managed, bool anyMemory, bool hostAtomics) {
  using Capabilities = cl_device_unified_shared_memory_capabilities_intel;
  constexpr Capabilities Alone = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL;
  constexpr Capabilities Beside = Alone | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL;
  constexpr Capabilities Together = Beside | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;
  const DriverFunctions &calls = driver_->calls;
  hasManagedMemory_ = managed && calls.allocManaged && calls.memGetInfo;
  DeviceInfo &info = info_;
  // Host and device may access pinned memory concurrently, except with atomics, which not every bus supports.
  info.svm = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
  if (hasManagedMemory_)
    info.svm |= CL_DEVICE_SVM_ATOMICS;
  if (anyMemory)
    info.svm |= CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
  info.usmHost = hostAtomics ? Together : Beside;
  info.usmDevice = Alone;
  info.usmShared = hasManagedMemory_ ? Together : info.usmHost;
  info.usmSharedAcross = Beside; // devices of different drivers only have host memory in common
  info.usmSystem = !anyMemory ? 0 : hasManagedMemory_ ? Together : Beside;
  report(info, Needs::UnifiedMemory);
}

std::optional<cl_device_pci_bus_info_khr> GpuDevice::pciBusInfo() const {
  char busId[32] = ""; // domain:bus:device.function
  const DriverFunction<char *, int, int> &function = driver_->calls.devicePciBusId;
  if (int code = function.function(busId, int(sizeof busId - 1), device_)) {
    KILN_LOG(Info, Device, driver_->name(), ": ", function.name, " returned ", driver_->errorName(code), " (", code,
             ")");
    return {};
  }
  cl_device_pci_bus_info_khr info{};
  const char *at = busId, *const end = busId + std::strlen(busId);
  for (cl_uint *part : {&info.pci_domain, &info.pci_bus, &info.pci_device, &info.pci_function}) {
    auto [next, error] = std::from_chars(at, end, *part, 16);
    if (error != std::errc() && part != &info.pci_function) // which may be missing
      return {};
    at = next == end ? end : next + 1; // after the separator
  }
  return info;
}

Status GpuDevice::failed(int code, const char *call) {
  if (!Driver::isFatal(code))
    return driver_->failed(code, call);
  Status status =
      fail(CL_OUT_OF_RESOURCES, driver_->name(), ": ", call, " returned ", driver_->errorName(code), " (", code, ")");
  // At process exit the driver may be unloaded before its users.
  if (!lost_.exchange(true) && code != Driver::Deinitialised)
    KILN_LOG(Error, Device, status.message(), ": device ", info_.name,
             " is lost for this process; pending and later commands fail");
  return status;
}

void GpuDevice::loseByTimeout(const std::string &kernel) {
  if (!lost_.exchange(true))
    KILN_LOG(Error, Device, "kernel ", kernel, " takes longer than ", options().launchTimeout,
             " s (KILN_LAUNCH_TIMEOUT): device ", info_.name,
             " is lost for this process; pending and later commands fail");
}

int GpuDevice::wait(EventHandle event) {
  std::atomic<uint64_t> previous{0}; // unknown
  WaitPace pace(previous);
  for (;;) {
    const int code = driver_->calls.query.function(event);
    if (code != Driver::NotReady)
      return code;
    if (!DriverGate::mayStay() || !usable())
      return Driver::Deinitialised;
    pace.pause(nowNanoseconds());
  }
}

void GpuDevice::probe() {
  if (!usable())
    return;
  ScopedContext current(*this);
  EventHandle event = nullptr;
  if (current && run(driver_->calls.createEvent, &event, EventNoTiming).ok())
    driver_->calls.destroyEvent.function(event);
}

bool GpuDevice::canAccessPeer(const Device &other) const {
  auto *gpu = dynamic_cast<const GpuDevice *>(&other);
  return gpu && gpu->driver_ == driver_;
}

void GpuDevice::connect(const GpuDevice &peer) {
  Lock lock(mutex_);
  if (std::ranges::find(connected_, peer.device_) != connected_.end())
    return;
  connected_.push_back(peer.device_);
  // Without peer access the driver copies through the host.
  int can = 0;
  const DriverFunction<int *, int, int> &function = driver_->calls.deviceCanAccessPeer;
  int code = function.function(&can, device_, peer.device_);
  if (!code && can)
    code = driver_->enablePeer(peer.context());
  bool direct = can && (code == 0 || code == Driver::PeerEnabled);
  KILN_LOG(Info, Device, driver_->name(), ": copies from ", peer.info_.name, " to ", info_.name,
           direct ? " are direct" : " go through the host");
}

Result<std::unique_ptr<Stream>> GpuDevice::createStream(QueueHints hints) {
  StreamHandle handle = KILN_TRY(acquireStream(hints.priority));
  Ref<GpuStreamState> state;
  try {
    state = new GpuStreamState(*this, handle, hints.priority);
  } catch (const std::bad_alloc &) {
    releaseStream(handle, hints.priority);
    throw;
  }
  std::unique_ptr<Stream> stream(new GpuStream(*this, state));
  Lock lock(mutex_);
  streams_.push_back(std::move(state));
  return stream;
}

void GpuDevice::remove(GpuStreamState &stream) {
  Ref<GpuStreamState> last(&stream); // released after the lock
  Lock lock(mutex_);
  std::erase_if(streams_, [&](const Ref<GpuStreamState> &one) { return one.get() == &stream; });
}

void GpuDevice::destroyLaunchGraphs() {
  Lock lock(mutex_); // before the lock of each stream
  for (const Ref<GpuStreamState> &stream : streams_)
    stream->destroyLaunchGraphs();
}

Ref<GpuStreamState> GpuDevice::nextBusyStream(size_t &at) const {
  Lock lock(mutex_);
  while (at < streams_.size())
    if (const Ref<GpuStreamState> &stream = streams_[at++]; stream->busy())
      return stream;
  return {};
}

Result<StreamHandle> GpuDevice::acquireStream(HintLevel priority) {
  KILN_TRY(open());
  {
    Lock lock(mutex_);
    if (std::vector<StreamHandle> &spare = spareStreams_[size_t(priority)]; !spare.empty()) {
      StreamHandle handle = spare.back();
      spare.pop_back();
      return handle;
    }
  }
  ScopedContext current(*this);
  if (!current)
    return lostStatus();
  const DriverFunctions &calls = driver_->calls;
  StreamHandle handle = nullptr;
  if (priority == HintLevel::Medium) {
    KILN_TRY(run(calls.createStream, &handle, StreamNonBlocking));
  } else {
    int least = 0, greatest = 0; // lower numbers are more urgent
    KILN_TRY(run(calls.priorityRange, &least, &greatest));
    KILN_TRY(run(calls.createStreamWithPriority, &handle, StreamNonBlocking,
                 priority == HintLevel::High ? greatest : std::max(least, 0)));
  }
  return handle;
}

void GpuDevice::releaseStream(StreamHandle stream, HintLevel priority) noexcept {
  try {
    Lock lock(mutex_);
    spareStreams_[size_t(priority)].push_back(stream);
  } catch (const std::bad_alloc &) {
    ScopedContext current(*this);
    if (current)
      (void)driver_->calls.destroyStream.function(stream);
  }
}

std::vector<std::unique_ptr<Device>> discover(std::shared_ptr<Driver> driver, const std::string &path) {
  std::vector<std::unique_ptr<Device>> devices;
  auto none = [&](const Status &status) {
    if (path.empty())
      KILN_LOG(Info, Device, driver->name(), ": no devices: ", status.message());
    else // the user has named the library
      KILN_LOG(Error, Device, driver->name(), ": no devices: ", status.message());
    return std::vector<std::unique_ptr<Device>>();
  };
  const DriverGate::Pass inside;
  if (!inside)
    return none(fail(CL_DEVICE_NOT_FOUND, "the process ends"));
  if (Status status = driver->load(path); !status.ok())
    return none(status);
  int count = 0;
  if (int code = driver->calls.deviceCount.function(&count))
    return none(fail(CL_DEVICE_NOT_FOUND, driver->calls.deviceCount.name, " returned ", driver->errorName(code), " (",
                     code, ")"));
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    Result<std::unique_ptr<GpuDevice>> device = GpuDevice::create(driver, ordinal);
    if (device.ok())
      devices.push_back(std::move(*device));
    else
      KILN_LOG(Warn, Device, driver->name(), ": device ", ordinal, " is not used: ", device.message());
  }
  if (count == 0)
    return none(fail(CL_DEVICE_NOT_FOUND, "the driver reports no device"));
  KILN_LOG(Info, Device, driver->name(), ": driver ", driver->version());
  return devices;
}

} // namespace kiln::gpu
