// Chapter 5.6: shared virtual memory. No device has it.
#include "api/check/Absent.h"
#include "api/entry/Entry.h"

using namespace kiln;
using namespace kiln::api;

void *CL_API_CALL clSVMAlloc(cl_context, cl_svm_mem_flags, size_t, cl_uint) { return nullptr; }

/// Nothing was allocated: only null can come here.
void CL_API_CALL clSVMFree(cl_context, void *) {}

cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue queue, cl_uint, void *[],
                                    void(CL_CALLBACK *)(cl_command_queue, cl_uint, void *[], void *), void *, cl_uint,
                                    const cl_event *, cl_event *) {
  return enter("clEnqueueSVMFree", [&] { return check::svm(queue); });
}

cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool, void *, const void *, size_t, cl_uint,
                                      const cl_event *, cl_event *) {
  return enter("clEnqueueSVMMemcpy", [&] { return check::svm(queue); });
}

cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue queue, void *, const void *, size_t, size_t, cl_uint,
                                       const cl_event *, cl_event *) {
  return enter("clEnqueueSVMMemFill", [&] { return check::svm(queue); });
}

cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue queue, cl_bool, cl_map_flags, void *, size_t, cl_uint,
                                   const cl_event *, cl_event *) {
  return enter("clEnqueueSVMMap", [&] { return check::svm(queue); });
}

cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue queue, void *, cl_uint, const cl_event *, cl_event *) {
  return enter("clEnqueueSVMUnmap", [&] { return check::svm(queue); });
}

cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint, const void **, const size_t *,
                                          cl_mem_migration_flags, cl_uint, const cl_event *, cl_event *) {
  return enter("clEnqueueSVMMigrateMem", [&] { return check::svm(queue); });
}

cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint, const void *) {
  return enter("clSetKernelArgSVMPointer", [&] { return check::svm(kernel); });
}

cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info, size_t, const void *) {
  return enter("clSetKernelExecInfo", [&] { return check::svm(kernel); });
}
