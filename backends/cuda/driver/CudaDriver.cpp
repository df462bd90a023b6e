// NVIDIA's driver library, libcuda: its differences from backends/gpu/driver. Its functions are declared here and in
// gpu/driver/DriverFunctions.h, because NVIDIA's headers are not free software.
#include "backends/cuda/driver/CudaDriver.h"
#include "backends/cuda/driver/PtxLibrary.h"
#include "backends/gpu/driver/GpuDevice.h"
#include "backends/gpu/driver/LaunchGraph.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include <dlfcn.h>
#include <fstream>

namespace kiln::cuda {
namespace {

constexpr int OldestVersion = 12010; // PTX 8.1

/// CUDA_MEMCPY2D, version 2: part of the library's ABI since CUDA 3.2.
struct RowCopy {
  size_t fromX, fromY;
  int fromType;
  const void *fromHost;
  gpu::Address fromDevice;
  void *fromArray;
  size_t fromPitch;
  size_t toX, toY;
  int toType;
  void *toHost;
  gpu::Address toDevice;
  void *toArray;
  size_t toPitch;
  size_t width, rows;
};
constexpr int HostMemory = 1, DeviceMemory = 2;

/// CUDA_RESOURCE_DESC for rows of pixels in device memory.
struct TextureRows {
  int type; // of the resource
  gpu::Address pixels;
  int element; // CUarray_format
  unsigned channels;
  size_t width, height, pitch;
  char reserved[128 - 40];
  unsigned flags;
};
static_assert(sizeof(TextureRows) == 144);
constexpr int RowsResource = 3;

/// CUDA_TEXTURE_DESC.
struct TextureModes {
  int addressing[3], filter;
  unsigned flags, maxAnisotropy;
  int mipmapFilter;
  float mipmapBias, minMipmap, maxMipmap, border[4];
  int reserved[12];
};
static_assert(sizeof(TextureModes) == 104);
/// CUDA_KERNEL_NODE_PARAMS_v2.
struct KernelNode {
  gpu::FunctionHandle function;
  std::array<unsigned, 3> grid, block;
  unsigned localBytes;
  void **parameters, **extra;
  void *kernel, *context; // null: the function's; the current one
};
static_assert(sizeof(KernelNode) == 72);

constexpr int ClampToEdge = 1, Nearest = 0, Linear = 1;
constexpr unsigned ReadAsInteger = 1;

/// CUarray_format of a channel type of 8 or 16 bits, or float; 0 for other types. Channels of 32 bits need no decoding,
/// and loads of them are faster: a convolution of 5 x 5 pixels of one float took 1171 us through textures and 632 us by
/// loads on an H100; of four bytes, 1183 and 1669 us.
int textureElement(uint32_t type) {
  switch (type) {
  case abi::TypeUnorm8:
  case abi::TypeUnsigned8:
    return 0x01;
  case abi::TypeUnorm16:
  case abi::TypeUnsigned16:
    return 0x02;
  case abi::TypeUnsigned32:
    return 0x03;
  case abi::TypeSnorm8:
  case abi::TypeSigned8:
    return 0x08;
  case abi::TypeSnorm16:
  case abi::TypeSigned16:
    return 0x09;
  case abi::TypeSigned32:
    return 0x0a;
  case abi::TypeHalf:
    return 0x10;
  case abi::TypeFloat:
    return 0x20;
  }
  return 0;
}

// Attributes: limits of textures over rows.
constexpr int TextureAlignment = 14, TexturePitchAlignment = 51, TextureRowsWidth = 70, TextureRowsHeight = 71,
              TextureRowsPitch = 72;

constexpr int MajorVersion = 75, MinorVersion = 76; // attributes: compute capability
constexpr int RegistersPerGroup = 12, CopiesDuringKernels = 15, EndsLongKernels = 17, CopyEngines = 40;

/// Options with which the library loads a module, and the messages of its assembler. They are those of AssemblePtx.h.
class LoadOptions {
public:
  LoadOptions(const std::string &code, gpu::Driver::Registers registers) {
    if (code.find("\t.loc\t") != std::string::npos)
      add(LineInfo, 1);
    if (registers == gpu::Driver::Registers::ForLargestGroups)
      add(MaxRegisters, RegistersOfGroup / LargestGroup);
  }
  unsigned count() const { return count_; }
  int *names() { return names_; }
  void **values() { return values_; }
  const char *error() const { return error_.c_str(); }
  /// Appends the messages. After the last call that has these options.
  void appendTo(std::string &log) {
    info_.back() = error_.back() = 0;
    for (const std::string *words : {&info_, &error_})
      if (words->front()) {
        log += words->substr(0, words->find('\0'));
        if (log.back() != '\n')
          log += '\n';
      }
  }

private:
  static constexpr int MaxRegisters = 0, InfoLog = 3, InfoLogSize = 4, ErrorLog = 5, ErrorLogSize = 6, LineInfo = 13;
  // Of every processor from sm_70 on.
  static constexpr uintptr_t RegistersOfGroup = 65536, LargestGroup = 1024;

