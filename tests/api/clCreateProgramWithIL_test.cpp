#include "tests/api/ProgramTest.h"

namespace kiln::test {
struct CreateProgramWithIL : WithProgram {
  cl_int create(cl_context in, const void *il, size_t size) {
    cl_int code = 1;
    Program made = clCreateProgramWithIL(in, il, size, &code);
    EXPECT_EQ(made != nullptr, code == CL_SUCCESS);
    return code;
  }
  Program fromIL(const std::vector<char> &il) {
    cl_int code = 1;
    Program made = clCreateProgramWithIL(context, il.data(), il.size(), &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return made;
  }
  void build(cl_program program) {
    ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << log(program);
  }
};
using SetProgramSpecializationConstant = CreateProgramWithIL;

TEST_F(CreateProgramWithIL, Arguments) {
  PROVES("API-5.8.1b");
  std::vector<char> il = module("add");
  EXPECT_EQ(create(nullptr, il.data(), il.size()), CL_INVALID_CONTEXT);
  EXPECT_EQ(create(context, nullptr, il.size()), CL_INVALID_VALUE);
  EXPECT_EQ(create(context, il.data(), 0), CL_INVALID_VALUE);
}

TEST_F(CreateProgramWithIL, MalformedModule) {
  PROVES("API-5.8.1b IL-6.1a");
  std::vector<char> il = module("add");
  EXPECT_EQ(create(context, il.data(), 3), CL_INVALID_VALUE) << "less than a word";
  EXPECT_EQ(create(context, il.data(), 20), CL_INVALID_VALUE) << "only the header";
  EXPECT_EQ(create(context, il.data(), il.size() / 2 & ~3), CL_INVALID_VALUE) << "truncated";
  il[0] ^= 0x55;
  EXPECT_EQ(create(context, il.data(), il.size()), CL_INVALID_VALUE) << "no magic number";
}

TEST_F(CreateProgramWithIL, VectorAdd) {
  PROVES("API-5.8.1b EXEC-3.2.5 IL-6.1a");
  Program program = fromIL(module("add"));
  build(program);
  expectAdds(program);
}

TEST_F(CreateProgramWithIL, OtherByteOrder) {
  PROVES("API-5.8.1b IL-6.1a");
  std::vector<char> il = module("add");
  for (size_t i = 0; i + 3 < il.size(); i += 4) {
    std::swap(il[i], il[i + 3]);
    std::swap(il[i + 1], il[i + 2]);
  }
  Program program = fromIL(il);
  build(program);
  expectAdds(program);
}

TEST_F(CreateProgramWithIL, CopiesTheModule) {
  PROVES("API-5.8.1b API-5.8.9a IL-6.1g");
  std::vector<char> il = module("add"), copy = il;
  Program program = fromIL(copy);
  copy.assign(copy.size(), 0);
  EXPECT_EQ(queryList<char>(clGetProgramInfo, program.get(), CL_PROGRAM_IL), il);
  EXPECT_EQ(queryText(clGetProgramInfo, program.get(), CL_PROGRAM_SOURCE), "");
  EXPECT_TRUE(queryList<char>(clGetProgramInfo, source(AddSource).get(), CL_PROGRAM_IL).empty());
}

TEST_F(CreateProgramWithIL, ByItsExtensionName) {
  PROVES("API-5.8.1b X-E02");
  auto create = reinterpret_cast<decltype(&clCreateProgramWithIL)>(
      clGetExtensionFunctionAddressForPlatform(platform, "clCreateProgramWithILKHR"));
  ASSERT_NE(create, nullptr);
  std::vector<char> il = module("add");
  cl_int code = 1;
  Program program = create(context, il.data(), il.size(), &code);
  EXPECT_EQ(code, CL_SUCCESS);
}

TEST_F(SetProgramSpecializationConstant, Rules) {
  PROVES("API-5.8.3a");
  Program program = fromIL(module("add"));
  cl_uint value = 5;
  cl_ulong wide = 5;
  EXPECT_EQ(clSetProgramSpecializationConstant(nullptr, 7, 4, &value), CL_INVALID_PROGRAM);
  EXPECT_EQ(clSetProgramSpecializationConstant(source(AddSource), 7, 4, &value), CL_INVALID_PROGRAM) << "not from IL";
  EXPECT_EQ(clSetProgramSpecializationConstant(program, 8, 4, &value), CL_INVALID_SPEC_ID);
  EXPECT_EQ(clSetProgramSpecializationConstant(program, 7, 8, &wide), CL_INVALID_VALUE) << "size";
  EXPECT_EQ(clSetProgramSpecializationConstant(program, 7, 4, nullptr), CL_INVALID_VALUE);
}

TEST_F(SetProgramSpecializationConstant, LastValueWinsAndRebuildsUseIt) {
  PROVES("API-5.8.3a");
  Program program = fromIL(module("add"));
  std::vector<int> a = numbers(4);
  Mem in = buffer(16, CL_MEM_COPY_HOST_PTR, a.data()), out = buffer(16);
  for (cl_uint value : {100u, 200u}) {
    cl_uint ignored = 1;
    ASSERT_EQ(clSetProgramSpecializationConstant(program, 7, 4, &ignored), CL_SUCCESS);
    ASSERT_EQ(clSetProgramSpecializationConstant(program, 7, 4, &value), CL_SUCCESS);
    build(program);
    Kernel add = kernel(program, "add");
    set(add, 0, in);
    set(add, 1, in);
    set(add, 2, out);
    ASSERT_EQ(launch(add, 4), CL_SUCCESS);
    EXPECT_EQ(read<int>(out, 4)[3], int(6 + value));
  }
}
} // namespace kiln::test
