/* A C program that is linked with libkiln directly, without an ICD loader: libkiln exports the functions that it needs,
   with C linkage. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>

#define COUNT 1000
static const char *source = "kernel void add(global const float *a, global const float *b, global float *c) {"
                            "  size_t i = get_global_id(0); c[i] = a[i] + b[i]; }";

static int check(cl_int code, const char *what) {
  if (code != CL_SUCCESS)
    fprintf(stderr, "%s gave %d\n", what, code);
  return code == CL_SUCCESS;
}

int main(void) {
  static float a[COUNT], b[COUNT], c[COUNT];
  for (int i = 0; i < COUNT; ++i)
    a[i] = (float)i, b[i] = (float)(2 * i);
  cl_platform_id platform;
  cl_device_id device;
  cl_int code;
  if (!check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs") ||
      !check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL), "clGetDeviceIDs"))
    return 1;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  if (!check(code, "clCreateContext"))
    return 1;
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  if (!check(clBuildProgram(program, 1, &device, NULL, NULL, NULL), "clBuildProgram"))
    return 1;
  cl_kernel kernel = clCreateKernel(program, "add", &code);
  cl_mem buffers[3] = {clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a, &code),
                       clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof b, b, &code),
                       clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof c, NULL, &code)};
  for (cl_uint i = 0; i < 3; ++i)
    if (!check(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), "clSetKernelArg"))
      return 1;
  size_t size = COUNT;
  if (!check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel") ||
      !check(clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, sizeof c, c, 0, NULL, NULL), "clEnqueueReadBuffer"))
    return 1;
  for (int i = 0; i < COUNT; ++i)
    if (c[i] != (float)(3 * i)) {
      fprintf(stderr, "element %d is %f\n", i, c[i]);
      return 1;
    }
  for (int i = 0; i < 3; ++i)
    clReleaseMemObject(buffers[i]);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  return !check(clReleaseContext(context), "clReleaseContext");
}