  void add(int name, uintptr_t value) {
    names_[count_] = name;
    values_[count_++] = reinterpret_cast<void *>(value);
  }

  std::string info_ = std::string(16 << 10, 0), error_ = info_;
  unsigned count_ = 4;
  int names_[6] = {InfoLog, InfoLogSize, ErrorLog, ErrorLogSize};
  void *values_[6] = {info_.data(), reinterpret_cast<void *>(info_.size()), error_.data(),
                      reinterpret_cast<void *>(error_.size())};
};

/// The gate of the driver's assembler. It is a separate library, which the driver loads for the first PTX, and whose
/// exit handlers run before the driver's.
using AssemblerGate = ExitGate<LoadOptions>;

/// Loads the assembler and closes its gate before its exit handlers.
void guardAssembler() {
  static const bool guarded = (dlopen("libnvidia-ptxjitcompiler.so.1", RTLD_NOW | RTLD_LOCAL), AssemblerGate::guard());
  (void)guarded; // without memory for a handler the process may crash at its end
}

bool isMachineCode(const std::string &image) {
  return image.starts_with("\x7f"
                           "ELF");
}

/// The version of NVIDIA's kernel module, which the library's must match; empty if the system does not show it.
std::string kernelModuleVersion() {
  std::string version;
  std::getline(std::ifstream("/sys/module/nvidia/version"), version);
  return version;
}

class CudaDriver final : public gpu::Driver {
public:
  /// `path` is what `load` gets.
  explicit CudaDriver(const std::string &path) : hasUsualName_(path.empty()) {}
  std::string_view name() const override { return "cuda"; }
  std::string_view vendorName() const override { return "NVIDIA Corporation"; }
  uint32_t vendorId() const override { return 0x10de; }
  // As in NVIDIA's OpenCL, whose users compare it: 580.159.04.
  std::string version() const override {
    const std::string module = kernelModuleVersion();
    return module.empty() ? cudaVersion() : module;
  }
  std::array<int, size_t(gpu::DeviceAttribute::Count)> attributes() const override {
    return {16, 13, 10, 1, 2, 3, 4, 5, 6, 7, 8, 38, 11, 18, 32, 89, 88, 86};
  }
  const char *errorName(int code) const override {
    const char *name = nullptr;
    return getErrorName_ && getErrorName_(code, &name) == 0 && name ? name : "an unknown error";
  }
  std::optional<Uuid> uuid(int device, const std::optional<cl_device_pci_bus_info_khr> &) const override {
    Uuid uuid{};
    return getUuid_(uuid.data(), device) == 0 ? std::optional(uuid) : std::nullopt;
  }
  Result<std::string> target(int device) override {
    int major = 0, minor = 0;
    KILN_TRY(run(calls.deviceAttribute, &major, MajorVersion, device));
    KILN_TRY(run(calls.deviceAttribute, &minor, MinorVersion, device));
    return text("nvptx:sm_", major, minor);
  }

  std::optional<HardwareInfo> hardwareInfo(int device) const override {
    auto attribute = [&](int which) {
      int value = 0;
      return calls.deviceAttribute.function(&value, which, device) == 0 ? cl_uint(value) : 0;
    };
    return HardwareInfo{.majorCapability = attribute(MajorVersion),
                        .minorCapability = attribute(MinorVersion),
                        .registersPerGroup = attribute(RegistersPerGroup),
                        .copyEngines = attribute(CopyEngines),
                        .copiesDuringKernels = attribute(CopiesDuringKernels) != 0,
                        .endsLongKernels = attribute(EndsLongKernels) != 0};
  }

  // Volta has atom.add.f16; LLVM writes the others as loops of atom.cas.
  bool hasHalfAtomics(int device) const override {
    int major = 0;
    return calls.deviceAttribute.function(&major, MajorVersion, device) == 0 && major >= 7;
  }

