// The calls of AMD's driver library that Kiln uses, over the fake driver. A module is a code object for AMDGPU: an ELF
// file with a kernel for every symbol `name.kd`.
#include "tests/backends/gpu/FakeDriver.h"
#include <cstring>
#include <elf.h>

using kiln::fake::Address;
using kiln::fake::core;
using kiln::fake::Core;

namespace {

/// There is always a current device, initially the first one.
void settle() {
  if (core().current() < 0)
    core().setCurrent(0);
}

constexpr unsigned AmdGpu = 224; // e_machine

/// The kernels of a code object; false if it is not one. Like the real call, without its size.
bool kernels(const char *image, std::vector<std::string> &names) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_machine != AmdGpu)
    return false;
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), image + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr &section : sections) {
    if (section.sh_type != SHT_DYNSYM)
      continue;
    const char *strings = image + sections[section.sh_link].sh_offset;
    for (uint64_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, image + section.sh_offset + at, sizeof symbol);
      std::string name = strings + symbol.st_name;
      if (name.ends_with(".kd"))
        names.push_back(name.substr(0, name.size() - 3));
    }
  }
  return true;
}

} // namespace

#define HIP_CALL(name, method, parameters, arguments)                                                                  \
  FAKE_EXPORT int name parameters {                                                                                    \
    settle();                                                                                                          \
    return core().run(#name, [&] { return core().method arguments; });                                                 \
  }

HIP_CALL(hipInit, init, (unsigned), ())
HIP_CALL(hipGetDeviceCount, deviceCount, (int *count), (count))
HIP_CALL(hipDeviceGet, device, (int *device, int ordinal), (device, ordinal))
HIP_CALL(hipDeviceGetName, deviceName, (char *name, int length, int device), (name, length, device))
HIP_CALL(hipDeviceTotalMem, deviceMemory, (size_t *bytes, int device), (bytes, device))
HIP_CALL(hipDeviceCanAccessPeer, canReach, (int *can, int device, int peer), (can, device, peer))
HIP_CALL(hipDeviceGetPCIBusId, pciBusId, (char *text, int length, int device), (text, length, device))
HIP_CALL(hipMalloc, allocate, (Address * address, size_t bytes), (address, bytes))
HIP_CALL(hipFree, free, (Address address), (address))
HIP_CALL(hipHostMalloc, allocateHost, (void **host, size_t bytes, unsigned flags), (host, bytes, flags))
HIP_CALL(hipHostFree, freeHost, (void *host), (host))
HIP_CALL(hipHostRegister, registerHost, (void *host, size_t bytes, unsigned flags), (host, bytes, flags))
HIP_CALL(hipHostUnregister, unregisterHost, (void *host), (host))
HIP_CALL(hipHostGetDevicePointer, hostGetDevicePointer, (Address * address, void *host, unsigned flags),
         (address, host, flags))
HIP_CALL(hipMallocManaged, allocManaged, (Address * address, size_t bytes, unsigned flags), (address, bytes, flags))
HIP_CALL(hipMemGetInfo, memGetInfo, (size_t *left, size_t *total), (left, total))
HIP_CALL(hipMemPrefetchAsync, memPrefetch, (Address address, size_t bytes, int device, void *stream),
         (address, bytes, device, stream))
HIP_CALL(hipMemcpyHtoDAsync, copyToDevice, (Address to, void *from, size_t bytes, void *stream),
         (to, from, bytes, stream))
HIP_CALL(hipMemcpyDtoHAsync, copyToHost, (void *to, Address from, size_t bytes, void *stream),
         (to, from, bytes, stream))
HIP_CALL(hipMemcpyDtoDAsync, copyOnDevice, (Address to, Address from, size_t bytes, void *stream),
         (to, from, bytes, stream))
HIP_CALL(hipMemcpyPeerAsync, copyPeer, (Address to, int toDevice, Address from, int fromDevice, size_t n, void *stream),
         (to, toDevice, from, fromDevice, n, stream))
HIP_CALL(hipMemsetD8Async, fill, (Address to, unsigned char value, size_t count, void *stream),
         (to, value, 1, count, stream))
HIP_CALL(hipMemsetD16Async, fill, (Address to, unsigned short value, size_t count, void *stream),
         (to, value, 2, count, stream))
HIP_CALL(hipMemsetD32Async, fill, (Address to, int value, size_t count, void *stream),
         (to, unsigned(value), 4, count, stream))
HIP_CALL(hipStreamCreateWithPriority, createStreamWithPriority, (void **stream, unsigned flags, int priority),
         (stream, flags, priority))
HIP_CALL(hipDeviceGetStreamPriorityRange, priorities, (int *least, int *greatest), (least, greatest))
HIP_CALL(hipStreamCreateWithFlags, createStream, (void **stream, unsigned flags), (stream, flags))
HIP_CALL(hipStreamDestroy, destroyStream, (void *stream), (stream))
HIP_CALL(hipStreamWaitEvent, streamWait, (void *stream, void *event, unsigned flags), (stream, event, flags))
HIP_CALL(hipEventCreateWithFlags, createEvent, (void **event, unsigned flags), (event, flags))
HIP_CALL(hipEventDestroy, destroyEvent, (void *event), (event))
HIP_CALL(hipEventRecord, record, (void *event, void *stream), (event, stream))
HIP_CALL(hipEventQuery, query, (void *event), (event))
HIP_CALL(hipEventElapsedTime, elapsed, (float *milliseconds, void *start, void *end), (milliseconds, start, end))
HIP_CALL(hipModuleUnload, unloadModule, (void *module), (module))
HIP_CALL(hipModuleGetFunction, function, (void **function, void *module, const char *name), (function, module, name))
HIP_CALL(hipFuncGetAttribute, functionAttribute, (int *value, int attribute, void *function),
         (value, attribute, function))

FAKE_EXPORT int hipDriverGetVersion(int *version) {
  *version = 60'200'000;
  return core().begin("hipDriverGetVersion");
}
FAKE_EXPORT const char *hipGetErrorName(int code) {
  return code == 2     ? "hipErrorOutOfMemory"
         : code == 600 ? "hipErrorNotReady"
         : code == 700 ? "hipErrorIllegalAddress"
                       : "hipErrorUnknown";
}
FAKE_EXPORT int hipGetDeviceProperties(void *properties, int device) {
  return core().run("hipGetDeviceProperties", [&] {
    auto *bytes = static_cast<char *>(properties);
    core().deviceName(bytes, 256, device);
    std::strcpy(bytes + 400, "gfx942:sramecc+:xnack-"); // at any offset
    return 0;
  });
}
FAKE_EXPORT int hipDeviceGetAttribute(int *value, int attribute, int) {
  return core().run("hipDeviceGetAttribute", [&] {
    switch (attribute) {
    case 63: // compute units
      *value = 304;
      break;
    case 5:
      *value = 2'100'000;
      break;
    case 87: // wavefront
      *value = 64;
      break;
    case 56: // work-items, block
    case 26:
    case 27:
      *value = 1024;
      break;
    case 28:
      *value = 64;
      break;
    case 29: // grid
      *value = 0x7fffffff;
      break;
    case 30:
    case 31:
      *value = 65535;
      break;
    case 74: // local bytes
      *value = 64 << 10;
      break;
    case 19:
      *value = 4 << 20;
      break;
    case 58: // pitch
      *value = 0x7fffffff;
      break;
    case 16:
    case 0:
    case 9: // shared pages
    case 15:
    case 65:
      *value = 0;
      break;
    default:
      return 1;
    }
    return 0;
  });
}
FAKE_EXPORT int hipGetDevice(int *device) {
  const Core::Call call("hipGetDevice");
  settle();
  *device = core().current();
  return 0;
}
FAKE_EXPORT int hipSetDevice(int device) {
  const Core::Call call("hipSetDevice");
  core().setCurrent(device);
  return 0;
}
FAKE_EXPORT int hipMemcpy2DAsync(Address to, size_t toPitch, Address from, size_t fromPitch, size_t width, size_t rows,
                                 int kind, void *stream) {
  return core().run("hipMemcpy2DAsync", [&] {
    if (kind < 1 || kind > 3)
      return 1;
    auto way = kind == 1   ? Core::CopyDirection::ToDevice
               : kind == 2 ? Core::CopyDirection::ToHost
                           : Core::CopyDirection::OnDevice;
    return core().copyRows(way, to, toPitch, from, fromPitch, width, rows, stream);
  });
}
FAKE_EXPORT int hipDeviceEnablePeerAccess(int, unsigned) {
  return core().run("hipDeviceEnablePeerAccess", [] { return 0; });
}
FAKE_EXPORT int hipModuleLoadData(void **module, const void *image) {
  settle();
  return core().run("hipModuleLoadData", [&] {
    std::vector<std::string> names;
    if (!kernels(static_cast<const char *>(image), names))
      return 200;
    std::vector<kiln::fake::Core::ModuleFunction> functions;
    for (std::string &name : names)
      functions.push_back({std::move(name)});
    return core().loadModule(module, std::move(functions));
  });
}
FAKE_EXPORT int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                      unsigned bz, unsigned localBytes, void *stream, void **parameters, void **extra) {
  return core().run("hipModuleLaunchKernel", [&] {
    if (parameters || !extra || extra[0] != reinterpret_cast<void *>(1) || extra[2] != reinterpret_cast<void *>(2) ||
        extra[4] != reinterpret_cast<void *>(3))
      return 1;
    if (uint64_t(gx) * bx > UINT32_MAX || uint64_t(gy) * by > UINT32_MAX || uint64_t(gz) * bz > UINT32_MAX)
      return 9; // invalid configuration
    return core().launch(function, {gx, gy, gz}, {bx, by, bz}, localBytes, stream, extra[1],
                         *static_cast<size_t *>(extra[3]));
  });
}
