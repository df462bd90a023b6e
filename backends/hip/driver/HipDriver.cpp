// AMD's driver library, libamdhip64: its differences from backends/gpu/driver. Its functions are declared here and in
// gpu/driver/DriverFunctions.h. The structs of its headers change between releases, so none is used, and one build of
// Kiln runs with every release from 5.2 on.
#include "backends/hip/driver/HipDriver.h"
#include "backends/gpu/driver/GpuDevice.h"
#include "base/support/Options.h"
#include <bit>
#include <cctype>
#include <cstring>
#include <elf.h>
#include <unistd.h>

namespace kiln::hip {
namespace {

constexpr int OldestVersion = 50200000; // 5.2

constexpr int CopyToDevice = 1, CopyToHost = 2, CopyOnDevice = 3; // hipMemcpyKind

/// Checks the bounds of a code object: the library is not given its size and trusts its headers.
bool isWholeCodeObject(const std::string &image) {
  Elf64_Ehdr header;
  if (image.size() < sizeof header)
    return false;
  std::memcpy(&header, image.data(), sizeof header);
  constexpr unsigned AmdGpu = 224; // e_machine
  auto lies = [&](uint64_t offset, uint64_t bytes) { return offset <= image.size() && bytes <= image.size() - offset; };
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_machine != AmdGpu || (header.e_shnum && header.e_shentsize != sizeof(Elf64_Shdr)) ||
      !lies(header.e_shoff, uint64_t(header.e_shnum) * sizeof(Elf64_Shdr)) ||
      !lies(header.e_phoff, uint64_t(header.e_phnum) * header.e_phentsize))
    return false;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, image.data() + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_NOBITS && !lies(section.sh_offset, section.sh_size))
      return false;
  }
  return true;
}

