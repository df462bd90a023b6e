#include "tests/api/ProgramTest.h"

namespace kiln::test {
struct CreateProgramWithBinary : WithProgram {
  Program load(const std::vector<unsigned char> &bytes, cl_int *status, cl_int *code) {
    const unsigned char *pointer = bytes.data();
    size_t size = bytes.size();
    cl_device_id d = device;
    return clCreateProgramWithBinary(context, 1, &d, &size, &pointer, status, code);
  }
};

TEST_F(CreateProgramWithBinary, Arguments) {
  PROVES("API-5.8.1c");
  const unsigned char byte = 0, *pointer = &byte, *null = nullptr;
  size_t one = 1, none = 0;
  cl_device_id d = device, bad = nullptr;
  cl_int status = 1;
  auto code = [&](cl_context c, cl_uint n, const cl_device_id *devices, const size_t *sizes,
                  const unsigned char **binaries) {
    cl_int code = 1;
    EXPECT_EQ(clCreateProgramWithBinary(c, n, devices, sizes, binaries, &status, &code), nullptr);
    return code;
  };
  EXPECT_EQ(code(nullptr, 1, &d, &one, &pointer), CL_INVALID_CONTEXT);
  EXPECT_EQ(code(context, 0, &d, &one, &pointer), CL_INVALID_VALUE);
  EXPECT_EQ(code(context, 1, nullptr, &one, &pointer), CL_INVALID_VALUE);
  EXPECT_EQ(code(context, 1, &d, nullptr, &pointer), CL_INVALID_VALUE);
  EXPECT_EQ(code(context, 1, &d, &one, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(context, 1, &bad, &one, &pointer), CL_INVALID_DEVICE);
  EXPECT_EQ(code(context, 1, &d, &none, &pointer), CL_INVALID_VALUE);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(code(context, 1, &d, &one, &null), CL_INVALID_VALUE);
}

TEST_F(CreateProgramWithBinary, DamagedOrForeign) {
  PROVES("API-5.8.1c");
  std::vector<unsigned char> good = binary(built(AddSource));
  ASSERT_GT(good.size(), 64u);
  auto expectInvalid = [&](std::vector<unsigned char> bytes, const char *what) {
    cl_int status = 1, code = 1;
    EXPECT_EQ(load(bytes, &status, &code), nullptr) << what;
    EXPECT_EQ(code, CL_INVALID_BINARY) << what;
    EXPECT_EQ(status, CL_INVALID_BINARY) << what;
  };
  expectInvalid(std::vector<unsigned char>(100, 0x7f), "foreign");
  expectInvalid({good.begin(), good.begin() + 10}, "ten bytes");
  expectInvalid({good.begin(), good.end() - 1}, "truncated");
  for (size_t at : {size_t(0), good.size() / 3, good.size() / 2, good.size() - 1}) {
    std::vector<unsigned char> bad = good;
    bad[at] ^= 0xff;
    expectInvalid(bad, "one byte changed");
  }
}

TEST_F(CreateProgramWithBinary, RoundTrip) {
  PROVES("API-5.8.4d");
  std::vector<unsigned char> bytes;
  {
    Program original = built(AddSource);
    bytes = binary(original);
  }
  cl_int status = 1, code = 1;
  Program program = load(bytes, &status, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(binaryType(program), cl_program_binary_type(CL_PROGRAM_BINARY_TYPE_EXECUTABLE));
  EXPECT_EQ(queryText(clGetProgramInfo, program.get(), CL_PROGRAM_SOURCE), "");
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << log(program);
  expectAdds(program);
}
} // namespace kiln::test
