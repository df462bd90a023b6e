// Programs: failing builds, build options, binaries, and errors at launches.
#include "tests/backends/suite/Suite.h"

namespace kiln::suite {

class DevicePrograms : public OnDevice {};
ON_EVERY_DEVICE(DevicePrograms);

TEST_P(DevicePrograms, BuildFailureSaysWhere) {
  const char *source = "kernel void run(global int *a) {\n  a[0] = undeclared_name;\n}\n";
  cl_int code = 1;
  Program program = clCreateProgramWithSource(context, 1, &source, nullptr, &code);
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  std::string log = queryText(clGetProgramBuildInfo, program.get(), device, CL_PROGRAM_BUILD_LOG);
  EXPECT_NE(log.find("undeclared_name"), std::string::npos) << log;
  EXPECT_EQ(query<cl_build_status>(clGetProgramBuildInfo, program.get(), device, CL_PROGRAM_BUILD_STATUS),
            CL_BUILD_ERROR);
}

TEST_P(DevicePrograms, Options) {
  Program program = build("kernel void run(global int *a) { a[0] = VALUE + 1; }", "-DVALUE=41 -cl-fast-relaxed-math");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  Mem out = buffer(std::vector<cl_int>(1));
  set(run, 0, out);
  launch(run, {1});
  EXPECT_EQ(read<cl_int>(out, 1)[0], 42);
}

TEST_P(DevicePrograms, Unoptimised) {
  Program program = build(R"(
kernel void run(global int *a) {
  local int l[32];
  int i = get_local_id(0), s = 0;
  l[i] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 32; ++k) s += l[k];
  a[get_global_id(0)] = s;
}
)",
                          "-cl-opt-disable");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  Mem out = buffer(std::vector<cl_int>(64));
  set(run, 0, out);
  launch(run, {64}, {32});
  EXPECT_EQ(read<cl_int>(out, 64), std::vector<cl_int>(64, 496));
}

// asm statements of the vendor's processors, whose instructions programs choose by the vendor.
TEST_P(DevicePrograms, AssemblyOfTheVendor) {
  const char *statement = nullptr;
  switch (query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_VENDOR_ID)) {
  case 0x10de:
    statement = "xor.b32 %0, %1, %2;\" : \"=r\"(r) : \"r\"(i), \"r\"(n)";
    break;
  case 0x1002:
    statement = "v_xor_b32 %0, %1, %2\" : \"=v\"(r) : \"v\"(i), \"v\"(n)";
    break;
  default:
    GTEST_SKIP() << "the vendor has no assembly in OpenCL C";
  }
  const std::string source = std::string("kernel void run(global uint *o, uint n) {\n"
                                         "  uint i = get_global_id(0), r;\n  __asm__(\"") +
                             statement + ");\n  o[i] = r;\n}\n";
  Program program = build(source.c_str());
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  Mem out = buffer(std::vector<cl_uint>(200));
  set(run, 0, out, cl_uint(0x155));
  launch(run, {200});
  const std::vector<cl_uint> values = read<cl_uint>(out, 200);
  for (cl_uint i = 0; i < 200; ++i)
    EXPECT_EQ(values[i], i ^ 0x155);
}

