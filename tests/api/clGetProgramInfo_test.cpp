#include "tests/api/ProgramTest.h"

namespace kiln::test {
struct GetProgramInfo : WithProgram {};
struct GetProgramBuildInfo : WithProgram {};

TEST_F(GetProgramInfo, InfoRules) {
  PROVES("R3 API-5.8.9a");
  Program program = source(AddSource);
  expectInfoRules(clGetProgramInfo, program.get(), CL_PROGRAM_SOURCE);
  EXPECT_EQ(clGetProgramInfo(nullptr, CL_PROGRAM_SOURCE, 0, nullptr, nullptr), CL_INVALID_PROGRAM);
}

TEST_F(GetProgramInfo, BeforeABuild) {
  PROVES("API-5.8.9a");
  Program program = source(AddSource);
  char room[64];
  EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof room, room, nullptr),
            CL_INVALID_PROGRAM_EXECUTABLE);
  EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof room, room, nullptr),
            CL_INVALID_PROGRAM_EXECUTABLE);
  EXPECT_EQ(query<size_t>(clGetProgramInfo, program.get(), CL_PROGRAM_BINARY_SIZES), 0u);
}

TEST_F(GetProgramInfo, OfABuiltProgram) {
  PROVES("API-5.8.9a R13");
  Program program = built("kernel void first() {}\nkernel void second() {}");
  cl_program p = program;
  EXPECT_EQ(query<cl_context>(clGetProgramInfo, p, CL_PROGRAM_CONTEXT), context);
  EXPECT_EQ(query<cl_uint>(clGetProgramInfo, p, CL_PROGRAM_NUM_DEVICES), 1u);
  EXPECT_EQ(queryList<cl_device_id>(clGetProgramInfo, p, CL_PROGRAM_DEVICES), std::vector<cl_device_id>{device});
  EXPECT_EQ(query<size_t>(clGetProgramInfo, p, CL_PROGRAM_NUM_KERNELS), 2u);
  std::string names = queryText(clGetProgramInfo, p, CL_PROGRAM_KERNEL_NAMES);
  EXPECT_TRUE(names == "first;second" || names == "second;first") << names;
  EXPECT_GT(query<size_t>(clGetProgramInfo, p, CL_PROGRAM_BINARY_SIZES), 0u);
  EXPECT_EQ(query<cl_bool>(clGetProgramInfo, p, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT), cl_bool(CL_FALSE));
  EXPECT_EQ(query<cl_uint>(clGetProgramInfo, p, CL_PROGRAM_REFERENCE_COUNT), 1u);
  unsigned char *skipped = nullptr;
  EXPECT_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof skipped, &skipped, nullptr), CL_SUCCESS);
  EXPECT_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARIES, 1, &skipped, nullptr), CL_INVALID_VALUE);
}

TEST_F(GetProgramBuildInfo, InfoRules) {
  PROVES("R3 API-5.8.9b");
  Program program = built(AddSource);
  char room[64];
  size_t size = 0;
  EXPECT_EQ(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, 0, nullptr, &size), CL_SUCCESS);
  EXPECT_EQ(size, sizeof(cl_build_status));
  EXPECT_EQ(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, 1, room, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetProgramBuildInfo(program, device, 0xdead, sizeof room, room, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetProgramBuildInfo(program, nullptr, CL_PROGRAM_BUILD_STATUS, sizeof room, room, nullptr),
            CL_INVALID_DEVICE);
  EXPECT_EQ(clGetProgramBuildInfo(nullptr, device, CL_PROGRAM_BUILD_STATUS, sizeof room, room, nullptr),
            CL_INVALID_PROGRAM);
}

TEST_F(GetProgramBuildInfo, BeforeABuild) {
  PROVES("API-5.8.9b");
  Program program = source(AddSource);
  EXPECT_EQ(buildStatus(program), CL_BUILD_NONE);
  EXPECT_EQ(binaryType(program), cl_program_binary_type(CL_PROGRAM_BINARY_TYPE_NONE));
  EXPECT_EQ(log(program), "");
  EXPECT_EQ(queryText(clGetProgramBuildInfo, program.get(), device, CL_PROGRAM_BUILD_OPTIONS), "");
  EXPECT_EQ(query<size_t>(clGetProgramBuildInfo, program.get(), device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE),
            0u);
}
} // namespace kiln::test
