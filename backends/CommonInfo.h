// What the compilers and the runtime give every device that runs compiled kernels, whoever drives it.
#pragma once
#include "backends/DeviceInfo.h"
#include "backends/KernelAbi.h"
#include <string_view>

namespace kiln {

inline void addExtension(DeviceInfo &info, std::string_view name) {
  auto place = info.extensions.begin();
  while (place != info.extensions.end() && place->name < name)
    ++place;
  info.extensions.insert(place, {std::string(name), CL_MAKE_VERSION(1, 0, 0)});
}

/// Languages, and the extensions that no driver has to do anything for.
inline void describeLanguages(DeviceInfo &info) {
  for (unsigned version : {10, 11, 12, 30})
    info.openclCVersions.push_back({"OpenCL C", CL_MAKE_VERSION(version / 10, version % 10, 0)});
  for (const char *name : {"__opencl_c_fp64", "__opencl_c_int64", "__opencl_c_program_scope_global_variables"})
    info.openclCFeatures.push_back({name, CL_MAKE_VERSION(3, 0, 0)});
  for (unsigned minor : {0, 1, 2})
    info.ilVersions.push_back({"SPIR-V", CL_MAKE_VERSION(1, minor, 0)});
  info.printfBufferSize = abi::PrintfCapacity;
  info.spirvSets = {
#define KILN_SPIRV_SET(name) name,
#include "backends/SpirvSupport.def"
  };
  info.spirvExtensions = {
#define KILN_SPIRV_EXTENSION(name) name,
#include "backends/SpirvSupport.def"
  };
  info.spirvCapabilities = {
#define KILN_SPIRV_CAPABILITY(name, number) number,
#include "backends/SpirvSupport.def"
  };
  for (const char *name :
       {"cl_khr_byte_addressable_store", "cl_khr_create_command_queue", "cl_khr_extended_bit_ops",
        "cl_khr_extended_versioning", "cl_khr_fp16", "cl_khr_fp64", "cl_khr_global_int32_base_atomics",
        "cl_khr_global_int32_extended_atomics", "cl_khr_il_program", "cl_khr_int64_base_atomics",
        "cl_khr_int64_extended_atomics", "cl_khr_local_int32_base_atomics", "cl_khr_local_int32_extended_atomics",
        "cl_khr_spirv_queries", "cl_khr_suggested_local_work_size"})
    addExtension(info, name);
}

} // namespace kiln
