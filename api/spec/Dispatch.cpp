// The ICD dispatch table and the table of entry names. Both are constants, so loading libkiln runs no code.
#include "api/spec/Dispatch.h"
#include "api/spec/CommandBufferEntries.h"
#include "api/spec/CooperativeMatrix.h"
#include "base/support/OpenCL.h"
#include <CL/cl_icd.h>

extern "C" {
cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint numEntries, cl_platform_id *platforms, cl_uint *numPlatforms);
cl_int CL_API_CALL clGetKernelSubGroupInfoKHR(cl_kernel, cl_device_id, cl_kernel_sub_group_info, size_t, const void *,
                                              size_t, void *, size_t *);
cl_int CL_API_CALL clSetKernelArgDevicePointerEXT(cl_kernel kernel, cl_uint index, cl_mem_device_address_ext address);
kiln::khr::clCreateCommandBufferKHR_t clCreateCommandBufferKHR;
kiln::khr::clRetainCommandBufferKHR_t clRetainCommandBufferKHR;
kiln::khr::clReleaseCommandBufferKHR_t clReleaseCommandBufferKHR;
kiln::khr::clFinalizeCommandBufferKHR_t clFinalizeCommandBufferKHR;
kiln::khr::clEnqueueCommandBufferKHR_t clEnqueueCommandBufferKHR;
kiln::khr::clCommandBarrierWithWaitListKHR_t clCommandBarrierWithWaitListKHR;
kiln::khr::clCommandCopyBufferKHR_t clCommandCopyBufferKHR;
kiln::khr::clCommandCopyBufferRectKHR_t clCommandCopyBufferRectKHR;
kiln::khr::clCommandCopyBufferToImageKHR_t clCommandCopyBufferToImageKHR;
kiln::khr::clCommandCopyImageKHR_t clCommandCopyImageKHR;
kiln::khr::clCommandCopyImageToBufferKHR_t clCommandCopyImageToBufferKHR;
kiln::khr::clCommandFillBufferKHR_t clCommandFillBufferKHR;
kiln::khr::clCommandFillImageKHR_t clCommandFillImageKHR;
kiln::khr::clCommandNDRangeKernelKHR_t clCommandNDRangeKernelKHR;
kiln::khr::clCommandSVMMemcpyKHR_t clCommandSVMMemcpyKHR;
kiln::khr::clCommandSVMMemFillKHR_t clCommandSVMMemFillKHR;
kiln::khr::clGetCommandBufferInfoKHR_t clGetCommandBufferInfoKHR;
kiln::khr::clUpdateMutableCommandsKHR_t clUpdateMutableCommandsKHR;
kiln::khr::clGetMutableCommandInfoKHR_t clGetMutableCommandInfoKHR;
kiln::khr::clGetDeviceCooperativeMatrixInfoKHR_t clGetDeviceCooperativeMatrixInfoKHR;
}

namespace kiln::api {
namespace {

// The first word of every handle. This is version 1 of cl_khr_icd, which every loader supports. With version 2 the
// loader has its own table, to which every handle points; ocl-icd 2.3.3 (Debian 13) moves it when it finds a second
// platform, and the first call through an older handle crashes the application.
const cl_icd_dispatch Table = {
#define KILN_ENTRY(name) .name = ::name,
#define KILN_NO_ENTRY(name) .name = nullptr,
#include "api/spec/Entries.def"
};

struct Named {
  std::string_view name;
  void *entry;
};

} // namespace

const void *dispatchTable() { return &Table; }

void *entryNamed(std::string_view name) {
  static const Named names[] = {
#define KILN_ENTRY(name) {#name, reinterpret_cast<void *>(::name)},
#define KILN_EXTRA(name) {#name, reinterpret_cast<void *>(::name)},
#define KILN_ALIAS(name, entry) {#name, reinterpret_cast<void *>(::entry)},
#include "api/spec/Entries.def"
  };
  for (const Named &named : names)
    if (named.name == name)
      return named.entry;
  return nullptr;
}

} // namespace kiln::api
