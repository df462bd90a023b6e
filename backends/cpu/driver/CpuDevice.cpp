// The CPU as a device: its description, its memory, and code that the dynamic loader maps.
//
// The first CPU device uses the host's memory. Those that KILN_CPU_DEVICES adds are for testing with several devices:
// they report memory of their own, and the runtime treats them like GPUs. Neighbours are peers; other pairs copy
// through the host.
//
// A compute unit is one thread, with one processor. The processor matters only for sub-devices by affinity domain:
// these, and their own sub-devices, run on their units' processors only. Other sub-devices run on as many threads as
// they have units, on any processor.
#include "backends/CommonInfo.h"
#include "backends/cpu/driver/CpuLaunch.h"
#include "backends/cpu/driver/CpuStream.h"
#include "backends/cpu/driver/LaunchWatch.h"
#include "backends/cpu/driver/Machine.h"
#include "backends/cpu/driver/MemoryBudget.h"
#include "backends/cpu/driver/Topology.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include "base/support/Sha256.h"
#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <map>
#include <sys/mman.h>

#ifndef KILN_VERSION
#error "KILN_VERSION comes from the build"
#endif

namespace kiln::cpu {
namespace {

constexpr size_t HugePage = 2 << 20;
constexpr uint64_t MaxDevices = 32; // a context has a limit, and other backends have devices too

using Block = std::unique_ptr<void, decltype(&std::free)>;

class CpuMemory final : public Memory {
public:
  /// Memory that this object does not own.
  CpuMemory(void *data, size_t size, bool shown)
      : Memory(uint64_t(data), shown ? data : nullptr, size), range_(data, size) {}
  /// Memory within `block`, acquired from `budget`.
  CpuMemory(void *data, size_t size, bool shown, Block block, MemoryBudget &budget)
      : Memory(uint64_t(data), shown ? data : nullptr, size), block_(std::move(block)), budget_(&budget),
        range_(data, size) {}
  ~CpuMemory() override {
    if (budget_ && budget_ == &MemoryBudget::get()) // the child of a fork has another one
      budget_->release(reinterpret_cast<void *>(address), size);
  }

private:
  const Block block_{nullptr, std::free};
  MemoryBudget *const budget_ = nullptr;
  const fault::MemoryRange range_;
};

class LoadedCode final : public Code {
public:
  LoadedCode(void *handle, std::string path)
      : handle_(handle), path_(std::move(path)), range_(handle_.get()), sampled_(handle_.get(), path_) {}

