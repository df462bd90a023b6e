// Device properties that the compilers and the runtime provide, the same for every driver.
#pragma once
#include "backends/DeviceInfo.h"
#include "base/abi/KernelAbi.h"
#include <iterator>
#include <span>
#include <string_view>

namespace kiln {

inline void addExtension(DeviceInfo &info, std::string_view name, cl_version version = CL_MAKE_VERSION(1, 0, 0)) {
  auto place = info.extensions.begin();
  while (place != info.extensions.end() && place->name < name)
    ++place;
  info.extensions.insert(place, {std::string(name), version});
}

/// Languages, and the extensions that need no support by the driver.
inline void describeLanguages(DeviceInfo &info) {
  for (unsigned version : {10, 11, 12, 30})
    info.openclCVersions.push_back({"OpenCL C", CL_MAKE_VERSION(version / 10, version % 10, 0)});
  for (const char *name :
       {"__opencl_c_atomic_order_acq_rel", "__opencl_c_atomic_order_seq_cst", "__opencl_c_atomic_scope_all_devices",
        "__opencl_c_atomic_scope_device", "__opencl_c_fp64", "__opencl_c_generic_address_space", "__opencl_c_int64",
        "__opencl_c_integer_dot_product_input_4x8bit", "__opencl_c_integer_dot_product_input_4x8bit_packed",
        "__opencl_c_program_scope_global_variables"})
    info.openclCFeatures.push_back({name, CL_MAKE_VERSION(3, 0, 0)});
  info.genericAddressSpace = true;
  info.atomicMemory = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST |
                      CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE |
                      CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
  info.atomicFence = info.atomicMemory | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM;
  for (unsigned minor : {0, 1, 2, 3, 4, 5, 6})
    info.ilVersions.push_back({"SPIR-V", CL_MAKE_VERSION(1, minor, 0)});
  info.printfBufferSize = abi::PrintfCapacity;
  info.spirvSets = {
#define KILN_SPIRV_SET(name) name,
#include "base/abi/SpirvSupport.def"
  };
  info.spirvExtensions = {
#define KILN_SPIRV_EXTENSION(name) name,
#include "base/abi/SpirvSupport.def"
  };
  info.spirvCapabilities = {
#define KILN_SPIRV_CAPABILITY(name, number) number,
#include "base/abi/SpirvSupport.def"
  };
  for (const char *name :
       {"cl_khr_byte_addressable_store", "cl_khr_create_command_queue", "cl_khr_extended_bit_ops",
        "cl_khr_extended_versioning", "cl_khr_fp16", "cl_khr_fp64", "cl_khr_global_int32_base_atomics",
        "cl_khr_global_int32_extended_atomics", "cl_khr_il_program", "cl_khr_int64_base_atomics",
        "cl_khr_int64_extended_atomics", "cl_khr_local_int32_base_atomics", "cl_khr_local_int32_extended_atomics",
        "cl_khr_spirv_queries", "cl_khr_suggested_local_work_size"})
    addExtension(info, name);
  addExtension(info, "cl_khr_integer_dot_product", CL_MAKE_VERSION(2, 0, 0));
  addExtension(info, "cl_ext_buffer_device_address", CL_MAKE_VERSION(1, 0, 2));
  addExtension(info, "cl_khr_command_buffer", CL_MAKE_VERSION(0, 9, 8));
  addExtension(info, "cl_khr_command_buffer_mutable_dispatch", CL_MAKE_VERSION(0, 9, 5));
}

/// For a device with collective functions of work-groups and of sub-groups. `sizes`: the sub-group sizes in ascending
/// order. `maxWorkGroupSize` is set already.
inline void describeGroups(DeviceInfo &info, std::span<const uint64_t> sizes) {
  info.workGroupCollectives = true;
  info.maxSubGroups = cl_uint((info.maxWorkGroupSize + sizes.front() - 1) / sizes.front());
  info.subGroupSizes.assign(sizes.begin(), sizes.end());
  addExtension(info, "cl_intel_required_subgroup_size");
  for (const char *name : {"__opencl_c_subgroups", "__opencl_c_work_group_collective_functions"})
    info.openclCFeatures.push_back({name, CL_MAKE_VERSION(3, 0, 0)});
  for (const char *name :
       {"cl_khr_subgroup_ballot", "cl_khr_subgroup_clustered_reduce", "cl_khr_subgroup_extended_types",
        "cl_khr_subgroup_non_uniform_arithmetic", "cl_khr_subgroup_non_uniform_vote", "cl_khr_subgroup_rotate",
        "cl_khr_subgroup_shuffle", "cl_khr_subgroup_shuffle_relative", "cl_khr_work_group_uniform_arithmetic"})
    addExtension(info, name);
#define KILN_SPIRV_GROUP_EXTENSION(name) info.spirvExtensions.push_back(name);
#define KILN_SPIRV_GROUP_CAPABILITY(name, number) info.spirvCapabilities.push_back(number);
#include "base/abi/SpirvSupport.def"
}

/// For a device whose kernels enqueue kernels.
inline void describeEnqueue(DeviceInfo &info, cl_uint queues, cl_uint events, cl_uint largestQueue) {
  info.deviceEnqueue = CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT;
  info.deviceQueueProperties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
  info.deviceQueuePreferredSize = 256 << 10;
  info.deviceQueueMaxSize = largestQueue;
  info.maxDeviceQueues = queues;
  info.maxDeviceEvents = events;
  info.openclCFeatures.push_back({"__opencl_c_device_enqueue", CL_MAKE_VERSION(3, 0, 0)});
#define KILN_SPIRV_ENQUEUE_CAPABILITY(name, number) info.spirvCapabilities.push_back(number);
#include "base/abi/SpirvSupport.def"
}

/// For a device with atomic add, min, max, load and store of float and double, all that cl_ext_float_atomics has for
/// these types.
inline void describeFloatAtomics(DeviceInfo &info) {
  info.singleAtomics = info.doubleAtomics =
      CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT |
      CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT |
      CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT;
  addExtension(info, "cl_ext_float_atomics");
  for (const char *name : {"__opencl_c_ext_fp32_global_atomic_add", "__opencl_c_ext_fp32_local_atomic_add",
                           "__opencl_c_ext_fp32_global_atomic_min_max", "__opencl_c_ext_fp32_local_atomic_min_max",
                           "__opencl_c_ext_fp64_global_atomic_add", "__opencl_c_ext_fp64_local_atomic_add",
                           "__opencl_c_ext_fp64_global_atomic_min_max", "__opencl_c_ext_fp64_local_atomic_min_max"})
    info.openclCFeatures.push_back({name, CL_MAKE_VERSION(3, 0, 0)});
}

/// For a device with atomic add, load and store of half as well; with `minMax`, min and max. After
/// describeFloatAtomics.
inline void describeHalfAtomics(DeviceInfo &info, bool minMax) {
  info.halfAtomics = CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT |
                     CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT;
  for (const char *name :
       {"__opencl_c_ext_fp16_global_atomic_load_store", "__opencl_c_ext_fp16_local_atomic_load_store",
        "__opencl_c_ext_fp16_global_atomic_add", "__opencl_c_ext_fp16_local_atomic_add"})
    info.openclCFeatures.push_back({name, CL_MAKE_VERSION(3, 0, 0)});
#define KILN_SPIRV_HALF_ADD_EXTENSION(name) info.spirvExtensions.push_back(name);
#define KILN_SPIRV_HALF_ADD_CAPABILITY(name, number) info.spirvCapabilities.push_back(number);
#include "base/abi/SpirvSupport.def"
  if (!minMax)
    return;
  info.halfAtomics |= CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT;
  for (const char *name : {"__opencl_c_ext_fp16_global_atomic_min_max", "__opencl_c_ext_fp16_local_atomic_min_max"})
    info.openclCFeatures.push_back({name, CL_MAKE_VERSION(3, 0, 0)});
#define KILN_SPIRV_HALF_MIN_MAX_CAPABILITY(name, number) info.spirvCapabilities.push_back(number);
#include "base/abi/SpirvSupport.def"
}

/// For a device that uses the host's memory: every pointer is valid on both sides at any time.
inline void describeSharedMemory(DeviceInfo &info) {
  info.svm = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_SYSTEM |
             CL_DEVICE_SVM_ATOMICS;
  info.usmHost = info.usmDevice = info.usmShared = info.usmSharedAcross = info.usmSystem =
      CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL |
      CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;
  addExtension(info, "cl_intel_unified_shared_memory", CL_MAKE_VERSION(1, 2, 0));
}

/// For a device with pipes, whose library code uses collective functions.
inline void describePipes(DeviceInfo &info) {
  info.pipes = true;
  info.maxPipeArgs = 64;
  info.pipeMaxActiveReservations = 1024; // the real limit is the pipe's packets; no program needs more
  info.pipeMaxPacketSize = 65536;
  info.openclCFeatures.push_back({"__opencl_c_pipes", CL_MAKE_VERSION(3, 0, 0)});
#define KILN_SPIRV_PIPE_CAPABILITY(name, number) info.spirvCapabilities.push_back(number);
#include "base/abi/SpirvSupport.def"
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
  for (const char *name : {"__opencl_c_3d_image_writes", "__opencl_c_images", "__opencl_c_read_write_images"})
    info.openclCFeatures.push_back({name, CL_MAKE_VERSION(3, 0, 0)});
  for (const char *name :
       {"cl_khr_3d_image_writes", "cl_khr_depth_images", "cl_khr_image2d_from_buffer", "cl_khr_srgb_image_writes"})
    addExtension(info, name);
#define KILN_SPIRV_IMAGE_CAPABILITY(name, number) info.spirvCapabilities.push_back(number);
#include "base/abi/SpirvSupport.def"
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
  addExtension(info, "cl_khr_kernel_clock");
  for (const char *name : {"__opencl_c_kernel_clock_scope_device", "__opencl_c_kernel_clock_scope_work_group",
                           "__opencl_c_kernel_clock_scope_sub_group"})
    info.openclCFeatures.push_back({name, CL_MAKE_VERSION(3, 0, 0)});
#define KILN_SPIRV_CLOCK_EXTENSION(name) info.spirvExtensions.push_back(name);
#define KILN_SPIRV_CLOCK_CAPABILITY(name, number) info.spirvCapabilities.push_back(number);
#include "base/abi/SpirvSupport.def"
}

} // namespace kiln
