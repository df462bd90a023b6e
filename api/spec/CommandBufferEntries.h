// The entries of cl_khr_command_buffer, version 0.9.8, and of cl_khr_command_buffer_mutable_dispatch, 0.9.5. The oldest
// supported headers declare those of version 0.9.0, which lack `properties`, and newer headers do not declare those of
// provisional extensions at all. The function types have the names of newer headers.
#pragma once
#include "base/support/OpenCL.h"

// NOLINTBEGIN(readability-identifier-naming): the names of Khronos' headers
namespace kiln::khr {

#define KILN_SYNC_POINTS cl_uint, const cl_sync_point_khr *, cl_sync_point_khr *, cl_mutable_command_khr *
#define KILN_RECORDING cl_command_buffer_khr, cl_command_queue, const cl_command_properties_khr *
using clCreateCommandBufferKHR_t = cl_command_buffer_khr CL_API_CALL(cl_uint numQueues, const cl_command_queue *queues,
                                                                     const cl_command_buffer_properties_khr *properties,
                                                                     cl_int *errcode);
using clRetainCommandBufferKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr buffer);
using clReleaseCommandBufferKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr buffer);
using clFinalizeCommandBufferKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr buffer);
using clEnqueueCommandBufferKHR_t = cl_int CL_API_CALL(cl_uint numQueues, cl_command_queue *queues,
                                                       cl_command_buffer_khr buffer, cl_uint numWaits,
                                                       const cl_event *waits, cl_event *event);
using clCommandBarrierWithWaitListKHR_t = cl_int CL_API_CALL(KILN_RECORDING, KILN_SYNC_POINTS);
using clCommandCopyBufferKHR_t = cl_int CL_API_CALL(KILN_RECORDING, cl_mem source, cl_mem destination,
                                                    size_t sourceOffset, size_t destinationOffset, size_t size,
                                                    KILN_SYNC_POINTS);
using clCommandCopyBufferRectKHR_t = cl_int CL_API_CALL(KILN_RECORDING, cl_mem source, cl_mem destination,
                                                        const size_t *sourceOrigin, const size_t *destinationOrigin,
                                                        const size_t *region, size_t sourceRowPitch,
                                                        size_t sourceSlicePitch, size_t destinationRowPitch,
                                                        size_t destinationSlicePitch, KILN_SYNC_POINTS);
using clCommandCopyBufferToImageKHR_t = cl_int CL_API_CALL(KILN_RECORDING, cl_mem source, cl_mem destination,
                                                           size_t offset, const size_t *origin, const size_t *region,
                                                           KILN_SYNC_POINTS);
using clCommandCopyImageKHR_t = cl_int CL_API_CALL(KILN_RECORDING, cl_mem source, cl_mem destination,
                                                   const size_t *sourceOrigin, const size_t *destinationOrigin,
                                                   const size_t *region, KILN_SYNC_POINTS);
using clCommandCopyImageToBufferKHR_t = cl_int CL_API_CALL(KILN_RECORDING, cl_mem source, cl_mem destination,
                                                           const size_t *origin, const size_t *region, size_t offset,
                                                           KILN_SYNC_POINTS);
using clCommandFillBufferKHR_t = cl_int CL_API_CALL(KILN_RECORDING, cl_mem buffer, const void *pattern,
                                                    size_t patternSize, size_t offset, size_t size, KILN_SYNC_POINTS);
using clCommandFillImageKHR_t = cl_int CL_API_CALL(KILN_RECORDING, cl_mem image, const void *color,
                                                   const size_t *origin, const size_t *region, KILN_SYNC_POINTS);
using clCommandNDRangeKernelKHR_t = cl_int CL_API_CALL(KILN_RECORDING, cl_kernel kernel, cl_uint workDim,
                                                       const size_t *globalOffset, const size_t *globalSize,
                                                       const size_t *localSize, KILN_SYNC_POINTS);
using clCommandSVMMemcpyKHR_t = cl_int CL_API_CALL(KILN_RECORDING, void *to, const void *from, size_t size,
                                                   KILN_SYNC_POINTS);
using clCommandSVMMemFillKHR_t = cl_int CL_API_CALL(KILN_RECORDING, void *to, const void *pattern, size_t patternSize,
                                                    size_t size, KILN_SYNC_POINTS);
using clGetCommandBufferInfoKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr buffer, cl_command_buffer_info_khr param,
                                                       size_t size, void *value, size_t *sizeRet);

/// The struct of cl_khr_command_buffer_mutable_dispatch 0.9.5; those of 0.9.0 have other members.
struct cl_mutable_dispatch_config_khr {
  cl_mutable_command_khr command = nullptr;
  cl_uint num_args = 0;
  cl_uint num_svm_args = 0;
  cl_uint num_exec_infos = 0;
  cl_uint work_dim = 0;
  const cl_mutable_dispatch_arg_khr *arg_list = nullptr;
  const cl_mutable_dispatch_arg_khr *arg_svm_list = nullptr;
  const cl_mutable_dispatch_exec_info_khr *exec_info_list = nullptr;
  const size_t *global_work_offset = nullptr;
  const size_t *global_work_size = nullptr;
  const size_t *local_work_size = nullptr;
};
using cl_command_buffer_update_type_khr = cl_uint;
inline constexpr cl_command_buffer_update_type_khr MutableDispatchConfig = 0; // CL_STRUCTURE_TYPE_..._CONFIG_KHR

using clUpdateMutableCommandsKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr buffer, cl_uint numConfigs,
                                                        const cl_command_buffer_update_type_khr *types,
                                                        const void **configs);
using clGetMutableCommandInfoKHR_t = cl_int CL_API_CALL(cl_mutable_command_khr command,
                                                        cl_mutable_command_info_khr param, size_t size, void *value,
                                                        size_t *sizeRet);
#undef KILN_SYNC_POINTS
#undef KILN_RECORDING

} // namespace kiln::khr
// NOLINTEND(readability-identifier-naming)