TEST_P(DevicePrograms, BinaryRoundTrip) {
  Program program = build("kernel void run(global int *a) { a[get_global_id(0)] = get_global_id(0) * 7; }");
  ASSERT_NE(program, nullptr);
  size_t size = query<size_t>(clGetProgramInfo, program.get(), CL_PROGRAM_BINARY_SIZES);
  ASSERT_GT(size, 0u);
  std::vector<unsigned char> bytes(size);
  unsigned char *target = bytes.data();
  ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof target, &target, nullptr), CL_SUCCESS);
  const unsigned char *source = bytes.data();
  cl_int status = 1, code = 1;
  Program again = clCreateProgramWithBinary(context, 1, &device, &size, &source, &status, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(again, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  Kernel run = kernel(again, "run");
  Mem out = buffer(std::vector<cl_int>(100));
  set(run, 0, out);
  launch(run, {100});
  std::vector<cl_int> result = read<cl_int>(out, 100);
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(result[size_t(i)], i * 7);
}

TEST_P(DevicePrograms, KernelQueries) {
  Program program = build(R"(
kernel void plain(global int *a) { a[0] = 1; }
kernel __attribute__((reqd_work_group_size(8, 4, 1))) void fixed(global int *a) { local int l[100]; l[get_local_id(0)] = 1;
  barrier(CLK_LOCAL_MEM_FENCE); a[0] = l[3]; }
)");
  ASSERT_NE(program, nullptr);
  Kernel plain = kernel(program, "plain"), fixed = kernel(program, "fixed");
  size_t most = query<size_t>(clGetKernelWorkGroupInfo, plain.get(), device, CL_KERNEL_WORK_GROUP_SIZE);
  EXPECT_GE(most, 1u);
  EXPECT_LE(most, query<size_t>(clGetDeviceInfo, device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  EXPECT_GE(query<cl_ulong>(clGetKernelWorkGroupInfo, fixed.get(), device, CL_KERNEL_LOCAL_MEM_SIZE), 400u);
  Mem out = buffer(std::vector<cl_int>(1));
  set(plain, 0, out);
  set(fixed, 0, out);
  launch(plain, {most}, {most});
  const size_t right[] = {8, 4}, wrong[] = {4, 8}, global[] = {16, 8};
  EXPECT_EQ(clEnqueueNDRangeKernel(queue, fixed, 2, nullptr, global, wrong, 0, nullptr, nullptr),
            CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(clEnqueueNDRangeKernel(queue, fixed, 2, nullptr, global, right, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(read<cl_int>(out, 1)[0], 1);
}

TEST_P(DevicePrograms, LaunchErrors) {
  Program program = build("kernel void run(global int *a, local int *l) { l[0] = 1; a[0] = l[0]; }");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  Mem out = buffer(std::vector<cl_int>(1));
  size_t one = 1, most = query<size_t>(clGetDeviceInfo, device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  EXPECT_EQ(clEnqueueNDRangeKernel(queue, run, 1, nullptr, &one, nullptr, 0, nullptr, nullptr), CL_INVALID_KERNEL_ARGS);
  set(run, 0, out, LocalBytes{16});
  size_t tooLarge = most + 1;
  cl_int code = clEnqueueNDRangeKernel(queue, run, 1, nullptr, &tooLarge, &tooLarge, 0, nullptr, nullptr);
  EXPECT_TRUE(code == CL_INVALID_WORK_GROUP_SIZE || code == CL_INVALID_WORK_ITEM_SIZE) << code;
  size_t local = query<cl_ulong>(clGetDeviceInfo, device, CL_DEVICE_LOCAL_MEM_SIZE);
  cl_int set2 = clSetKernelArg(run, 1, local + 1024, nullptr);
  code = set2 ? set2 : clEnqueueNDRangeKernel(queue, run, 1, nullptr, &one, nullptr, 0, nullptr, nullptr);
  EXPECT_TRUE(code == CL_OUT_OF_RESOURCES || code == CL_INVALID_ARG_SIZE) << code;
  set(run, 0, out, LocalBytes{16});
  launch(run, {1});
  EXPECT_EQ(read<cl_int>(out, 1)[0], 1) << "all is well after the errors";
}

// A command with a failed dependency does not run, and reports the failure.
TEST_P(DevicePrograms, FailureOfADependency) {
  Program program = build("kernel void run(global int *a) { a[0] = 1; }");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  Mem out = buffer(std::vector<cl_int>(1));
  set(run, 0, out);
  cl_int code = 1;
  Event gate = clCreateUserEvent(context, &code);
  Event event;
  launch(queue, run, {1}, {}, {}, {gate.get()}, event.out());
  ASSERT_EQ(clSetUserEventStatus(gate, -5), CL_SUCCESS);
  cl_event wait = event;
  EXPECT_EQ(clWaitForEvents(1, &wait), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_LT(query<cl_int>(clGetEventInfo, event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS), 0);
  Queue other = makeQueue(device);
  EXPECT_EQ(read<cl_int>(other, out, 1)[0], 0);
}

} // namespace kiln::suite
