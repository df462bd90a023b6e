// printf on every device: what kernels contribute, and when the output appears. tests/runtime/program tests the
// formatting.
#include "tests/backends/suite/Suite.h"
#include <algorithm>
#include <sstream>

namespace kiln::suite {

class DevicePrintf : public OnDevice {
protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (!HasFatalFailure() && query<size_t>(clGetDeviceInfo, device, CL_DEVICE_PRINTF_BUFFER_SIZE) == 0)
      GTEST_SKIP() << "the device has no printf";
  }
  /// The output of a kernel without arguments.
  std::string output(const char *source, size_t items = 1, size_t local = 1, const char *options = "") {
    Program program = build(source, options);
    Kernel run = program ? kernel(program, "run") : Kernel();
    if (!run)
      return "no kernel";
    testing::internal::CaptureStdout();
    launch(run, {items}, {local});
    clFinish(queue);
    return testing::internal::GetCapturedStdout();
  }
  static std::vector<std::string> lines(const std::string &text) {
    std::vector<std::string> result;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
      result.push_back(line);
    return result;
  }
};
ON_EVERY_DEVICE(DevicePrintf);

TEST_P(DevicePrintf, EveryKindOfArgument) {
  PROVES("LANG-1.13.13a LANG-1.13.13b");
  EXPECT_EQ(output(R"(
kernel void run(void) {
  printf("plain %%\n");
  printf("%d %5.3d|%-4i|%u %o %#x %X\n", -1, 7, 8, 4000000000u, 8, 255, 255);
  printf("%hhd %hd %ld %lu\n", (char)-3, (short)-300, -5000000000L, 18446744073709551615UL);
  printf("%f %.2e %g %A\n", 1.5f, 12345.678, 0.25, 2.0);
  printf("%c%c %s|%6s|%.2s\n", 'o', 'k', "text", "right", "cut");
  printf("%v4hlf\n", (float4)(1, 2, 3, 4));
  printf("%v3hhd %#v2hx %v2ld %v2lg\n", (char3)(-1, 2, -3), (ushort2)(1, 0xffff), (long2)(-1, 5), (double2)(0.5, 2));
  printf("%v16hld\n", (int16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16));
  printf("%.1v8hlf|%3v4hld\n", (float8)(0.5f), (int4)(1, 2, 3, 4));
}
)"),
            "plain %\n"
            "-1   007|8   |4000000000 10 0xff FF\n"
            "-3 -300 -5000000000 18446744073709551615\n"
            "1.500000 1.23e+04 0.25 0X1P+1\n"
            "ok text| right|cu\n"
            "1.000000,2.000000,3.000000,4.000000\n"
            "-1,2,-3 0x1,0xffff -1,5 0.5,2\n"
            "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16\n"
            "0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5|  1,  2,  3,  4\n");
}

TEST_P(DevicePrintf, PointersOfEveryAddressSpace) {
  PROVES("LANG-1.13.13a");
  Program program = build(R"(
constant int fixed = 3;
kernel void run(global int *g, global ulong *out) {
  local int l;
  int p = 5;
  if (get_global_id(0) == 0) l = 1;
  printf("%p %p %p %p\n", g, &fixed, &l, &p);
  out[0] = (ulong)g; out[1] = (ulong)&fixed; out[2] = (ulong)&l; out[3] = (ulong)&p;
}
)");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  Mem some = buffer(std::vector<cl_int>(4)), out = buffer(std::vector<cl_ulong>(4));
  set(run, 0, some, out);
  testing::internal::CaptureStdout();
  launch(run, {1}, {1});
  clFinish(queue);
  std::string text = testing::internal::GetCapturedStdout();
  std::vector<cl_ulong> addresses = read<cl_ulong>(out, 4);
  char expected[200];
  snprintf(expected, sizeof expected, "%p %p %p %p\n", reinterpret_cast<void *>(addresses[0]),
           reinterpret_cast<void *>(addresses[1]), reinterpret_cast<void *>(addresses[2]),
           reinterpret_cast<void *>(addresses[3]));
  EXPECT_EQ(text, expected);
}

// Formats and literals that are constant only after inlining, and formats selected by a branch.
TEST_P(DevicePrintf, LiteralsByWayOfFunctionsAndBranches) {
  PROVES("LANG-1.13.13b");
  std::string text = output(R"(
constant char shared_format[] = "%s is %d\n";
void say(constant char *format, constant char *what, int number) { printf(format, what, number); }
kernel void run(void) {
  int i = get_global_id(0);
  say(shared_format, "item", i);
  say(i & 1 ? "odd %s %d\n" : "even %s %d\n", i > 1 ? "high" : "low", i);
}
)",
                            4, 2);
  std::vector<std::string> got = lines(text);
  std::ranges::sort(got);
  EXPECT_EQ(got, (std::vector<std::string>{"even high 2", "even low 0", "item is 0", "item is 1", "item is 2",
                                           "item is 3", "odd high 3", "odd low 1"}));
}

