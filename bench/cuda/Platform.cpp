// The OpenCL platform "Twins": runs cubins that nvcc has compiled from the suite's kernels (twins.py) with CUDA's
// driver.
//
// It has the calls that kiln-bench makes for the suite, so one host program measures Kiln and nvcc. Kernels are found
// by their source: a program is FOLDER/NAME.cubin if FOLDER/NAME.cl has its text; FOLDER is that of this library. A
// call that is not in the table ends the process; a failing call of CUDA is written to stderr.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace {

/// The functions of CUDA's driver, which the first call of clGetDeviceIDs loads.
struct Cuda {
#define FUNCTION(name, symbol) decltype(&::symbol) name = nullptr;
#define FUNCTIONS                                                                                                      \
  FUNCTION(init, cuInit)                                                                                               \
  FUNCTION(errorName, cuGetErrorName)                                                                                  \
  FUNCTION(driverVersion, cuDriverGetVersion)                                                                          \
  FUNCTION(device, cuDeviceGet)                                                                                        \
  FUNCTION(deviceName, cuDeviceGetName)                                                                                \
  FUNCTION(retainContext, cuDevicePrimaryCtxRetain)                                                                    \
  FUNCTION(setContext, cuCtxSetCurrent)                                                                                \
  FUNCTION(createStream, cuStreamCreate)                                                                               \
  FUNCTION(destroyStream, cuStreamDestroy)                                                                             \
  FUNCTION(synchronize, cuStreamSynchronize)                                                                           \
  FUNCTION(allocate, cuMemAlloc)                                                                                       \
  FUNCTION(free, cuMemFree)                                                                                            \
  FUNCTION(toDevice, cuMemcpyHtoDAsync)                                                                                \
  FUNCTION(toHost, cuMemcpyDtoHAsync)                                                                                  \
  FUNCTION(onDevice, cuMemcpyDtoDAsync)                                                                                \
  FUNCTION(loadModule, cuModuleLoadData)                                                                               \
  FUNCTION(unloadModule, cuModuleUnload)                                                                               \
  FUNCTION(function, cuModuleGetFunction)                                                                              \
  FUNCTION(setAttribute, cuFuncSetAttribute)                                                                           \
  FUNCTION(launch, cuLaunchKernel)
  FUNCTIONS
#undef FUNCTION
  bool isLoaded = false;

  /// Returns false, with the reason on stderr, without a driver or a device.
  bool load();
};
// cuda.h defines names as macros for the current version of a function: the symbol is the expanded name.
#define SPELL(symbol) #symbol
#define FUNCTION(name, symbol) {reinterpret_cast<void **>(&calls.name), SPELL(symbol)},

Cuda cuda;

bool succeeded(CUresult code, const char *call) {
  if (code == CUDA_SUCCESS)
    return true;
  const char *name = nullptr;
  cuda.errorName(code, &name);
  std::fprintf(stderr, "Twins: %s returned %s\n", call, name ? name : "an unknown code");
  return false;
}

bool Cuda::load() {
  Cuda &calls = *this;
  if (isLoaded)
    return true;
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) {
    std::fprintf(stderr, "Twins: %s\n", dlerror());
    return false;
  }
  struct Symbol {
    void **function;
    const char *name;
  };
  for (const Symbol &symbol : std::initializer_list<Symbol>{FUNCTIONS})
    if (!(*symbol.function = dlsym(library, symbol.name))) {
      std::fprintf(stderr, "Twins: libcuda.so.1 has no %s\n", symbol.name);
      return false;
    }
  CUdevice number = 0;
  CUcontext context = nullptr;
  isLoaded = succeeded(init(0), "cuInit") && succeeded(device(&number, 0), "cuDeviceGet") &&
             succeeded(retainContext(&context, number), "cuDevicePrimaryCtxRetain") &&
             succeeded(setContext(context), "cuCtxSetCurrent");
  return isLoaded;
}

