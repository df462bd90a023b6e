// The error of a fault says the source line and the work-item: kinds of faults, in scalar and in vector code.
#include "tests/process/FaultTest.h"
#include <fstream>

namespace kiln::test {
namespace {

/// A launch of `kernel void k(global int *out, long index, local int *scratch)`, which faults in the line with the
/// comment `here`.
struct Case {
  const char *name, *source;
  long index = 0;
  std::vector<size_t> global{64}, local{8}, offset{};
  const char *item = "work-item with global id (37), local id (5), group id (4)";
  const char *calls = ""; // lines of calls
};
void PrintTo(const Case &one, std::ostream *out) { *out << one.name; }

constexpr long Far = -(1L << 34), Protected = -1; // indices: of no memory, of a protected page

#define KERNEL "kernel void k(global int *out, long index, local int *scratch) {\n"
const Case Cases[] = {
    {"WildStore", KERNEL "  if (get_global_id(0) == 37)\n    out[index] = 1; // here\n}\n", Far},
    {"WildLoad",
     KERNEL "  const size_t i = get_global_id(0);\n  int x = 0;\n  if (i == 37)\n    x = out[index]; // here\n"
            "  out[i] = x;\n}\n",
     Far},
    {"Null",
     KERNEL "  global int *none = (global int *)(index);\n  if (get_global_id(0) == 37)\n    *none = 1; // here\n}\n"},
    {"ProtectedPage", KERNEL "  if (get_global_id(0) == 37) out[index] = 1; // here\n}\n", Protected},
    {"PageAfterALargeBuffer", KERNEL "  if (get_global_id(0) == 37) out[index] = 1; // here\n}\n", 4 << 20},
    {"EachWorkItemFromOneOn", KERNEL "  const long i = get_global_id(0);\n  out[i + index] = i; // here\n}\n",
     (4 << 20) - 37},
    {"NoAddressOfMemory", KERNEL "  if (get_global_id(0) == 37) out[index] = 1; // here\n}\n", 1L << 60},
    {"InACalledFunction",
     "void put(global int *at, int x) {\n  *at = x; // here\n}\n"
     "void twice(global int *at, int x) {\n  put(at, 2 * x);\n}\n" KERNEL
     "  if (get_global_id(0) == 37)\n    twice(out + index, 3);\n}\n",
     Far,
     {64},
     {8},
     {},
     "work-item with global id (37), local id (5), group id (4)",
     ", called at <source>:5, called at <source>:9"},
    {"InALaterIteration",
     KERNEL "  const size_t i = get_global_id(0);\n  int sum = 0;\n  for (int j = 0; j < 9; ++j)\n"
            "    sum += out[(i == 37) & (j == 6) ? index : i + j]; // here\n  out[i] = sum;\n}\n",
     Far},
    {"Atomic", KERNEL "  if (get_global_id(0) == 37)\n    atomic_add(out + index, 1); // here\n}\n", Far},
    {"ThreeDimensionsWithOffset",
     KERNEL "  if (get_global_id(0) == 37 && get_global_id(1) == 12 && get_global_id(2) == 101)\n"
            "    out[index] = 1; // here\n}\n",
     Far,
     {64, 8, 4},
     {8, 2, 2},
     {0, 10, 100},
     "work-item with global id (37, 12, 101), local id (5, 0, 1), group id (4, 1, 0)"},
    {"LocalArray",
     KERNEL "  local int array[64];\n  array[get_local_id(0)] = index;\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
            "  if (get_global_id(0) == 37)\n    array[index] = 1; // here\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
            "  out[get_global_id(0)] = array[get_local_id(0) ^ 1];\n}\n",
     Far},
    {"LocalArgument",
     KERNEL "  if (get_global_id(0) == 37)\n    scratch[index] = 1; // here\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
            "  out[get_global_id(0)] = scratch[get_local_id(0) ^ 1];\n}\n",
     Far},
    {"PrivateArray",
     KERNEL "  int array[32];\n  for (int j = 0; j < 32; ++j) array[j] = j * (int)index;\n"
            "  if (get_global_id(0) == 37)\n    array[index] = 1; // here\n"
            "  out[get_global_id(0)] = array[get_local_id(0)] + array[out[3]];\n}\n",
     Far},
    {"InALoopWithABarrier",
     KERNEL "  const size_t i = get_local_id(0);\n  scratch[i] = i;\n  for (int j = 0; j < out[63] + 5; ++j) {\n"
            "    barrier(CLK_LOCAL_MEM_FENCE);\n    const int x = scratch[i ^ 1];\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
            "    if (get_global_id(0) == 37 && j == 3)\n      out[index] = x; // here\n    scratch[i] += x;\n  }\n}\n",
     Far},
    {"ShortVector", KERNEL "  if (get_global_id(0) == 37)\n    vstore4((int4)(1), index, out); // here\n}\n", Far},
    {"Struct", "struct node { int value; global struct node *next; };\n" KERNEL
               "  global struct node *at = (global struct node *)out;\n  if (get_global_id(0) == 37)\n"
               "    out[9] = at->next->value; // here\n}\n"},
    {"ThatPrints",
     KERNEL "  if (get_global_id(0) < 8) printf(\"once %d\\n\", (int)get_global_id(0));\n"
            "  if (get_global_id(0) == 37)\n    out[index] = 1; // here\n}\n",
     Far},
};

struct FaultPlace : FaultTest {
  static constexpr size_t Bytes = 16 << 20;

