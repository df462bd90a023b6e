// Initializers and finalizers. Constructors run before a program's first kernel, destructors when it is destroyed, and
// release callbacks after the destructors.
#include "tests/api/ProgramTest.h"
#include <condition_variable>
#include <list>
#include <mutex>

namespace kiln::test {

namespace {
/// Counts calls and records the user data.
class Calls {
public:
  static void CL_CALLBACK note(cl_program, void *entry) {
    auto &[calls, number] = *static_cast<std::pair<Calls *, int> *>(entry);
    std::lock_guard lock(calls->mutex_);
    calls->order_.push_back(number);
    calls->changed_.notify_all();
  }
  cl_int registerWith(cl_program program, int number) {
    return clSetProgramReleaseCallback(program, note, &entries_.emplace_back(this, number));
  }
  std::vector<int> whenThereAre(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(60), [&] { return order_.size() >= count; });
    return order_;
  }
  size_t count() {
    std::lock_guard lock(mutex_);
    return order_.size();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> order_;
  std::list<std::pair<Calls *, int>> entries_;
};
} // namespace

struct Initialisers : WithProgram {
  static constexpr const char *Std = "-cl-std=CLC++";
  // The value depends on the initializer's NDRange and on the number of its runs.
  static constexpr const char *Constructed = "struct Point { int x; Point(int v) : x(v + 100 * get_work_dim() + "
                                             "get_global_size(0) + get_local_size(0)) {} };\n"
                                             "global Point point(5);\n"
                                             "kernel void get(global int *out) { out[0] = point.x++; }";
  static constexpr const char *Destroyed =
      "struct Noisy { int n; Noisy(int n) : n(n) {} ~Noisy() { printf(\"~%d\\n\", n); } };\n"
      "Noisy one(1), two(2);\nNoisy list[2] = {Noisy(3), Noisy(4)};\n"
      "kernel void get(global int *out) { out[0] = one.n + two.n; two.n = 20; }";