  Result<uint64_t> open(int device) override {
    void *context = nullptr;
    if (int code = retainContext_(&context, device))
      return failed(code, "cuDevicePrimaryCtxRetain");
    return uint64_t(context);
  }
  uint64_t current() const override {
    void *context = nullptr;
    (void)getCurrent_(&context);
    return uint64_t(context);
  }
  void setCurrent(uint64_t context) const override { (void)setCurrent_(reinterpret_cast<void *>(context)); }
  uint64_t noContext() const override { return 0; }

  int copyRows(CopyDirection direction, gpu::Address to, size_t toPitch, gpu::Address from, size_t fromPitch,
               size_t width, size_t rows, gpu::StreamHandle stream) const override {
    RowCopy copy{};
    copy.fromType = direction == CopyDirection::ToDevice ? HostMemory : DeviceMemory;
    copy.fromHost = reinterpret_cast<const void *>(from);
    copy.fromDevice = from;
    copy.fromPitch = fromPitch;
    copy.toType = direction == CopyDirection::ToHost ? HostMemory : DeviceMemory;
    copy.toHost = reinterpret_cast<void *>(to);
    copy.toDevice = to;
    copy.toPitch = toPitch;
    copy.width = width;
    copy.rows = rows;
    return copyRows_(&copy, stream);
  }
  int copyPeer(gpu::Address to, uint64_t toContext, gpu::Address from, uint64_t fromContext, size_t bytes,
               gpu::StreamHandle stream) const override {
    return copyPeer_(to, reinterpret_cast<void *>(toContext), from, reinterpret_cast<void *>(fromContext), bytes,
                     stream);
  }
  int enablePeer(uint64_t context) const override { return enablePeer_(reinterpret_cast<void *>(context), 0); }
  size_t directWriteBytes() const override { return 64 << 10; }

  TextureLimits textureLimits(int device) const override {
    auto limit = [&](int attribute) {
      int value = 0;
      return calls.deviceAttribute.function(&value, attribute, device) == 0 && value > 0 ? size_t(value) : 0;
    };
    const TextureLimits limits{.alignment = limit(TextureAlignment),
                               .pitchAlignment = limit(TexturePitchAlignment),
                               .width = limit(TextureRowsWidth),
                               .height = limit(TextureRowsHeight),
                               .pitch = limit(TextureRowsPitch)};
    return createTexture_ && destroyTexture_ && limits.alignment && limits.pitchAlignment ? limits : TextureLimits();
  }
  /// The texture unit has 1, 2 and 4 channels. sRGB and packed types are decoded in software.
  bool hasTextures(uint32_t format) const override {
    return textureElement(abi::imageType(format)) && abi::hasPixelTexture(format);
  }
  int createTexture(uint64_t &texture, const abi::Image &image, bool isFilter) const override {
    const uint32_t type = abi::imageType(image.format);
    TextureRows rows{};
    rows.type = RowsResource;
    rows.pixels = image.pixels;
    rows.element = textureElement(type);
    rows.channels = abi::channelsOf(abi::imageOrder(image.format));
    rows.width = image.width;
    rows.height = image.height;
    rows.pitch = image.rowPitch;
    TextureModes modes{};
    for (int &addressing : modes.addressing)
      addressing = ClampToEdge;
    modes.filter = isFilter ? Linear : Nearest;
    modes.flags = type >= abi::TypeSigned8 && type <= abi::TypeUnsigned32 ? ReadAsInteger : 0;
    return createTexture_(&texture, &rows, &modes, nullptr);
  }
  int destroyTexture(uint64_t texture) const override { return destroyTexture_(texture); }

