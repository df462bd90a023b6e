// Out of memory from a program to its kernels' results, and at Kiln's first use in a process.
#include "tests/process/DriverFolder.h"
#include "tests/process/out_of_memory/OutOfMemory.h"
#include <dlfcn.h>
#include <iostream>
#include <sys/mman.h>

namespace kiln::test {
namespace {

const char *const Source = R"(
kernel void scale(global int *data, int factor) { data[get_global_id(0)] *= factor; }
kernel void reverse(global int *data, local int *space) {
  size_t i = get_local_id(0), n = get_local_size(0);
  space[i] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = space[n - 1 - i];
}
)";

/// From source (usually the cache) to results.
void buildAndLaunch(Calls &run, bool inBackground, cl_platform_id kiln = platform()) {
  Begun app(run, 0, kiln);
  Program program;
  run.create("clCreateProgramWithSource", program, [&](cl_int *code) {
    const char *text = Source;
    return clCreateProgramWithSource(app.context, 1, &text, nullptr, code);
  });
  struct Built {
    static void CL_CALLBACK note(cl_program, void *self) { ++static_cast<Built *>(self)->calls; }
    std::atomic<int> calls{0};
  } built;
  auto status = [&] {
    return query<cl_build_status>(clGetProgramBuildInfo, program.get(), app.device, CL_PROGRAM_BUILD_STATUS);
  };
  if (inBackground)
    for (int attempt = 0; attempt < 2 && status() != CL_BUILD_SUCCESS; ++attempt) {
      built.calls = 0;
      run.call("clBuildProgram", [&] { return clBuildProgram(program, 0, nullptr, nullptr, Built::note, &built); });
      for (int i = 0; i < 20'000 && !built.calls; ++i)
        std::this_thread::sleep_for(std::chrono::microseconds(500));
      ASSERT_EQ(built.calls, 1);
      if (status() != CL_BUILD_SUCCESS) {
        EXPECT_EQ(status(), CL_BUILD_ERROR);
        EXPECT_TRUE(failing_malloc::struck());
        failing_malloc::over();
      }
    }
  else
    run.call("clBuildProgram", [&] { return clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr); });
  ASSERT_EQ(status(), CL_BUILD_SUCCESS);

  Kernel scale, reverse;
  run.create("clCreateKernel", scale, [&](cl_int *code) { return clCreateKernel(program, "scale", code); });
  run.create("clCreateKernel", reverse, [&](cl_int *code) { return clCreateKernel(program, "reverse", code); });
  std::vector<int> data(64);
  std::iota(data.begin(), data.end(), 0);
  Mem buffer;
  run.create("clCreateBuffer", buffer,
             [&](cl_int *code) { return clCreateBuffer(app.context, CL_MEM_COPY_HOST_PTR, 256, data.data(), code); });
  cl_int three = 3, two = 2;
  size_t items = 64, group = 16;
  run.call("clSetKernelArg", [&] { return clSetKernelArg(scale, 0, sizeof(cl_mem), buffer.address()); });
  run.call("clSetKernelArg", [&] { return clSetKernelArg(scale, 1, sizeof three, &three); });
  run.call("clSetKernelArg", [&] { return clSetKernelArg(reverse, 0, sizeof(cl_mem), buffer.address()); });
  run.call("clSetKernelArg", [&] { return clSetKernelArg(reverse, 1, 64, nullptr); });
  run.command("clEnqueueNDRangeKernel", [&](cl_event *event) {
    return clEnqueueNDRangeKernel(app.queue, reverse, 1, nullptr, &items, &group, 0, nullptr, event);
  });
  Event gate, scaled;
  run.create("clCreateUserEvent", gate, [&](cl_int *code) { return clCreateUserEvent(app.context, code); });
  run.call("clEnqueueNDRangeKernel", [&] {
    return clEnqueueNDRangeKernel(app.queue, scale, 1, nullptr, &items, nullptr, 1, gate.address(), scaled.out());
  });
  // The launch above has its arguments; this sets those of the next one.
  run.call("clSetKernelArg", [&] { return clSetKernelArg(scale, 1, sizeof two, &two); });
  run.call("clSetUserEventStatus", [&] { return clSetUserEventStatus(gate, CL_COMPLETE); });
  run.call("clFinish", [&] { return clFinish(app.queue); });
  int factor = 3;
  if (cl_int code = query<cl_int>(clGetEventInfo, scaled.get(), CL_EVENT_COMMAND_EXECUTION_STATUS); code < 0) {
    EXPECT_TRUE(isOutOfMemory(code) && failing_malloc::struck()) << code;
    failing_malloc::over();
    factor = 1;
  }
  run.command("clEnqueueNDRangeKernel", [&](cl_event *event) {
    return clEnqueueNDRangeKernel(app.queue, scale, 1, nullptr, &items, &group, 0, nullptr, event);
  });
  Kernel clone;
  run.create("clCloneKernel", clone, [&](cl_int *code) { return clCloneKernel(scale, code); });
  run.command("clEnqueueTask", [&](cl_event *event) { return clEnqueueTask(app.queue, clone, 0, nullptr, event); });
  std::vector<int> back(64), expected(64);
  run.call("clEnqueueReadBuffer",
           [&] { return clEnqueueReadBuffer(app.queue, buffer, CL_TRUE, 0, 256, back.data(), 0, nullptr, nullptr); });
  for (int i = 0; i < 64; ++i)
    expected[i] = data[i / 16 * 16 + 15 - i % 16] * factor * 2 * (i ? 1 : 2);
  EXPECT_EQ(back, expected);
}

TEST_F(OutOfMemory, ProgramFromTheCache) {
  PROVES("R1");
  everywhere([](Calls &run) { buildAndLaunch(run, false); });
}

TEST_F(OutOfMemory, ProgramBuiltInTheBackground) {
  PROVES("R1 R14");
  everywhere([](Calls &run) { buildAndLaunch(run, true); });
}

// Logging and tracing must not fail either.
TEST_F(OutOfMemory, TracedAndLogged) {
  PROVES("R1");
  everywhere(
      [](Calls &run) {
        static FILE *const nowhere = freopen("/dev/null", "w", stderr);
        ASSERT_NE(nowhere, nullptr);
        buildAndLaunch(run, false);
      },
      {{"KILN_LOG", "debug"}, {"KILN_TRACE", folder + "/trace.json"}});
}

namespace {
// The launch of a group that has no room in the kernel's registers, which loads the code again, on a library that
// replaces the vendor's and runs no kernels.
void launchLargeGroup(Calls &run) {
  Begun app(run);
  Program program;
  run.create("clCreateProgramWithSource", program, [&](cl_int *code) {
    const char *text = Source;
    return clCreateProgramWithSource(app.context, 1, &text, nullptr, code);
  });
  run.call("clBuildProgram", [&] { return clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr); });
  Kernel scale;
  run.create("clCreateKernel", scale, [&](cl_int *code) { return clCreateKernel(program, "scale", code); });
  Mem buffer;
  run.create("clCreateBuffer", buffer,
             [&](cl_int *code) { return clCreateBuffer(app.context, 0, 4096, nullptr, code); });
  const cl_int three = 3;
  run.call("clSetKernelArg", [&] { return clSetKernelArg(scale, 0, sizeof(cl_mem), buffer.address()); });
  run.call("clSetKernelArg", [&] { return clSetKernelArg(scale, 1, sizeof three, &three); });
  run.command("clEnqueueNDRangeKernel", [&](cl_event *event) {
    const size_t items = 1024;
    return clEnqueueNDRangeKernel(app.queue, scale, 1, nullptr, &items, &items, 0, nullptr, event);
  });
}
const ProcessTest::Environment FakeGpu = {
    {"KILN_DEVICES", "cuda"}, {"KILN_CUDA_LIBRARY", KILN_FAKE_CUDA}, {"KILN_FAKE_THREADS", "256"}};
} // namespace

