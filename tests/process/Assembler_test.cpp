// NVIDIA's assembler in a compiler process: what it makes of a program's code, and that the application survives it.
// The fake GPU and the fake assembler: the name of a kernel is a command.
#include "tests/backends/gpu/FakeDriver.h"
#include "tests/process/DriverFolder.h"
#include "tests/process/ProcessTest.h"
#include <dlfcn.h>
#include <fstream>

namespace kiln::test {
namespace {

/// How often the driver loaded a module, and machine code.
struct Loads {
  unsigned modules, machineCode;
  bool operator==(const Loads &) const = default;
};
Loads loads() {
  void *library = dlopen(KILN_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL); // the one that libkiln has loaded
  auto &driver = *reinterpret_cast<fake::Control *(*)()>(dlsym(library, "kiln_fake_driver"))();
  return {driver.calls("cuModuleLoadDataEx"), driver.calls("machine code")};
}

std::string kernel(const std::string &name) {
  return "kernel void " + name + "(global int *out) { out[get_global_id(0)] = 1; }";
}

struct AssemblerProcess : ProcessTest {
  void SetUp() override {
    ProcessTest::SetUp();
    useDriver(KILN_FAKE_PTX_COMPILER);
  }
  void useDriver(const std::string &assembler) {
    std::filesystem::remove_all(folder + "/driver");
    environment = {{"KILN_DEVICES", "cuda"}, {"KILN_CUDA_LIBRARY", DriverFolder(folder + "/driver", assembler).driver}};
  }
  void onGpu(const std::function<void(App &)> &situation) {
    inNewProcessWithErrors(
        [&] {
          App app(CL_DEVICE_TYPE_GPU);
          situation(app);
        },
        environment);
  }
  /// The build of a kernel with this name fails, another one succeeds, and the driver has assembled nothing.
  void expectFailure(const std::string &name, const std::string &reason) {
    onGpu([&](App &app) {
      Program wrong = app.source(kernel(name));
      EXPECT_EQ(app.build(wrong), CL_BUILD_PROGRAM_FAILURE);
      EXPECT_NE(app.log(wrong).find(reason), std::string::npos) << app.log(wrong);
      EXPECT_EQ(loads(), (Loads{0, 0}));
      Program right = app.source(kernel("k"));
      EXPECT_EQ(app.build(right), CL_SUCCESS) << app.log(right);
      EXPECT_EQ(loads(), (Loads{1, 1}));
    });
  }

  Environment environment;
};

TEST_F(AssemblerProcess, TheDriverLoadsMachineCode) {
  for (unsigned time = 0; time < 2; ++time) {
    onGpu([&](App &app) {
      if (time)
        refuse(Refusal::Exec); // all is in the cache
      Program program = app.source(kernel("k"));
      EXPECT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
      EXPECT_NE(app.log(program).find("ptxas info    : assembled by the fake"), std::string::npos) << app.log(program);
      EXPECT_EQ(loads(), (Loads{1, 1}));
      std::ifstream maps("/proc/self/maps");
      const std::string mapped{std::istreambuf_iterator<char>(maps), {}};
      EXPECT_EQ(mapped.find("ptx-compiler"), std::string::npos) << "the application has not loaded the assembler";
    });
  }
}

TEST_F(AssemblerProcess, WithoutCache) {
  environment.push_back({"KILN_CACHE", "off"});
  onGpu([](App &app) {
    Program program = app.source(kernel("k"));
    EXPECT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
    EXPECT_EQ(loads(), (Loads{1, 1}));
  });
}

TEST_F(AssemblerProcess, Crash) { expectFailure("crash_assembler", "error: the assembler: the compiler crashed"); }

TEST_F(AssemblerProcess, EndlessLoop) {
  environment.push_back({"KILN_BUILD_SECONDS", "2"});
  expectFailure("hang_assembler", "error: the assembler: the compiler took longer than 2 s of processor time");
}

TEST_F(AssemblerProcess, Memory) {
  environment.push_back({"KILN_BUILD_MEMORY", "1G"});
  expectFailure("fill_memory_of_assembler", "error: the assembler: the compiler ran out of memory");
}

TEST_F(AssemblerProcess, RejectedCode) {
  expectFailure("reject_code", "ptxas application ptx input, line 1; fatal   : the fake rejects it\n"
                               "error: NVIDIA's assembler rejects the code\n");
}

// The kept input repeats the crash, with the assembler that the command names.
TEST_F(AssemblerProcess, ACrashIsRepeated) {
  expectFailure("crash_assembler", "kiln-replay repeats it");
  const std::filesystem::path kept = std::filesystem::directory_iterator(folder + "/kept")->path();
  EXPECT_NE(contentOf((kept / "module-0.s").string()).find(".entry crash_assembler"), std::string::npos);
  EXPECT_EQ(contentOf((kept / "request.bin").string()).find("ptxjitcompiler"), std::string::npos);
  const std::string repeat = KILN_TOOLS "/kilnc --request=" + (kept / "request.bin").string();
  EXPECT_NE(shell(repeat + " --assembler=" KILN_FAKE_PTX_COMPILER), 0);
  EXPECT_EQ(printed().find("NVIDIA's assembler cannot be used"), std::string::npos) << printed();
  EXPECT_NE(shell(repeat + " --assembler=/nowhere/assembler.so"), 0);
  EXPECT_NE(printed().find("NVIDIA's assembler cannot be used: /nowhere/assembler.so"), std::string::npos) << printed();
}

// The driver assembles in the application's process then, and the log says so.
TEST_F(AssemblerProcess, WithoutAssembler) {
  auto expectInProcess = [&](const std::string &line) {
    environment.push_back({"KILN_LOG", "info"});
    onGpu([](App &app) {
      Program program = app.source(kernel("k"));
      EXPECT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
      EXPECT_EQ(loads(), (Loads{1, 0}));
    });
    EXPECT_NE(errors.find(line), std::string::npos) << errors;
  };
  useDriver("");
  expectInProcess(": the driver assembles code in this process");
  useDriver(KILN_FAKE_CUDA); // which is no assembler
  expectInProcess("libnvidia-ptxjitcompiler.so.1 has no nvPTXCompilerGetVersion");
  useDriver(KILN_FAKE_PTX_COMPILER);
  environment.push_back({"KILN_FAKE_ASSEMBLER", "13 1"});
  expectInProcess("libnvidia-ptxjitcompiler.so.1 has version 13.1, must be 12.8");
  useDriver(KILN_FAKE_PTX_COMPILER);
  environment.push_back({"KILN_GPU_MACHINE_CODE", "off"});
  expectInProcess("");
}

} // namespace
} // namespace kiln::test