class HipDriver final : public gpu::Driver {
public:
  std::string_view name() const override { return "hip"; }
  std::string_view vendorName() const override { return "Advanced Micro Devices, Inc."; }
  uint32_t vendorId() const override { return 0x1002; }
  std::string version() const override { return text(version_ / 10'000'000, ".", version_ / 100'000 % 100); }
  std::array<int, size_t(gpu::DeviceAttribute::Count)> attributes() const override {
    return {63, 5, 87, 56, 26, 27, 28, 29, 30, 31, 74, 19, 58, 16, 0, 9, 65, 15};
  }
  const char *errorName(int code) const override {
    const char *name = getErrorName_ ? getErrorName_(code) : nullptr;
    return name ? name : "an unknown error";
  }
  /// The library's own UUIDs differ from Vulkan's. Mesa's driver reports the PCI address.
  std::optional<Uuid> uuid(int, const std::optional<cl_device_pci_bus_info_khr> &pci) const override {
    static_assert(sizeof *pci == sizeof(Uuid));
    return pci ? std::optional(std::bit_cast<Uuid>(*pci)) : std::nullopt;
  }
  Result<std::string> target(int device) override {
    // The architecture's name is only in the struct of device properties. Its offset depends on the release; that it
    // starts with "gfx" does not.
    std::string properties(16 << 10, 0);
    if (int code = getProperties_(properties.data(), device))
      return failed(code, "hipGetDeviceProperties");
    for (size_t at = 0; (at = properties.find("gfx", at)) != std::string::npos; at += 3) {
      size_t end = at + 3;
      while (std::isxdigit(static_cast<unsigned char>(properties[end])))
        ++end;
      // "gfx90a:sramecc+:xnack-": features follow the colon.
      if (end >= at + 6 && (properties[end] == 0 || properties[end] == ':'))
        return "amdgpu:" + properties.substr(at, end - at);
    }
    return fail(CL_DEVICE_NOT_FOUND, "the driver does not report the device's architecture");
  }

  Result<uint64_t> open(int device) override { return uint64_t(device); }
  uint64_t current() const override {
    int device = -1;
    (void)getDevice_(&device);
    return uint64_t(device);
  }
  void setCurrent(uint64_t context) const override { (void)setDevice_(int(context)); }
  uint64_t noContext() const override { return uint64_t(-1); }

  int copyRows(CopyDirection direction, gpu::Address to, size_t toPitch, gpu::Address from, size_t fromPitch,
               size_t width, size_t rows, gpu::StreamHandle stream) const override {
    int kind = direction == CopyDirection::ToDevice ? CopyToDevice
               : direction == CopyDirection::ToHost ? CopyToHost
                                                    : CopyOnDevice;
    return copyRows_(to, toPitch, from, fromPitch, width, rows, kind, stream);
  }
  int copyPeer(gpu::Address to, uint64_t toContext, gpu::Address from, uint64_t fromContext, size_t bytes,
               gpu::StreamHandle stream) const override {
    return copyPeer_(to, int(toContext), from, int(fromContext), bytes, stream);
  }
  int enablePeer(uint64_t context) const override { return enablePeer_(int(context), 0); }
  size_t directWriteBytes() const override { return 0; } // it waits for the stream

  Status loadModule(gpu::ModuleHandle &module, std::string image, Registers, std::string &log) const override {
    if (!isWholeCodeObject(image)) {
      log += "the code is not a code object for AMDGPU\n";
      return fail(CL_INVALID_BINARY, "the code is not a code object for AMDGPU");
    }
    int code = loadModule_(&module, image.data());
    if (!code)
      return {};
    log += text("the driver rejects the code: ", errorName(code), "\n");
    return failed(code, "hipModuleLoadData");
  }
  LaunchExtra launchExtra() const override {
    return {reinterpret_cast<void *>(1), reinterpret_cast<void *>(2), reinterpret_cast<void *>(3)};
  }
  uint64_t maxItemsOfLaunch() const override { return UINT32_MAX; } // the grid of a dispatch packet is in work-items

protected:
  std::vector<std::string> libraries() const override {
    return {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
  }
  bool deviceLikelyPresent() const override {
    return access("/dev/kfd", F_OK) == 0;
  } // the library is large and contains an LLVM

  void bind(gpu::SymbolLoader &bind) override {
    bind(calls.init, "hipInit");
    bind(calls.driverVersion, "hipDriverGetVersion");
    bind(calls.deviceCount, "hipGetDeviceCount");
    bind(calls.device, "hipDeviceGet");
    bind(calls.deviceName, "hipDeviceGetName");
    bind(calls.deviceMemory, "hipDeviceTotalMem");
    bind(calls.deviceAttribute, "hipDeviceGetAttribute");
    bind(calls.deviceCanAccessPeer, "hipDeviceCanAccessPeer");
    bind(calls.devicePciBusId, "hipDeviceGetPCIBusId");
    bind(calls.allocate, "hipMalloc");
    bind(calls.free, "hipFree");
    bind(calls.allocateHost, "hipHostMalloc");
    bind(calls.freeHost, "hipHostFree");
    bind(calls.registerHost, "hipHostRegister");
    bind(calls.unregisterHost, "hipHostUnregister");
    bind(calls.hostGetDevicePointer, "hipHostGetDevicePointer");
    bind.optional(calls.allocManaged, "hipMallocManaged");
    bind.optional(calls.memGetInfo, "hipMemGetInfo");
    bind.optional(calls.memPrefetch, "hipMemPrefetchAsync");
    bind(calls.copyToDevice, "hipMemcpyHtoDAsync");
    bind(calls.copyToHost, "hipMemcpyDtoHAsync");
    bind(calls.copyOnDevice, "hipMemcpyDtoDAsync");
    bind(calls.fill8, "hipMemsetD8Async");
    bind(calls.fill16, "hipMemsetD16Async");
    bind(calls.fill32, "hipMemsetD32Async");
    bind(calls.createStream, "hipStreamCreateWithFlags");
    bind(calls.createStreamWithPriority, "hipStreamCreateWithPriority");
    bind(calls.priorityRange, "hipDeviceGetStreamPriorityRange");
    bind(calls.destroyStream, "hipStreamDestroy");
    bind(calls.streamWait, "hipStreamWaitEvent");
    bind(calls.createEvent, "hipEventCreateWithFlags");
    bind(calls.destroyEvent, "hipEventDestroy");
    bind(calls.record, "hipEventRecord");
    bind(calls.query, "hipEventQuery");
    bind(calls.elapsed, "hipEventElapsedTime");
    bind(calls.unloadModule, "hipModuleUnload");
    bind(calls.function, "hipModuleGetFunction");
    bind(calls.functionAttribute, "hipFuncGetAttribute");
    bind(calls.launch, "hipModuleLaunchKernel");
    bind.other(getErrorName_, "hipGetErrorName");
    bind.other(getProperties_, "hipGetDevicePropertiesR0600", false);
    if (!getProperties_)
      bind.other(getProperties_, "hipGetDeviceProperties");
    bind.other(getDevice_, "hipGetDevice");
    bind.other(setDevice_, "hipSetDevice");
    bind.other(copyRows_, "hipMemcpy2DAsync");
    bind.other(copyPeer_, "hipMemcpyPeerAsync");
    bind.other(enablePeer_, "hipDeviceEnablePeerAccess");
    bind.other(loadModule_, "hipModuleLoadData");
  }
  Status checkVersion() override {
    KILN_TRY(run(calls.driverVersion, &version_));
    if (version_ < OldestVersion)
      return fail(CL_DEVICE_NOT_FOUND, "the driver's release is ", version(), ", must be at least 5.2");
    return {};
  }

private:
  int version_ = 0;
  const char *(*getErrorName_)(int) = nullptr;
  int (*getProperties_)(void *, int) = nullptr;
  int (*getDevice_)(int *) = nullptr;
  int (*setDevice_)(int) = nullptr;
  int (*copyRows_)(gpu::Address, size_t, gpu::Address, size_t, size_t, size_t, int, gpu::StreamHandle) = nullptr;
  int (*copyPeer_)(gpu::Address, int, gpu::Address, int, size_t, gpu::StreamHandle) = nullptr;
  int (*enablePeer_)(int, unsigned) = nullptr;
  int (*loadModule_)(gpu::ModuleHandle *, const void *) = nullptr;
};

} // namespace

std::vector<std::unique_ptr<Device>> discover(const std::string &library) {
  return gpu::discover(std::make_shared<HipDriver>(), library);
}

std::vector<std::unique_ptr<Device>> discover() { return discover(options().hipLibrary); }

} // namespace kiln::hip
