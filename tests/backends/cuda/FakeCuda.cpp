// The calls of NVIDIA's driver library that Kiln uses, over the fake driver. A module is PTX text, or what the fake
// assembler made of it, and has a function for every `.entry` in it. Functions with `.maxntid` or `.reqntid`, and those
// of modules that are assembled with a bound of 64 registers or less, have room for groups of 1024 work-items. Loads of
// machine code are counted a second time, as "machine code".
#include "tests/backends/cuda/FakeMachineCode.h"
#include "tests/backends/gpu/FakeDriver.h"
#include <cstdio>
#include <cstring>

using kiln::fake::Address;
using kiln::fake::core;
using kiln::fake::Core;

// NOLINTBEGIN(readability-identifier-naming): the library's names
FAKE_CALL(cuInit, init, (unsigned), ())
FAKE_CALL(cuDeviceGetCount, deviceCount, (int *count), (count))
FAKE_CALL(cuDeviceGet, device, (int *device, int ordinal), (device, ordinal))
FAKE_CALL(cuDeviceGetName, deviceName, (char *name, int length, int device), (name, length, device))
FAKE_CALL(cuDeviceTotalMem_v2, deviceMemory, (size_t *bytes, int device), (bytes, device))
FAKE_CALL(cuDeviceCanAccessPeer, canReach, (int *can, int device, int peer), (can, device, peer))
FAKE_CALL(cuDeviceGetPCIBusId, pciBusId, (char *text, int length, int device), (text, length, device))
FAKE_CALL(cuMemAlloc_v2, allocate, (Address * address, size_t bytes), (address, bytes))
FAKE_CALL(cuMemFree_v2, free, (Address address), (address))
FAKE_CALL(cuMemHostAlloc, allocateHost, (void **host, size_t bytes, unsigned flags), (host, bytes, flags))
FAKE_CALL(cuMemFreeHost, freeHost, (void *host), (host))
FAKE_CALL(cuMemHostRegister_v2, registerHost, (void *host, size_t bytes, unsigned flags), (host, bytes, flags))
FAKE_CALL(cuMemHostUnregister, unregisterHost, (void *host), (host))
FAKE_CALL(cuMemHostGetDevicePointer_v2, hostGetDevicePointer, (Address * address, void *host, unsigned flags),
          (address, host, flags))
FAKE_CALL(cuMemAllocManaged, allocManaged, (Address * address, size_t bytes, unsigned flags), (address, bytes, flags))
FAKE_CALL(cuMemGetInfo_v2, memGetInfo, (size_t *left, size_t *total), (left, total))
FAKE_CALL(cuMemPrefetchAsync, memPrefetch, (Address address, size_t bytes, int device, void *stream),
          (address, bytes, device, stream))
FAKE_CALL(cuMemcpyHtoDAsync_v2, copyToDevice, (Address to, const void *from, size_t bytes, void *stream),
          (to, from, bytes, stream))
FAKE_CALL(cuMemcpyDtoHAsync_v2, copyToHost, (void *to, Address from, size_t bytes, void *stream),
          (to, from, bytes, stream))
FAKE_CALL(cuMemcpyDtoDAsync_v2, copyOnDevice, (Address to, Address from, size_t bytes, void *stream),
          (to, from, bytes, stream))
FAKE_CALL(cuMemsetD8Async, fill, (Address to, unsigned char value, size_t count, void *stream),
          (to, value, 1, count, stream))
FAKE_CALL(cuMemsetD16Async, fill, (Address to, unsigned short value, size_t count, void *stream),
          (to, value, 2, count, stream))
FAKE_CALL(cuMemsetD32Async, fill, (Address to, unsigned value, size_t count, void *stream),
          (to, value, 4, count, stream))
FAKE_CALL(cuStreamCreate, createStream, (void **stream, unsigned flags), (stream, flags))
FAKE_CALL(cuStreamCreateWithPriority, createStreamWithPriority, (void **stream, unsigned flags, int priority),
          (stream, flags, priority))
