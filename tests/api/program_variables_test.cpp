// Program-scope variables: lifetime, sharing and queries. The device suite tests their values in kernels.
#include "tests/api/ProgramTest.h"

namespace kiln::test {
struct ProgramVariables : WithProgram {
  static constexpr const char *Std = "-cl-std=CL3.0";
  static constexpr const char *Counter =
      "global int counter = 7;\nkernel void next(global int *out) { out[0] = counter++; }";

  int next(cl_program program, const char *name = "next") {
    Kernel k = kernel(program, name);
    Mem out = buffer(4);
    set(k, 0, out);
    EXPECT_EQ(launch(k, 1), CL_SUCCESS);
    return read<int>(out, 1)[0];
  }
  size_t totalSize(cl_program program) {
    return query<size_t>(clGetProgramBuildInfo, program, device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE);
  }
  Program compiled(const char *text) {
    Program program = source(text);
    EXPECT_EQ(clCompileProgram(program, 0, nullptr, Std, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS)
        << log(program);
    return program;
  }
  Program linked(std::vector<cl_program> inputs, cl_int expected = CL_SUCCESS, const char *options = nullptr) {
    cl_int code = 1;
    Program made =
        clLinkProgram(context, 0, nullptr, options, cl_uint(inputs.size()), inputs.data(), nullptr, nullptr, &code);
    EXPECT_EQ(code, expected) << (made ? log(made) : "no program");
    return made;
  }
};

TEST_F(ProgramVariables, OneCopyForEachProgram) {
  PROVES("LANG-1.5.1a");
  Program one = built(Counter, Std), two = built(Counter, Std);
  EXPECT_EQ(next(one), 7);
  EXPECT_EQ(next(one), 8);
  EXPECT_EQ(next(two), 7);
  EXPECT_EQ(next(one), 9);
}

TEST_F(ProgramVariables, FreshWhenRebuilt) {
  PROVES("LANG-1.5.1a");
  Program program = built(Counter, Std);
  EXPECT_EQ(next(program), 7);
  EXPECT_EQ(next(program), 8);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, Std, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(next(program), 7);
}

TEST_F(ProgramVariables, FreshFromABinary) {
  PROVES("LANG-1.5.1a API-5.8.1d");
  Program original = built("global int list[3] = {5, 6, 7};\nglobal int *place = &list[1];\n"
                           "kernel void next(global int *out) { out[0] = (*place)++; }",
                           Std);
  EXPECT_EQ(next(original), 6);
  std::vector<unsigned char> bytes = binary(original);
  const unsigned char *pointer = bytes.data();
  size_t size = bytes.size();
  cl_int status = 1, code = 1;
  Program program = clCreateProgramWithBinary(context, 1, &device, &size, &pointer, &status, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << log(program);
  EXPECT_EQ(next(program), 6);
  EXPECT_EQ(next(program), 7);
  EXPECT_EQ(next(original), 7);
  EXPECT_EQ(totalSize(program), totalSize(original));
}

TEST_F(ProgramVariables, SharedAcrossUnits) {
  PROVES("LANG-1.5.1a API-5.8.5b");
  Program owner = compiled("global int shared[4] = {1, 2, 3, 4};\nstatic global int own = 10;\n"
                           "kernel void bump(global int *out) { out[0] = ++shared[2] + ++own; }");
  Program user = compiled("extern global int shared[4];\nstatic global int own = 20;\nglobal int *at = &shared[2];\n"
                          "kernel void next(global int *out) { out[0] = *at * 100 + own; }");
  for (std::vector<cl_program> order : {std::vector<cl_program>{owner, user}, {user, owner}}) {
    Program program = linked(order);
    ASSERT_NE(program, nullptr);
    EXPECT_EQ(next(program), 320);
    EXPECT_EQ(next(program, "bump"), 15);
    EXPECT_EQ(next(program), 420);
    EXPECT_EQ(next(program, "bump"), 17);
    EXPECT_EQ(next(program), 520);
  }
}

TEST_F(ProgramVariables, LinkErrors) {
  PROVES("API-5.8.5b");
  Program user = compiled("extern global int nowhere;\nkernel void next(global int *out) { out[0] = nowhere; }");
  Program failed = linked({user}, CL_LINK_PROGRAM_FAILURE);
  ASSERT_NE(failed, nullptr);
  EXPECT_NE(log(failed).find("nowhere"), std::string::npos) << log(failed);
  Program one = compiled("global int twice = 1;\nkernel void next(global int *out) { out[0] = twice; }"),
          two = compiled("global int twice = 2;");
  failed = linked({one, two}, CL_LINK_PROGRAM_FAILURE);
  ASSERT_NE(failed, nullptr);
  EXPECT_NE(log(failed).find("twice"), std::string::npos) << log(failed);
}

TEST_F(ProgramVariables, FromALibrary) {
  PROVES("LANG-1.5.1a API-5.8.5c");
  Program maker = compiled("global int calls;\nint count(void) { return ++calls; }");
  Program library = linked({maker}, CL_SUCCESS, "-create-library");
  ASSERT_NE(library, nullptr);
  Program user = compiled("int count(void);\nkernel void next(global int *out) { out[0] = count(); }");
  Program program = linked({user, library});
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(next(program), 1);
  EXPECT_EQ(next(program), 2);
}

TEST_F(ProgramVariables, TotalSize) {
  PROVES("LANG-1.5.1a API-5.8.9b");
  EXPECT_EQ(totalSize(built(AddSource)), 0u);
  Program program = built("global long a;\nglobal char b[100];\nint f(void) { static global int c; return ++c; }\n"
                          "kernel void k(global int *p) { p[0] = f(); }",
                          Std);
  EXPECT_GE(totalSize(program), 112u);
  EXPECT_LE(totalSize(program), 128u);
  EXPECT_EQ(totalSize(source(Counter)), 0u) << "not built";
}

TEST_F(ProgramVariables, TooLarge) {
  PROVES("LIM-26");
  size_t most = query<size_t>(clGetDeviceInfo, device, CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE);
  std::string text =
      "global char big[" + std::to_string(most + 1) + "];\nkernel void k(global int *p) { p[0] = big[0]; }";
  Program program = source(text.c_str());
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, Std, nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_NE(log(program).find(std::to_string(most + 1)), std::string::npos) << log(program);
  std::string many = "kernel void k(global int *p) { p[0] = a0[0]; }", head;
  const uint64_t enough = query<cl_ulong>(clGetDeviceInfo, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE) / most + 1;
  for (uint64_t i = 0; i < enough; ++i)
    head += "global char a" + std::to_string(i) + "[" + std::to_string(most) + "];\n";
  Program together = source((head + many).c_str());
  EXPECT_EQ(clBuildProgram(together, 0, nullptr, Std, nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_NE(log(together).find("the limit of device"), std::string::npos) << log(together);
}

// A kernel keeps the variables of the build that it was created from.
TEST_F(ProgramVariables, OutliveTheProgram) {
  PROVES("LANG-1.5.1a");
  Kernel k;
  {
    Program program = built(Counter, Std);
    k = kernel(program, "next");
  }
  Mem out = buffer(4);
  set(k, 0, out);
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(launch(k, 1), CL_SUCCESS);
  k.reset();
  EXPECT_EQ(read<int>(out, 1)[0], 16);
}

TEST_F(ProgramVariables, OneCopyForEachDevice) {
  PROVES("LANG-1.5.1a");
  cl_device_id devices[2] = {};
  cl_uint count = 0;
  ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &count), CL_SUCCESS);
  ASSERT_GE(count, 2u);
  cl_int code = 1;
  Context both = clCreateContext(nullptr, 2, devices, nullptr, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  Program program = source("global int list[2] = {7, 70};\nglobal int *at = list;\n"
                           "kernel void next(global int *out) { out[0] = (*at)++; }",
                           both);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, Std, nullptr, nullptr), CL_SUCCESS);
  Kernel k = kernel(program, "next");
  Mem out = buffer(4, 0, nullptr, both);
  set(k, 0, out);
  Queue queues[2] = {clCreateCommandQueue(both, devices[0], 0, nullptr),
                     clCreateCommandQueue(both, devices[1], 0, nullptr)};
  auto on = [&](int device) {
    size_t one = 1;
    int found = 0;
    EXPECT_EQ(clEnqueueNDRangeKernel(queues[device], k, 1, nullptr, &one, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clEnqueueReadBuffer(queues[device], out, CL_TRUE, 0, 4, &found, 0, nullptr, nullptr), CL_SUCCESS);
    return found;
  };
  EXPECT_EQ(on(0), 7);
  EXPECT_EQ(on(0), 8);
  EXPECT_EQ(on(1), 7);
  EXPECT_EQ(on(0), 9);
  EXPECT_EQ(on(1), 8);
}

// A cycle of addresses, a variable's own address, and addresses inside structs and arrays next to other values.
TEST_F(ProgramVariables, AddressesOfEachOther) {
  PROVES("LANG-1.5.1a");
  Program program = built("struct node { global struct node *next; int value; };\n"
                          "extern global struct node b;\n"
                          "global struct node a = {&b, 1};\nglobal struct node b = {&a, 2};\n"
                          "global struct node self = {&self, 3};\n"
                          "global struct node ring[3] = {{&ring[1], 4}, {&ring[2], 5}, {&ring[0], 6}};\n"
                          "global void *alone = &alone;\n"
                          "struct __attribute__((packed)) odd { char c; global struct odd *next; short s; };\n"
                          "global struct odd odd = {7, &odd, 8};\n"
                          "kernel void get(global int *out) {\n"
                          "  out[0] = a.next->value; out[1] = b.next->value; out[2] = self.next->next->value;\n"
                          "  out[3] = ring[0].next->value; out[4] = ring[2].next->next->next->value;\n"
                          "  out[5] = alone == &alone; out[6] = odd.next->c; out[7] = odd.next->next->s;\n"
                          "  a.next = &self;\n"
                          "}",
                          Std);
  Kernel k = kernel(program, "get");
  Mem out = buffer(32);
  set(k, 0, out);
  ASSERT_EQ(launch(k, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 8), (std::vector<int>{2, 1, 3, 5, 6, 1, 7, 8}));
  ASSERT_EQ(launch(k, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], 3) << "initialised once";
  EXPECT_EQ(query<size_t>(clGetProgramInfo, program.get(), CL_PROGRAM_NUM_KERNELS), 1u);
}

// Constructors run after static initialisation.
TEST_F(ProgramVariables, AddressesOfEachOtherAndConstructors) {
  PROVES("LANG-1.5.1a EXEC-3.2c");
  Program program = built("struct node { global node *next; int value; };\n"
                          "extern node b;\nnode a = {&b, 1}, b = {&a, 2};\n"
                          "struct Sum { int s; Sum() : s(10 * a.next->value + b.next->value) {} };\nSum sum;\n"
                          "kernel void get(global int *out) { out[0] = sum.s; }",
                          "-cl-std=CLC++");
  EXPECT_EQ(next(program, "get"), 21);
}
} // namespace kiln::test
