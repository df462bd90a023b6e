// A context with a default device queue, and kernels whose children write to a buffer.
#pragma once
#include "tests/api/ProgramTest.h"

namespace kiln::test {

inline constexpr cl_queue_properties OnDevice = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

struct DeviceEnqueue : WithProgram {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(WithProgram::SetUp());
    if (!(query<cl_device_device_enqueue_capabilities>(clGetDeviceInfo, device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) &
          CL_DEVICE_QUEUE_SUPPORTED))
      GTEST_SKIP() << "the device has no device-side enqueue";
    standard = deviceQueue(OnDevice | CL_QUEUE_ON_DEVICE_DEFAULT);
  }
  Queue deviceQueue(cl_queue_properties properties = OnDevice, cl_uint size = 0, cl_context in = nullptr) {
    std::vector<cl_queue_properties> list{CL_QUEUE_PROPERTIES, properties};
    if (size)
      list.insert(list.end(), {CL_QUEUE_SIZE, size});
    list.push_back(0);
    code = 1;
    return clCreateCommandQueueWithProperties(in ? in : context.get(), device, list.data(), &code);
  }
  Kernel kernelOf(const char *text, const char *options = "") {
    program = built(text, (std::string("-cl-std=CL3.0 ") + options).c_str());
    return kernel(program, "parent");
  }
  Mem filled(size_t count, int value) {
    std::vector<int> values(count, value);
    return buffer(count * sizeof(int), CL_MEM_COPY_HOST_PTR, values.data());
  }
  /// Runs the kernel with a buffer of `count` ints, initially -1, and returns its contents.
  std::vector<int> run(const char *text, size_t global, size_t count, const char *options = "") {
    Kernel k = kernelOf(text, options);
    out = filled(count, -1);
    EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
    EXPECT_EQ(launch(k, global), CL_SUCCESS);
    return read<int>(out, count);
  }
  /// The same with one work-item, whose launch must fail because of a child. `code` receives the launch's status.
  std::vector<int> runFailing(const char *text, size_t count) {
    Kernel k = kernelOf(text);
    out = filled(count, -1);
    EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
    Event event;
    EXPECT_EQ(launch(k, 1, nullptr, event.out()), CL_SUCCESS);
    EXPECT_EQ(clWaitForEvents(1, event.address()), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    code = query<cl_int>(clGetEventInfo, event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS);
    return read<int>(out, count);
  }
  Queue standard;
  Program program;
  Mem out;
  cl_int code = 1;
};

} // namespace kiln::test