TEST_P(DevicePrintf, EveryItemInItsOwnOrder) {
  PROVES("LANG-1.13.13c");
  constexpr size_t Items = 1000, Rounds = 5;
  std::vector<std::string> got = lines(output(R"(
kernel void run(void) {
  for (int round = 0; round < 5; ++round) {
    if (round & 1) barrier(CLK_LOCAL_MEM_FENCE);
    printf("%d %d\n", (int)get_global_id(0), round);
  }
}
)",
                                              Items, 8));
  ASSERT_EQ(got.size(), Items * Rounds);
  std::vector<int> next(Items);
  for (const std::string &line : got) {
    size_t item = Items;
    int round = -1;
    ASSERT_EQ(sscanf(line.c_str(), "%zu %d", &item, &round), 2) << line;
    ASSERT_LT(item, Items);
    EXPECT_EQ(round, next[item]++) << "of item " << item;
  }
}

// More output than the buffer has room for: each call's result says if its output is complete, and the next launch has
// the whole buffer.
TEST_P(DevicePrintf, WhatDoesNotFitIsDropped) {
  PROVES("LANG-1.13.13c LIM-37");
  const size_t room = query<size_t>(clGetDeviceInfo, device, CL_DEVICE_PRINTF_BUFFER_SIZE);
  ASSERT_GE(room, size_t(1) << 20);
  Program program = build(R"(
kernel void run(global int *results, ulong first) {
  size_t i = get_global_id(0);
  results[i] = printf("%d %v16ld\n", (int)i, (ulong16)(first + i));
}
)");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  for (size_t items : {room / 64, size_t(100), room / 64}) {
    Mem results = buffer(std::vector<cl_int>(items, 7));
    set(run, 0, results, cl_ulong(items));
    testing::internal::CaptureStdout();
    launch(run, {items});
    clFinish(queue);
    std::vector<std::string> got = lines(testing::internal::GetCapturedStdout());
    std::vector<cl_int> codes = read<cl_int>(results, items);
    std::vector<int> printed(items);
    for (const std::string &line : got) {
      size_t item = items, value = 0;
      ASSERT_EQ(sscanf(line.c_str(), "%zu %zu,", &item, &value), 2) << line;
      ASSERT_LT(item, items);
      ASSERT_EQ(value, items + item);
      ++printed[item];
    }
    size_t wrong = 0;
    for (size_t i = 0; i < items; ++i)
      wrong += !(codes[i] == 0 && printed[i] == 1) && !(codes[i] == -1 && printed[i] == 0);
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(got.size() == items, items == 100) << got.size() << " of " << items;
    EXPECT_GE(got.size() * 160, std::min(items * 160, room * 9 / 10)) << "the room is not used";
  }
}

// The output is printed before the event is complete.
TEST_P(DevicePrintf, BeforeTheEventIsComplete) {
  PROVES("LANG-1.13.13c API-5.15b");
  Program program = build("kernel void run(int i) { printf(\"<%d>\", i); }");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  for (int i = 0; i < 20; ++i) {
    set(run, 0, i);
    testing::internal::CaptureStdout();
    Event event;
    launch(queue, run, {1}, {1}, {}, {}, event.out());
    EXPECT_EQ(clWaitForEvents(1, event.address()), CL_SUCCESS);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "<" + std::to_string(i) + ">");
  }
}

// Many launches without waiting: each has its own buffer.
TEST_P(DevicePrintf, ManyLaunchesInFlight) {
  PROVES("LANG-1.13.13c");
  Program program = build("kernel void run(int i) { printf(\"%d\\n\", i); }\nkernel void quiet(int i) {}");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run"), quiet = kernel(program, "quiet");
  testing::internal::CaptureStdout();
  for (int i = 0; i < 50; ++i) {
    set(run, 0, i), set(quiet, 0, i);
    launch(run, {1}, {1});
    launch(quiet, {1}, {1});
  }
  clFinish(queue);
  std::vector<std::string> got = lines(testing::internal::GetCapturedStdout());
  ASSERT_EQ(got.size(), 50u);
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(got[i], std::to_string(i));
}

// Strings and types of a program from a binary, with code or without.
TEST_P(DevicePrintf, FromABinary) {
  PROVES("LANG-1.13.13a API-5.8.1d");
  Program program = build("kernel void run(int i) { printf(\"%d %s %v2hld\\n\", i, \"text\", (int2)(i)); }");
  ASSERT_NE(program, nullptr);
  size_t size = query<size_t>(clGetProgramInfo, program.get(), CL_PROGRAM_BINARY_SIZES);
  std::vector<unsigned char> binary(size);
  unsigned char *target = binary.data();
  ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof target, &target, nullptr), CL_SUCCESS);
  const unsigned char *source = binary.data();
  cl_int status = 0, code = 0;
  Program again = clCreateProgramWithBinary(context, 1, &device, &size, &source, &status, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(again, 1, &device, "", nullptr, nullptr), CL_SUCCESS);
  Kernel run = kernel(again, "run");
  set(run, 0, 3);
  testing::internal::CaptureStdout();
  launch(run, {1}, {1});
  clFinish(queue);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "3 text 3,3\n");
}

TEST_P(DevicePrintf, NoItems) {
  Program program = build("kernel void run(void) { printf(\"something\"); }");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  testing::internal::CaptureStdout();
  launch(run, {0});
  clFinish(queue);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST_P(DevicePrintf, UnoptimisedCode) {
  EXPECT_EQ(output("kernel void run(void) { constant char *s = \"b\"; printf(\"a%s%v2hld\\n\", s, (int2)(1, 2)); }", 1,
                   1, "-cl-opt-disable"),
            "ab1,2\n");
}

} // namespace kiln::suite