std::string contentOf(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The cubin of this OpenCL source; empty if there is none.
std::string cubinOf(const std::string &source) {
  Dl_info self{};
  dladdr(reinterpret_cast<void *>(&cubinOf), &self);
  for (const auto &file : std::filesystem::directory_iterator(std::filesystem::path(self.dli_fname).parent_path()))
    if (file.path().extension() == ".cl" && contentOf(file.path()) == source)
      return contentOf(std::filesystem::path(file.path()).replace_extension(".cubin"));
  return {};
}

template <typename T> void put(T *to, T value) {
  if (to)
    *to = value;
}

cl_int answer(const void *value, size_t bytes, size_t room, void *to, size_t *size) {
  put(size, bytes);
  if (to && room < bytes)
    return CL_INVALID_VALUE;
  if (to)
    std::memcpy(to, value, bytes);
  return CL_SUCCESS;
}
cl_int answer(const char *text, size_t room, void *to, size_t *size) {
  return answer(text, std::strlen(text) + 1, room, to, size);
}

extern const cl_icd_dispatch calls;
} // namespace

// The loader reads the table at the start of each object.
struct _cl_platform_id {
  const cl_icd_dispatch *table = &calls;
};
struct _cl_device_id {
  const cl_icd_dispatch *table = &calls;
};
struct _cl_context {
  const cl_icd_dispatch *table = &calls;
};
struct _cl_command_queue {
  const cl_icd_dispatch *table = &calls;
  CUstream stream = nullptr;
};
struct _cl_mem {
  const cl_icd_dispatch *table = &calls;
  CUdeviceptr address = 0;
};
struct _cl_program {
  const cl_icd_dispatch *table = &calls;
  std::string source{};
  CUmodule module = nullptr;
};
struct _cl_kernel {
  const cl_icd_dispatch *table = &calls;
  CUfunction function = nullptr;
  std::vector<std::string> arguments{}; // their bytes
  size_t localMemory = 0;               // of the argument in local memory
};