  Result<Function *> function(const KernelInfo &kernel) override {
    Lock lock(mutex_);
    std::unique_ptr<CpuFunction> &slot = functions_[kernel.entry];
    if (!slot) {
      auto *entry = reinterpret_cast<abi::CpuEntry *>(dlsym(handle_.get(), kernel.entry.c_str()));
      if (!entry)
        return fail(CL_INVALID_PROGRAM_EXECUTABLE, "the code in ", path_, " has no ", kernel.entry);
      slot = std::make_unique<CpuFunction>(entry, kernel, &sampled_);
    }
    return slot.get();
  }

private:
  struct Close {
    void operator()(void *handle) const {
      if (!options().lines) // profilers look up lines when the process ends, in code that is mapped then
        dlclose(handle);
    }
  };
  const std::unique_ptr<void, Close> handle_;
  const std::string path_;
  const fault::CodeRange range_; // ends before the code is unmapped
  const sampler::SampledCode sampled_;
  Mutex mutex_;
  std::map<std::string, std::unique_ptr<CpuFunction>> functions_ KILN_GUARDED_BY(mutex_);
};

unsigned vectorBytes() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return 64;
  if (__builtin_cpu_supports("avx2"))
    return 32;
#endif
  return 16;
}

cl_uint vendorId() {
#if defined(__x86_64__)
  if (__builtin_cpu_is("intel"))
    return 0x8086;
  if (__builtin_cpu_is("amd"))
    return 0x1022;
#endif
  return 0;
}

/// The UUID of the machine's device with that index: constant over restarts and different on other machines. Hashed,
/// because the machine id must not be published.
Uuid identity(unsigned index) {
  std::string machine;
  for (const char *path : {"/etc/machine-id", "/var/lib/dbus/machine-id"})
    if (std::ifstream file(path); machine.empty() && file)
      std::getline(file, machine);
  const std::string words = text("Kiln CPU device ", index, " of ", processorName(), " in ", machine);
  const Sha256::Digest digest = Sha256::of(words.data(), words.size());
  Uuid uuid;
  std::copy_n(digest.begin(), uuid.size(), uuid.begin());
  return uuid;
}

DeviceInfo describe(unsigned index) {
  DeviceInfo info;
  info.type = CL_DEVICE_TYPE_CPU;
  info.vendorId = vendorId();
  info.name = processorName();
  if (index)
    info.name += " (" + std::to_string(index + 1) + ")";
  info.vendor = info.vendorId == 0x8086 ? "Intel" : info.vendorId == 0x1022 ? "AMD" : "Kiln";
  info.driverVersion = KILN_VERSION;
  info.target = targetOfProcess();
  describeLanguages(info);
  info.uuid = identity(index);
  for (Needs given : {Needs::Uuid, Needs::PriorityHints, Needs::ThrottleHints})
    report(info, given);
  if (options().signals)
    report(info, Needs::Termination);

  info.computeUnits = threadCount();
  info.maxClockMHz = clockMHz();
  info.maxWorkGroupSize = abi::MaxCpuGroupSize;
  info.maxWorkItemSizes.fill(abi::MaxCpuGroupSize);
  describeGroups(info, abi::CpuSubGroupSizes, abi::CpuSubGroupSize);
  describePipes(info);
  describeImages(info, index ? 16384 : 32768); // different, as between GPUs
  describeFloatAtomics(info);
  describeEnqueue(info, 8, 4096, 16 << 20);
  describeSharedMemory(info);
  describeOpenclC20(info);
  if (hasInvariantCounter())
    describeClock(info);
  describeHalfAtomics(info, /*minMax=*/false); // LLVM would call fminf of the C library
  info.preferredWorkGroupSizeMultiple = vectorBytes() / 4;
  info.hostQueueProperties = CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  info.executionCapabilities = CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL;

  info.singleFp =
      CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM | CL_FP_FMA | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  // Required by cl_khr_fp64; conversions support the other rounding modes.
  info.doubleFp =
      CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_INF_NAN | CL_FP_DENORM | CL_FP_FMA;
  info.halfFp = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM | CL_FP_FMA;
  unsigned bytes = vectorBytes();
  info.nativeVectorWidth = {bytes, bytes / 2, bytes / 4, bytes / 8, bytes / 4, bytes / 8, bytes / 2};
  // The compiler vectorises across work-items, so vectors in the source gain nothing.
  info.preferredVectorWidth = {1, 1, 1, 1, 1, 1, 1};

  info.globalMemSize = MemoryBudget::get().limit();
  info.maxAllocSize = std::min(info.globalMemSize, std::max<cl_ulong>(info.globalMemSize / 2, 32 << 20));
  info.maxGlobalVariableSize = info.globalVariablePreferredTotalSize =
      std::min<cl_ulong>(info.maxAllocSize / 4, MaxVariableBytes);
  CacheInfo l2 = cache(2), last = cache(3).bytes ? cache(3) : l2;
  // Local memory is normal memory that should fit in the L2 cache.
  info.localMemSize = std::clamp<cl_ulong>(l2.bytes / 2, 64 << 10, 512 << 10);
  info.localMemType = CL_GLOBAL;
  info.globalCacheType = last.bytes ? CL_READ_WRITE_CACHE : CL_NONE;
  info.globalCacheSize = last.bytes;
  info.globalCacheLine = last.line;
  info.maxConstantBufferSize = info.maxAllocSize;
  info.maxConstantArgs = 128;
  info.maxParameterSize = 4096;
  info.runsInIssue = true;
  info.hostUnifiedMemory = info.sharesHostMemory = index == 0;
  // GPUs differ in this, so programs must be testable with devices that do.
  info.baseAddressAlignBits = (index ? 256 : 128) * 8;
  info.partitionable = true;
  return info;
}

/// The processor of each compute unit. With fewer units than processors (KILN_CPU_THREADS, cgroup quota) some
/// processors have none; with more, some have several.
std::vector<unsigned> processorsOfUnits() {
  const std::vector<unsigned> allowed = allowedProcessors();
  std::vector<unsigned> processors(threadCount());
  for (size_t unit = 0; unit < processors.size(); ++unit)
    processors[unit] = allowed[unit % allowed.size()];
  return processors;
}

class CpuDevice final : public Device {
public:
  explicit CpuDevice(unsigned index)
      : index_(index), info_(describe(index)), processors_(processorsOfUnits()), bound_(false),
        deviceThreads_(DeviceThreads::shared()) {}

  const DeviceInfo &info() const override { return info_; }
  void endTerminatedLaunches() override { cpu::endTerminatedLaunches(); }

  Result<std::unique_ptr<Memory>> allocate(size_t bytes) override { return make(bytes, info_.sharesHostMemory); }
  Result<std::unique_ptr<Memory>> allocateHost(size_t bytes) override { return make(bytes, true); }

