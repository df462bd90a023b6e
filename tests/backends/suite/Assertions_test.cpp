// A failed `assert` on every device: its launch fails, with a message, and all devices stay usable.
#include "tests/backends/suite/Suite.h"
#include <mutex>

namespace kiln::suite {

class DeviceAssertions : public OnDevice {
protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (HasFatalFailure())
      return;
    if (queryText(clGetPlatformInfo, platform(), CL_PLATFORM_NAME) != "Kiln")
      GTEST_SKIP() << "OpenCL C has no assert";
    cl_int code = 1;
    context = clCreateContext(nullptr, cl_uint(devices().size()), devices().data(), addMessage, this, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    queue = makeQueue(device);
  }
  void TearDown() override {
    queue = Queue(), context = Context();
    OnDevice::TearDown();
  }
  /// The end of a launch of kernel `run` on `device`, whose output goes to `output`.
  cl_int launchAndWait(const char *source, std::vector<int> values, size_t local, const char *options = "") {
    Program program = build(source, options);
    Kernel run = program ? kernel(program, "run") : Kernel();
    if (!run)
      return 1;
    const size_t items = values.size();
    data = buffer(std::move(values));
    set(run, 0, data);
    Event event;
    testing::internal::CaptureStdout();
    launch(queue, run, {items}, {local}, {}, {}, event.out());
    clFinish(queue);
    output = testing::internal::GetCapturedStdout();
    return query<cl_int>(clGetEventInfo, event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS);
  }
  bool says(const std::string &words) {
    const std::lock_guard lock(mutex);
    return messages.find(words) != std::string::npos;
  }
  void expectAllDevicesWork() {
    Program program = build("kernel void fill(global int *p) { p[get_global_id(0)] = 3 * get_global_id(0); }");
    Kernel fill = kernel(program, "fill");
    std::vector<int> expected(256);
    for (size_t i = 0; i < expected.size(); ++i)
      expected[i] = int(3 * i);
    for (cl_device_id each : devices()) {
      EXPECT_TRUE(query<cl_bool>(clGetDeviceInfo, each, CL_DEVICE_AVAILABLE));
      Queue other = makeQueue(each);
      Mem filled = buffer(expected.size() * sizeof(int));
      set(fill, 0, filled);
      launch(other, fill, {expected.size()});
      EXPECT_EQ(read<int>(other, filled, expected.size()), expected);
    }
  }
  static void CL_CALLBACK addMessage(const char *text, const void *, size_t, void *self) {
    auto *test = static_cast<DeviceAssertions *>(self);
    const std::lock_guard lock(test->mutex);
    test->messages += text + std::string("\n");
  }

  Mem data; // the argument of the last launch
  std::string output;
  std::mutex mutex;
  std::string messages;
};
ON_EVERY_DEVICE(DeviceAssertions);

TEST_P(DeviceAssertions, FailItsLaunchAlone) {
  std::vector<int> values(256, 1);
  values[37] = -5;
  const char *source = "kernel void run(global int *p) {\n"
                       "  const size_t i = get_global_id(0);\n"
                       "  assert(p[i] > 0);\n"
                       "  p[i] += 1;\n}\n";
  EXPECT_EQ(launchAndWait(source, values, 32), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(output, "<source>:3: assertion failed: p[i] > 0; work-item with global id (37, 0, 0)\n");
  EXPECT_TRUE(says("kernel run failed with -5: device ")) << messages;
  EXPECT_TRUE(says("<source>:3")) << messages;
  EXPECT_TRUE(says("work-item with global id (37), local id (5), group id (1)")) << messages;
  expectAllDevicesWork();
  EXPECT_EQ(launchAndWait(source, std::vector<int>(256, 1), 32), CL_COMPLETE);
  EXPECT_EQ(read<int>(data, 256), std::vector<int>(256, 2));
}

// Assertions that hold: an early end of some work-items must not change what barriers and functions of groups do.
TEST_P(DeviceAssertions, HoldBesideFunctionsOfGroups) {
  if (!query<cl_bool>(clGetDeviceInfo, device, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT) ||
      !query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_MAX_NUM_SUB_GROUPS))
    GTEST_SKIP() << "the device has no functions of work-groups or sub-groups";
  constexpr size_t Local = 96, Items = 4 * Local;
  const char *source = "kernel void run(global int *p) {\n"
                       "  local int shared[96];\n"
                       "  const size_t i = get_global_id(0), l = get_local_id(0);\n"
                       "  assert(p[i] > 0);\n"
                       "  shared[l] = p[i];\n"
                       "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                       "  const int next = shared[(l + 1) % 96];\n"
                       "  assert(next > 0);\n"
                       "  const int sum = work_group_reduce_add(next);\n"
                       "  assert(sum >= 96);\n"
                       "  const int lanes = sub_group_reduce_add(1);\n"
                       "  assert(lanes == (int)get_sub_group_size());\n"
                       "  p[i] = sum - work_group_scan_exclusive_add(1);\n}\n";
  std::vector<int> values = counted<int>(Items, 1), expected(Items);
  for (size_t i = 0; i < Items; ++i)
    for (size_t of = i / Local * Local, l = 0; l < Local; ++l)
      expected[i] += values[of + l] - (l < i % Local ? 1 : 0);
  EXPECT_EQ(launchAndWait(source, values, Local, "-cl-std=CL3.0"), CL_COMPLETE);
  EXPECT_EQ(output, "");
  EXPECT_EQ(read<int>(data, Items), expected);
}

// Work-items that go on wait at no barrier for those that have failed: for every other one, for whole sub-groups, and
// for all but one.
TEST_P(DeviceAssertions, FailBeforeBarriers) {
  const char *source = "kernel void run(global int *p) {\n"
                       "  local int shared[256];\n"
                       "  const size_t i = get_global_id(0), l = get_local_id(0);\n"
                       "  for (int round = 0; round < 3; ++round) {\n"
                       "    assert(round < 1 || p[i] > 0);\n"
                       "    shared[l] = round;\n"
                       "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                       "    p[i] += shared[l ^ 1] & 0;\n"
                       "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n  }\n}\n";
  // The emulator's checks take the end of a whole wave for an error of the kernel.
  const char *checks = getenv("KILN_EMULATOR_CHECKS");
  const bool isChecked = queryText(clGetDeviceInfo, device, CL_DEVICE_NAME).starts_with("Emulated") &&
                         (!checks || checks != std::string_view("off"));
  for (size_t failing = 1; failing <= (isChecked ? 1 : 3); ++failing) {
    std::vector<int> values(1024, 1);
    for (size_t i = 0; i < values.size(); ++i)
      if (failing == 1 ? i % 2 : failing == 2 ? i % 256 >= 128 : i % 256)
        values[i] = -1;
    EXPECT_EQ(launchAndWait(source, values, 256), CL_OUT_OF_RESOURCES);
    EXPECT_TRUE(output.starts_with("<source>:5: assertion failed: round < 1 || p[i] > 0; work-item")) << output;
  }
  expectAllDevicesWork();
}

} // namespace kiln::suite
