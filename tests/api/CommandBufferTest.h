// The entries of cl_khr_command_buffer, and a test with a command buffer.
#pragma once
#include "api/spec/CommandBufferEntries.h"
#include "tests/api/SharedMemoryTest.h"

namespace kiln::test {

using namespace kiln::khr;

/// The entries of the extension, looked up by name as applications do.
struct Entries {
#define KILN_ENTRY_OF(name)                                                                                            \
  name##_t *name = reinterpret_cast<name##_t *>(clGetExtensionFunctionAddressForPlatform(platform(), #name));
  KILN_ENTRY_OF(clCreateCommandBufferKHR)
  KILN_ENTRY_OF(clRetainCommandBufferKHR)
  KILN_ENTRY_OF(clReleaseCommandBufferKHR)
  KILN_ENTRY_OF(clFinalizeCommandBufferKHR)
  KILN_ENTRY_OF(clEnqueueCommandBufferKHR)
  KILN_ENTRY_OF(clCommandBarrierWithWaitListKHR)
  KILN_ENTRY_OF(clCommandCopyBufferKHR)
  KILN_ENTRY_OF(clCommandCopyBufferRectKHR)
  KILN_ENTRY_OF(clCommandCopyBufferToImageKHR)
  KILN_ENTRY_OF(clCommandCopyImageKHR)
  KILN_ENTRY_OF(clCommandCopyImageToBufferKHR)
  KILN_ENTRY_OF(clCommandFillBufferKHR)
  KILN_ENTRY_OF(clCommandFillImageKHR)
  KILN_ENTRY_OF(clCommandNDRangeKernelKHR)
  KILN_ENTRY_OF(clCommandSVMMemcpyKHR)
  KILN_ENTRY_OF(clCommandSVMMemFillKHR)
  KILN_ENTRY_OF(clGetCommandBufferInfoKHR)
  KILN_ENTRY_OF(clUpdateMutableCommandsKHR)
  KILN_ENTRY_OF(clGetMutableCommandInfoKHR)
#undef KILN_ENTRY_OF
};
inline const Entries &cl() {
  static const Entries entries;
  return entries;
}

inline cl_int releaseBuffer(cl_command_buffer_khr buffer) { return cl().clReleaseCommandBufferKHR(buffer); }
using CommandBuffer = Held<cl_command_buffer_khr, releaseBuffer>;

/// The common parameters of a recording. The defaults are valid.
struct Common {
  cl_command_buffer_khr buffer;
  cl_command_queue queue = nullptr;
  const cl_command_properties_khr *properties = nullptr;
  cl_uint numSyncPoints = 0;
  const cl_sync_point_khr *syncPoints = nullptr;
  cl_sync_point_khr *made = nullptr;
  cl_mutable_command_khr *handle = nullptr;
};

struct CommandBuffers : SharedMemoryTest {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(SharedMemoryTest::SetUp());
    ASSERT_NE(cl().clCreateCommandBufferKHR, nullptr);
    commands = create();
  }
  CommandBuffer create(cl_command_queue on = nullptr) {
    cl_int code = 1;
    CommandBuffer made = cl().clCreateCommandBufferKHR(1, on ? &on : queue.address(), nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return made;
  }
  cl_int finalize() { return cl().clFinalizeCommandBufferKHR(commands); }
  cl_int enqueue(cl_event *event = nullptr) {
    return cl().clEnqueueCommandBufferKHR(0, nullptr, commands, 0, nullptr, event);
  }
  cl_int fill(const Common &c, cl_mem to, int value, size_t offset, size_t size) {
    return cl().clCommandFillBufferKHR(c.buffer, c.queue, c.properties, to, &value, sizeof value, offset, size,
                                       c.numSyncPoints, c.syncPoints, c.made, c.handle);
  }
  cl_int copy(const Common &c, cl_mem from, cl_mem to, size_t fromOffset, size_t toOffset, size_t size) {
    return cl().clCommandCopyBufferKHR(c.buffer, c.queue, c.properties, from, to, fromOffset, toOffset, size,
                                       c.numSyncPoints, c.syncPoints, c.made, c.handle);
  }
  cl_int launchIn(const Common &c, cl_kernel kernel, size_t global, const size_t *local = nullptr) {
    return cl().clCommandNDRangeKernelKHR(c.buffer, c.queue, c.properties, kernel, 1, nullptr, &global, local,
                                          c.numSyncPoints, c.syncPoints, c.made, c.handle);
  }
  template <typename T> T info(cl_command_buffer_info_khr name) {
    return query<T>(cl().clGetCommandBufferInfoKHR, commands.get(), name);
  }
  CommandBuffer commands;
};

} // namespace kiln::test
