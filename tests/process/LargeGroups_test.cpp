// Work-groups for which a kernel's registers have no room, on the fake GPU, which runs no kernels. kilnc sets no bound
// of the group's size, so the driver part loads the code again, with a bound of registers.
#include "tests/backends/gpu/FakeDriver.h"
#include "tests/process/CommandBuffer.h"
#include "tests/process/DriverFolder.h"
#include <dlfcn.h>

namespace kiln::test {
namespace {

fake::Control &driver() {
  void *library = dlopen(KILN_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL); // the one that libkiln has loaded
  return *reinterpret_cast<fake::Control *(*)()>(dlsym(library, "kiln_fake_driver"))();
}

unsigned loads() { return driver().calls("cuModuleLoadDataEx"); }

/// A program with a kernel of many registers, as the fake GPU says, and a buffer for it.
struct LargeKernel {
  explicit LargeKernel(const App &app) : app(app), program(app.source(sourceOf(7))) {
    EXPECT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
    cl_int code = 1;
    kernel = clCreateKernel(program, "k", &code);
    EXPECT_EQ(code, CL_SUCCESS);
    buffer = clCreateBuffer(app.context, CL_MEM_READ_WRITE, 4096 * sizeof(int), nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer.address()), CL_SUCCESS);
  }
  /// Launches 4096 work-items, waits, and returns the command's status.
  cl_int launch(size_t local) const {
    const size_t items = 4096;
    Event event;
    EXPECT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &items, &local, 0, nullptr, event.out()),
              CL_SUCCESS);
    clFinish(app.queue);
    return query<cl_int>(clGetEventInfo, event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS);
  }

  const App &app;
  Program program;
  Kernel kernel;
  Mem buffer;
};

struct LargeGroups : ProcessTest {
  Environment environment{
      {"KILN_DEVICES", "cuda"}, {"KILN_CUDA_LIBRARY", KILN_FAKE_CUDA}, {"KILN_FAKE_THREADS", "256"}};
  void onFakeGpu(const std::function<void(App &)> &situation) {
    inNewProcessWithErrors(
        [&] {
          App app(CL_DEVICE_TYPE_GPU);
          situation(app);
        },
        environment);
  }
};

TEST_F(LargeGroups, InAQueue) {
  PROVES("API-5.10b");
  environment.push_back({"KILN_LOG", "info,program"});
  onFakeGpu([](App &app) {
    LargeKernel large(app);
    EXPECT_EQ(query<size_t>(clGetKernelWorkGroupInfo, large.kernel.get(), app.device, CL_KERNEL_WORK_GROUP_SIZE),
              1024u);
    EXPECT_EQ(large.launch(256), CL_COMPLETE);
    EXPECT_EQ(loads(), 1u);
    for (size_t local : {512, 1024, 256, 1024})
      EXPECT_EQ(large.launch(local), CL_COMPLETE);
    EXPECT_EQ(loads(), 2u);
    EXPECT_EQ(driver().launches().size(), 5u);
  });
  EXPECT_NE(errors.find("the registers of k have room for 256 work-items per group"), std::string::npos) << errors;
}

TEST_F(LargeGroups, InACommandBuffer) {
  PROVES("API-5.10b");
  onFakeGpu([](App &app) {
    LargeKernel large(app);
    RecordedLaunches commands(app);
    constexpr unsigned Sizes[] = {256, 1024, 64};
    for (unsigned local : Sizes)
      commands.add(large.kernel, 4096, local);
    commands.execute(20);
    EXPECT_EQ(loads(), 2u);
    const std::vector<fake::Launch> launches = driver().launches();
    ASSERT_EQ(launches.size(), 60u);
    for (size_t i = 0; i < launches.size(); ++i)
      EXPECT_EQ(launches[i].block[0], Sizes[i % 3]);
  });
}

// The assembler is called once for each of the two modules; both are in the cache.
TEST_F(LargeGroups, WithCachedMachineCode) {
  const DriverFolder folder(this->folder + "/driver");
  environment[1].second = folder.driver;
  environment.push_back({"KILN_LOG", "debug,cache"});
  for (unsigned time = 0; time < 2; ++time) {
    onFakeGpu([](App &app) {
      LargeKernel large(app);
      for (size_t local : {256, 1024, 256, 1024})
        EXPECT_EQ(large.launch(local), CL_COMPLETE);
      EXPECT_EQ(loads(), 2u);
      EXPECT_EQ(driver().calls("machine code"), 2u);
    });
    size_t cached = 0;
    for (size_t at = 0; (at = errors.find("machine code ", at)) != std::string::npos; ++at)
      cached += errors.find("is cached", at) < errors.find('\n', at);
    EXPECT_EQ(cached, time * 2) << errors;
  }
}

// The command has the driver's error, and the log one line of the driver call. The next launch tries again.
TEST_F(LargeGroups, ALoadThatFails) {
  PROVES("API-5.10b R1");
  environment.push_back({"KILN_LOG", "warn,device"});
  onFakeGpu([](App &app) {
    LargeKernel large(app);
    driver().failCall("cuModuleLoadDataEx", 1, 2);
    EXPECT_EQ(large.launch(1024), CL_MEM_OBJECT_ALLOCATION_FAILURE);
    EXPECT_EQ(large.launch(256), CL_COMPLETE);
    EXPECT_EQ(large.launch(1024), CL_COMPLETE);
  });
  const std::string line = "warn: device: cuda: cuModuleLoadDataEx returned CUDA_ERROR_OUT_OF_MEMORY (2)";
  const size_t first = errors.find(line);
  ASSERT_NE(first, std::string::npos) << errors;
  EXPECT_EQ(errors.find(line, first + 1), std::string::npos) << errors;
}

} // namespace
} // namespace kiln::test
