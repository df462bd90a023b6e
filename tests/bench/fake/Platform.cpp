// The OpenCL platform "Fragile" with one device. It ends its process as FRAGILE_END names: abort, exit, or none. It
// does so in clGetDeviceIDs if FRAGILE_BUILDS is unset, else in clBuildProgram after that number of programs. If
// FRAGILE_FILE names a file, the first end creates it, and later processes end in clGetDeviceIDs. Its kernels have no
// argument and do nothing.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace {

extern const cl_icd_dispatch calls;

/// The loader reads the table at the start of each object. All objects are this one.
struct Object {
  const cl_icd_dispatch *table = &calls;
};
Object object;
template <typename Handle> Handle handle() { return reinterpret_cast<Handle>(&object); }

void end() {
  const char *how = std::getenv("FRAGILE_END");
  if (const char *file = std::getenv("FRAGILE_FILE"))
    std::ofstream(file).put('e');
  if (how && !std::strcmp(how, "abort"))
    std::abort();
  if (how && !std::strcmp(how, "exit"))
    std::exit(0);
}

cl_int writeResult(const void *value, size_t bytes, size_t room, void *to, size_t *size) {
  if (size)
    *size = bytes;
  if (to && room >= bytes)
    std::memcpy(to, value, bytes);
  return to && room < bytes ? CL_INVALID_VALUE : CL_SUCCESS;
}
cl_int writeResult(const std::string &text, size_t room, void *to, size_t *size) {
  return writeResult(text.c_str(), text.size() + 1, room, to, size);
}
template <typename Handle> Handle created(cl_int *code) {
  if (code)
    *code = CL_SUCCESS;
  return handle<Handle>();
}

cl_int CL_API_CALL getPlatforms(cl_uint room, cl_platform_id *platforms, cl_uint *count) {
  if (platforms && room)
    *platforms = handle<cl_platform_id>();
  if (count)
    *count = 1;
  return CL_SUCCESS;
}
cl_int CL_API_CALL getPlatformInfo(cl_platform_id, cl_platform_info what, size_t room, void *to, size_t *size) {
  if (what == CL_PLATFORM_NAME)
    return writeResult("Fragile", room, to, size);
  if (what == CL_PLATFORM_VERSION)
    return writeResult("OpenCL 1.2 Fragile", room, to, size);
  return writeResult(what == CL_PLATFORM_ICD_SUFFIX_KHR ? "FRAGILE" : "cl_khr_icd", room, to, size);
}
cl_int CL_API_CALL getDevices(cl_platform_id, cl_device_type, cl_uint room, cl_device_id *devices, cl_uint *count) {
  const char *file = std::getenv("FRAGILE_FILE");
  if (!std::getenv("FRAGILE_BUILDS") || (file && std::ifstream(file)))
    end();
  if (devices && room)
    *devices = handle<cl_device_id>();
  if (count)
    *count = 1;
  return CL_SUCCESS;
}
cl_int CL_API_CALL getDeviceInfo(cl_device_id, cl_device_info what, size_t room, void *to, size_t *size) {
  if (what == CL_DEVICE_NAME)
    return writeResult("Glass", room, to, size);
  const cl_ulong zero = 0;
  if (what == CL_DEVICE_TYPE)
    return writeResult(&zero, sizeof(cl_device_type), room, to, size);
  return writeResult("", room, to, size);
}
cl_context CL_API_CALL createContext(const cl_context_properties *, cl_uint, const cl_device_id *,
                                     void(CL_CALLBACK *)(const char *, const void *, size_t, void *), void *,
                                     cl_int *code) {
  return created<cl_context>(code);
}
cl_command_queue CL_API_CALL createQueue(cl_context, cl_device_id, cl_command_queue_properties, cl_int *code) {
  return created<cl_command_queue>(code);
}
cl_mem CL_API_CALL createBuffer(cl_context, cl_mem_flags, size_t, void *, cl_int *code) {
  return created<cl_mem>(code);
}
cl_int CL_API_CALL write(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint, const cl_event *,
                         cl_event *) {
  return CL_SUCCESS;
}
cl_program CL_API_CALL createProgram(cl_context, cl_uint, const char **, const size_t *, cl_int *code) {
  return created<cl_program>(code);
}
cl_int CL_API_CALL build(cl_program, cl_uint, const cl_device_id *, const char *,
                         void(CL_CALLBACK *)(cl_program, void *), void *) {
  static long built = 0;
  const char *most = std::getenv("FRAGILE_BUILDS");
  if (most && built++ == std::strtol(most, nullptr, 10))
    end();
  return CL_SUCCESS;
}
cl_int CL_API_CALL getProgramInfo(cl_program, cl_program_info, size_t room, void *to, size_t *size) {
  return writeResult("empty", room, to, size); // CL_PROGRAM_KERNEL_NAMES
}
cl_kernel CL_API_CALL createKernel(cl_program, const char *, cl_int *code) { return created<cl_kernel>(code); }
cl_int CL_API_CALL getKernelInfo(cl_kernel, cl_kernel_info, size_t room, void *to, size_t *size) {
  const cl_uint none = 0; // CL_KERNEL_NUM_ARGS
  return writeResult(&none, sizeof none, room, to, size);
}
cl_int CL_API_CALL launch(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,
                          const cl_event *, cl_event *) {
  return CL_SUCCESS;
}
template <typename Handle> cl_int CL_API_CALL succeed(Handle) { return CL_SUCCESS; }

const cl_icd_dispatch calls = [] {
  cl_icd_dispatch table{};
  table.clGetPlatformIDs = getPlatforms;
  table.clGetPlatformInfo = getPlatformInfo;
  table.clGetDeviceIDs = getDevices;
  table.clGetDeviceInfo = getDeviceInfo;
  table.clCreateContext = createContext;
  table.clReleaseContext = succeed;
  table.clCreateCommandQueue = createQueue;
  table.clReleaseCommandQueue = succeed;
  table.clFinish = succeed;
  table.clCreateBuffer = createBuffer;
  table.clReleaseMemObject = succeed;
  table.clEnqueueWriteBuffer = write;
  table.clCreateProgramWithSource = createProgram;
  table.clBuildProgram = build;
  table.clGetProgramInfo = getProgramInfo;
  table.clReleaseProgram = succeed;
  table.clCreateKernel = createKernel;
  table.clGetKernelInfo = getKernelInfo;
  table.clReleaseKernel = succeed;
  table.clEnqueueNDRangeKernel = launch;
  return table;
}();

} // namespace

extern "C" cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *platforms, cl_uint *count) {
  return getPlatforms(room, platforms, count);
}
extern "C" void *CL_API_CALL clGetExtensionFunctionAddress(const char *name) {
  if (!std::strcmp(name, "clIcdGetPlatformIDsKHR"))
    return reinterpret_cast<void *>(&clIcdGetPlatformIDsKHR);
  return std::strcmp(name, "clGetPlatformInfo") ? nullptr : reinterpret_cast<void *>(&getPlatformInfo);
}