FAKE_CALL(cuCtxGetStreamPriorityRange, priorities, (int *least, int *greatest), (least, greatest))
FAKE_CALL(cuStreamDestroy_v2, destroyStream, (void *stream), (stream))
FAKE_CALL(cuStreamWaitEvent, streamWait, (void *stream, void *event, unsigned flags), (stream, event, flags))
FAKE_CALL(cuEventCreate, createEvent, (void **event, unsigned flags), (event, flags))
FAKE_CALL(cuEventDestroy_v2, destroyEvent, (void *event), (event))
FAKE_CALL(cuEventRecord, record, (void *event, void *stream), (event, stream))
FAKE_CALL(cuEventQuery, query, (void *event), (event))
FAKE_CALL(cuEventElapsedTime, elapsed, (float *milliseconds, void *start, void *end), (milliseconds, start, end))
FAKE_CALL(cuModuleUnload, unloadModule, (void *module), (module))
FAKE_CALL(cuModuleGetFunction, function, (void **function, void *module, const char *name), (function, module, name))
FAKE_CALL(cuFuncGetAttribute, functionAttribute, (int *value, int attribute, void *function),
          (value, attribute, function))

FAKE_EXPORT int cuDriverGetVersion(int *version) {
  *version = 12080;
  return core().begin("cuDriverGetVersion");
}
FAKE_EXPORT int cuGetErrorName(int code, const char **name) {
  *name = code == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == 600 ? "CUDA_ERROR_NOT_READY"
          : code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : code == 701 ? "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"
                        : "CUDA_ERROR_UNKNOWN";
  return 0;
}
FAKE_EXPORT int cuDeviceGetUuid_v2(unsigned char *uuid, int device) {
  return core().run("cuDeviceGetUuid_v2", [&] {
    for (int i = 0; i < 16; ++i)
      uuid[i] = static_cast<unsigned char>(16 * device + i);
    return 0;
  });
}
FAKE_EXPORT int cuDeviceGetAttribute(int *value, int attribute, int) {
  return core().run("cuDeviceGetAttribute", [&] {
    switch (attribute) {
    case 16: // multiprocessors
      *value = 132;
      break;
    case 13:
      *value = 1'980'000;
      break;
    case 10: // warp
      *value = 32;
      break;
    case 1: // threads, block
    case 2:
    case 3:
      *value = 1024;
      break;
    case 4:
      *value = 64;
      break;
    case 5: // grid
      *value = 0x7fffffff;
      break;
    case 6:
    case 7:
      *value = 65535;
      break;
    case 8: // local bytes
      *value = 48 << 10;
      break;
    case 38:
      *value = 50 << 20;
      break;
    case 11: // pitch
      *value = 0x7fffffff;
      break;
    case 18:
    case 86: // native atomics with the host
    case 88: // any memory
      *value = 0;
      break;
    case 32:
    case 89: // shared pages
      *value = 1;
      break;
    case 14: // texture objects: alignment, pitch alignment, width, height, pitch
      *value = 512;
      break;
    case 51:
      *value = 32;
      break;
    case 70:
      *value = 131072;
      break;
    case 71:
      *value = 65000;
      break;
    case 72:
      *value = 2097120;
      break;
    case 12: // registers of a block
      *value = 65536;
      break;
    case 15: // copies during kernels
      *value = 1;
      break;
    case 17: // time limit of kernels
      *value = 0;
      break;
    case 40: // copy engines
      *value = 3;
      break;
    case 75:
      *value = 9;
      break;
    case 76:
      *value = 0;
      break;
    default:
      return 1;
    }
    return 0;
  });
}

// A context is its device's ordinal plus one.
FAKE_EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = reinterpret_cast<void *>(uintptr_t(device + 1));
  return core().begin("cuDevicePrimaryCtxRetain", device);
}
FAKE_EXPORT int cuCtxGetCurrent(void **context) {
  const Core::Call call("cuCtxGetCurrent");
  *context = reinterpret_cast<void *>(uintptr_t(core().current() + 1));
  return 0;
}
FAKE_EXPORT int cuCtxSetCurrent(void *context) {
  const Core::Call call("cuCtxSetCurrent");
  core().setCurrent(int(uintptr_t(context)) - 1);
  return 0;
}
FAKE_EXPORT int cuMemcpyPeerAsync(Address to, void *toContext, Address from, void *fromContext, size_t bytes,
                                  void *stream) {
  return core().run("cuMemcpyPeerAsync", [&] {
    return core().copyPeer(to, int(uintptr_t(toContext)) - 1, from, int(uintptr_t(fromContext)) - 1, bytes, stream);
  });
}

FAKE_EXPORT int cuCtxEnablePeerAccess(void *, unsigned) {
  return core().run("cuCtxEnablePeerAccess", [] { return 0; });
}

