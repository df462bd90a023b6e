#include "tests/api/ProgramTest.h"

namespace kiln::test {
struct CreateProgramWithSource : WithProgram {
  cl_int create(cl_context in, cl_uint count, const char **strings, const size_t *lengths = nullptr) {
    cl_int code = 1;
    Program made = clCreateProgramWithSource(in, count, strings, lengths, &code);
    EXPECT_EQ(made != nullptr, code == CL_SUCCESS);
    return code;
  }
};

TEST_F(CreateProgramWithSource, Arguments) {
  PROVES("API-5.8.1a");
  const char *strings[] = {"", nullptr};
  EXPECT_EQ(create(nullptr, 1, strings), CL_INVALID_CONTEXT);
  EXPECT_EQ(create(context, 0, strings), CL_INVALID_VALUE);
  EXPECT_EQ(create(context, 1, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(create(context, 2, strings), CL_INVALID_VALUE) << "an entry is null";
}

TEST_F(CreateProgramWithSource, LengthsZeroNullOrSet) {
  PROVES("API-5.8.1a API-5.8.9a");
  const char *strings[] = {"kernel void a", "() {}XXX", "\n"};
  size_t lengths[] = {0, 5, 1};
  Program program = clCreateProgramWithSource(context, 3, strings, lengths, nullptr);
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(queryText(clGetProgramInfo, program.get(), CL_PROGRAM_SOURCE), "kernel void a() {}\n");
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << log(program);
}
} // namespace kiln::test
