// The CPU as a device: its description, its memory, and code that the dynamic loader maps.
//
// The first CPU device computes in the host's memory. Those that KILN_CPU_DEVICES adds are for trying programs, and
// Kiln, with several devices: they say that they have memory of their own, and the runtime treats them like any card.
// Neighbours among them reach one another; the others' bytes go through the host.
#include "backends/cpu/driver/Budget.h"
#include "backends/cpu/driver/Execute.h"
#include "backends/cpu/driver/Lane.h"
#include "backends/cpu/driver/Machine.h"
#include "runtime/support/Log.h"
#include "runtime/support/Options.h"
#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <sys/mman.h>

#ifndef KILN_VERSION
#error "KILN_VERSION comes from the build"
#endif

namespace kiln::cpu {
namespace {

constexpr size_t HugePage = 2 << 20;
constexpr uint64_t MaxDevices = 32; // a context has a limit, and other backends have devices, too

class Storage final : public Memory {
public:
  /// `budget`: what the memory was taken from and goes back to; null for memory that is somebody else's.
  Storage(void *data, size_t size, Budget *budget, bool shown)
      : Memory(uint64_t(data), shown ? data : nullptr, size), budget_(budget) {}
  ~Storage() override {
    if (!budget_)
      return;
    auto *data = reinterpret_cast<void *>(address);
    if (budget_ == &Budget::get()) // in the child of a fork it is another one
      budget_->give(data, size);
    std::free(data);
  }

private:
  Budget *const budget_;
};

class LoadedCode final : public Code {
public:
  LoadedCode(void *handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  ~LoadedCode() override { dlclose(handle_); }

  Result<Function *> function(const KernelInfo &kernel) override {
    Lock lock(mutex_);
    std::unique_ptr<CpuFunction> &slot = functions_[kernel.entry];
    if (!slot) {
      auto *entry = reinterpret_cast<abi::CpuEntry *>(dlsym(handle_, kernel.entry.c_str()));
      if (!entry)
        return fail(CL_INVALID_PROGRAM_EXECUTABLE, "the code in ", path_, " has no ", kernel.entry);
      slot = std::make_unique<CpuFunction>(entry);
    }
    return slot.get();
  }

private:
  void *const handle_;
  const std::string path_;
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

DeviceInfo describe(unsigned index) {
  DeviceInfo info;
  info.type = CL_DEVICE_TYPE_CPU;
  info.vendorId = vendorId();
  info.name = processorName();
  if (index)
    info.name += " (" + std::to_string(index + 1) + ")";
  info.vendor = info.vendorId == 0x8086 ? "Intel" : info.vendorId == 0x1022 ? "AMD" : "Kiln";
  info.driverVersion = KILN_VERSION;
  info.target = "cpu";
  for (unsigned version : {10, 11, 12, 30})
    info.openclCVersions.push_back({"OpenCL C", CL_MAKE_VERSION(version / 10, version % 10, 0)});
  for (const char *name : {"__opencl_c_fp64", "__opencl_c_int64", "__opencl_c_program_scope_global_variables"})
    info.openclCFeatures.push_back({name, CL_MAKE_VERSION(3, 0, 0)});
  for (const char *name : {"cl_khr_byte_addressable_store", "cl_khr_create_command_queue", "cl_khr_extended_versioning",
                           "cl_khr_fp64", "cl_khr_global_int32_base_atomics", "cl_khr_global_int32_extended_atomics",
                           "cl_khr_il_program", "cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics",
                           "cl_khr_local_int32_base_atomics", "cl_khr_local_int32_extended_atomics"})
    info.extensions.push_back({name, CL_MAKE_VERSION(1, 0, 0)});
  for (unsigned minor : {0, 1, 2})
    info.ilVersions.push_back({"SPIR-V", CL_MAKE_VERSION(1, minor, 0)});

  info.computeUnits = threadCount();
  info.maxClockMHz = clockMHz();
  info.maxWorkGroupSize = 4096;
  info.maxWorkItemSizes = {4096, 4096, 4096};
  info.preferredWorkGroupSizeMultiple = vectorBytes() / 4;
  info.hostQueueProperties = CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  info.executionCapabilities = CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL;

  info.singleFp =
      CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM | CL_FP_FMA | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  // What cl_khr_fp64 demands; the other rounding modes are those of conversions.
  info.doubleFp =
      CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_INF_NAN | CL_FP_DENORM | CL_FP_FMA;
  unsigned bytes = vectorBytes();
  info.nativeVectorWidth = {bytes, bytes / 2, bytes / 4, bytes / 8, bytes / 4, bytes / 8, 0};
  // The compiler makes vectors of work-items; vectors in the source gain nothing.
  info.preferredVectorWidth = {1, 1, 1, 1, 1, 1, 0};

  info.globalMemSize = Budget::get().limit();
  info.maxAllocSize = std::min(info.globalMemSize, std::max<cl_ulong>(info.globalMemSize / 2, 32 << 20));
  info.maxGlobalVariableSize = info.globalVariablePreferredTotalSize =
      std::min<cl_ulong>(info.maxAllocSize / 4, MaxVariableBytes);
  Cache l2 = cache(2), last = cache(3).bytes ? cache(3) : l2;
  // Local memory is ordinary memory that should stay in the second level.
  info.localMemSize = std::clamp<cl_ulong>(l2.bytes / 2, 64 << 10, 512 << 10);
  info.localMemType = CL_GLOBAL;
  info.globalCacheType = last.bytes ? CL_READ_WRITE_CACHE : CL_NONE;
  info.globalCacheSize = last.bytes;
  info.globalCacheLine = last.line;
  info.maxConstantBufferSize = info.maxAllocSize;
  info.maxConstantArgs = 128;
  info.maxParameterSize = MaxParameterBytes;
  info.hostUnifiedMemory = info.sharesHostMemory = index == 0;
  // Cards differ in this, so programs are to be tried with devices that do.
  info.baseAddressAlignBits = (index ? 256 : 128) * 8;
  return info;
}

class CpuDevice final : public Device {
public:
  explicit CpuDevice(unsigned index) : index_(index), info_(describe(index)) {}

  const DeviceInfo &info() const override { return info_; }

  Result<std::unique_ptr<Memory>> allocate(size_t bytes) override { return make(bytes, info_.sharesHostMemory); }
  Result<std::unique_ptr<Memory>> allocateHost(size_t bytes) override { return make(bytes, true); }

  Result<std::unique_ptr<Memory>> import(void *host, size_t bytes) override {
    if (!info_.sharesHostMemory)
      return std::unique_ptr<Memory>();
    return std::unique_ptr<Memory>(new Storage(host, bytes, nullptr, true));
  }

  bool reaches(const Device &other) const override {
    auto *peer = dynamic_cast<const CpuDevice *>(&other);
    return peer && !info_.sharesHostMemory && !peer->info_.sharesHostMemory &&
           (peer->index_ == index_ + 1 || index_ == peer->index_ + 1);
  }

  Result<std::unique_ptr<Code>> load(const std::string &path, const ProgramInfo &, std::string &) override {
    void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      const char *why = dlerror();
      return fail(CL_OUT_OF_RESOURCES, "the code in ", path, " cannot be loaded: ", why ? why : "no reason given");
    }
    return std::unique_ptr<Code>(new LoadedCode(handle, path));
  }

  Result<std::unique_ptr<Stream>> createStream() override { return std::unique_ptr<Stream>(new CpuStream); }

private:
  Result<std::unique_ptr<Memory>> make(size_t bytes, bool shown) {
    // Kernels may read vectors past the end: whole lines, and huge pages where they pay.
    size_t alignment = bytes >= 2 * HugePage ? HugePage : bytes >= 4096 ? 4096 : info_.baseAddressAlignBits / 8;
    size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    std::unique_ptr<void, decltype(&std::free)> block(
        rounded < bytes ? nullptr : std::aligned_alloc(alignment, rounded), std::free);
    Budget &budget = Budget::get();
    if (!block || !budget.take(block.get(), bytes))
      return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "no memory for ", bytes, " bytes; all buffers together may take ",
                  budget.limit(), " (KILN_CPU_MEMORY)");
    if (alignment == HugePage)
      madvise(block.get(), rounded, MADV_HUGEPAGE); // a wish
    std::unique_ptr<Memory> storage(new Storage(block.get(), bytes, &budget, shown));
    (void)block.release();
    return storage;
  }

  const unsigned index_;
  const DeviceInfo info_;
};

} // namespace

std::vector<std::unique_ptr<Device>> discover() {
  std::vector<std::unique_ptr<Device>> devices;
  for (unsigned i = 0; i < std::clamp<uint64_t>(options().cpuDevices, 1, MaxDevices); ++i)
    devices.push_back(std::make_unique<CpuDevice>(i));
  return devices;
}

} // namespace kiln::cpu
