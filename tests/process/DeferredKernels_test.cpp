// Programs of several kernels that take long to compile: the code of a kernel is generated when it is launched for the
// first time (runtime/program/DeferredCode, backends/llvm/SeparateKernels). The cache has a code file for each kernel
// that has code, so the tests count these files.
#include "tests/process/ProcessTest.h"
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>

namespace kiln::test {
namespace {

constexpr int Kernels = 4;

/// Four kernels, each with some thousand instructions.
std::string largeSource() {
  std::string text = R"(
#define ROUND x = (x ^ (x >> 3)) * 0x9e3779b1u + key;
#define ROUNDS16 ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND
#define ROUNDS256 ROUNDS16 ROUNDS16 ROUNDS16 ROUNDS16 ROUNDS16 ROUNDS16 ROUNDS16 ROUNDS16 \
                  ROUNDS16 ROUNDS16 ROUNDS16 ROUNDS16 ROUNDS16 ROUNDS16 ROUNDS16 ROUNDS16
)";
  for (int k = 0; k < Kernels; ++k)
    text += "kernel void k" + std::to_string(k) +
            "(global uint *p) { uint x = get_global_id(0), key = " + std::to_string(k) +
            "; ROUNDS256 p[get_global_id(0)] = x; }\n";
  return text;
}

std::string nameOf(int k) { return "k" + std::to_string(k); }

std::vector<int> resultsOfLarge(int k, size_t items = 64) {
  std::vector<int> results;
  for (size_t i = 0; i < items; ++i) {
    unsigned x = unsigned(i);
    for (int round = 0; round < 256; ++round)
      x = (x ^ (x >> 3)) * 0x9e3779b1u + unsigned(k);
    results.push_back(int(x));
  }
  return results;
}

struct DeferredKernels : ProcessTest {
  Program built(const App &app) {
    Program program = app.source(largeSource());
    EXPECT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
    return program;
  }
  static void expectRight(const App &app, cl_program program, int k) {
    EXPECT_EQ(app.run(program, 64, nameOf(k).c_str()), resultsOfLarge(k)) << "k" << k;
  }
  int codeFiles(const std::string &cache = "cache") const {
    int count = 0;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder + "/" + cache))
      count += entry.path().extension() == ".so";
    return count;
  }
};

TEST_F(DeferredKernels, OnlyLaunchedKernelsHaveCode) {
  inNewProcess([this] {
    App app;
    Program program = built(app);
    EXPECT_EQ(codeFiles(), 0);
    expectRight(app, program, 2);
    EXPECT_EQ(codeFiles(), 1);
    expectRight(app, program, 2);
    EXPECT_EQ(codeFiles(), 1);
    expectRight(app, program, 0);
    EXPECT_EQ(codeFiles(), 2);
  });
}

TEST_F(DeferredKernels, QueriesNeedNoCode) {
  inNewProcess([this] {
    App app;
    Program program = built(app);
    cl_int code = 1;
    Kernel kernel = clCreateKernel(program, "k0", &code);
    ASSERT_EQ(code, CL_SUCCESS);
    size_t size = 0;
    EXPECT_EQ(clGetKernelWorkGroupInfo(kernel, app.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, nullptr),
              CL_SUCCESS);
    EXPECT_GE(size, 1u);
    EXPECT_EQ(codeFiles(), 0);
  });
}

TEST_F(DeferredKernels, SwitchedOffAllHaveCode) {
  inNewProcess(
      [this] {
        App app;
        Program program = built(app);
        EXPECT_EQ(codeFiles(), 1); // one file with all kernels
        for (int k = 0; k < Kernels; ++k)
          expectRight(app, program, k);
        EXPECT_EQ(codeFiles(), 1);
      },
      {{"KILN_DEFER_KERNELS", "off"}});
}

TEST_F(DeferredKernels, AllAreLaunchedBeforeAnyHasCode) {
  inNewProcess([this] {
    App app;
    Program program = built(app);
    std::vector<Mem> buffers;
    for (int k = 0; k < Kernels; ++k) {
      cl_int code = 1;
      Kernel kernel = clCreateKernel(program, nameOf(k).c_str(), &code);
      ASSERT_EQ(code, CL_SUCCESS);
      buffers.push_back(clCreateBuffer(app.context, 0, 256, nullptr, &code));
      ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), buffers.back().address()), CL_SUCCESS);
      const size_t items = 64;
      ASSERT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
                CL_SUCCESS);
    }
    for (int k = 0; k < Kernels; ++k) {
      std::vector<int> found(64);
      ASSERT_EQ(clEnqueueReadBuffer(app.queue, buffers[size_t(k)], CL_TRUE, 0, 256, found.data(), 0, nullptr, nullptr),
                CL_SUCCESS);
      EXPECT_EQ(found, resultsOfLarge(k));
    }
  });
}