  static cl_int launch(App &app, const Case &one) {
    Program program = app.source(one.source);
    EXPECT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
    Kernel kernel = clCreateKernel(program, "k", nullptr);
    int *memory = guarded(Bytes);
    long index = one.index;
    if (index == Protected) {
      mprotect(memory + 1024, Page, PROT_NONE);
      index = 1030;
    }
    Mem out = clCreateBuffer(app.context, CL_MEM_USE_HOST_PTR, Bytes, memory, nullptr);
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), out.address()), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof index, &index), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 2, 64, nullptr), CL_SUCCESS);
    cl_event event = nullptr;
    EXPECT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, cl_uint(one.global.size()),
                                     one.offset.empty() ? nullptr : one.offset.data(), one.global.data(),
                                     one.local.data(), 0, nullptr, &event),
              CL_SUCCESS);
    const Event held = event;
    clWaitForEvents(1, &event);
    cl_int status = 1;
    EXPECT_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr), CL_SUCCESS);
    return status;
  }
  /// The kernel `k`, which will store to an address without memory.
  static cl_kernel plainKernel(App &app, cl_program program, cl_mem out = nullptr) {
    static const long index = Far;
    static Mem buffer;
    if (!out)
      out = buffer = guardedBuffer(app, Page);
    cl_kernel kernel = clCreateKernel(program, "k", nullptr);
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), &out), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof index, &index), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 2, 64, nullptr), CL_SUCCESS);
    return kernel;
  }
  /// The words for the line with the comment `here` of a source.
  static std::string placeIn(const std::string &source, const std::string &file = "<source>") {
    const size_t mark = source.find("// here"), begin = source.rfind('\n', mark) + 1;
    std::string line = source.substr(begin, mark + strlen("// here") - begin);
    line.erase(0, line.find_first_not_of(' '));
    return ": " + file + ":" + std::to_string(1 + std::count(source.begin(), source.begin() + long(mark), '\n')) +
           " (" + line + ")";
  }
};

struct FaultPlaceOf : FaultPlace, testing::WithParamInterface<Case> {};

TEST_P(FaultPlaceOf, ScalarAndVectorCode) {
  for (const char *width : {"1", "8", "0"}) {
    expectExit(
        0, statusOf(
               [] {
                 App app;
                 EXPECT_EQ(launch(app, GetParam()), CL_OUT_OF_RESOURCES);
                 EXPECT_TRUE(app.works(9));
               },
               // On one thread: the groups of other threads may fault first.
               {{"KILN_CPU_MACHINE_WIDTH", width}, {"KILN_CPU_THREADS", "1"}, {"KILN_LOG", "info,program,device"}}));
    EXPECT_TRUE(says("; replayed")) << errors;
    EXPECT_TRUE(says(placeIn(GetParam().source) + GetParam().calls + ", " + GetParam().item)) << errors;
  }
}
INSTANTIATE_TEST_SUITE_P(Kinds, FaultPlaceOf, testing::ValuesIn(Cases),
                         [](const auto &one) { return std::string(one.param.name); });