  int get(cl_kernel k) {
    Mem out = buffer(8);
    set(k, 0, out);
    EXPECT_EQ(launch(k, 1), CL_SUCCESS);
    return read<int>(out, 2)[0];
  }
  int get(cl_program program) { return get(kernel(program, "get")); }
  cl_bool constructors(cl_program p) {
    return query<cl_bool>(clGetProgramInfo, p, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT);
  }
  cl_bool destructors(cl_program p) {
    return query<cl_bool>(clGetProgramInfo, p, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT);
  }
  Program compiled(const char *text) {
    Program program = source(text);
    EXPECT_EQ(clCompileProgram(program, 0, nullptr, Std, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS)
        << log(program);
    return program;
  }
};
struct SetProgramReleaseCallback : Initialisers {};

TEST_F(Initialisers, BeforeTheFirstKernel) {
  PROVES("EXEC-3.2c API-5.8.9a");
  Program program = built(Constructed, Std);
  EXPECT_EQ(constructors(program), cl_bool(CL_TRUE));
  EXPECT_EQ(destructors(program), cl_bool(CL_FALSE));
  EXPECT_EQ(get(program), 107);
  EXPECT_EQ(get(program), 108) << "initialised once";
}

TEST_F(Initialisers, AreNotListedAsKernels) {
  PROVES("EXEC-3.2c API-5.8.9a");
  Program program = built(Destroyed, Std);
  EXPECT_EQ(query<size_t>(clGetProgramInfo, program.get(), CL_PROGRAM_NUM_KERNELS), 1u);
  EXPECT_EQ(queryText(clGetProgramInfo, program.get(), CL_PROGRAM_KERNEL_NAMES), "get");
  std::vector<char> spirv = module("initialisers");
  cl_int code = 1;
  Program other = clCreateProgramWithIL(context, spirv.data(), spirv.size(), &code);
  ASSERT_EQ(clBuildProgram(other, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << log(other);
  EXPECT_EQ(clCreateKernel(other, "start", &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_KERNEL_NAME);
  cl_uint count = 0;
  EXPECT_EQ(clCreateKernelsInProgram(other, 0, nullptr, &count), CL_SUCCESS);
  EXPECT_EQ(count, 1u);
}

TEST_F(Initialisers, OfASpirvModule) {
  PROVES("EXEC-3.2c");
  std::vector<char> spirv = module("initialisers");
  cl_int code = 1;
  Program program = clCreateProgramWithIL(context, spirv.data(), spirv.size(), &code);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << log(program);
  Kernel k = kernel(program, "get");
  Mem out = buffer(8);
  set(k, 0, out);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(launch(k, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 2), (std::vector<int>{11, 42}));
}

TEST_F(Initialisers, RunAgainForEachBuild) {
  PROVES("EXEC-3.2c");
  Program program = built(Constructed, Std), other = built(Constructed, Std);
  EXPECT_EQ(get(program), 107);
  EXPECT_EQ(get(other), 107);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, Std, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(get(program), 107);
  EXPECT_EQ(get(other), 108);
}

TEST_F(Initialisers, OfABinary) {
  PROVES("EXEC-3.2c API-5.8.1d");
  Program original = built(Constructed, Std);
  std::vector<unsigned char> bytes = binary(original);
  const unsigned char *pointer = bytes.data();
  size_t size = bytes.size();
  cl_int status = 1, code = 1;
  Program program = clCreateProgramWithBinary(context, 1, &device, &size, &pointer, &status, &code);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << log(program);
  EXPECT_EQ(constructors(program), cl_bool(CL_TRUE));
  EXPECT_EQ(get(program), 107);
}

// Linked translation units with functions of the same name. The order of their initializers is unspecified.
TEST_F(Initialisers, OfLinkedUnits) {
  PROVES("EXEC-3.2c API-5.8.5b");
  Program one = compiled("int start(int v) { return v + get_work_dim(); }\nglobal int a = start(10);\n"
                         "int second();\nkernel void get(global int *out) { out[0] = a + 1000 * second(); }");
  Program two = compiled("static int start(int v) { return v + get_work_dim(); }\nglobal int b = start(20);\n"
                         "int second() { return b; }");
  std::vector<cl_program> inputs{one, two};
  cl_int code = 1;
  Program program = clLinkProgram(context, 0, nullptr, nullptr, 2, inputs.data(), nullptr, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS) << log(program);
  EXPECT_EQ(get(program), 21011);
}

TEST_F(Initialisers, OnEachDevice) {
  PROVES("EXEC-3.2c");
  cl_device_id devices[2] = {};
  cl_uint count = 0;
  ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &count), CL_SUCCESS);
  ASSERT_GE(count, 2u);
  cl_int code = 1;
  Context both = clCreateContext(nullptr, 2, devices, nullptr, nullptr, &code);
  Program program = source(Constructed, both);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, Std, nullptr, nullptr), CL_SUCCESS);
  Kernel k = kernel(program, "get");
  for (cl_device_id on : devices) {
    Queue own = clCreateCommandQueue(both, on, 0, nullptr);
    Mem out = buffer(4, 0, nullptr, both);
    set(k, 0, out);
    for (int expected : {107, 108}) {
      size_t items = 1;
      int found = 0;
      EXPECT_EQ(clEnqueueNDRangeKernel(own, k, 1, nullptr, &items, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
      EXPECT_EQ(clEnqueueReadBuffer(own, out, CL_TRUE, 0, 4, &found, 0, nullptr, nullptr), CL_SUCCESS);
      EXPECT_EQ(found, expected);
    }
  }
}

// Enqueuing the first kernel does not block on its wait list, and the initialised values are visible on in-order and
// out-of-order queues.
TEST_F(Initialisers, AfterAUserEvent) {
  PROVES("EXEC-3.2c");
  for (cl_command_queue_properties properties : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
    Program program = built(Constructed, Std);
    Kernel k = kernel(program, "get");
    Queue own = clCreateCommandQueue(context, device, properties, nullptr);
    Mem out = buffer(4);
    set(k, 0, out);
    cl_int code = 1;
    Event user = clCreateUserEvent(context, &code);
    Event done[2];
    size_t items = 1;
    ASSERT_EQ(clEnqueueNDRangeKernel(own, k, 1, nullptr, &items, nullptr, 1, user.address(), done[0].out()),
              CL_SUCCESS);
    cl_event both[] = {user, done[0]}; // the second launch adds to what the first one left
    ASSERT_EQ(clEnqueueNDRangeKernel(own, k, 1, nullptr, &items, nullptr, 2, both, done[1].out()), CL_SUCCESS);
    ASSERT_EQ(clFlush(own), CL_SUCCESS);
    EXPECT_EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    for (Event &event : done)
      EXPECT_EQ(clWaitForEvents(1, event.address()), CL_SUCCESS);
    EXPECT_EQ(read<int>(out, 1)[0], 108);
  }
}

TEST_F(Initialisers, DestructorsWhenTheProgramIsDestroyed) {
  PROVES("EXEC-3.2c API-5.8.2b");
  Calls calls;
  testing::internal::CaptureStdout();
  {
    Program program = built(Destroyed, Std);
    EXPECT_EQ(destructors(program), cl_bool(CL_TRUE));
    EXPECT_EQ(calls.registerWith(program, 1), CL_SUCCESS);
    EXPECT_EQ(get(program), 3);
  }
  EXPECT_EQ(calls.whenThereAre(1), std::vector<int>{1});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "~4\n~3\n~20\n~1\n") << "all of it before the callback";
}

TEST_F(Initialisers, DestructorsAtARebuild) {
  PROVES("EXEC-3.2c");
  Calls calls;
  testing::internal::CaptureStdout();
  {
    Program program = built(Destroyed, Std);
    EXPECT_EQ(get(program), 3);
    ASSERT_EQ(clBuildProgram(program, 0, nullptr, Std, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(get(program), 3);
    EXPECT_EQ(calls.registerWith(program, 1), CL_SUCCESS);
  }
  (void)calls.whenThereAre(1);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "~4\n~3\n~20\n~1\n~4\n~3\n~20\n~1\n");
}

TEST_F(Initialisers, NoFinalizersWithoutInitializers) {
  PROVES("EXEC-3.2c API-5.8.2b");
  Calls calls;
  testing::internal::CaptureStdout();
  {
    Program program = built(Destroyed, Std);
    EXPECT_EQ(calls.registerWith(program, 1), CL_SUCCESS);
  }
  EXPECT_EQ(calls.whenThereAre(1), std::vector<int>{1});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST_F(SetProgramReleaseCallback, Rules) {
  PROVES("API-5.8.2b");
  auto nothing = [](cl_program, void *) {};
  EXPECT_EQ(clSetProgramReleaseCallback(nullptr, nothing, nullptr), CL_INVALID_PROGRAM);
  EXPECT_EQ(clSetProgramReleaseCallback(source(AddSource), nullptr, nullptr), CL_INVALID_VALUE);
}

// OpenCL 3.0: CL_INVALID_OPERATION for a built program without initializers and finalizers.
TEST_F(SetProgramReleaseCallback, ProgramWithoutFinalizers) {
  auto nothing = [](cl_program, void *) {};
  Program program = built(AddSource);
  EXPECT_EQ(constructors(program), cl_bool(CL_FALSE));
  EXPECT_EQ(clSetProgramReleaseCallback(program, nothing, nullptr), CL_INVALID_OPERATION);
}

TEST_F(SetProgramReleaseCallback, LastRegisteredFirst) {
  PROVES("API-5.8.2b");
  Calls calls;
  {
    Program program = source(AddSource);
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(calls.registerWith(program, i), CL_SUCCESS);
  }
  EXPECT_EQ(calls.whenThereAre(3), (std::vector<int>{2, 1, 0}));
}

TEST_F(SetProgramReleaseCallback, AfterTheLastKernelIsReleased) {
  PROVES("API-5.8.2b R13");
  Calls calls;
  Kernel k;
  {
    Program program = built(Constructed, Std);
    EXPECT_EQ(calls.registerWith(program, 1), CL_SUCCESS);
    k = kernel(program, "get");
  }
  EXPECT_EQ(calls.count(), 0u);
  EXPECT_EQ(get(k), 107);
  EXPECT_EQ(calls.count(), 0u);
  k.reset();
  EXPECT_EQ(calls.whenThereAre(1), std::vector<int>{1});
}

} // namespace kiln::test
