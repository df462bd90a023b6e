// Build steps with a callback: the call returns at once, and a thread of Kiln runs the step and then the callback.
//
// A test cannot delay the end of a step. It checks the conditions that hold only while the step runs, and then that the
// step has not ended. Steps take long enough because the sources are long and not in the cache.
#include "tests/api/ProgramTest.h"
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

namespace kiln::test {
namespace {

/// Records the callback of one step. The callback is `Watch::note` with the Watch as user_data.
struct Watch {
  static void CL_CALLBACK note(cl_program program, void *data) {
    auto *self = static_cast<Watch *>(data);
    if (self->inside)
      self->inside(program);
    std::lock_guard lock(self->mutex);
    self->seen = program;
    self->thread = std::this_thread::get_id();
    ++self->calls;
    self->called.notify_all();
  }
  bool fired() {
    std::lock_guard lock(mutex);
    return calls;
  }
  void wait() {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(called.wait_for(lock, std::chrono::seconds(300), [this] { return calls > 0; })) << "no callback";
  }

  std::function<void(cl_program)> inside; // called by the callback
  std::mutex mutex;
  std::condition_variable called;
  int calls = 0;
  cl_program seen = nullptr;
  std::thread::id thread;
};

struct AsynchronousBuild : WithProgram {
  /// A random source that takes long to compile and is not in the cache. It contains AddSource's kernel `add`.
  static std::string slowSource() {
    std::string text = AddSource;
    std::random_device random;
    for (int i = 0; i < 40; ++i)
      text += "kernel void k" + std::to_string(i) + "(global int *p) { for (int i = 0; i < p[1]; ++i) p[i] = p[i] * " +
              std::to_string(random() % 1000000) + " + " + std::to_string(i) + "; }\n";
    return text;
  }
  cl_int build(cl_program program, Watch &watch, const char *options = nullptr) {
    return clBuildProgram(program, 0, nullptr, options, Watch::note, &watch);
  }
};

} // namespace

TEST_F(AsynchronousBuild, InProgressUntilTheCallback) {
  PROVES("API-5.8.4b API-5.8.9b");
  Program program = source(slowSource().c_str());
  Watch watch;
  ASSERT_EQ(build(program, watch, "-DSOME"), CL_SUCCESS);
  cl_build_status status = buildStatus(program);
  cl_program_binary_type type = binaryType(program);
  if (!watch.fired()) {
    EXPECT_EQ(status, CL_BUILD_IN_PROGRESS);
    EXPECT_EQ(type, cl_program_binary_type(CL_PROGRAM_BINARY_TYPE_NONE));
  }
  EXPECT_EQ(queryText(clGetProgramBuildInfo, program.get(), device, CL_PROGRAM_BUILD_OPTIONS), "-DSOME");
  watch.wait();
  EXPECT_EQ(buildStatus(program), CL_BUILD_SUCCESS) << log(program);
  EXPECT_EQ(watch.seen, program);
  EXPECT_NE(watch.thread, std::this_thread::get_id());
  expectAdds(program);
  EXPECT_EQ(watch.calls, 1);
}

TEST_F(AsynchronousBuild, OtherBuildsFailMeanwhile) {
  PROVES("API-5.8.4a API-5.8.5a API-5.8.5b API-5.9.1a");
  Program program = source(slowSource().c_str());
  cl_program p = program;
  Watch watch;
  cl_int create = 1, link = 1;
  ASSERT_EQ(build(program, watch), CL_SUCCESS);
  cl_int again = clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr);
  cl_int compile = clCompileProgram(program, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr);
  Kernel none = clCreateKernel(program, "add", &create);
  Program linked = clLinkProgram(context, 0, nullptr, nullptr, 1, &p, nullptr, nullptr, &link);
  ASSERT_FALSE(watch.fired()) << "the build ended too early: the source must take longer";
  EXPECT_EQ(again, CL_INVALID_OPERATION);
  EXPECT_EQ(compile, CL_INVALID_OPERATION);
  EXPECT_EQ(create, CL_INVALID_PROGRAM_EXECUTABLE);
  EXPECT_EQ(link, CL_INVALID_OPERATION);
  watch.wait();
  expectAdds(program);
}