const Case Plain{"Plain", KERNEL "  if (get_global_id(0) == 37)\n    out[index] = 1; // here\n}\n", Far};

// The replay's output and writes are lost with its process.
TEST_F(FaultPlace, HasNoSideEffects) {
  const std::string source = KERNEL "  atomic_inc(out);\n  printf(\"item\\n\");\n"
                                    "  if (get_global_id(0) == 37)\n    out[index] = 1; // here\n}\n";
  expectExit(0, statusOf([&] {
               App app;
               refuse(Refusal::Threads); // so that the launch runs on this thread, in order
               Program program = app.source(source);
               ASSERT_EQ(app.build(program), CL_SUCCESS);
               Mem out = guardedBuffer(app, Page);
               Kernel kernel = plainKernel(app, program, out);
               EXPECT_EQ(statusOf(app, kernel, 64), CL_OUT_OF_RESOURCES);
               int count = 0;
               clEnqueueReadBuffer(app.queue, out, CL_TRUE, 0, sizeof count, &count, 0, nullptr, nullptr);
               EXPECT_GE(count, 1);
               EXPECT_LE(count, 64);
             }));
  EXPECT_TRUE(says(placeIn(source))) << errors;
}

// A fault whose cause the first run has removed has no place.
TEST_F(FaultPlace, ThatDoesNotHappenAgain) {
  const std::string source = KERNEL "  if (get_global_id(0) == 37) {\n    const long at = out[0] ? 1 : index;\n"
                                    "    out[0] = 1;\n    out[at] = 1; // here\n  }\n}\n";
  expectExit(0, statusOf([&] {
               App app;
               EXPECT_EQ(launch(app, {"Once", source.c_str(), Far}), CL_OUT_OF_RESOURCES);
               EXPECT_TRUE(app.works(9));
             }));
  EXPECT_EQ(lines(), 1u) << errors;
  EXPECT_FALSE(says("replayed")) << errors;
}

TEST_F(FaultPlace, SwitchedOff) {
  expectExit(0, statusOf(
                    [] {
                      App app;
                      EXPECT_EQ(launch(app, Plain), CL_OUT_OF_RESOURCES);
                    },
                    {{"KILN_REPLAY_FAULTS", "off"}}));
  EXPECT_EQ(lines(), 1u) << errors;
  EXPECT_FALSE(says("replayed")) << errors;
}

// Many faults of one kernel: it is compiled once, and each has its place.
TEST_F(FaultPlace, OfManyLaunches) {
  expectExit(0, statusOf([] {
               App app;
               Program program = app.source(Plain.source);
               ASSERT_EQ(app.build(program), CL_SUCCESS);
               Kernel kernel = plainKernel(app, program);
               for (int i = 0; i < 50; ++i)
                 EXPECT_EQ(statusOf(app, kernel, 64), CL_OUT_OF_RESOURCES);
               EXPECT_LT(openDescriptors(), 64u);
               EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1); // no process is left that the application could wait for
             }));
  EXPECT_EQ(lines(), 50u) << errors;
  size_t places = 0;
  for (size_t at = 0; (at = errors.find("; replayed: ", at)) != std::string::npos; ++at)
    ++places;
  EXPECT_EQ(places, 50u) << errors;
}

