// cl_khr_command_buffer, version 0.9.8 of the specification: section "Command-Buffers", and the queries of
// clGetDeviceInfo.
#include "tests/api/CommandBufferTest.h"
#include "tests/api/ImageTest.h"
#include <thread>

namespace kiln::test {

// ---- queries --------------------------------------------------------------------------------------------------------

TEST_F(CommandBuffers, DeviceQueries) {
  PROVES("X-E14");
  cl_version version = 0;
  for (const cl_name_version &one :
       queryList<cl_name_version>(clGetDeviceInfo, device, cl_uint(CL_DEVICE_EXTENSIONS_WITH_VERSION)))
    if (std::string(one.name) == "cl_khr_command_buffer")
      version = one.version;
  EXPECT_EQ(version, cl_version(CL_MAKE_VERSION(0, 9, 8)));
  EXPECT_EQ(
      query<cl_device_command_buffer_capabilities_khr>(clGetDeviceInfo, device,
                                                       cl_uint(CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR)),
      cl_bitfield(CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR));
  EXPECT_EQ(query<cl_command_queue_properties>(clGetDeviceInfo, device,
                                               cl_uint(CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR)),
            0u);
  EXPECT_EQ(query<cl_command_queue_properties>(clGetDeviceInfo, device,
                                               cl_uint(CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR)),
            query<cl_command_queue_properties>(clGetDeviceInfo, device, cl_uint(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES)));
}

TEST_F(CommandBuffers, Info) {
  PROVES("X-E14");
  expectInfoRules(cl().clGetCommandBufferInfoKHR, commands.get(), CL_COMMAND_BUFFER_STATE_KHR);
  size_t size = 0;
  EXPECT_EQ(cl().clGetCommandBufferInfoKHR(nullptr, CL_COMMAND_BUFFER_STATE_KHR, 0, nullptr, &size),
            CL_INVALID_COMMAND_BUFFER_KHR);
  EXPECT_EQ(info<cl_uint>(CL_COMMAND_BUFFER_NUM_QUEUES_KHR), 1u);
  EXPECT_EQ(info<cl_command_queue>(CL_COMMAND_BUFFER_QUEUES_KHR), queue.get());
  EXPECT_EQ(info<cl_context>(CL_COMMAND_BUFFER_CONTEXT_KHR), context.get());
  EXPECT_EQ(info<cl_uint>(CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR), 1u);
  EXPECT_EQ(cl().clRetainCommandBufferKHR(commands), CL_SUCCESS);
  EXPECT_EQ(info<cl_uint>(CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR), 2u);
  EXPECT_EQ(cl().clReleaseCommandBufferKHR(commands), CL_SUCCESS);
  EXPECT_EQ(info<cl_command_buffer_state_khr>(CL_COMMAND_BUFFER_STATE_KHR),
            cl_uint(CL_COMMAND_BUFFER_STATE_RECORDING_KHR));
  ASSERT_EQ(finalize(), CL_SUCCESS);
  EXPECT_EQ(info<cl_command_buffer_state_khr>(CL_COMMAND_BUFFER_STATE_KHR),
            cl_uint(CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR));
  EXPECT_TRUE(queryList<cl_command_buffer_properties_khr>(cl().clGetCommandBufferInfoKHR, commands.get(),
                                                          cl_uint(CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR))
                  .empty());
  const std::vector<cl_command_buffer_properties_khr> list = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                              CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
  CommandBuffer other = cl().clCreateCommandBufferKHR(1, queue.address(), list.data(), nullptr);
  EXPECT_EQ(queryList<cl_command_buffer_properties_khr>(cl().clGetCommandBufferInfoKHR, other.get(),
                                                        cl_uint(CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR)),
            list);
}

// ---- errors ---------------------------------------------------------------------------------------------------------

TEST_F(CommandBuffers, CreateErrors) {
  PROVES("X-E14");
  auto code = [&](cl_uint count, const cl_command_queue *queues,
                  std::vector<cl_command_buffer_properties_khr> properties) {
    cl_int result = 1;
    EXPECT_EQ(cl().clCreateCommandBufferKHR(count, queues, properties.data(), &result), nullptr);
    return result;
  };
  cl_command_queue none = nullptr, two[] = {queue, queue};
  EXPECT_EQ(code(0, queue.address(), {0}), CL_INVALID_VALUE);
  EXPECT_EQ(code(2, two, {0}), CL_INVALID_VALUE);
  EXPECT_EQ(code(1, nullptr, {0}), CL_INVALID_VALUE);
  EXPECT_EQ(code(1, &none, {0}), CL_INVALID_COMMAND_QUEUE);
  constexpr cl_command_buffer_properties_khr Flags = CL_COMMAND_BUFFER_FLAGS_KHR;
  EXPECT_EQ(code(1, queue.address(), {0xbad, 0, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(code(1, queue.address(), {Flags, 1 << 20, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(code(1, queue.address(), {Flags, 0, Flags, 0, 0}), CL_INVALID_VALUE);
}

TEST_F(CommandBuffers, InvalidHandles) {
  PROVES("X-E14");
  EXPECT_EQ(cl().clRetainCommandBufferKHR(nullptr), CL_INVALID_COMMAND_BUFFER_KHR);
  EXPECT_EQ(cl().clReleaseCommandBufferKHR(nullptr), CL_INVALID_COMMAND_BUFFER_KHR);
  EXPECT_EQ(cl().clFinalizeCommandBufferKHR(nullptr), CL_INVALID_COMMAND_BUFFER_KHR);
  EXPECT_EQ(cl().clEnqueueCommandBufferKHR(0, nullptr, nullptr, 0, nullptr, nullptr), CL_INVALID_COMMAND_BUFFER_KHR);
  auto wrong = reinterpret_cast<cl_command_buffer_khr>(queue.get());
  EXPECT_EQ(cl().clFinalizeCommandBufferKHR(wrong), CL_INVALID_COMMAND_BUFFER_KHR);
}

// "CL_INVALID_OPERATION if command_buffer is not in the Recording state", and for the other calls likewise.
TEST_F(CommandBuffers, States) {
  PROVES("X-E14");
  Mem memory = buffer(64);
  EXPECT_EQ(enqueue(), CL_INVALID_OPERATION) << "not finalized";
  ASSERT_EQ(finalize(), CL_SUCCESS);
  EXPECT_EQ(finalize(), CL_INVALID_OPERATION) << "finalized twice";
  EXPECT_EQ(fill({commands}, memory, 1, 0, 64), CL_INVALID_OPERATION) << "recorded after finalizing";
  EXPECT_EQ(cl().clCommandBarrierWithWaitListKHR(commands, nullptr, nullptr, 0, nullptr, nullptr, nullptr),
            CL_INVALID_OPERATION);
  EXPECT_EQ(enqueue(), CL_SUCCESS) << "an empty command buffer";
}

TEST_F(CommandBuffers, CommonErrorsOfRecordings) {
  PROVES("X-E14");
  Mem a = buffer(64), b = buffer(64);
  Program program = built(AddSource);
  Kernel add = kernel(program, "add");
  for (cl_uint i = 0; i < 3; ++i)
    ASSERT_EQ(set(add, i, a), CL_SUCCESS);
  const std::function<cl_int(const Common &)> calls[] = {
      [&](const Common &c) { return fill(c, a, 1, 0, 64); },
      [&](const Common &c) { return copy(c, a, b, 0, 0, 64); },
      [&](const Common &c) { return launchIn(c, add, 16); },
      [&](const Common &c) {
        return cl().clCommandBarrierWithWaitListKHR(c.buffer, c.queue, c.properties, c.numSyncPoints, c.syncPoints,
                                                    c.made, c.handle);
      },
  };
  const cl_command_properties_khr unknown[] = {0xbad, 1, 0};
  for (const auto &call : calls) {
    CommandBuffer own = create();
    cl_sync_point_khr point = 99;
    EXPECT_EQ(call({.buffer = nullptr}), CL_INVALID_COMMAND_BUFFER_KHR);
    EXPECT_EQ(call({.buffer = own, .queue = queue, .made = &point}), CL_INVALID_COMMAND_QUEUE);
    EXPECT_EQ(call({.buffer = own, .properties = unknown}), CL_INVALID_VALUE);
    const cl_sync_point_khr invalid = 7, zero = 0;
    EXPECT_EQ(call({.buffer = own, .numSyncPoints = 1, .syncPoints = nullptr}), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    EXPECT_EQ(call({.buffer = own, .syncPoints = &invalid}), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    EXPECT_EQ(call({.buffer = own, .numSyncPoints = 1, .syncPoints = &invalid}), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    EXPECT_EQ(call({.buffer = own, .numSyncPoints = 1, .syncPoints = &zero}), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    EXPECT_EQ(point, 99u) << "a failing call wrote a synchronization point";
    cl_sync_point_khr first = 0, second = 0;
    EXPECT_EQ(call({.buffer = own, .made = &first}), CL_SUCCESS);
    EXPECT_EQ(call({.buffer = own, .numSyncPoints = 1, .syncPoints = &first, .made = &second}), CL_SUCCESS);
    EXPECT_NE(first, second);
  }
}

// "mutable_handle: This parameter is unused, and must be NULL", except for kernels.
TEST_F(CommandBuffers, HandlesOfOtherCommands) {
  PROVES("X-E14 X-E15");
  Mem a = buffer(64), b = buffer(64);
  cl_mutable_command_khr handle = nullptr;
  EXPECT_EQ(fill({.buffer = commands, .handle = &handle}, a, 1, 0, 64), CL_INVALID_VALUE);
  EXPECT_EQ(copy({.buffer = commands, .handle = &handle}, a, b, 0, 0, 64), CL_INVALID_VALUE);
  EXPECT_EQ(cl().clCommandBarrierWithWaitListKHR(commands, nullptr, nullptr, 0, nullptr, nullptr, &handle),
            CL_INVALID_VALUE);
  EXPECT_EQ(handle, nullptr);
}

// A recording returns the errors of the clEnqueue* call.
TEST_F(CommandBuffers, ErrorsOfTheCommands) {
  PROVES("X-E14");
  Mem a = buffer(64), foreign = buffer(64, CL_MEM_READ_WRITE, nullptr, otherContext);
  EXPECT_EQ(fill({commands}, nullptr, 1, 0, 64), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(fill({commands}, foreign, 1, 0, 64), CL_INVALID_CONTEXT);
  EXPECT_EQ(fill({commands}, a, 1, 0, 68), CL_INVALID_VALUE);
  EXPECT_EQ(fill({commands}, a, 1, 2, 4), CL_INVALID_VALUE);
  EXPECT_EQ(copy({commands}, a, a, 0, 4, 8), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy({commands}, a, foreign, 0, 0, 8), CL_INVALID_CONTEXT);
  Program program = built(AddSource);
  Kernel add = kernel(program, "add");
  EXPECT_EQ(launchIn({commands}, nullptr, 1), CL_INVALID_KERNEL);
  EXPECT_EQ(launchIn({commands}, add, 1), CL_INVALID_KERNEL_ARGS);
  for (cl_uint i = 0; i < 3; ++i)
    ASSERT_EQ(set(add, i, a), CL_SUCCESS);
  const size_t zero = 0, one = 1;
  EXPECT_EQ(launchIn({commands}, add, 16, &zero), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(cl().clCommandNDRangeKernelKHR(commands, nullptr, nullptr, add, 4, nullptr, &one, nullptr, 0, nullptr,
                                           nullptr, nullptr),
            CL_INVALID_WORK_DIMENSION);
}

TEST_F(CommandBuffers, EnqueueErrors) {
  PROVES("X-E14");
  ASSERT_EQ(finalize(), CL_SUCCESS);
  Queue otherQueue = makeQueue(0, otherContext);
  cl_command_queue none = nullptr, foreign = otherQueue, own = queue, two[] = {queue, queue};
  auto call = [&](cl_uint count, cl_command_queue *queues) {
    return cl().clEnqueueCommandBufferKHR(count, queues, commands, 0, nullptr, nullptr);
  };
  EXPECT_EQ(call(1, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(call(0, &own), CL_INVALID_VALUE);
  EXPECT_EQ(call(2, two), CL_INVALID_VALUE);
  EXPECT_EQ(call(1, &none), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(call(1, &foreign), CL_INVALID_CONTEXT);
  EXPECT_EQ(call(1, &own), CL_SUCCESS);
  auto waiting = [&](cl_uint count, const cl_event *events) {
    return cl().clEnqueueCommandBufferKHR(0, nullptr, commands, count, events, nullptr);
  };
  Event ready = userEvent(), otherEvent = userEvent(otherContext);
  clSetUserEventStatus(ready, CL_COMPLETE);
  clSetUserEventStatus(otherEvent, CL_COMPLETE);
  EXPECT_EQ(waiting(1, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(waiting(0, ready.address()), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(waiting(1, otherEvent.address()), CL_INVALID_CONTEXT);
  EXPECT_EQ(waiting(1, ready.address()), CL_SUCCESS);
}

// A kernel whose capability is not reported: CL_INVALID_OPERATION.
TEST_F(CommandBuffers, KernelsThatEnqueueAreRejected) {
  PROVES("X-E14");
  if (!query<cl_device_device_enqueue_capabilities>(clGetDeviceInfo, device,
                                                    cl_uint(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES)))
    GTEST_SKIP() << "kernels of the device cannot enqueue";
  Program program = built("kernel void parent(global int *out) {"
                          "  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),"
                          "                 ^{ out[0] = 1; }); }",
                          "-cl-std=CL3.0");
  Kernel parent = kernel(program, "parent");
  Mem out = buffer(64);
  ASSERT_EQ(set(parent, 0, out), CL_SUCCESS);
  EXPECT_EQ(launchIn({commands}, parent, 1), CL_INVALID_OPERATION);
}

// ---- execution ------------------------------------------------------------------------------------------------------

// Each enqueue executes all commands anew, in an order that keeps the synchronization points.
TEST_F(CommandBuffers, Replays) {
  PROVES("X-E14");
  Program program =
      built("kernel void next(global int *out) { size_t i = get_global_id(0); out[i] = out[i] * 3 + 1; }");
  Kernel next = kernel(program, "next");
  Mem work = buffer(256), sums = buffer(256);
  ASSERT_EQ(set(next, 0, work), CL_SUCCESS);
  cl_sync_point_khr filled, first, second;
  ASSERT_EQ(fill({.buffer = commands, .made = &filled}, work, 5, 0, 256), CL_SUCCESS);
  ASSERT_EQ(launchIn({.buffer = commands, .numSyncPoints = 1, .syncPoints = &filled, .made = &first}, next, 64),
            CL_SUCCESS);
  ASSERT_EQ(cl().clCommandBarrierWithWaitListKHR(commands, nullptr, nullptr, 1, &first, &second, nullptr), CL_SUCCESS);
  ASSERT_EQ(launchIn({.buffer = commands, .numSyncPoints = 1, .syncPoints = &second}, next, 64), CL_SUCCESS);
  ASSERT_EQ(copy({commands}, work, sums, 0, 0, 256), CL_SUCCESS);
  ASSERT_EQ(finalize(), CL_SUCCESS);
  EXPECT_NE(read<int>(sums, 1)[0], 49) << "recording executes nothing";
  for (int round = 0; round < 3; ++round) {
    const int zero = 0;
    ASSERT_EQ(clEnqueueFillBuffer(queue, sums, &zero, sizeof zero, 0, 256, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(enqueue(), CL_SUCCESS);
    EXPECT_EQ(read<int>(sums, 64), std::vector<int>(64, (5 * 3 + 1) * 3 + 1));
  }
}

// "Any changes to kernel after calling clCommandNDRangeKernelKHR have no effect on the recorded command."
TEST_F(CommandBuffers, ArgumentsAreThoseOfTheRecording) {
  PROVES("X-E14");
  Program program = built("kernel void put(global int *out, int value) { out[get_global_id(0)] = value; }");
  Kernel put = kernel(program, "put");
  Mem first = buffer(64), second = buffer(64);
  auto record = [&](const Mem &to, int value) {
    EXPECT_EQ(set(put, 0, to), CL_SUCCESS);
    EXPECT_EQ(set(put, 1, value), CL_SUCCESS);
    EXPECT_EQ(launchIn({commands}, put, 16), CL_SUCCESS);
  };
  record(first, 7);
  record(second, 8);
  EXPECT_EQ(set(put, 1, 9), CL_SUCCESS);
  ASSERT_EQ(finalize(), CL_SUCCESS);
  put.reset(); // the command buffer holds it
  program.reset();
  ASSERT_EQ(enqueue(), CL_SUCCESS);
  EXPECT_EQ(read<int>(first, 16), std::vector<int>(16, 7));
  EXPECT_EQ(read<int>(second, 16), std::vector<int>(16, 8));
}

// The code of a specialised variant, which is built in the background, gives the same results.
TEST_F(CommandBuffers, ManyReplaysOfAKernelWithVariants) {
  PROVES("X-E14");
  Program program = built("kernel void sum(global const int *in, global int *out, local int *part) {"
                          "  size_t l = get_local_id(0), n = get_local_size(0);"
                          "  part[l] = in[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);"
                          "  for (size_t s = n / 2; s; s /= 2) {"
                          "    if (l < s) part[l] += part[l + s]; barrier(CLK_LOCAL_MEM_FENCE); }"
                          "  if (!l) out[get_group_id(0)] += part[0]; }");
  Kernel sum = kernel(program, "sum");
  std::vector<int> data = numbers(256), zeros(4);
  Mem in = buffer(1024, CL_MEM_COPY_HOST_PTR, data.data()), out = buffer(16, CL_MEM_COPY_HOST_PTR, zeros.data());
  ASSERT_EQ(set(sum, 0, in), CL_SUCCESS);
  ASSERT_EQ(set(sum, 1, out), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(sum, 2, 256, nullptr), CL_SUCCESS);
  const size_t local = 64;
  ASSERT_EQ(launchIn({commands}, sum, 256, &local), CL_SUCCESS);
  ASSERT_EQ(finalize(), CL_SUCCESS);
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(enqueue(), CL_SUCCESS);
    if (i % 10 == 0)
      ASSERT_EQ(finish(), CL_SUCCESS);
  }
  std::vector<int> expected(4);
  for (int i = 0; i < 256; ++i)
    expected[i / 64] += 100 * i;
  EXPECT_EQ(read<int>(out, 4), expected);
}

TEST_F(CommandBuffers, CopiesRectangles) {
  PROVES("X-E14");
  std::vector<int> data = numbers(64), expected(64);
  Mem from = buffer(256, CL_MEM_COPY_HOST_PTR, data.data()), to = buffer(256, CL_MEM_COPY_HOST_PTR, expected.data());
  const size_t origin[] = {4, 1, 0}, target[] = {8, 2, 0}, region[] = {12, 3, 1};
  auto record = [&](const size_t *size) {
    return cl().clCommandCopyBufferRectKHR(commands, nullptr, nullptr, from, to, origin, target, size, 32, 0, 32, 0, 0,
                                           nullptr, nullptr, nullptr);
  };
  const size_t empty[] = {0, 1, 1};
  EXPECT_EQ(record(empty), CL_INVALID_VALUE);
  ASSERT_EQ(record(region), CL_SUCCESS);
  ASSERT_EQ(finalize(), CL_SUCCESS);
  ASSERT_EQ(enqueue(), CL_SUCCESS);
  for (size_t y = 0; y < 3; ++y)
    for (size_t x = 0; x < 3; ++x)
      expected[(y + 2) * 8 + x + 2] = data[(y + 1) * 8 + x + 1];
  EXPECT_EQ(read<int>(to, 64), expected);
}

TEST_F(CommandBuffers, SharedVirtualMemory) {
  PROVES("X-E14");
  if (!query<cl_device_svm_capabilities>(clGetDeviceInfo, device, cl_uint(CL_DEVICE_SVM_CAPABILITIES))) {
    EXPECT_EQ(cl().clCommandSVMMemcpyKHR(commands, nullptr, nullptr, this, this, 0, 0, nullptr, nullptr, nullptr),
              CL_INVALID_OPERATION);
    GTEST_SKIP() << "the device has no shared virtual memory";
  }
  auto from = svm(64), to = svm(64);
  const int value = 42;
  auto fillSvm = [&](void *pointer, size_t patternSize) {
    return cl().clCommandSVMMemFillKHR(commands, nullptr, nullptr, pointer, &value, patternSize, 256, 0, nullptr,
                                       nullptr, nullptr);
  };
  auto copySvm = [&](void *target, const void *source) {
    return cl().clCommandSVMMemcpyKHR(commands, nullptr, nullptr, target, source, 256, 0, nullptr, nullptr, nullptr);
  };
  EXPECT_EQ(fillSvm(nullptr, 4), CL_INVALID_VALUE);
  EXPECT_EQ(fillSvm(from.get(), 3), CL_INVALID_VALUE);
  EXPECT_EQ(copySvm(to.get(), nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(copySvm(to.get(), to.get() + 1), CL_INVALID_VALUE) << "past the end";
  EXPECT_EQ(copySvm(to.get(), to.get()), CL_MEM_COPY_OVERLAP);
  ASSERT_EQ(fillSvm(from.get(), 4), CL_SUCCESS);
  ASSERT_EQ(copySvm(to.get(), from.get()), CL_SUCCESS);
  ASSERT_EQ(finalize(), CL_SUCCESS);
  ASSERT_EQ(enqueue(), CL_SUCCESS);
  std::vector<int> seen(64);
  ASSERT_EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, seen.data(), to.get(), 256, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen, std::vector<int>(64, 42));
}

// A kernel that may access any allocation sees those that were made after the recording.
TEST_F(CommandBuffers, IndirectAccess) {
  PROVES("X-E14");
  if (!query<cl_device_svm_capabilities>(clGetDeviceInfo, device, cl_uint(CL_DEVICE_SVM_CAPABILITIES)))
    GTEST_SKIP() << "the device has no shared virtual memory";
  Program program = built("kernel void follow(global ulong *at, global int *out) { *out = *(global int *)*at; }");
  Kernel follow = kernel(program, "follow");
  auto at = svm<cl_ulong>(1);
  Mem out = buffer(4);
  ASSERT_EQ(clSetKernelArgSVMPointer(follow, 0, at.get()), CL_SUCCESS);
  ASSERT_EQ(set(follow, 1, out), CL_SUCCESS);
  auto target = svm(1);
  void *pointers[] = {target.get()};
  ASSERT_EQ(clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers), CL_SUCCESS);
  ASSERT_EQ(launchIn({commands}, follow, 1), CL_SUCCESS);
  ASSERT_EQ(finalize(), CL_SUCCESS);
  const auto address = cl_ulong(target.get());
  const int value = 77;
  ASSERT_EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, at.get(), &address, 8, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, target.get(), &value, 4, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(enqueue(), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], 77);
}

TEST_F(CommandBuffers, Printf) {
  PROVES("X-E14");
  Program program = built("kernel void say(int n) { printf(\"round %d\\n\", n); }");
  Kernel say = kernel(program, "say");
  for (int n : {1, 2}) {
    ASSERT_EQ(set(say, 0, n), CL_SUCCESS);
    ASSERT_EQ(launchIn({commands}, say, 1), CL_SUCCESS);
  }
  ASSERT_EQ(finalize(), CL_SUCCESS);
  testing::internal::CaptureStdout();
  EXPECT_EQ(enqueue(), CL_SUCCESS);
  EXPECT_EQ(enqueue(), CL_SUCCESS);
  EXPECT_EQ(finish(), CL_SUCCESS);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "round 1\nround 2\nround 1\nround 2\n");
}

// An execution is one command: type, status, profiling times, and a place in the queue's order.
TEST_F(CommandBuffers, Event) {
  PROVES("X-E14");
  Mem memory = buffer(64);
  ASSERT_EQ(fill({commands}, memory, 3, 0, 64), CL_SUCCESS);
  ASSERT_EQ(fill({commands}, memory, 4, 0, 32), CL_SUCCESS);
  ASSERT_EQ(finalize(), CL_SUCCESS);
  test::Event gate = userEvent(), event;
  ASSERT_EQ(cl().clEnqueueCommandBufferKHR(0, nullptr, commands, 1, gate.address(), event.out()), CL_SUCCESS);
  EXPECT_EQ(commandType(event), cl_command_type(CL_COMMAND_COMMAND_BUFFER_KHR));
  EXPECT_EQ(query<cl_command_queue>(clGetEventInfo, event.get(), CL_EVENT_COMMAND_QUEUE), queue.get());
  EXPECT_GT(query<cl_int>(clGetEventInfo, event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS), CL_COMPLETE);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(clWaitForEvents(1, event.address()), CL_SUCCESS);
  cl_ulong last = 0;
  for (cl_profiling_info name : {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
                                 CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_COMPLETE}) {
    const auto time = query<cl_ulong>(clGetEventProfilingInfo, event.get(), name);
    EXPECT_GE(time, last);
    EXPECT_GT(time, 0u);
    last = time;
  }
  std::vector<int> expected(16, 3);
  std::fill_n(expected.begin(), 8, 4);
  EXPECT_EQ(read<int>(memory, 16), expected);
}

TEST_F(CommandBuffers, FailedDependencySkipsAllCommands) {
  PROVES("X-E14");
  std::vector<int> data = numbers(16);
  Mem memory = buffer(64, CL_MEM_COPY_HOST_PTR, data.data());
  ASSERT_EQ(fill({commands}, memory, 3, 0, 64), CL_SUCCESS);
  ASSERT_EQ(finalize(), CL_SUCCESS);
  test::Event failed = userEvent(), event;
  clSetUserEventStatus(failed, -42);
  ASSERT_EQ(cl().clEnqueueCommandBufferKHR(0, nullptr, commands, 1, failed.address(), event.out()), CL_SUCCESS);
  EXPECT_EQ(clWaitForEvents(1, event.address()), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(read<int>(memory, 16), data);
}

// "A user passed list may contain different command-queues", in order or out of order, also with overlapping
// executions: simultaneous use is reported.
TEST_F(CommandBuffers, OtherQueues) {
  PROVES("X-E14");
  Program program = built("kernel void count(global int *out) { atomic_inc(out); }");
  Kernel count = kernel(program, "count");
  const int zero = 0;
  Mem out = buffer(4, CL_MEM_COPY_HOST_PTR, const_cast<int *>(&zero));
  ASSERT_EQ(set(count, 0, out), CL_SUCCESS);
  ASSERT_EQ(launchIn({commands}, count, 100), CL_SUCCESS);
  ASSERT_EQ(finalize(), CL_SUCCESS);
  Queue outOfOrder = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), plain = makeQueue();
  for (cl_command_queue one : {queue.get(), outOfOrder.get(), plain.get(), outOfOrder.get()})
    for (int i = 0; i < 10; ++i)
      ASSERT_EQ(cl().clEnqueueCommandBufferKHR(1, &one, commands, 0, nullptr, nullptr), CL_SUCCESS);
  commands.reset(); // executions go on
  for (cl_command_queue one : {queue.get(), outOfOrder.get(), plain.get()})
    ASSERT_EQ(clFinish(one), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], 4000);
}

// Recorded on an out-of-order queue, commands without synchronization points may run in any order; those with some may
// not. The executions of two threads are independent.
TEST_F(CommandBuffers, OutOfOrderRecording) {
  PROVES("X-E14");
  Queue outOfOrder = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  commands = create(outOfOrder);
  Mem a = buffer(64), b = buffer(64);
  cl_sync_point_khr points[2], copied;
  ASSERT_EQ(fill({.buffer = commands, .made = &points[0]}, a, 1, 0, 64), CL_SUCCESS);
  ASSERT_EQ(fill({.buffer = commands, .made = &points[1]}, b, 2, 0, 64), CL_SUCCESS);
  Common both{.buffer = commands, .numSyncPoints = 2, .syncPoints = points, .made = &copied};
  ASSERT_EQ(copy(both, a, b, 0, 32, 32), CL_SUCCESS);
  ASSERT_EQ(finalize(), CL_SUCCESS);
  auto run = [&] {
    for (int i = 0; i < 20; ++i) {
      test::Event event;
      EXPECT_EQ(enqueue(event.out()), CL_SUCCESS);
      EXPECT_EQ(clWaitForEvents(1, event.address()), CL_SUCCESS);
    }
  };
  std::thread other(run);
  run();
  other.join();
  std::vector<int> expected(16, 2);
  std::fill_n(expected.begin() + 8, 8, 1);
  EXPECT_EQ(read<int>(b, 16), expected);
}

// ---- images ---------------------------------------------------------------------------------------------------------

struct CommandBuffersWithImages : WithImages {
  Mem image() {
    cl_int code = 1;
    cl_image_desc shape = description(CL_MEM_OBJECT_IMAGE2D, {4, 4, 1});
    Mem made = clCreateImage(context, CL_MEM_READ_WRITE, &Rgba8, &shape, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return made;
  }
};

TEST_F(CommandBuffersWithImages, FillAndCopy) {
  PROVES("X-E14");
  CommandBuffer commands = cl().clCreateCommandBufferKHR(1, queue.address(), nullptr, nullptr);
  Mem first = image(), second = image(), bytes = buffer(64), result = buffer(64);
  const size_t origin[] = {0, 0, 0}, corner[] = {2, 2, 0}, whole[] = {4, 4, 1}, quarter[] = {2, 2, 1},
               huge[] = {5, 1, 1};
  const cl_float4 color = {{1, 0, 1, 0}};
  const cl_uint pixel = 0x01020304;
  auto fillImage = [&](const size_t *region) {
    return cl().clCommandFillImageKHR(commands, nullptr, nullptr, first, &color, origin, region, 0, nullptr, nullptr,
                                      nullptr);
  };
  EXPECT_EQ(fillImage(huge), CL_INVALID_VALUE);
  ASSERT_EQ(fillImage(whole), CL_SUCCESS);
  ASSERT_EQ(
      cl().clCommandFillBufferKHR(commands, nullptr, nullptr, bytes, &pixel, 4, 0, 64, 0, nullptr, nullptr, nullptr),
      CL_SUCCESS);
  ASSERT_EQ(cl().clCommandCopyBufferToImageKHR(commands, nullptr, nullptr, bytes, second, 0, origin, whole, 0, nullptr,
                                               nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(cl().clCommandCopyImageKHR(commands, nullptr, nullptr, first, second, origin, corner, quarter, 0, nullptr,
                                       nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(cl().clCommandCopyImageKHR(commands, nullptr, nullptr, first, first, origin, origin, quarter, 0, nullptr,
                                       nullptr, nullptr),
            CL_MEM_COPY_OVERLAP);
  ASSERT_EQ(cl().clCommandCopyImageToBufferKHR(commands, nullptr, nullptr, second, result, origin, whole, 0, 0, nullptr,
                                               nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(cl().clFinalizeCommandBufferKHR(commands), CL_SUCCESS);
  ASSERT_EQ(cl().clEnqueueCommandBufferKHR(0, nullptr, commands, 0, nullptr, nullptr), CL_SUCCESS);
  std::vector<cl_uint> expected(16, pixel);
  for (size_t i : {10, 11, 14, 15})
    expected[i] = 0x00ff00ff;
  EXPECT_EQ(read<cl_uint>(result, 16), expected);
}

} // namespace kiln::test
