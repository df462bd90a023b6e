// The types and constants of OpenCL's own headers, all versions up to 3.0, deprecated entries included: existing
// programs call those too. libkiln uses no function that these headers declare.
#pragma once
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <cstdint>

// What the oldest headers that Kiln is built with do not have yet, in their words.

#ifndef CL_ICD2_TAG_KHR // cl_khr_icd 2.0
#define CL_ICD2_TAG_KHR ((intptr_t)(INTPTR_MAX == INT32_MAX ? 0x434C3331 : 0x4F50454E434C3331))
#endif
#ifndef CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR // cl_khr_spirv_queries
#define CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR 0x12B9
#define CL_DEVICE_SPIRV_EXTENSIONS_KHR 0x12BA
#define CL_DEVICE_SPIRV_CAPABILITIES_KHR 0x12BB
#endif