// A signal that is not SIGSEGV: a file that became shorter than its mapping.
TEST_F(FaultPlace, BehindTheEndOfAFile) {
  expectExit(0, statusOf([&] {
               App app;
               Program program = app.source(KERNEL "  if (get_global_id(0) == 37)\n    out[1024] = 1; // here\n}\n");
               ASSERT_EQ(app.build(program), CL_SUCCESS);
               const int file = open((folder + "/file").c_str(), O_CREAT | O_RDWR, 0600);
               ASSERT_EQ(ftruncate(file, 2 * Page), 0);
               void *memory = mmap(nullptr, 2 * Page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
               Mem out = clCreateBuffer(app.context, CL_MEM_USE_HOST_PTR, 2 * Page, memory, nullptr);
               ASSERT_EQ(ftruncate(file, Page), 0);
               Kernel kernel = plainKernel(app, program, out);
               EXPECT_EQ(statusOf(app, kernel, 64), CL_OUT_OF_RESOURCES);
             }));
  EXPECT_TRUE(says("SIGBUS") && says("; replayed: <source>:3 (out[1024] = 1; // here), work-item with global id (37)"))
      << errors;
}

// The compilers cannot be started: the error is as without a replay.
TEST_F(FaultPlace, WithoutCompilers) {
  expectExit(0, statusOf([] {
               App app;
               Program program = app.source(Plain.source);
               ASSERT_EQ(app.build(program), CL_SUCCESS);
               clUnloadPlatformCompiler(nullptr);
               refuse(Refusal::Processes);
               Kernel kernel = plainKernel(app, program);
               EXPECT_EQ(statusOf(app, kernel, 64), CL_OUT_OF_RESOURCES);
             }));
  EXPECT_EQ(lines(), 1u) << errors;
}

// Functions of a header on the disk, and of a program of two modules.
TEST_F(FaultPlace, InAHeader) {
  const std::string header = "void put(global int *at, int x) {\n  *at = x; // here\n}\n", path = folder + "/put.h";
  std::ofstream(path) << header;
  const std::string source = "#include \"put.h\"\n" KERNEL "  if (get_global_id(0) == 37) put(out + index, 1);\n}\n";
  expectExit(0, statusOf([&] {
               App app;
               Program program = app.source(source);
               ASSERT_EQ(app.build(program, ("-I" + folder).c_str()), CL_SUCCESS) << app.log(program);
               Kernel kernel = plainKernel(app, program);
               EXPECT_EQ(statusOf(app, kernel, 64), CL_OUT_OF_RESOURCES);
             }));
  EXPECT_TRUE(says("put.h:2 (*at = x; // here), called at <source>:3, work-item with global id (37)")) << errors;
}

TEST_F(FaultPlace, InALinkedProgram) {
  const std::string put = "void put(global int *at, int x) {\n  *at = x; // here\n}\n";
  const std::string source =
      "void put(global int *at, int x);\n" KERNEL "  if (get_global_id(0) == 37)\n    put(out + index, 1);\n}\n";
  expectExit(
      0, statusOf([&] {
        App app;
        Program first = app.source(put), second = app.source(source);
        for (cl_program one : {first.get(), second.get()})
          ASSERT_EQ(clCompileProgram(one, 1, &app.device, nullptr, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
        cl_program inputs[] = {first.get(), second.get()};
        Program program = clLinkProgram(app.context, 1, &app.device, nullptr, 2, inputs, nullptr, nullptr, nullptr);
        Kernel kernel = plainKernel(app, program);
        EXPECT_EQ(statusOf(app, kernel, 64), CL_OUT_OF_RESOURCES);
      }));
  EXPECT_TRUE(says(": <source>:2, called at <source>:4, work-item with global id (37)")) << errors;
}

// Without source there are no lines, and the work-item is there.
TEST_F(FaultPlace, InABinary) {
  expectExit(0, statusOf([] {
               App app;
               Program built = app.source(Plain.source);
               ASSERT_EQ(app.build(built), CL_SUCCESS);
               size_t size = 0;
               clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr);
               std::vector<unsigned char> bytes(size);
               unsigned char *at = bytes.data();
               clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof at, &at, nullptr);
               const unsigned char *binary = bytes.data();
               Program program =
                   clCreateProgramWithBinary(app.context, 1, &app.device, &size, &binary, nullptr, nullptr);
               ASSERT_EQ(app.build(program), CL_SUCCESS);
               Kernel kernel = plainKernel(app, program);
               EXPECT_EQ(statusOf(app, kernel, 64), CL_OUT_OF_RESOURCES);
             }));
  EXPECT_TRUE(says("; replayed: the program has no lines, work-item with global id (37)")) << errors;
}

} // namespace
} // namespace kiln::test