TEST_F(OutOfMemory, LargeGroupsOfAGpu) {
  PROVES("R1");
  everywhere(launchLargeGroup, FakeGpu);
}

// A compiler process assembles the code.
TEST_F(OutOfMemory, LargeGroupsOfAGpuWithAnAssembler) {
  PROVES("R1");
  Environment environment = FakeGpu;
  environment[1].second = DriverFolder(folder + "/driver").driver;
  everywhere(launchLargeGroup, environment);
}

TEST_F(OutOfMemory, CompiledAndLinked) {
  PROVES("R1");
  everywhere([](Calls &run) {
    Begun app(run);
    const char *first = "int three(void); kernel void k(global int *p) { *p = three(); }",
               *second = "int three(void) { return 3; }";
    Program parts[2], linked;
    for (int i = 0; i < 2; ++i) {
      run.create("clCreateProgramWithSource", parts[i], [&](cl_int *code) {
        return clCreateProgramWithSource(app.context, 1, i ? &second : &first, nullptr, code);
      });
      run.call("clCompileProgram",
               [&] { return clCompileProgram(parts[i], 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr); });
    }
    run.call("clLinkProgram", [&] {
      cl_int code = 1;
      cl_program both[] = {parts[0], parts[1]};
      *linked.out() = clLinkProgram(app.context, 0, nullptr, nullptr, 2, both, nullptr, nullptr, &code);
      return code;
    });
    Kernel kernel;
    run.create("clCreateKernel", kernel, [&](cl_int *code) { return clCreateKernel(linked, "k", code); });
    Mem buffer;
    run.create("clCreateBuffer", buffer,
               [&](cl_int *code) { return clCreateBuffer(app.context, 0, 4, nullptr, code); });
    run.call("clSetKernelArg", [&] { return clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer.address()); });
    run.command("clEnqueueTask", [&](cl_event *event) { return clEnqueueTask(app.queue, kernel, 0, nullptr, event); });
    int found = 0;
    run.call("clEnqueueReadBuffer",
             [&] { return clEnqueueReadBuffer(app.queue, buffer, CL_TRUE, 0, 4, &found, 0, nullptr, nullptr); });
    EXPECT_EQ(found, 3);
  });
}

