// Device properties that the compilers and the runtime provide, the same for every driver.
#pragma once
#include "backends/DeviceInfo.h"
#include "base/abi/KernelAbi.h"
#include "base/spirv/Numbers.h"
#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

namespace kiln {

/// What a row of base/abi/Extensions.def needs of a device, in general the function below that reports it. All:
/// nothing.
enum class Needs {
  All,
  Groups,
  Pipes,
  Images,
  Enqueue,
  Clock,
  FloatAtomics,
  HalfAdd,
  HalfMinMax,
  UnifiedMemory,
  Uuid,             // DeviceInfo::uuid
  PciBus,           // DeviceInfo::pci
  NvidiaAttributes, // DeviceInfo::hardware
  PriorityHints,    // a queue may have a priority
  ThrottleHints,    // a queue may have a throttle
  Termination,      // Device::endTerminatedLaunches
};

/// Returns true if base/abi/Extensions.def has a row of this extension. The empty name stands for no extension.
consteval bool hasExtensionRow(std::string_view extension) {
  bool found = extension.empty();
#define KILN_EXTENSION(name, version, since, needs) found |= extension == name;
#include "base/abi/Extensions.def"
  return found;
}
#define KILN_SPIRV_SET(name, extension)                                                                                \
  static_assert(hasExtensionRow(extension), name " needs an extension that has no row");
#define KILN_SPIRV_EXTENSION(name, extension, needs) KILN_SPIRV_SET(name, extension)
#include "base/abi/Extensions.def"

/// Reports the rows of base/abi/Extensions.def that need this of a device.
inline void report(DeviceInfo &info, Needs given) {
  struct Extension {
    const char *name;
    cl_version version;
    Needs needs;
  };
  static constexpr Extension extensions[] = {
#define KILN_EXTENSION(name, version, since, needs) {name, CL_MAKE_VERSION version, Needs::needs},
#include "base/abi/Extensions.def"
  };
  static constexpr std::pair<const char *, Needs> features[] = {
#define KILN_FEATURE(name, since, needs) {name, Needs::needs},
#include "base/abi/Extensions.def"
  };
  static constexpr std::pair<const char *, Needs> spirvExtensions[] = {
#define KILN_SPIRV_EXTENSION(name, extension, needs) {name, Needs::needs},
#include "base/abi/Extensions.def"
  };
  static constexpr std::pair<spv::Capability, Needs> spirvCapabilities[] = {
#define KILN_SPIRV_CAPABILITY(name, needs) {spv::Capability::name, Needs::needs},
#include "base/abi/Extensions.def"
  };
  for (const Extension &one : extensions)
    if (one.needs == given)
      info.extensions.push_back({one.name, one.version});
  std::ranges::sort(info.extensions, {}, &NamedVersion::name);
  for (auto [name, needs] : features)
    if (needs == given)
      info.openclCFeatures.push_back({name, CL_MAKE_VERSION(3, 0, 0)});
  for (auto [name, needs] : spirvExtensions)
    if (needs == given)
      info.spirvExtensions.push_back(name);
  for (auto [capability, needs] : spirvCapabilities)
    if (needs == given)
      info.spirvCapabilities.push_back(cl_uint(capability));
}

/// Languages, and the extensions that need no support by the driver.
inline void describeLanguages(DeviceInfo &info) {
  for (unsigned version : {10, 11, 12, 30})
    info.openclCVersions.push_back({"OpenCL C", CL_MAKE_VERSION(version / 10, version % 10, 0)});
  info.genericAddressSpace = true;
  info.atomicMemory = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST |
                      CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE |
                      CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
  info.atomicFence = info.atomicMemory | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM;
  for (unsigned minor : {0, 1, 2, 3, 4, 5, 6})
    info.ilVersions.push_back({"SPIR-V", CL_MAKE_VERSION(1, minor, 0)});
  info.printfBufferSize = abi::PrintfCapacity;
  info.spirvSets = {
#define KILN_SPIRV_SET(name, extension) name,
#include "base/abi/Extensions.def"
  };
  report(info, Needs::All);
}

/// For a device with collective functions of work-groups and of sub-groups. `sizes`: the sub-group sizes in ascending
/// order; `standard`: that of kernels that require none. `maxWorkGroupSize` is set already.
inline void describeGroups(DeviceInfo &info, std::span<const uint64_t> sizes, uint64_t standard) {
  info.workGroupCollectives = true;
  info.maxSubGroups = cl_uint((info.maxWorkGroupSize + sizes.front() - 1) / sizes.front());
  info.subGroupSizes.assign(sizes.begin(), sizes.end());
  info.defaultSubGroupSize = standard;
  report(info, Needs::Groups);
}

/// For a device whose kernels enqueue kernels.
inline void describeEnqueue(DeviceInfo &info, cl_uint queues, cl_uint events, cl_uint largestQueue) {
  info.deviceEnqueue = CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT;
  info.deviceQueueProperties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
  info.deviceQueuePreferredSize = 256 << 10;
  info.deviceQueueMaxSize = largestQueue;
  info.maxDeviceQueues = queues;
  info.maxDeviceEvents = events;
  report(info, Needs::Enqueue);
}

/// For a device with atomic add, min, max, load and store of float and double, all that cl_ext_float_atomics has for
/// these types.
inline void describeFloatAtomics(DeviceInfo &info) {
  info.singleAtomics = info.doubleAtomics =
      CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT |
      CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT |
      CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT;
  report(info, Needs::FloatAtomics);
}

/// For a device with atomic add, load and store of half as well; with `minMax`, min and max. After
/// describeFloatAtomics.
inline void describeHalfAtomics(DeviceInfo &info, bool minMax) {
  info.halfAtomics = CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT |
                     CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT;
  report(info, Needs::HalfAdd);
  if (!minMax)
    return;
  info.halfAtomics |= CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT;
  report(info, Needs::HalfMinMax);
}

/// For a device that uses the host's memory: every pointer is valid on both sides at any time.
inline void describeSharedMemory(DeviceInfo &info) {
  info.svm = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_SYSTEM |
             CL_DEVICE_SVM_ATOMICS;
  info.usmHost = info.usmDevice = info.usmShared = info.usmSharedAcross = info.usmSystem =
      CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL |
      CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;
  report(info, Needs::UnifiedMemory);
}

/// For a device with pipes, whose library code uses collective functions.
inline void describePipes(DeviceInfo &info) {
  info.pipes = true;
  info.maxPipeArgs = 64;
  info.pipeMaxActiveReservations = 1024; // the real limit is the pipe's packets; no program needs more
  info.pipeMaxPacketSize = 65536;
  report(info, Needs::Pipes);
}

/// For a device with images: rows of pixels in its memory. `edge`: the maximum width and height of a 2D image.
inline void describeImages(DeviceInfo &info, size_t edge) {
  info.images = true;
  info.maxReadImageArgs = 128;
  info.maxWriteImageArgs = info.maxReadWriteImageArgs = 64;
  info.maxSamplers = 16;
  info.image2dMaxWidth = info.image2dMaxHeight = edge;
  info.image3dMaxWidth = info.image3dMaxHeight = info.image3dMaxDepth = 2048;
  info.imageMaxArraySize = 2048;
  info.imageMaxBufferSize = 64 << 20;
  info.imagePitchAlignment = info.imageBaseAddressAlignment = 1; // in pixels: no alignment beyond the pixel's
  report(info, Needs::Images);
}

/// OpenCL C 2.0, which has no optional features: for a device with all of the above. A 3.0 compiler then accepts all
/// older versions.
inline void describeOpenclC20(DeviceInfo &info) {
  info.openclCVersion = CL_MAKE_VERSION(3, 0, 0);
  info.openclCVersions.insert(std::prev(info.openclCVersions.end()), {"OpenCL C", CL_MAKE_VERSION(2, 0, 0)});
}

/// For a device whose kernels can read a clock, one for the whole device.
inline void describeClock(DeviceInfo &info) {
  info.kernelClock = CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR | CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR |
                     CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR;
  report(info, Needs::Clock);
}

} // namespace kiln
