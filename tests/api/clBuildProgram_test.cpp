#include "tests/api/ProgramTest.h"
#include <filesystem>
#include <thread>

namespace kiln::test {
struct BuildProgram : WithProgram {
  cl_int build(cl_program program, const char *options = nullptr) {
    return clBuildProgram(program, 0, nullptr, options, nullptr, nullptr);
  }
};

TEST_F(BuildProgram, Arguments) {
  PROVES("API-5.8.4a R14");
  Program program = source(AddSource);
  cl_device_id d = device, bad = nullptr;
  int data;
  EXPECT_EQ(build(nullptr), CL_INVALID_PROGRAM);
  EXPECT_EQ(clBuildProgram(program, 1, nullptr, nullptr, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clBuildProgram(program, 0, &d, nullptr, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clBuildProgram(program, 1, &bad, nullptr, nullptr, nullptr), CL_INVALID_DEVICE);
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, &data), CL_INVALID_VALUE)
      << "user_data without pfn_notify";
  EXPECT_EQ(build(program, "-no-such-option"), CL_INVALID_BUILD_OPTIONS);
  EXPECT_NE(log(program).find("error: "), std::string::npos);
  EXPECT_NE(log(program).find("-no-such-option"), std::string::npos) << log(program);
}

TEST_F(BuildProgram, VectorAddFromSource) {
  PROVES("API-5.8.4a EXEC-3.2.5");
  Program program = built(AddSource);
  EXPECT_EQ(buildStatus(program), CL_BUILD_SUCCESS);
  EXPECT_EQ(binaryType(program), cl_program_binary_type(CL_PROGRAM_BINARY_TYPE_EXECUTABLE));
  expectAdds(program);
}

TEST_F(BuildProgram, SourceWithAnError) {
  PROVES("API-5.8.4a API-5.8.9b");
  Program program = source("kernel void broken(global int *p) { p[0] = nonsense; }");
  EXPECT_EQ(build(program), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_EQ(buildStatus(program), CL_BUILD_ERROR);
  EXPECT_NE(log(program).find("nonsense"), std::string::npos) << log(program);
  cl_int code = 1;
  EXPECT_EQ(clCreateKernel(program, "broken", &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_PROGRAM_EXECUTABLE);
  expectAdds(built(AddSource)); // the context is usable afterwards
}

// By C99's rule, a call of an inline function may use an external definition, which does not exist here. OpenCL
// programs expect the inline definition.
TEST_F(BuildProgram, InlineFunction) {
  Program program =
      built("inline int twice(int x) { return 2 * x; }\nkernel void k(global int *p) { p[0] = twice(21); }");
  Kernel k = kernel(program, "k");
  Mem out = buffer(4);
  set(k, 0, out);
  ASSERT_EQ(launch(k, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], 42);
}

TEST_F(BuildProgram, OptionsReachTheCompilerAndTheQuery) {
  PROVES("API-5.8.6a API-5.8.9b");
  Program program = source("kernel void k(global int *p) { p[0] = VALUE; }");
  ASSERT_EQ(build(program, "-D VALUE=42"), CL_SUCCESS) << log(program);
  EXPECT_EQ(queryText(clGetProgramBuildInfo, program.get(), device, CL_PROGRAM_BUILD_OPTIONS), "-D VALUE=42");
  {
    Kernel k = kernel(program, "k");
    Mem out = buffer(4);
    set(k, 0, out);
    ASSERT_EQ(launch(k, 1), CL_SUCCESS);
    EXPECT_EQ(read<int>(out, 1)[0], 42);
    EXPECT_EQ(build(program, "-D VALUE=43"), CL_INVALID_OPERATION) << "a kernel object of the program exists";
  }
  ASSERT_EQ(build(program, "-D VALUE=43"), CL_SUCCESS);
  Kernel k = kernel(program, "k");
  Mem out = buffer(4);
  set(k, 0, out);
  ASSERT_EQ(launch(k, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], 43) << "no stale code after a rebuild";
}

/// A temporary folder that is the process's working directory while the object lives.
struct WorkingFolder {
  WorkingFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "kiln-test-XXXXXX").string();
    path = mkdtemp(name.data());
    std::filesystem::current_path(path);
  }
  ~WorkingFolder() {
    std::filesystem::current_path(before);
    std::filesystem::remove_all(path);
  }
  void write(const char *name, const char *text) { std::ofstream(path / name) << text; }
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::path path;
};

// Includes are also searched in the application's working directory at the call, after all -I folders, as on other
// platforms.
TEST_F(BuildProgram, IncludesOfTheWorkingFolder) {
  PROVES("API-5.8.6a");
  auto value = [&](const char *options = nullptr) {
    Program program = built("#include \"value.cl\"\nkernel void k(global int *p) { p[0] = VALUE; }", options);
    Kernel k = kernel(program, "k");
    Mem out = buffer(4);
    set(k, 0, out);
    EXPECT_EQ(launch(k, 1), CL_SUCCESS);
    return read<int>(out, 1)[0];
  };
  WorkingFolder one;
  one.write("value.cl", "#define VALUE 1\n");
  EXPECT_EQ(value(), 1);
  one.write("value.cl", "#define VALUE 2\n");
  EXPECT_EQ(value(), 2) << "the file has changed";
  {
    WorkingFolder two;
    Program program = source("#include \"value.cl\"\nkernel void k() {}");
    EXPECT_EQ(build(program), CL_BUILD_PROGRAM_FAILURE) << "the include file does not exist";
    two.write("value.cl", "#define VALUE 3\n");
    EXPECT_EQ(value(), 3);
    EXPECT_EQ(value(("-I \"" + one.path.string() + "\"").c_str()), 2) << "-I folders are searched first";
  }
  EXPECT_EQ(value(), 2);
  Program object = source("#include <value.cl>\nkernel void k(global int *p) { p[0] = VALUE; }");
  EXPECT_EQ(clCompileProgram(object, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS)
      << log(object);
}

TEST_F(BuildProgram, EveryStandardOption) {
  PROVES("API-5.8.6c API-5.8.6d");
  for (const char *option :
       {"-cl-single-precision-constant", "-cl-denorms-are-zero", "-cl-opt-disable", "-cl-mad-enable",
        "-cl-no-signed-zeros", "-cl-unsafe-math-optimizations", "-cl-finite-math-only", "-cl-fast-relaxed-math",
        "-cl-uniform-work-group-size", "-cl-no-subgroup-ifp", "-w", "-Werror", "-g", "-cl-kernel-arg-info",
        "-cl-std=CL1.0", "-cl-std=CL1.1", "-cl-std=CL1.2", "-cl-std=CL3.0"}) {
    Program program = source(AddSource);
    EXPECT_EQ(build(program, option), CL_SUCCESS) << option << ": " << log(program);
  }
  Program warns = source("kernel void k(global int *p) { int unused; p[0] = 1 ? 2 : 3; } int f(void) { }");
  EXPECT_EQ(build(warns, "-w"), CL_SUCCESS) << log(warns);
  Program errs = source("kernel void k(global int *p) {} int f(void) { }");
  EXPECT_EQ(build(errs, "-Werror"), CL_BUILD_PROGRAM_FAILURE);
}

TEST_F(BuildProgram, LanguageVersion) {
  PROVES("API-5.8.6d");
  const char *text = "kernel void k(global int *p) { p[0] = __OPENCL_C_VERSION__; }";
  std::pair<const char *, int> cases[] = {
      {nullptr, 120}, {"-cl-std=CL1.1", 110}, {"-cl-std=CL1.2", 120}, {"-cl-std=CL3.0", 300}};
  for (auto [option, version] : cases) {
    Program program = built(text, option);
    Kernel k = kernel(program, "k");
    Mem out = buffer(4);
    set(k, 0, out);
    ASSERT_EQ(launch(k, 1), CL_SUCCESS);
    EXPECT_EQ(read<int>(out, 1)[0], version) << (option ? option : "the default");
  }
  Program tooNew = source(text);
  EXPECT_NE(build(tooNew, "-cl-std=CL9.9"), CL_SUCCESS);
}

// -cl-std accepts exactly the versions in CL_DEVICE_OPENCL_C_ALL_VERSIONS.
TEST_F(BuildProgram, LanguageVersionsOfTheDevice) {
  PROVES("API-5.8.6d");
  std::vector<cl_name_version> versions =
      queryList<cl_name_version>(clGetDeviceInfo, device, CL_DEVICE_OPENCL_C_ALL_VERSIONS);
  for (auto [major, minor] : {std::pair(1, 0), {1, 1}, {1, 2}, {2, 0}, {3, 0}}) {
    bool listed = false;
    for (const cl_name_version &version : versions)
      listed |= version.version == cl_version(CL_MAKE_VERSION(major, minor, 0));
    std::string option = "-cl-std=CL" + std::to_string(major) + "." + std::to_string(minor);
    Program program = source(AddSource);
    EXPECT_EQ(build(program, option.c_str()), listed ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE) << option;
    if (!listed)
      EXPECT_NE(log(program).find("version"), std::string::npos) << log(program);
  }
}

TEST_F(BuildProgram, InvalidOptions) {
  PROVES("API-5.8.4a API-5.8.5a API-5.8.6a");
  Program program = source(AddSource);
  for (const char *options : {"-O3", "-D", "-I", "-D 1x", "-Dx y", "-D \"open", "-cl-std=", "-cl-std=CL9.9",
                              "-create-library", "-enable-link-options", "-x spir", "-cl-nv-verbose", "word"}) {
    EXPECT_EQ(build(program, options), CL_INVALID_BUILD_OPTIONS) << options;
    EXPECT_EQ(clCompileProgram(program, 0, nullptr, options, 0, nullptr, nullptr, nullptr, nullptr),
              CL_INVALID_COMPILER_OPTIONS)
        << options;
  }
  EXPECT_EQ(buildStatus(program), CL_BUILD_NONE) << "no build was started";
}

TEST_F(BuildProgram, OptionsForSourceDoNotMatterToIL) {
  PROVES("API-5.8.6a API-5.8.6d");
  std::vector<char> il = module("add");
  Program program = clCreateProgramWithIL(context, il.data(), il.size(), nullptr);
  const char *options = "-D add=subtract -I /nowhere -cl-std=CL1.1 -Werror -cl-single-precision-constant";
  ASSERT_EQ(build(program, options), CL_SUCCESS) << log(program);
  EXPECT_EQ(queryText(clGetProgramBuildInfo, program.get(), device, CL_PROGRAM_BUILD_OPTIONS), options);
  expectAdds(program);
}

TEST_F(BuildProgram, FailedRebuildLeavesNoHalfState) {
  PROVES("API-5.8.4c");
  Program program = source("kernel void k(global int *p) { p[0] = VALUE; }");
  ASSERT_EQ(build(program, "-D VALUE=1"), CL_SUCCESS);
  ASSERT_EQ(build(program, "-D VALUE=oops"), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_EQ(buildStatus(program), CL_BUILD_ERROR);
  cl_int code = 1;
  EXPECT_EQ(clCreateKernel(program, "k", &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_PROGRAM_EXECUTABLE);
}

TEST_F(BuildProgram, CallbackOnceOnSuccessAndFailure) {
  PROVES("API-5.8.4b R14");
  for (const char *text : {AddSource, "kernel void broken( {"}) {
    Program program = source(text);
    struct Finished {
      cl_event done;
      std::atomic<int> calls = 0;
      cl_program seen = nullptr;
    } finished;
    Event done = userEvent();
    finished.done = done;
    cl_int code = clBuildProgram(
        program, 0, nullptr, nullptr,
        [](cl_program built, void *data) {
          auto *finished = static_cast<Finished *>(data);
          finished->seen = built;
          ++finished->calls;
          clSetUserEventStatus(finished->done, CL_COMPLETE);
        },
        &finished);
    if (text == AddSource)
      EXPECT_EQ(code, CL_SUCCESS);
    ASSERT_EQ(clWaitForEvents(1, done.address()), CL_SUCCESS);
    EXPECT_EQ(finished.seen, program);
    EXPECT_EQ(buildStatus(program), text == AddSource ? CL_BUILD_SUCCESS : CL_BUILD_ERROR);
    EXPECT_EQ(finished.calls, 1);
  }
}

TEST_F(BuildProgram, ConcurrentBuilds) {
  PROVES("R16");
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::string text = "kernel void k(global int *p) { p[get_global_id(0)] = " + std::to_string(t) + "; }";
      const char *string = text.c_str();
      cl_program program = clCreateProgramWithSource(context, 1, &string, nullptr, nullptr);
      failures += clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr) != CL_SUCCESS;
      clReleaseProgram(program);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
}
} // namespace kiln::test