// A process that has not used Kiln: if an initialisation fails, the next call repeats it. Not through the ICD loader,
// which looks for platforms once per process.
TEST_F(OutOfMemory, FirstUse) {
  PROVES("R1 API-4.1a");
  struct Figures {
    uint64_t asked, struck;
  };
  auto *figures =
      static_cast<Figures *>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  auto use = [&](uint64_t nth, bool once) {
    inNewProcess(
        [&] {
          failing_malloc::OwnCode own;
          SCOPED_TRACE("request " + std::to_string(nth) + (once ? " failed" : " and those behind it failed"));
          void *library = dlopen(KILN_LIBRARY, RTLD_NOW);
          ASSERT_NE(library, nullptr) << dlerror();
          auto getPlatforms = reinterpret_cast<decltype(&clGetPlatformIDs)>(dlsym(library, "clIcdGetPlatformIDsKHR"));
          failing_malloc::begin(nth, once);
          Calls run;
          cl_platform_id kiln = nullptr;
          run.call("clIcdGetPlatformIDsKHR", [&] { return getPlatforms(1, &kiln, nullptr); });
          buildAndLaunch(run, false, kiln);
          failing_malloc::over();
          figures->asked = failing_malloc::asked();
          figures->struck += failing_malloc::struck();
        },
        {{"KILN_LOG", "off"}});
  };
  use(UINT64_MAX, true); // fills the cache
  use(UINT64_MAX, true);
  uint64_t all = figures->asked;
  for (bool once : {true, false})
    for (uint64_t nth = 1; nth <= all + 8 && !HasFailure(); ++nth)
      use(nth, once);
  EXPECT_GE(figures->struck, all) << "hardly any allocation failed";
  std::cout << "             " << all << " requests, " << figures->struck << " failures" << std::endl;
  munmap(figures, 4096);
}

TEST_F(OutOfMemory, Queries) {
  PROVES("R1 R3");
  everywhere([](Calls &run) {
    Begun app(run);
    Program program, again;
    run.create("clCreateProgramWithSource", program, [&](cl_int *code) {
      const char *text = Source;
      return clCreateProgramWithSource(app.context, 1, &text, nullptr, code);
    });
    run.call("clBuildProgram",
             [&] { return clBuildProgram(program, 0, nullptr, "-cl-kernel-arg-info", nullptr, nullptr); });
    cl_platform_id kiln = platform();
    char text[8192];
    for (cl_uint param : {CL_PLATFORM_EXTENSIONS, CL_PLATFORM_VERSION, CL_PLATFORM_EXTENSIONS_WITH_VERSION})
      run.call("clGetPlatformInfo", [&] { return clGetPlatformInfo(kiln, param, sizeof text, text, nullptr); });
    for (cl_uint param : {CL_DEVICE_EXTENSIONS, CL_DEVICE_VERSION, CL_DEVICE_IL_VERSION, CL_DEVICE_OPENCL_C_FEATURES})
      run.call("clGetDeviceInfo", [&] { return clGetDeviceInfo(app.device, param, sizeof text, text, nullptr); });
    run.call("clGetContextInfo",
             [&] { return clGetContextInfo(app.context, CL_CONTEXT_DEVICES, sizeof text, text, nullptr); });
    for (cl_uint param : {CL_PROGRAM_KERNEL_NAMES, CL_PROGRAM_SOURCE})
      run.call("clGetProgramInfo", [&] { return clGetProgramInfo(program, param, sizeof text, text, nullptr); });
    run.call("clGetProgramBuildInfo", [&] {
      return clGetProgramBuildInfo(program, app.device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, nullptr);
    });
    size_t size = 0;
    run.call("clGetProgramInfo",
             [&] { return clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr); });
    std::vector<unsigned char> binary(size);
    unsigned char *target = binary.data();
    run.call("clGetProgramInfo",
             [&] { return clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof target, &target, nullptr); });
    run.create("clCreateProgramWithBinary", again, [&](cl_int *code) {
      const unsigned char *bytes = binary.data();
      return clCreateProgramWithBinary(app.context, 1, &app.device, &size, &bytes, nullptr, code);
    });
    run.call("clBuildProgram", [&] { return clBuildProgram(again, 0, nullptr, nullptr, nullptr, nullptr); });
    cl_kernel kernels[2] = {};
    run.call("clCreateKernelsInProgram", [&] { return clCreateKernelsInProgram(again, 2, kernels, nullptr); });
    run.call("clGetKernelArgInfo",
             [&] { return clGetKernelArgInfo(kernels[0], 0, CL_KERNEL_ARG_NAME, sizeof text, text, nullptr); });
    for (cl_kernel kernel : kernels)
      run.sure("clReleaseKernel", [&] { return clReleaseKernel(kernel); });
  });
}

} // namespace
} // namespace kiln::test
