// The entry and the queries of cl_khr_cooperative_matrix, which the supported headers do not have. Their names are
// those of the draft.
#pragma once
#include "base/support/OpenCL.h"

// NOLINTBEGIN(readability-identifier-naming): the names of Khronos' draft
#ifndef CL_DEVICE_COOPERATIVE_MATRIX_POINTER_ALIGNMENT_KHR
#define CL_DEVICE_COOPERATIVE_MATRIX_DEFAULT_SUB_GROUP_VARIANTS_KHR 0x1078
#define CL_DEVICE_COOPERATIVE_MATRIX_SUB_GROUP_VARIANTS_KHR 0x1079
#define CL_DEVICE_COOPERATIVE_MATRIX_POINTER_ALIGNMENT_KHR 0x107A
#define CL_DEVICE_COOPERATIVE_MATRIX_STRIDE_MULTIPLE_KHR 0x107B
#endif

namespace kiln::khr {

/// cl_device_cooperative_matrix_variant_khr; a component type is a kiln::abi::MatrixComponent.
struct cooperative_matrix_variant {
  cl_uint m_size, n_size, k_size;
  cl_uint a_type, b_type, c_type, result_type;
  cl_bool saturating_accumulation;
};

using clGetDeviceCooperativeMatrixInfoKHR_t = cl_int CL_API_CALL(cl_device_id device, cl_uint param, size_t inputSize,
                                                                 const void *input, size_t size, void *value,
                                                                 size_t *sizeRet);

} // namespace kiln::khr
// NOLINTEND(readability-identifier-naming)