TEST_F(DeferredKernels, NextProcessStartsNoCompiler) {
  inNewProcess([this] {
    App app;
    expectRight(app, built(app), 1);
  });
  inNewProcess([this] {
    leaveAtOnce();
    refuse(Refusal::AllKills);
    App app;
    expectRight(app, built(app), 1);
  });
}

TEST_F(DeferredKernels, NextProcessLaunchesAnother) {
  inNewProcess([this] {
    App app;
    expectRight(app, built(app), 1);
  });
  inNewProcess([this] {
    App app;
    Program program = built(app);
    EXPECT_EQ(codeFiles(), 1);
    expectRight(app, program, 3);
    EXPECT_EQ(codeFiles(), 2);
  });
}

// The program's entry is there, the LLVM IR of its kernels has been evicted: the largest entry.
TEST_F(DeferredKernels, EvictedIrIsMadeAgain) {
  inNewProcess([this] { built(App()); });
  std::filesystem::path largest;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder + "/cache"))
    if (entry.path().extension() == ".entry" && (largest.empty() || file_size(entry.path()) > file_size(largest)))
      largest = entry.path();
  ASSERT_TRUE(std::filesystem::remove(largest));
  inNewProcess([this] {
    App app;
    Program program = built(app);
    for (int k = 0; k < Kernels; ++k)
      expectRight(app, program, k);
  });
}

TEST_F(DeferredKernels, WithoutCache) {
  inNewProcess(
      [this] {
        App app;
        Program program = built(app);
        for (int k = 0; k < Kernels; ++k)
          expectRight(app, program, k);
      },
      {{"KILN_CACHE", "off"}});
}

TEST_F(DeferredKernels, OnAGpu) {
  inNewProcess(
      [this] {
        App app(CL_DEVICE_TYPE_GPU);
        Program program = built(app);
        EXPECT_EQ(codeFiles(), 0);
        expectRight(app, program, 1);
        EXPECT_EQ(codeFiles(), 1);
        expectRight(app, program, 3);
        EXPECT_EQ(codeFiles(), 2);
      },
      {{"KILN_DEVICES", "hip"}, {"KILN_HIP_LIBRARY", KILN_EMULATOR}});
}

// The first launch of a kernel with images compiles the variant for their formats, and no generic one.
TEST_F(DeferredKernels, WithImagesOnAGpu) {
  inNewProcess(
      [this] {
        App app(CL_DEVICE_TYPE_GPU);
        Program program = app.source("kernel void k(read_only image2d_t from, global int *to) {\n"
                                     "  to[get_global_id(0)] = read_imagei(from, (int2)(get_global_id(0), 0)).x;\n}\n");
        ASSERT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
        EXPECT_EQ(codeFiles(), 0);
        int formats = 0;
        for (const auto &[type, bytes] : {std::pair(CL_SIGNED_INT32, size_t(4)), {CL_SIGNED_INT8, 1}}) {
          const cl_image_format format{CL_R, cl_channel_type(type)};
          cl_image_desc shape{};
          shape.image_type = CL_MEM_OBJECT_IMAGE2D, shape.image_width = 64, shape.image_height = 1;
          const std::vector<char> pixels(64 * bytes, 5);
          Mem image = clCreateImage(app.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &shape,
                                    const_cast<char *>(pixels.data()), nullptr);
          Mem to = clCreateBuffer(app.context, CL_MEM_READ_WRITE, 64 * sizeof(int), nullptr, nullptr);
          Kernel kernel = clCreateKernel(program, "k", nullptr);
          EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), image.address()), CL_SUCCESS);
          EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof(cl_mem), to.address()), CL_SUCCESS);
          ++formats;
          for (int launch = 0; launch < 3; ++launch) {
            const size_t items = 64;
            std::vector<int> found(items);
            EXPECT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
                      CL_SUCCESS);
            EXPECT_EQ(
                clEnqueueReadBuffer(app.queue, to, CL_TRUE, 0, items * sizeof(int), found.data(), 0, nullptr, nullptr),
                CL_SUCCESS);
            EXPECT_EQ(found, std::vector<int>(items, bytes == 4 ? 0x05050505 : 5));
            EXPECT_EQ(codeFiles(), formats);
          }
        }
        sleep(1); // time for code that is generated in the background
        EXPECT_EQ(codeFiles(), formats);
      },
      {{"KILN_DEVICES", "hip"}, {"KILN_HIP_LIBRARY", KILN_EMULATOR}, {"KILN_VARIANTS", "earned"}});
}

