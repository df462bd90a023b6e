/* An application that exports sinf and memcpy of its own. Kernels that take sines and copy structs have nothing to do
 * with them: sinf is a wrong one, and memcpy notes who calls it. The rest of the process, libkiln too, may. */
#define CL_TARGET_OPENCL_VERSION 300
#define _GNU_SOURCE
#include <CL/cl.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MaxCallers = 256 };
static void *callers[MaxCallers];
static int callerCount, sines;

float sinf(float x) {
  __atomic_fetch_add(&sines, 1, __ATOMIC_RELAXED);
  return 12345;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  void *caller = __builtin_return_address(0);
  int known = __atomic_load_n(&callerCount, __ATOMIC_RELAXED);
  int seen = 0;
  for (int i = 0; i < known && i < MaxCallers; ++i)
    seen |= callers[i] == caller;
  if (!seen) {
    int place = __atomic_fetch_add(&callerCount, 1, __ATOMIC_RELAXED);
    if (place < MaxCallers)
      callers[place] = caller;
  }
  volatile char *t = to;
  for (size_t i = 0; i < size; ++i)
    t[i] = ((const char *)from)[i];
  return to;
}

static const char *source =
    "typedef struct { float all[100]; } Big;\n"
    "void change(Big *b, int i) { b->all[i % 100] += 1; }\n"
    "kernel void k(global Big *in, global Big *out, global float *sines, int n) {\n"
    "  int i = get_global_id(0);\n"
    "  Big copy = in[i];\n"
    "  for (int j = 0; j < n; ++j) change(&copy, i + j);\n"
    "  out[i] = copy;\n"
    "  sines[i] = sin(in[i].all[0]);\n"
    "}\n";

static int check(int right, const char *what) {
  if (!right)
    fprintf(stderr, "own_symbols: %s\n", what);
  return !right;
}

int main(void) {
  enum { Items = 64 };
  static struct {
    float all[100];
  } in[Items], out[Items];
  float found[Items];
  for (int i = 0; i < Items; ++i)
    for (int j = 0; j < 100; ++j)
      in[i].all[j] = (float)(i + j) / 10;
  cl_platform_id platform;
  cl_device_id device;
  cl_int code = 1, n = 3;
  if (check(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS, "no platform") ||
      check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL) == CL_SUCCESS, "no device"))
    return 1;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  if (check(clBuildProgram(program, 0, NULL, "", NULL, NULL) == CL_SUCCESS, "the build failed"))
    return 1;
  cl_kernel kernel = clCreateKernel(program, "k", &code);
  cl_mem from = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof in, in, &code);
  cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, &code);
  cl_mem values = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof found, NULL, &code);
  clSetKernelArg(kernel, 0, sizeof from, &from);
  clSetKernelArg(kernel, 1, sizeof to, &to);
  clSetKernelArg(kernel, 2, sizeof values, &values);
  clSetKernelArg(kernel, 3, sizeof n, &n);
  size_t items = Items;
  int wrong = check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL) == CL_SUCCESS, "launch");
  clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, values, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL);
  for (int i = 0; i < Items; ++i) {
    wrong += check(fabs(found[i] - sin((double)in[i].all[0])) < 1e-5, "a sine is wrong");
    for (int j = 0; j < 100; ++j) {
      int more = (j - i % 100 + 100) % 100 < n;
      wrong += check(out[i].all[j] == in[i].all[j] + more, "a copy is wrong");
    }
  }
  wrong += check(sines == 0, "the application's sinf was called");
  wrong += check(callerCount > 0, "the application's memcpy was not called at all: it is not exported");
  /* Kernels lie in files of the cache or in memory; all that may call is a library, or this program. */
  for (int i = 0; i < callerCount && i < MaxCallers; ++i) {
    Dl_info about;
    int known = dladdr(callers[i], &about) && about.dli_fname;
    const char *name = known ? about.dli_fname : "unknown code";
    if (!known || (!strstr(name, "/lib") && !strstr(name, "own-symbols"))) {
      fprintf(stderr, "own_symbols: %s calls the application's memcpy\n", name);
      wrong = 1;
    }
  }
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return wrong != 0;
}