  bool assemblesCode() const override { return true; }
  Assembler assembler() const override { return assembler_; }
  Status loadModule(gpu::ModuleHandle &module, std::string image, Registers registers,
                    std::string &log) const override {
    LoadOptions options(image, registers);
    if (!isMachineCode(image))
      guardAssembler();
    const AssemblerGate::Pass inside;
    int code = !inside && !isMachineCode(image) ? Deinitialised
                                                : loadModule_(&module, image.c_str() /* PTX ends with a zero byte */,
                                                              options.count(), options.names(), options.values());
    options.appendTo(log);
    return code ? rejected(code, "cuModuleLoadDataEx", options.error(), log) : Status();
  }
  LaunchExtra launchExtra() const override {
    return {reinterpret_cast<void *>(1), reinterpret_cast<void *>(2), nullptr};
  }
  bool hasLaunchGraphs() const override { return true; }
  int createLaunchGraph(GraphHandles &graph, std::span<const GridLaunch> launches) const override {
    graph.nodes.clear();
    graph.nodes.reserve(launches.size());
    if (int code = createGraph_(&graph.graph, 0))
      return code;
    int code = 0;
    for (const GridLaunch &launch : launches)
      if (code == 0) {
        gpu::ParameterBlock parameters(launchExtra(), launch.parameters);
        const KernelNode node = kernelNode(launch, parameters);
        void *added = nullptr;
        code = addKernel_(&added, graph.graph, graph.nodes.empty() ? nullptr : &graph.nodes.back(),
                          graph.nodes.empty() ? 0 : 1, &node);
        graph.nodes.push_back(added);
      }
    if (code == 0)
      code = makeExecutable_(&graph.executable, graph.graph, 0);
    if (code != 0)
      destroyGraph_(graph.graph);
    return code;
  }
  int setLaunch(const GraphHandles &graph, size_t at, const GridLaunch &launch) const override {
    gpu::ParameterBlock parameters(launchExtra(), launch.parameters);
    const KernelNode node = kernelNode(launch, parameters);
    return setKernel_(graph.executable, graph.nodes[at], &node);
  }
  void destroyLaunchGraph(const GraphHandles &graph) const override {
    destroyExecutable_(graph.executable);
    destroyGraph_(graph.graph);
  }
  uint64_t maxItemsOfLaunch() const override { return UINT64_MAX; }

protected:
  std::vector<std::string> libraries() const override { return {"libcuda.so.1"}; }
  bool deviceLikelyPresent() const override { return true; } // the driver package is only installed on such machines

  void bind(gpu::SymbolLoader &bind) override {
    bind(calls.init, "cuInit");
    bind(calls.driverVersion, "cuDriverGetVersion");
    bind(calls.deviceCount, "cuDeviceGetCount");
    bind(calls.device, "cuDeviceGet");
    bind(calls.deviceName, "cuDeviceGetName");
    bind(calls.deviceMemory, "cuDeviceTotalMem_v2");
    bind(calls.deviceAttribute, "cuDeviceGetAttribute");
    bind(calls.deviceCanAccessPeer, "cuDeviceCanAccessPeer");
    bind(calls.devicePciBusId, "cuDeviceGetPCIBusId");
    bind(calls.allocate, "cuMemAlloc_v2");
    bind(calls.free, "cuMemFree_v2");
    bind(calls.allocateHost, "cuMemHostAlloc");
    bind(calls.freeHost, "cuMemFreeHost");
    bind(calls.registerHost, "cuMemHostRegister_v2");
    bind(calls.unregisterHost, "cuMemHostUnregister");
    bind(calls.hostGetDevicePointer, "cuMemHostGetDevicePointer_v2");
    bind.optional(calls.allocManaged, "cuMemAllocManaged");
    bind.optional(calls.memGetInfo, "cuMemGetInfo_v2");
    bind.optional(calls.memPrefetch, "cuMemPrefetchAsync");
    bind(calls.copyToDevice, "cuMemcpyHtoDAsync_v2");
    bind(calls.copyToHost, "cuMemcpyDtoHAsync_v2");
    bind(calls.copyOnDevice, "cuMemcpyDtoDAsync_v2");
    bind(calls.fill8, "cuMemsetD8Async");
    bind(calls.fill16, "cuMemsetD16Async");
    bind(calls.fill32, "cuMemsetD32Async");
    bind(calls.createStream, "cuStreamCreate");
    bind(calls.createStreamWithPriority, "cuStreamCreateWithPriority");
    bind(calls.priorityRange, "cuCtxGetStreamPriorityRange");
    bind(calls.destroyStream, "cuStreamDestroy_v2");
    bind(calls.streamWait, "cuStreamWaitEvent");
    bind(calls.createEvent, "cuEventCreate");
    bind(calls.destroyEvent, "cuEventDestroy_v2");
    bind(calls.record, "cuEventRecord");
    bind(calls.query, "cuEventQuery");
    bind(calls.elapsed, "cuEventElapsedTime");
    bind(calls.queryStream, "cuStreamQuery");
    bind(calls.writeWord, "cuStreamWriteValue32_v2");
    bind(calls.unloadModule, "cuModuleUnload");
    bind(calls.function, "cuModuleGetFunction");
    bind(calls.functionAttribute, "cuFuncGetAttribute");
    bind(calls.setFunctionAttribute, "cuFuncSetAttribute");
    bind(calls.launch, "cuLaunchKernel");
    bind.other(getErrorName_, "cuGetErrorName");
    bind.other(getUuid_, "cuDeviceGetUuid_v2");
    bind.other(retainContext_, "cuDevicePrimaryCtxRetain");
    bind.other(getCurrent_, "cuCtxGetCurrent");
    bind.other(setCurrent_, "cuCtxSetCurrent");
    bind.other(copyRows_, "cuMemcpy2DAsync_v2");
    bind.other(copyPeer_, "cuMemcpyPeerAsync");
    bind.other(enablePeer_, "cuCtxEnablePeerAccess");
    bind.other(loadModule_, "cuModuleLoadDataEx");
    bind(calls.launchGraph, "cuGraphLaunch");
    bind.other(createGraph_, "cuGraphCreate");
    bind.other(destroyGraph_, "cuGraphDestroy");
    bind.other(addKernel_, "cuGraphAddKernelNode_v2");
    bind.other(makeExecutable_, "cuGraphInstantiateWithFlags");
    bind.other(destroyExecutable_, "cuGraphExecDestroy");
    bind.other(setKernel_, "cuGraphExecKernelNodeSetParams_v2");
    bind.other(createTexture_, "cuTexObjectCreate", false);
    bind.other(destroyTexture_, "cuTexObjectDestroy", false);
  }
  Status checkVersion() override {
    KILN_TRY(run(calls.driverVersion, &version_));
    if (version_ < OldestVersion)
      return fail(CL_DEVICE_NOT_FOUND, "the driver's CUDA version is ", cudaVersion(), ", must be at least 12.1");
    describeAssembler();
    return {};
  }

private:
  std::string cudaVersion() const { return text(version_ / 1000, ".", version_ % 1000 / 10); }
  // Several drivers have one version of CUDA, and their assemblers may differ.
  void describeAssembler() {
    const PtxLibrary library = findPtxLibrary(reinterpret_cast<void *>(calls.init.function), hasUsualName_);
    assembler_ = {.library = library.path,
                  .major = uint32_t(version_ / 1000),
                  .minor = uint32_t(version_ % 1000 / 10),
                  .identity = text("CUDA ", cudaVersion(), " ", kernelModuleVersion(), " ", library.identity)};
  }
  static KernelNode kernelNode(const GridLaunch &launch, gpu::ParameterBlock &parameters) {
    return {.function = launch.function,
            .grid = launch.grid,
            .block = launch.block,
            .localBytes = launch.localBytes,
            .parameters = nullptr,
            .extra = parameters.extra(),
            .kernel = nullptr,
            .context = nullptr};
  }
  Status rejected(int code, const char *call, const char *message, std::string &log) const {
    if (*message)
      KILN_LOG(Warn, Device, "the driver rejects the code: ", message);
    log += text("the driver rejects the code: ", errorName(code), "\n");
    return failed(code, call);
  }