TEST_F(DeferredKernels, BinaryHasTheCodeOfAll) {
  const std::string path = folder + "/binary";
  inNewProcess([&] {
    App app;
    Program program = built(app);
    std::vector<unsigned char> bytes(query<size_t>(clGetProgramInfo, program.get(), CL_PROGRAM_BINARY_SIZES));
    unsigned char *target = bytes.data();
    ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof target, &target, nullptr), CL_SUCCESS);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
    const int before = codeFiles();
    expectRight(app, program, 0); // runs the code that the binary has
    EXPECT_EQ(codeFiles(), before);
  });
  inNewProcess(
      [&] {
        leaveAtOnce();
        refuse(Refusal::AllKills);
        App app;
        std::ifstream in(path, std::ios::binary);
        const std::vector<unsigned char> bytes{std::istreambuf_iterator<char>(in), {}};
        const unsigned char *data = bytes.data();
        const size_t size = bytes.size();
        cl_int status = 1, code = 1;
        Program program = clCreateProgramWithBinary(app.context, 1, &app.device, &size, &data, &status, &code);
        ASSERT_EQ(code, CL_SUCCESS);
        ASSERT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
        for (int k = 0; k < Kernels; ++k)
          expectRight(app, program, k);
      },
      {{"KILN_CACHE_DIR", folder + "/other-cache"}});
}

TEST_F(DeferredKernels, WithoutCompilerTheLaunchFails) {
  inNewProcess([this] {
    App app;
    Program program = built(app);
    expectRight(app, program, 0);
    ASSERT_EQ(clUnloadPlatformCompiler(query<cl_platform_id>(clGetDeviceInfo, app.device, CL_DEVICE_PLATFORM)),
              CL_SUCCESS);
    refuse(Refusal::Exec);
    for (int repetition = 0; repetition < 2; ++repetition) {
      cl_int code = 1, status = 1;
      Kernel kernel = clCreateKernel(program, "k1", &code);
      ASSERT_EQ(code, CL_SUCCESS);
      Mem buffer = clCreateBuffer(app.context, 0, 256, nullptr, &code);
      ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer.address()), CL_SUCCESS);
      const size_t items = 64;
      Event event;
      ASSERT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, event.out()),
                CL_SUCCESS);
      EXPECT_EQ(clWaitForEvents(1, event.address()), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
      ASSERT_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr), CL_SUCCESS);
      EXPECT_EQ(status, CL_OUT_OF_RESOURCES);
    }
    expectRight(app, program, 0); // the other kernels go on
  });
}

// The thread that generates the code is not in the child.
TEST_F(DeferredKernels, ChildOfForkGeneratesItself) {
  inNewProcess([this] {
    App app;
    Program program = built(app);
    cl_int code = 1;
    Kernel kernel = clCreateKernel(program, "k0", &code);
    Mem buffer = clCreateBuffer(app.context, 0, 256, nullptr, &code);
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer.address()), CL_SUCCESS);
    const size_t items = 64;
    ASSERT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    const pid_t child = fork();
    if (child == 0) {
      cl_int made = 1;
      Queue queue = clCreateCommandQueueWithProperties(app.context, app.device, nullptr, &made);
      std::vector<int> found(64);
      Mem result = clCreateBuffer(app.context, 0, 256, nullptr, &made);
      bool right =
          clSetKernelArg(kernel, 0, sizeof(cl_mem), result.address()) == CL_SUCCESS &&
          clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr) == CL_SUCCESS &&
          clEnqueueReadBuffer(queue, result, CL_TRUE, 0, 256, found.data(), 0, nullptr, nullptr) == CL_SUCCESS &&
          found == resultsOfLarge(0);
      _exit(right ? 0 : 1);
    }
    int status = 1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(clFinish(app.queue), CL_SUCCESS);
    expectRight(app, program, 0);
  });
}

} // namespace
} // namespace kiln::test