namespace {

_cl_platform_id thePlatform;
_cl_device_id theDevice;
_cl_context theContext;
/// All buffers: an argument with the bytes of one of these handles is a buffer.
std::set<cl_mem> buffers;

template <typename Handle> Handle made(Handle handle, bool success, cl_int failure, cl_int *code) {
  put(code, success ? CL_SUCCESS : failure);
  if (success)
    return handle;
  delete handle;
  return nullptr;
}

cl_int CL_API_CALL getPlatforms(cl_uint room, cl_platform_id *platforms, cl_uint *count) {
  put(count, 1u);
  if (platforms && room)
    *platforms = &thePlatform;
  return CL_SUCCESS;
}

cl_int CL_API_CALL getPlatformInfo(cl_platform_id, cl_platform_info what, size_t room, void *to, size_t *size) {
  switch (what) {
  case CL_PLATFORM_NAME:
    return answer("Twins", room, to, size);
  case CL_PLATFORM_VERSION:
    return answer("OpenCL 1.2 kernels compiled by nvcc", room, to, size);
  case CL_PLATFORM_VENDOR:
    return answer("Kiln's benchmarks", room, to, size);
  case CL_PLATFORM_PROFILE:
    return answer("FULL_PROFILE", room, to, size);
  case CL_PLATFORM_EXTENSIONS:
    return answer("cl_khr_icd", room, to, size);
  case CL_PLATFORM_ICD_SUFFIX_KHR:
    return answer("TWINS", room, to, size);
  default:
    return CL_INVALID_VALUE;
  }
}

cl_int CL_API_CALL getDevices(cl_platform_id, cl_device_type, cl_uint room, cl_device_id *devices, cl_uint *count) {
  if (!cuda.load())
    return CL_DEVICE_NOT_FOUND;
  put(count, 1u);
  if (devices && room)
    *devices = &theDevice;
  return CL_SUCCESS;
}

cl_int CL_API_CALL getDeviceInfo(cl_device_id, cl_device_info what, size_t room, void *to, size_t *size) {
  const cl_bool no = CL_FALSE;
  char text[256];
  int version = 0;
  switch (what) {
  case CL_DEVICE_NAME:
    return succeeded(cuda.deviceName(text, sizeof text, 0), "cuDeviceGetName") ? answer(text, room, to, size)
                                                                               : CL_OUT_OF_RESOURCES;
  case CL_DRIVER_VERSION:
    cuda.driverVersion(&version);
    std::snprintf(text, sizeof text, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    return answer(text, room, to, size);
  case CL_DEVICE_IMAGE_SUPPORT:
    return answer(&no, sizeof no, room, to, size);
  default:
    return CL_INVALID_VALUE;
  }
}

cl_context CL_API_CALL createContext(const cl_context_properties *, cl_uint, const cl_device_id *,
                                     void(CL_CALLBACK *)(const char *, const void *, size_t, void *), void *,
                                     cl_int *code) {
  put(code, CL_SUCCESS);
  return &theContext;
}
cl_int CL_API_CALL releaseContext(cl_context) { return CL_SUCCESS; }

cl_command_queue CL_API_CALL createQueue(cl_context, cl_device_id, cl_command_queue_properties properties,
                                         cl_int *code) {
  auto *queue = new _cl_command_queue;
  return made(queue,
              !properties && succeeded(cuda.createStream(&queue->stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate"),
              CL_INVALID_QUEUE_PROPERTIES, code);
}
cl_int CL_API_CALL releaseQueue(cl_command_queue queue) {
  cuda.destroyStream(queue->stream);
  delete queue;
  return CL_SUCCESS;
}
cl_int CL_API_CALL finish(cl_command_queue queue) {
  return succeeded(cuda.synchronize(queue->stream), "cuStreamSynchronize") ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

cl_mem CL_API_CALL createBuffer(cl_context, cl_mem_flags, size_t size, void *content, cl_int *code) {
  auto *buffer = new _cl_mem;
  cl_mem memory = made(buffer, !content && succeeded(cuda.allocate(&buffer->address, size), "cuMemAlloc"),
                       CL_MEM_OBJECT_ALLOCATION_FAILURE, code);
  if (memory)
    buffers.insert(memory);
  return memory;
}
cl_int CL_API_CALL releaseBuffer(cl_mem memory) {
  cuda.free(memory->address);
  buffers.erase(memory);
  delete memory;
  return CL_SUCCESS;
}

/// The end of an enqueue; an event is not supported.
cl_int enqueued(CUresult code, const char *call, const cl_event *event) {
  return !event && succeeded(code, call) ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}
cl_int CL_API_CALL write(cl_command_queue queue, cl_mem to, cl_bool, size_t offset, size_t size, const void *from,
                         cl_uint, const cl_event *, cl_event *event) {
  const cl_int code =
      enqueued(cuda.toDevice(to->address + offset, from, size, queue->stream), "cuMemcpyHtoDAsync", event);
  return code == CL_SUCCESS ? finish(queue) : code;
}
cl_int CL_API_CALL read(cl_command_queue queue, cl_mem from, cl_bool, size_t offset, size_t size, void *to, cl_uint,
                        const cl_event *, cl_event *event) {
  const cl_int code =
      enqueued(cuda.toHost(to, from->address + offset, size, queue->stream), "cuMemcpyDtoHAsync", event);
  return code == CL_SUCCESS ? finish(queue) : code;
}
cl_int CL_API_CALL copy(cl_command_queue queue, cl_mem from, cl_mem to, size_t offset, size_t toOffset, size_t size,
                        cl_uint, const cl_event *, cl_event *event) {
  return enqueued(cuda.onDevice(to->address + toOffset, from->address + offset, size, queue->stream),
                  "cuMemcpyDtoDAsync", event);
}

cl_program CL_API_CALL createProgram(cl_context, cl_uint count, const char **texts, const size_t *lengths,
                                     cl_int *code) {
  auto *program = new _cl_program;
  for (cl_uint i = 0; i < count; ++i)
    program->source += lengths && lengths[i] ? std::string(texts[i], lengths[i]) : std::string(texts[i]);
  put(code, CL_SUCCESS);
  return program;
}
cl_int CL_API_CALL build(cl_program program, cl_uint, const cl_device_id *, const char *,
                         void(CL_CALLBACK *)(cl_program, void *), void *) {
  const std::string cubin = cubinOf(program->source);
  return !cubin.empty() && succeeded(cuda.loadModule(&program->module, cubin.data()), "cuModuleLoadData")
             ? CL_SUCCESS
             : CL_BUILD_PROGRAM_FAILURE;
}
cl_int CL_API_CALL getBuildInfo(cl_program, cl_device_id, cl_program_build_info, size_t room, void *to, size_t *size) {
  return answer("Twins: twins.py has not compiled this source", room, to, size);
}
cl_int CL_API_CALL releaseProgram(cl_program program) {
  if (program->module)
    cuda.unloadModule(program->module);
  delete program;
  return CL_SUCCESS;
}

cl_kernel CL_API_CALL createKernel(cl_program program, const char *name, cl_int *code) {
  auto *kernel = new _cl_kernel;
  return made(kernel, succeeded(cuda.function(&kernel->function, program->module, name), "cuModuleGetFunction"),
              CL_INVALID_KERNEL_NAME, code);
}
cl_int CL_API_CALL releaseKernel(cl_kernel kernel) {
  delete kernel;
  return CL_SUCCESS;
}

cl_int CL_API_CALL setArgument(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
  if (kernel->arguments.size() <= index)
    kernel->arguments.resize(index + 1);
  std::string &bytes = kernel->arguments[index];
  if (!value) { // local memory: OpenCl.cuh's argument is an empty structure
    bytes.assign(1, '\0');
    kernel->localMemory = size;
    return succeeded(cuda.setAttribute(kernel->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, int(size)),
                     "cuFuncSetAttribute")
               ? CL_SUCCESS
               : CL_OUT_OF_RESOURCES;
  }
  bytes.assign(static_cast<const char *>(value), size);
  cl_mem memory = nullptr;
  if (size == sizeof memory)
    std::memcpy(&memory, value, size);
  if (buffers.contains(memory))
    bytes.assign(reinterpret_cast<const char *>(&memory->address), sizeof memory->address);
  return CL_SUCCESS;
}

cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                          const size_t *global, const size_t *local, cl_uint, const cl_event *, cl_event *event) {
  // The size that CUDA programs use for kernels that work with every size.
  const size_t line[3] = {256, 1, 1}, tile[3] = {32, 8, 1};
  if (!local)
    local = dimensions == 1 ? line : tile;
  unsigned blocks[3] = {1, 1, 1}, threads[3] = {1, 1, 1};
  for (cl_uint d = 0; d < dimensions; ++d) {
    if (offset || global[d] % local[d])
      return CL_INVALID_WORK_GROUP_SIZE;
    threads[d] = unsigned(local[d]);
    blocks[d] = unsigned(global[d] / local[d]);
  }
  std::vector<void *> arguments;
  for (std::string &bytes : kernel->arguments)
    arguments.push_back(bytes.data());
  return enqueued(cuda.launch(kernel->function, blocks[0], blocks[1], blocks[2], threads[0], threads[1], threads[2],
                              unsigned(kernel->localMemory), queue->stream, arguments.data(), nullptr),
                  "cuLaunchKernel", event);
}

const cl_icd_dispatch calls = [] {
  cl_icd_dispatch table{};
  table.clGetPlatformIDs = getPlatforms;
  table.clGetPlatformInfo = getPlatformInfo;
  table.clGetDeviceIDs = getDevices;
  table.clGetDeviceInfo = getDeviceInfo;
  table.clCreateContext = createContext;
  table.clReleaseContext = releaseContext;
  table.clCreateCommandQueue = createQueue;
  table.clReleaseCommandQueue = releaseQueue;
  table.clFinish = finish;
  table.clCreateBuffer = createBuffer;
  table.clReleaseMemObject = releaseBuffer;
  table.clEnqueueWriteBuffer = write;
  table.clEnqueueReadBuffer = read;
  table.clEnqueueCopyBuffer = copy;
  table.clCreateProgramWithSource = createProgram;
  table.clBuildProgram = build;
  table.clGetProgramBuildInfo = getBuildInfo;
  table.clReleaseProgram = releaseProgram;
  table.clCreateKernel = createKernel;
  table.clReleaseKernel = releaseKernel;
  table.clSetKernelArg = setArgument;
  table.clEnqueueNDRangeKernel = launch;
  return table;
}();

} // namespace

// What loaders look up: this library's symbols, and the platform's first functions by name.
extern "C" cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *platforms, cl_uint *count) {
  return getPlatforms(room, platforms, count);
}
extern "C" void *CL_API_CALL clGetExtensionFunctionAddress(const char *name) {
  if (!std::strcmp(name, "clIcdGetPlatformIDsKHR"))
    return reinterpret_cast<void *>(&clIcdGetPlatformIDsKHR);
  return std::strcmp(name, "clGetPlatformInfo") ? nullptr : reinterpret_cast<void *>(&getPlatformInfo);
}