  const bool hasUsualName_; // a path names one driver of several: no other one's assembler is used
  int version_ = 0;
  Assembler assembler_;
  int (*getErrorName_)(int, const char **) = nullptr;
  int (*getUuid_)(void *, int) = nullptr;
  int (*retainContext_)(void **, int) = nullptr;
  int (*getCurrent_)(void **) = nullptr;
  int (*setCurrent_)(void *) = nullptr;
  int (*copyRows_)(const RowCopy *, gpu::StreamHandle) = nullptr;
  int (*copyPeer_)(gpu::Address, void *, gpu::Address, void *, size_t, gpu::StreamHandle) = nullptr;
  int (*enablePeer_)(void *, unsigned) = nullptr;
  int (*createGraph_)(void **, unsigned) = nullptr;
  int (*destroyGraph_)(void *) = nullptr;
  int (*addKernel_)(void **, void *, void *const *, size_t, const KernelNode *) = nullptr;
  int (*makeExecutable_)(void **, void *, unsigned long long) = nullptr;
  int (*destroyExecutable_)(void *) = nullptr;
  int (*setKernel_)(void *, void *, const KernelNode *) = nullptr;
  int (*createTexture_)(uint64_t *, const TextureRows *, const TextureModes *, const void *) = nullptr;
  int (*destroyTexture_)(uint64_t) = nullptr;
  int (*loadModule_)(gpu::ModuleHandle *, const void *, unsigned, int *, void **) = nullptr;
};

} // namespace

std::vector<std::unique_ptr<Device>> discover(const std::string &library) {
  return gpu::discover(std::make_shared<CudaDriver>(library), library);
}

std::vector<std::unique_ptr<Device>> discover() { return discover(options().cudaLibrary); }

} // namespace kiln::cuda
