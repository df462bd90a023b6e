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

TEST_F(CreateProgramWithBinary, CompiledObjectAndLibrary) {
  PROVES("API-5.8.1c API-5.8.5b API-5.8.9a");
  Program user = source("int twice(int);\nkernel void k(global int *p) { p[0] = twice(21); }");
  Program maker = source("int twice(int x) { return 2 * x; }");
  for (cl_program one : {user.get(), maker.get()})
    ASSERT_EQ(clCompileProgram(one, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  cl_program m = maker;
  Program library = clLinkProgram(context, 0, nullptr, "-create-library", 1, &m, nullptr, nullptr, nullptr);
  cl_int status = 1, code = 1;
  Program object = load(binary(user), &status, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(binaryType(object), cl_program_binary_type(CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT));
  Program reloaded = load(binary(library), &status, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(binaryType(reloaded), cl_program_binary_type(CL_PROGRAM_BINARY_TYPE_LIBRARY));
  EXPECT_EQ(clBuildProgram(object, 0, nullptr, nullptr, nullptr, nullptr), CL_INVALID_OPERATION) << "must be linked";
  EXPECT_EQ(clCompileProgram(object, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr), CL_INVALID_OPERATION);
  cl_program both[] = {object, reloaded};
  Program linked = clLinkProgram(context, 0, nullptr, nullptr, 2, both, nullptr, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS) << log(linked);
  Kernel k = kernel(linked, "k");
  Mem out = buffer(4);
  set(k, 0, out);
  ASSERT_EQ(launch(k, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], 42);
}

TEST_F(CreateProgramWithBinary, OfALinkedExecutable) {
  PROVES("API-5.8.1c API-5.8.4d");
  Program compiled = source(AddSource);
  ASSERT_EQ(clCompileProgram(compiled, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  cl_program c = compiled;
  Program linked = clLinkProgram(context, 0, nullptr, "-cl-no-signed-zeros", 1, &c, nullptr, nullptr, nullptr);
  ASSERT_NE(linked, nullptr);
  cl_int status = 1, code = 1;
  Program program = load(binary(linked), &status, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << log(program);
  EXPECT_EQ(queryText(clGetProgramBuildInfo, program.get(), device, CL_PROGRAM_BUILD_OPTIONS), "-cl-no-signed-zeros");
  expectAdds(program);
}

TEST_F(CreateProgramWithBinary, NotExecutableBeforeTheBuild) {
  PROVES("API-5.8.1c API-5.8.9a API-5.9.1a");
  cl_int status = 1, code = 1;
  Program program = load(binary(built(AddSource)), &status, &code);
  EXPECT_EQ(buildStatus(program), CL_BUILD_NONE);
  EXPECT_EQ(clCreateKernel(program, "add", &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_PROGRAM_EXECUTABLE);
  size_t count;
  EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, nullptr),
            CL_INVALID_PROGRAM_EXECUTABLE);
}

TEST_F(CreateProgramWithBinary, BuiltWithOtherOptionsAndThenWithItsOwn) {
  PROVES("API-5.8.4d");
  Program original = source(AddSource);
  ASSERT_EQ(clBuildProgram(original, 0, nullptr, "-cl-kernel-arg-info", nullptr, nullptr), CL_SUCCESS);
  cl_int status = 1, code = 1;
  Program program = load(binary(original), &status, &code);
  auto options = [&] { return queryText(clGetProgramBuildInfo, program.get(), device, CL_PROGRAM_BUILD_OPTIONS); };
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, "-cl-opt-disable", nullptr, nullptr), CL_SUCCESS) << log(program);
  EXPECT_EQ(options(), "-cl-opt-disable");
  expectAdds(program);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << log(program);
  EXPECT_EQ(options(), "-cl-kernel-arg-info");
  Kernel add = kernel(program, "add");
  EXPECT_EQ(queryText(clGetKernelArgInfo, add.get(), 0u, CL_KERNEL_ARG_NAME), "a");
}

// Code that is built with the option relies on uniform work-groups, so launches must have them.
TEST_F(CreateProgramWithBinary, BuiltForUniformWorkGroups) {
  PROVES("API-5.8.4d");
  Program original =
      built("kernel void k(global uint *out) { out[get_global_id(0)] = get_local_size(0); }", "-cl-std=CL3.0");
  cl_int status = 1, code = 1;
  Program program = load(binary(original), &status, &code);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, "-cl-uniform-work-group-size", nullptr, nullptr), CL_SUCCESS)
      << log(program);
  Kernel k = kernel(program, "k");
  Mem out = buffer(20 * 4);
  set(k, 0, out);
  const size_t global = 20, local = 8;
  EXPECT_EQ(clEnqueueNDRangeKernel(queue, k, 1, nullptr, &global, &local, 0, nullptr, nullptr),
            CL_INVALID_WORK_GROUP_SIZE);
}

TEST_F(CreateProgramWithBinary, StatusAndErrorPerDevice) {
  PROVES("API-5.8.1c API-5.8.9a");
  cl_uint all = 0;
  ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &all), CL_SUCCESS);
  std::vector<cl_device_id> devices(all);
  ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, all, devices.data(), nullptr), CL_SUCCESS);
  if (all < 2)
    GTEST_SKIP() << "needs two devices (KILN_CPU_DEVICES=2)";
  cl_int code = 1;
  Context several = clCreateContext(nullptr, 2, devices.data(), nullptr, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  Program program = source(AddSource, several);
  ASSERT_EQ(clBuildProgram(program, 1, &devices[1], nullptr, nullptr, nullptr), CL_SUCCESS);
  std::vector<size_t> sizes = queryList<size_t>(clGetProgramInfo, program.get(), CL_PROGRAM_BINARY_SIZES);
  ASSERT_EQ(sizes.size(), 2u);
  EXPECT_EQ(sizes[0], 0u) << "not built for this device";
  ASSERT_GT(sizes[1], 0u);
  std::vector<unsigned char> good(sizes[1]), bad(100, 1);
  unsigned char *targets[] = {nullptr, good.data()};
  ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof targets, targets, nullptr), CL_SUCCESS);
  const unsigned char *binaries[] = {good.data(), bad.data()};
  size_t lengths[] = {good.size(), bad.size()};
  cl_int statuses[] = {1, 1};
  EXPECT_EQ(clCreateProgramWithBinary(several, 2, devices.data(), lengths, binaries, statuses, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_BINARY);
  EXPECT_EQ(statuses[0], CL_SUCCESS);
  EXPECT_EQ(statuses[1], CL_INVALID_BINARY);
  lengths[1] = 0;
  EXPECT_EQ(clCreateProgramWithBinary(several, 2, devices.data(), lengths, binaries, statuses, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_VALUE);
  EXPECT_EQ(statuses[0], CL_SUCCESS);
  EXPECT_EQ(statuses[1], CL_INVALID_VALUE);
  Program one = clCreateProgramWithBinary(several, 1, &devices[1], lengths, binaries, statuses, &code);
  EXPECT_EQ(code, CL_SUCCESS) << "for one of the context's devices";
  EXPECT_EQ(queryList<cl_device_id>(clGetProgramInfo, one.get(), CL_PROGRAM_DEVICES),
            std::vector<cl_device_id>{devices[1]});
}

// CL_PROGRAM_BINARIES writes exactly CL_PROGRAM_BINARY_SIZES bytes, and nothing for a program without a binary.
TEST_F(CreateProgramWithBinary, SizesAreThoseOfTheBinaries) {
  PROVES("API-5.8.9a");
  Program program = source(AddSource);
  unsigned char byte = 7, *target = &byte;
  EXPECT_EQ(query<size_t>(clGetProgramInfo, program.get(), CL_PROGRAM_BINARY_SIZES), 0u);
  EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof target, &target, nullptr), CL_SUCCESS);
  EXPECT_EQ(byte, 7);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  size_t size = query<size_t>(clGetProgramInfo, program.get(), CL_PROGRAM_BINARY_SIZES);
  EXPECT_EQ(query<size_t>(clGetProgramInfo, program.get(), CL_PROGRAM_BINARY_SIZES), size);
  std::vector<unsigned char> bytes(size + 1, 0xa5), again(size);
  target = bytes.data();
  EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof target, &target, nullptr), CL_SUCCESS);
  EXPECT_EQ(bytes.back(), 0xa5);
  target = again.data();
  EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof target, &target, nullptr), CL_SUCCESS);
  bytes.pop_back();
  EXPECT_EQ(again, bytes);
}
} // namespace kiln::test
