// Types and constants of the OpenCL headers, all versions up to 3.0 with deprecated entries, which existing programs
// call. libkiln calls no function that these headers declare.
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
#define CL_ENABLE_BETA_EXTENSIONS
#include <CL/cl.h>
#include <cstdint>

// The entries of cl_khr_command_buffer and cl_khr_command_buffer_mutable_dispatch got other parameters after version
// 0.9.0, which the oldest supported headers declare. Their declarations are renamed; api/spec/CommandBufferEntries.h
// has those of versions 0.9.8 and 0.9.5. NOLINTBEGIN(readability-identifier-naming)
#define clCommandBarrierWithWaitListKHR clCommandBarrierWithWaitListKHR_OfHeader
#define clCommandCopyBufferKHR clCommandCopyBufferKHR_OfHeader
#define clCommandCopyBufferRectKHR clCommandCopyBufferRectKHR_OfHeader
#define clCommandCopyBufferToImageKHR clCommandCopyBufferToImageKHR_OfHeader
#define clCommandCopyImageKHR clCommandCopyImageKHR_OfHeader
#define clCommandCopyImageToBufferKHR clCommandCopyImageToBufferKHR_OfHeader
#define clCommandFillBufferKHR clCommandFillBufferKHR_OfHeader
#define clCommandFillImageKHR clCommandFillImageKHR_OfHeader
#define clCommandNDRangeKernelKHR clCommandNDRangeKernelKHR_OfHeader
#define clUpdateMutableCommandsKHR clUpdateMutableCommandsKHR_OfHeader
// NOLINTEND(readability-identifier-naming)
#include <CL/cl_ext.h>
#undef clCommandBarrierWithWaitListKHR
#undef clCommandCopyBufferKHR
#undef clCommandCopyBufferRectKHR
#undef clCommandCopyBufferToImageKHR
#undef clCommandCopyImageKHR
#undef clCommandCopyImageToBufferKHR
#undef clCommandFillBufferKHR
#undef clCommandFillImageKHR
#undef clCommandNDRangeKernelKHR
#undef clUpdateMutableCommandsKHR

// Definitions that the oldest supported headers lack, under the names of newer headers.

#ifndef CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR // cl_khr_spirv_queries
#define CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR 0x12B9
#define CL_DEVICE_SPIRV_EXTENSIONS_KHR 0x12BA
#define CL_DEVICE_SPIRV_CAPABILITIES_KHR 0x12BB
#endif
// cl_khr_terminate_context had other numbers in headers of OpenCL 1.2, which old programs and clinfo use.
#define KILN_DEVICE_TERMINATE_CAPABILITY_OF_1_2 0x200F
#define KILN_CONTEXT_TERMINATE_OF_1_2 0x2010
#ifndef CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR
#define CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR (1 << 0)
typedef cl_bitfield cl_device_terminate_capability_khr;
#endif
#ifndef CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR // cl_khr_kernel_clock
#define CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR 0x1076
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR (1 << 0)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR (1 << 1)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR (1 << 2)
typedef cl_bitfield cl_device_kernel_clock_capabilities_khr;
#endif
#ifndef CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT // cl_ext_buffer_device_address
#define CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT 0x5000
#define CL_MEM_DEVICE_ADDRESS_EXT 0x5001
#define CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT 0x5002
typedef cl_ulong cl_mem_device_address_ext;
#endif
#ifndef CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT // cl_ext_float_atomics
#define CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 0)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT (1 << 1)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT (1 << 2)
#define CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 16)
#define CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT (1 << 17)
#define CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT (1 << 18)
#define CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT 0x4231
#define CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT 0x4232
#define CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT 0x4233
typedef cl_bitfield cl_device_fp_atomic_capabilities_ext;
#endif
#ifndef CL_COMMAND_BUFFER_CONTEXT_KHR // cl_khr_command_buffer 0.9.2
#define CL_COMMAND_BUFFER_CONTEXT_KHR 0x1299
#endif
#ifndef CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR // cl_khr_command_buffer 0.9.6
#define CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR 0x129A
#endif
typedef cl_properties cl_command_properties_khr;       // cl_khr_command_buffer 0.9.5
#ifndef CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR // cl_khr_command_buffer_mutable_dispatch 0.9.1
#define CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR 0x12B7
#define CL_MUTABLE_DISPATCH_ASSERTS_KHR 0x12B8
#define CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR (1 << 0)
#endif
#ifndef CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR // cl_khr_command_buffer_mutable_dispatch 0.9.3
#define CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR 0x12A2
#endif
#ifndef CL_COMMAND_BUFFER_STATE_FINALIZED_KHR // cl_khr_command_buffer_mutable_dispatch 0.9.5
#define CL_COMMAND_BUFFER_STATE_FINALIZED_KHR 2
#endif
#ifndef CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV // cl_nv_device_attribute_query
#define CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV 0x4007
#define CL_DEVICE_PCI_BUS_ID_NV 0x4008
#define CL_DEVICE_PCI_SLOT_ID_NV 0x4009
#define CL_DEVICE_PCI_DOMAIN_ID_NV 0x400A
#endif