struct RowCopy { // CUDA_MEMCPY2D
  size_t fromX, fromY;
  unsigned fromType;
  const void *fromHost;
  Address fromDevice;
  void *fromArray;
  size_t fromPitch, toX, toY;
  unsigned toType;
  void *toHost;
  Address toDevice;
  void *toArray;
  size_t toPitch, width, rows;
};
FAKE_EXPORT int cuMemcpy2DAsync_v2(const RowCopy *copy, void *stream) {
  return core().run("cuMemcpy2DAsync_v2", [&] {
    if (copy->fromX || copy->fromY || copy->toX || copy->toY)
      return 1;
    bool fromHost = copy->fromType == 1, toHost = copy->toType == 1;
    auto way = fromHost ? Core::CopyDirection::ToDevice
               : toHost ? Core::CopyDirection::ToHost
                        : Core::CopyDirection::OnDevice;
    return core().copyRows(way, toHost ? Address(copy->toHost) : copy->toDevice, copy->toPitch,
                           fromHost ? Address(copy->fromHost) : copy->fromDevice, copy->fromPitch, copy->width,
                           copy->rows, stream);
  });
}

struct ResourceOfRows { // CUDA_RESOURCE_DESC
  int type;
  Address pixels;
  int element;
  unsigned channels;
  size_t width, height, pitch;
};
struct TextureModes { // CUDA_TEXTURE_DESC
  int addressing[3], filter;
  unsigned flags;
};
FAKE_EXPORT int cuTexObjectCreate(uint64_t *handle, const ResourceOfRows *rows, const TextureModes *modes,
                                  const void *view) {
  return core().run("cuTexObjectCreate", [&] {
    if (rows->type != 3 || view)
      return 1;
    return core().createTexture(handle, {.pixels = rows->pixels,
                                         .element = rows->element,
                                         .channels = rows->channels,
                                         .width = rows->width,
                                         .height = rows->height,
                                         .pitch = rows->pitch,
                                         .addressing = {modes->addressing[0], modes->addressing[1]},
                                         .filter = modes->filter,
                                         .flags = modes->flags});
  });
}
FAKE_CALL(cuTexObjectDestroy, destroyTexture, (uint64_t handle), (handle))

/// Returns true if the text from an entry's name on has a bound of the group's size before the body.
static bool hasBound(std::string_view entry) {
  const std::string_view head = entry.substr(0, entry.find("\n{"));
  return head.find(".maxntid") != head.npos || head.find(".reqntid") != head.npos;
}

FAKE_EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
  return core().run("cuModuleLoadDataEx", [&] {
    using kiln::fake::MachineCode;
    const bool isMachineCode = std::memcmp(image, MachineCode.data(), MachineCode.size()) == 0;
    if (isMachineCode)
      (void)core().begin("machine code");
    const std::string text = static_cast<const char *>(image) + (isMachineCode ? MachineCode.size() : 0);
    char *log = nullptr;
    size_t room = 0;
    unsigned maxThreads = isMachineCode && text.find("// --maxrregcount=64\n") != std::string::npos ? 1024 : 0;
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == 0 && !isMachineCode && uintptr_t(values[i]) <= 64)
        maxThreads = 1024;
      if (options[i] == 5)
        log = static_cast<char *>(values[i]);
      if (options[i] == 6)
        room = size_t(values[i]);
    }
    if (text.find(".version") == std::string::npos) {
      if (log)
        std::snprintf(log, room, "ptxas fatal: Missing .version directive");
      return 218;
    }
    std::vector<Core::ModuleFunction> functions;
    constexpr std::string_view Entry = ".entry ";
    for (size_t at = 0; (at = text.find(Entry, at)) != std::string::npos;) {
      at += Entry.size();
      functions.push_back({text.substr(at, text.find_first_of("( \n", at) - at),
                           hasBound(std::string_view(text).substr(at)) ? 1024 : maxThreads});
    }
    return core().loadModule(module, std::move(functions));
  });
}
FAKE_CALL(cuStreamQuery, queryStream, (void *stream), (stream))
FAKE_CALL(cuStreamWriteValue32_v2, writeWord, (void *stream, Address address, uint32_t value, unsigned flags),
          (stream, address, value, flags))
FAKE_EXPORT int cuFuncSetAttribute(void *, int attribute, int) {
  return core().run("cuFuncSetAttribute", [&] { return attribute == 8 ? 0 : 1; });
}