  Result<std::unique_ptr<Memory>> allocateShared(size_t bytes) override { return make(bytes, true); }

  Result<std::unique_ptr<Memory>> import(void *host, size_t bytes) override {
    return std::unique_ptr<Memory>(new CpuMemory(host, bytes, true));
  }

  std::unique_ptr<Memory> wrapAddress(uint64_t address, size_t bytes) override {
    if (info_.sharesHostMemory)
      return nullptr;
    return std::make_unique<CpuMemory>(reinterpret_cast<void *>(address), bytes, false);
  }

  bool canAccessPeer(const Device &other) const override {
    auto *peer = dynamic_cast<const CpuDevice *>(&other);
    return peer && !info_.sharesHostMemory && !peer->info_.sharesHostMemory &&
           (peer->index_ == index_ + 1 || index_ == peer->index_ + 1);
  }

  Result<std::unique_ptr<Code>> load(const CodePaths &paths, const ProgramInfo &, std::string &) override {
    const std::string &path = paths.code;
    void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      const char *why = dlerror();
      return fail(CL_OUT_OF_RESOURCES, "the code in ", path, " cannot be loaded: ", why ? why : "no reason given");
    }
    return std::unique_ptr<Code>(new LoadedCode(handle, path));
  }

  Result<std::unique_ptr<Stream>> createStream(QueueHints hints) override {
    if (deviceThreads_->confined() && !deviceThreads_->pool().start())
      return fail(CL_OUT_OF_RESOURCES, "no thread can be started for the sub-device");
    return std::unique_ptr<Stream>(new CpuStream(deviceThreads_, hints));
  }

  std::vector<std::vector<unsigned>> computeUnitsByAffinity(cl_device_affinity_domain domain) const override {
    return Topology::get().sharing(domain, processors_);
  }
  Result<std::unique_ptr<Device>> createSubDevice(const std::vector<unsigned> &units, bool bound) override {
    std::vector<unsigned> processors;
    for (unsigned unit : units)
      processors.push_back(processors_[unit]);
    return std::unique_ptr<Device>(new CpuDevice(*this, std::move(processors), bound || bound_));
  }

private:
  static DeviceInfo reduced(DeviceInfo info, size_t units) {
    info.computeUnits = cl_uint(units);
    return info;
  }
  CpuDevice(const CpuDevice &whole, std::vector<unsigned> processors, bool bound)
      : index_(whole.index_), info_(reduced(whole.info_, processors.size())), processors_(std::move(processors)),
        bound_(bound), deviceThreads_(std::make_shared<DeviceThreads>(unsigned(processors_.size()),
                                                                      bound ? processors_ : std::vector<unsigned>())) {}

  Result<std::unique_ptr<Memory>> make(size_t bytes, bool shown) {
    // Kernels may read vectors past the end, so sizes are rounded up to the alignment; huge pages where they pay.
    size_t alignment = bytes >= 2 * HugePage ? HugePage : bytes >= 4096 ? 4096 : info_.baseAddressAlignBits / 8;
    size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    // New memory is zero: kernels must not be able to read memory that the application has freed, and programs that
    // read a buffer before they write it have the same results in every run. calloc does not touch pages that the
    // system has just zeroed, but it has no alignment parameter.
    size_t withSlack = rounded + alignment;
    Block block(withSlack < bytes ? nullptr : std::calloc(1, withSlack), std::free);
    auto *data = reinterpret_cast<void *>((uintptr_t(block.get()) + alignment - 1) / alignment * alignment);
    MemoryBudget &budget = MemoryBudget::get();
    if (!block || !budget.acquire(data, bytes))
      return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "no memory for ", bytes,
                  " bytes; the limit for all buffers together is ", budget.limit(), " (KILN_CPU_MEMORY)");
    if (alignment == HugePage)
      madvise(data, rounded, MADV_HUGEPAGE); // a hint
    return std::unique_ptr<Memory>(new CpuMemory(data, bytes, shown, std::move(block), budget));
  }

  const unsigned index_; // 0 shares the host's memory
  const DeviceInfo info_;
  const std::vector<unsigned> processors_; // by unit
  const bool bound_;                       // runs on those processors only
  const std::shared_ptr<DeviceThreads> deviceThreads_;
};

} // namespace

std::vector<std::unique_ptr<Device>> discover() {
  std::vector<std::unique_ptr<Device>> devices;
  for (unsigned i = 0; i < std::clamp<uint64_t>(options().cpuDevices, 1, MaxDevices); ++i)
    devices.push_back(std::make_unique<CpuDevice>(i));
  return devices;
}

} // namespace kiln::cpu