// Errors that the call's checks find are returned by the call; the callback is not called.
TEST_F(AsynchronousBuild, ErrorsOfTheCallAreReturned) {
  PROVES("API-5.8.4a API-5.8.5a API-5.8.5b R2");
  Program program = source(AddSource);
  cl_program p = program;
  cl_device_id none = nullptr;
  Watch watch;
  cl_int code = 1;
  EXPECT_EQ(build(program, watch, "-no-such-option"), CL_INVALID_BUILD_OPTIONS);
  EXPECT_EQ(clBuildProgram(program, 1, &none, nullptr, Watch::note, &watch), CL_INVALID_DEVICE);
  EXPECT_EQ(clCompileProgram(program, 0, nullptr, "-no-such-option", 0, nullptr, nullptr, Watch::note, &watch),
            CL_INVALID_COMPILER_OPTIONS);
  EXPECT_EQ(clLinkProgram(context, 0, nullptr, "-no-such-option", 1, &p, Watch::note, &watch, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_LINKER_OPTIONS);
  EXPECT_EQ(clLinkProgram(context, 0, nullptr, nullptr, 1, &p, Watch::note, &watch, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_OPERATION) << "never compiled";
  {
    Program other = built(AddSource);
    Kernel attached = kernel(other, "add");
    EXPECT_EQ(build(other, watch), CL_INVALID_OPERATION) << "a kernel object of the program exists";
  }
  EXPECT_EQ(buildStatus(program), CL_BUILD_NONE);
  Watch last;
  ASSERT_EQ(build(program, last), CL_SUCCESS);
  last.wait();
  EXPECT_FALSE(watch.fired());
}

TEST_F(AsynchronousBuild, ProgramReleasedMeanwhile) {
  PROVES("API-5.8.4b API-5.8.2a R13");
  Watch watch;
  cl_build_status status = CL_BUILD_NONE;
  cl_uint references = 1;
  watch.inside = [&](cl_program program) {
    status = buildStatus(program);
    references = query<cl_uint>(clGetProgramInfo, program, CL_PROGRAM_REFERENCE_COUNT);
  };
  cl_program program = nullptr;
  {
    Program mine = source(slowSource().c_str());
    program = mine;
    ASSERT_EQ(build(mine, watch), CL_SUCCESS);
  }
  watch.wait();
  EXPECT_EQ(watch.seen, program);
  EXPECT_EQ(status, CL_BUILD_SUCCESS);
  EXPECT_EQ(references, 0u);
}

// A callback may make every call that does not block, because Kiln holds no lock while it runs.
TEST_F(AsynchronousBuild, CallbackUsesTheProgram) {
  PROVES("API-5.8.4b R14");
  Program program = source(slowSource().c_str());
  Watch watch;
  Kernel add;
  Event launched;
  Mem a = buffer(16, CL_MEM_COPY_HOST_PTR, numbers(4).data()), sum = buffer(16);
  watch.inside = [&](cl_program built) {
    EXPECT_EQ(clRetainProgram(built), CL_SUCCESS);
    add = kernel(built, "add");
    set(add, 0, a);
    set(add, 1, a);
    set(add, 2, sum);
    EXPECT_EQ(launch(add, 4, nullptr, launched.out()), CL_SUCCESS);
    EXPECT_EQ(clFlush(queue), CL_SUCCESS);
    Program other = source(AddSource);
    EXPECT_EQ(clBuildProgram(other, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clReleaseProgram(built), CL_SUCCESS);
  };
  ASSERT_EQ(build(program, watch), CL_SUCCESS);
  watch.wait();
  ASSERT_NE(launched, nullptr);
  ASSERT_EQ(clWaitForEvents(1, launched.address()), CL_SUCCESS);
  EXPECT_EQ(read<int>(sum, 4)[3], 6);
}

TEST_F(AsynchronousBuild, SeveralAtOnce) {
  PROVES("API-5.8.4b R16");
  constexpr int Count = 24;
  std::vector<Program> programs;
  std::vector<Watch> watches(Count);
  for (int i = 0; i < Count; ++i) {
    std::string text = "kernel void k(global int *p) { p[0] = " + std::to_string(i) + "; }";
    programs.push_back(source(i % 5 ? text.c_str() : "kernel void wrong( {"));
    ASSERT_EQ(build(programs.back(), watches[size_t(i)]), CL_SUCCESS);
  }
  for (int i = 0; i < Count; ++i) {
    watches[size_t(i)].wait();
    EXPECT_EQ(watches[size_t(i)].seen, programs[size_t(i)]);
    EXPECT_EQ(buildStatus(programs[size_t(i)]), i % 5 ? CL_BUILD_SUCCESS : CL_BUILD_ERROR);
  }
}

TEST_F(AsynchronousBuild, CompileAndLink) {
  PROVES("API-5.8.4b API-5.8.5a API-5.8.5b");
  Program user = source("int twice(int);\nkernel void k(global int *p) { p[0] = twice(21); }");
  Program maker = source("int twice(int x) { return 2 * x; }");
  Watch watches[2];
  ASSERT_EQ(clCompileProgram(user, 0, nullptr, nullptr, 0, nullptr, nullptr, Watch::note, &watches[0]), CL_SUCCESS);
  ASSERT_EQ(clCompileProgram(maker, 0, nullptr, nullptr, 0, nullptr, nullptr, Watch::note, &watches[1]), CL_SUCCESS);
  watches[0].wait();
  watches[1].wait();
  cl_program both[] = {user, maker};
  for (bool whole : {true, false}) {
    Watch watch;
    cl_int code = 1;
    Program linked = clLinkProgram(context, 0, nullptr, nullptr, whole ? 2 : 1, both, Watch::note, &watch, &code);
    ASSERT_NE(linked, nullptr);
    EXPECT_EQ(code, CL_SUCCESS) << "the program is being linked";
    watch.wait();
    EXPECT_EQ(watch.seen, linked);
    EXPECT_EQ(buildStatus(linked), whole ? CL_BUILD_SUCCESS : CL_BUILD_ERROR) << log(linked);
    if (!whole)
      continue;
    Kernel k = kernel(linked, "k");
    Mem out = buffer(4);
    set(k, 0, out);
    ASSERT_EQ(launch(k, 1), CL_SUCCESS);
    EXPECT_EQ(read<int>(out, 1)[0], 42);
  }
}

TEST_F(AsynchronousBuild, FailureLeavesNothingOfTheBuildBefore) {
  PROVES("API-5.8.4b API-5.8.4c API-5.8.9a");
  Program program = source("kernel void k(global int *p) { p[0] = VALUE; }");
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, "-DVALUE=1", nullptr, nullptr), CL_SUCCESS);
  Watch watch;
  ASSERT_EQ(build(program, watch, "-DVALUE=oops"), CL_SUCCESS);
  watch.wait();
  EXPECT_EQ(buildStatus(program), CL_BUILD_ERROR);
  EXPECT_EQ(binaryType(program), cl_program_binary_type(CL_PROGRAM_BINARY_TYPE_NONE));
  EXPECT_NE(log(program).find("oops"), std::string::npos) << log(program);
  EXPECT_EQ(query<size_t>(clGetProgramInfo, program.get(), CL_PROGRAM_BINARY_SIZES), 0u);
  size_t count = 0;
  EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, nullptr),
            CL_INVALID_PROGRAM_EXECUTABLE);
}

} // namespace kiln::test