namespace {

bool isParameterBlock(void **parameters, void **extra) {
  return !parameters && extra && extra[0] == reinterpret_cast<void *>(1) && extra[2] == reinterpret_cast<void *>(2) &&
         !extra[4];
}

/// CUDA_KERNEL_NODE_PARAMS_v2.
struct KernelNode {
  void *function;
  unsigned grid[3], block[3], localBytes;
  void **parameters, **extra;
  void *kernel, *context;
};

/// What a node has copied.
struct NodeLaunch {
  void *function = nullptr;
  unsigned grid[3]{}, block[3]{}, localBytes = 0;
  std::vector<std::byte> parameters;

  int set(const KernelNode &node) {
    if (!isParameterBlock(node.parameters, node.extra) || node.kernel || node.context)
      return 1;
    function = node.function;
    std::copy(node.grid, node.grid + 3, grid);
    std::copy(node.block, node.block + 3, block);
    localBytes = node.localBytes;
    auto *bytes = static_cast<const std::byte *>(node.extra[1]);
    parameters.assign(bytes, bytes + *static_cast<size_t *>(node.extra[3]));
    return 0;
  }
};

/// Nodes are numbered from 1 on. Each must depend on the one before.
struct Graph {
  std::vector<NodeLaunch> launches;
};

/// Stricter than the real one: starts on one stream only, since starts on two would wait for each other.
struct ExecutableGraph {
  Graph graph;
  void *stream = nullptr;
};

} // namespace

FAKE_EXPORT int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                               unsigned bz, unsigned localBytes, void *stream, void **parameters, void **extra) {
  return core().run("cuLaunchKernel", [&] {
    if (!isParameterBlock(parameters, extra))
      return 1;
    return core().launch(function, {gx, gy, gz}, {bx, by, bz}, localBytes, stream, extra[1],
                         *static_cast<size_t *>(extra[3]));
  });
}
FAKE_EXPORT int cuGraphCreate(void **graph, unsigned flags) {
  return core().run("cuGraphCreate", [&] {
    *graph = new Graph;
    return flags ? 1 : 0;
  });
}
FAKE_EXPORT int cuGraphDestroy(void *graph) {
  return core().run("cuGraphDestroy", [&] {
    delete static_cast<Graph *>(graph);
    return 0;
  });
}
FAKE_EXPORT int cuGraphAddKernelNode_v2(void **node, void *graph, void *const *dependencies, size_t count,
                                        const KernelNode *launch) {
  return core().run("cuGraphAddKernelNode_v2", [&] {
    std::vector<NodeLaunch> &launches = static_cast<Graph *>(graph)->launches;
    if (count != (launches.empty() ? 0 : 1) || (count && uintptr_t(*dependencies) != launches.size()))
      return 1;
    *node = reinterpret_cast<void *>(launches.size() + 1);
    return launches.emplace_back().set(*launch);
  });
}
FAKE_EXPORT int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags) {
  return core().run("cuGraphInstantiateWithFlags", [&] {
    *executable = new ExecutableGraph{*static_cast<Graph *>(graph)};
    return flags ? 1 : 0;
  });
}
FAKE_EXPORT int cuGraphExecDestroy(void *executable) {
  return core().run("cuGraphExecDestroy", [&] {
    delete static_cast<ExecutableGraph *>(executable);
    return 0;
  });
}
FAKE_EXPORT int cuGraphExecKernelNodeSetParams_v2(void *executable, void *node, const KernelNode *launch) {
  return core().run("cuGraphExecKernelNodeSetParams_v2", [&] {
    std::vector<NodeLaunch> &launches = static_cast<ExecutableGraph *>(executable)->graph.launches;
    const auto number = uintptr_t(node);
    return number == 0 || number > launches.size() ? 1 : launches[number - 1].set(*launch);
  });
}
FAKE_EXPORT int cuGraphLaunch(void *executable, void *stream) {
  return core().run("cuGraphLaunch", [&] {
    auto &graph = *static_cast<ExecutableGraph *>(executable);
    if (graph.stream && graph.stream != stream)
      return 1;
    graph.stream = stream;
    for (const NodeLaunch &launch : graph.graph.launches)
      if (int code = core().launch(launch.function, launch.grid, launch.block, launch.localBytes, stream,
                                   launch.parameters.data(), launch.parameters.size()))
        return code;
    return 0;
  });
}
// NOLINTEND(readability-identifier-naming)
