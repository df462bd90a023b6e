// The results of clGetDeviceInfo, as data. The driver sets the fields that it supports; the defaults report no feature.
#pragma once
#include "base/support/OpenCL.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kiln {

/// The largest program-scope variable that a device with enough memory reports.
inline constexpr uint64_t MaxVariableBytes = 1ull << 30;

struct NamedVersion {
  std::string name;
  cl_version version;
};

using Uuid = std::array<cl_uchar, CL_UUID_SIZE_KHR>;

/// cl_nv_device_attribute_query, of NVIDIA's GPUs. The extension has no other specification than its header.
struct HardwareInfo {
  cl_uint majorCapability = 0, minorCapability = 0, registersPerGroup = 0, copyEngines = 0;
  bool copiesDuringKernels = false, endsLongKernels = false;
};

struct DeviceInfo {
  // Identity
  cl_device_type type = CL_DEVICE_TYPE_CUSTOM;
  cl_uint vendorId = 0;
  std::string name, vendor, driverVersion;
  std::string profile = "FULL_PROFILE";
  cl_version version = CL_MAKE_VERSION(3, 0, 0);        // of OpenCL
  cl_version openclCVersion = CL_MAKE_VERSION(1, 2, 0); // CL_DEVICE_OPENCL_C_VERSION
  std::vector<NamedVersion> openclCVersions;            // CL_DEVICE_OPENCL_C_ALL_VERSIONS
  std::vector<NamedVersion> openclCFeatures;            // __opencl_c_*
  std::vector<NamedVersion> extensions;                 // cl_*
  std::vector<NamedVersion> ilVersions;                 // {"SPIR-V", 1.2}
  std::vector<const char *> spirvSets, spirvExtensions; // static strings
  std::vector<cl_uint> spirvCapabilities;
  std::string target; // BuildRequest::target, the compiler's name for the device
  bool compilerAvailable = true, linkerAvailable = true;
  std::optional<Uuid> uuid;                      // as Vulkan reports it
  std::optional<cl_device_pci_bus_info_khr> pci; // its PCI bus address
  std::optional<HardwareInfo> hardware;

  // Execution
  cl_uint computeUnits = 1, maxClockMHz = 0, addressBits = 64;
  bool littleEndian = true, errorCorrection = false;
  size_t maxWorkGroupSize = 1;
  std::array<size_t, 3> maxWorkItemSizes{1, 1, 1};
  size_t preferredWorkGroupSizeMultiple = 1;
  cl_uint maxSubGroups = 0;
  std::vector<size_t> subGroupSizes; // of cl_intel_required_subgroup_size; empty: none
  size_t defaultSubGroupSize = 0;    // of kernels that require none; 0: none
  cl_device_kernel_clock_capabilities_khr kernelClock = 0;
  bool subGroupForwardProgress = false, nonUniformWorkGroups = true, workGroupCollectives = false;
  cl_device_exec_capabilities executionCapabilities = CL_EXEC_KERNEL;
  cl_command_queue_properties hostQueueProperties = CL_QUEUE_PROFILING_ENABLE;
  cl_command_queue_properties deviceQueueProperties = 0;
  cl_uint deviceQueuePreferredSize = 0, deviceQueueMaxSize = 0, maxDeviceQueues = 0, maxDeviceEvents = 0;
  cl_device_device_enqueue_capabilities deviceEnqueue = 0;
  size_t profilingTimerResolution = 1; // ns
  size_t printfBufferSize = 0;

  // Arithmetic
  cl_device_fp_config halfFp = 0, singleFp = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN, doubleFp = 0;
  struct VectorWidths {
    cl_uint charWidth = 1, shortWidth = 1, intWidth = 1, longWidth = 1, floatWidth = 1, doubleWidth = 0, halfWidth = 0;
  } preferredVectorWidth, nativeVectorWidth;
  cl_device_atomic_capabilities atomicMemory = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
  cl_device_atomic_capabilities atomicFence =
      CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
  cl_device_fp_atomic_capabilities_ext halfAtomics = 0, singleAtomics = 0, doubleAtomics = 0;
  bool genericAddressSpace = false;

  // Memory
  cl_ulong globalMemSize = 0, maxAllocSize = 0, localMemSize = 0;
  cl_device_mem_cache_type globalCacheType = CL_NONE;
  cl_ulong globalCacheSize = 0;
  cl_uint globalCacheLine = 0;
  cl_device_local_mem_type localMemType = CL_GLOBAL;
  cl_ulong maxConstantBufferSize = 0;
  cl_uint maxConstantArgs = 0;
  size_t maxParameterSize = 1024;
  cl_uint baseAddressAlignBits = 1024, minDataTypeAlign = 128;
  bool hostUnifiedMemory = false;
  size_t maxGlobalVariableSize = 0, globalVariablePreferredTotalSize = 0;
  cl_device_svm_capabilities svm = 0;
  // Unified shared memory capabilities: host, device, single-device shared, cross-device shared and system allocations.
  cl_device_unified_shared_memory_capabilities_intel usmHost = 0, usmDevice = 0, usmShared = 0, usmSharedAcross = 0,
                                                     usmSystem = 0;
  cl_uint preferredPlatformAtomicAlignment = 0, preferredGlobalAtomicAlignment = 0, preferredLocalAtomicAlignment = 0;

  // Not returned by queries
  bool sharesHostMemory = false; // allocations are host memory and need no transfers
  bool hasFences = false;        // `submit` issues; streams have fences and wait for one another's
  bool runsInIssue = false;      // Issuer::copy, fill and launch return when the work is done; addresses are the host's
  bool partitionable = false;    // Device::createSubDevice works
  bool assembly = false;         // kernels may have asm statements

  // Images and pipes: none by default
  bool images = false;
  cl_uint maxReadImageArgs = 0, maxWriteImageArgs = 0, maxReadWriteImageArgs = 0, maxSamplers = 0;
  size_t image2dMaxWidth = 0, image2dMaxHeight = 0, image3dMaxWidth = 0, image3dMaxHeight = 0, image3dMaxDepth = 0;
  size_t imageMaxBufferSize = 0, imageMaxArraySize = 0;
  cl_uint imagePitchAlignment = 0, imageBaseAddressAlignment = 0;
  bool pipes = false;
  cl_uint maxPipeArgs = 0, pipeMaxActiveReservations = 0, pipeMaxPacketSize = 0;
};

} // namespace kiln
