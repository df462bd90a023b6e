// cl_khr_command_buffer_mutable_dispatch, version 0.9.5 of the specification: section "Mutable Commands".
#include "tests/api/CommandBufferTest.h"

namespace kiln::test {

struct MutableCommands : CommandBuffers {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(CommandBuffers::SetUp());
    program = built("kernel void put(global int *out, int value) {"
                    "  out[get_global_id(0)] = value + (int)get_local_size(0); }");
    put = kernel(program, "put");
    out = buffer(64);
    commands = createMutable();
  }
  CommandBuffer createMutable() {
    const cl_command_buffer_properties_khr list[] = {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0};
    return cl().clCreateCommandBufferKHR(1, queue.address(), list, nullptr);
  }
  /// Records `put` with the value 1, 16 work-items and groups of 4.
  cl_mutable_command_khr recordPut(const cl_command_properties_khr *properties = nullptr) {
    EXPECT_EQ(set(put, 0, out), CL_SUCCESS);
    EXPECT_EQ(set(put, 1, 1), CL_SUCCESS);
    cl_mutable_command_khr made = nullptr;
    const size_t local = 4;
    EXPECT_EQ(launchIn({.buffer = commands, .properties = properties, .handle = &made}, put, 16, &local), CL_SUCCESS);
    EXPECT_NE(made, nullptr);
    return made;
  }
  cl_int update(const cl_mutable_dispatch_config_khr &config) {
    const cl_command_buffer_update_type_khr type = MutableDispatchConfig;
    const void *configs[] = {&config};
    return cl().clUpdateMutableCommandsKHR(commands, 1, &type, configs);
  }
  std::vector<int> run() {
    const int zero = 0;
    EXPECT_EQ(clEnqueueFillBuffer(queue, out, &zero, sizeof zero, 0, 64, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(enqueue(), CL_SUCCESS);
    return read<int>(out, 16);
  }
  static std::vector<int> values(int value, size_t first = 0, size_t end = 16) {
    std::vector<int> list(16);
    std::fill(list.begin() + ptrdiff_t(first), list.begin() + ptrdiff_t(end), value);
    return list;
  }
  Program program;
  Kernel put;
  Mem out;
};

TEST_F(MutableCommands, Updates) {
  PROVES("X-E15");
  cl_mutable_command_khr command = recordPut();
  ASSERT_EQ(finalize(), CL_SUCCESS);
  EXPECT_EQ(run(), values(5));
  const int two = 2;
  const cl_mutable_dispatch_arg_khr argument{1, sizeof two, &two};
  ASSERT_EQ(update({.command = command, .num_args = 1, .arg_list = &argument}), CL_SUCCESS);
  EXPECT_EQ(run(), values(6));
  const size_t offset = 4, global = 8, local = 8;
  ASSERT_EQ(update({.command = command, .global_work_offset = &offset, .global_work_size = &global}), CL_SUCCESS);
  EXPECT_EQ(run(), values(6, 4, 12));
  ASSERT_EQ(update({.command = command, .local_work_size = &local}), CL_SUCCESS);
  EXPECT_EQ(run(), values(10, 4, 12));
  // An update has no effect on the application's kernel.
  const size_t one = 16, group = 4;
  ASSERT_EQ(launch(put, one, &group), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 16), values(5));
}

// Executions that were enqueued before an update keep their arguments ("simultaneous use").
TEST_F(MutableCommands, EarlierExecutionsAreUnchanged) {
  PROVES("X-E15");
  cl_mutable_command_khr command = recordPut();
  ASSERT_EQ(finalize(), CL_SUCCESS);
  Event gate = userEvent();
  ASSERT_EQ(cl().clEnqueueCommandBufferKHR(0, nullptr, commands, 1, gate.address(), nullptr), CL_SUCCESS);
  Mem other = buffer(64);
  const cl_mutable_dispatch_arg_khr argument{0, sizeof(cl_mem), other.address()};
  ASSERT_EQ(update({.command = command, .num_args = 1, .arg_list = &argument}), CL_SUCCESS);
  ASSERT_EQ(enqueue(), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 16), values(5));
  EXPECT_EQ(read<int>(other, 16), values(5));
}

// "the kernel's arguments do not have to be set, and setting them may be postponed"
TEST_F(MutableCommands, ArgumentsSetLater) {
  PROVES("X-E15");
  ASSERT_EQ(set(put, 0, out), CL_SUCCESS);
  const cl_command_properties_khr list[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR,
                                            0};
  cl_mutable_command_khr command = nullptr;
  EXPECT_EQ(launchIn({.buffer = commands, .handle = &command}, put, 16), CL_INVALID_KERNEL_ARGS);
  const size_t local = 4;
  ASSERT_EQ(launchIn({.buffer = commands, .properties = list, .handle = &command}, put, 16, &local), CL_SUCCESS);
  ASSERT_EQ(finalize(), CL_SUCCESS);
  EXPECT_EQ(info<cl_uint>(CL_COMMAND_BUFFER_STATE_KHR), cl_uint(CL_COMMAND_BUFFER_STATE_FINALIZED_KHR));
  EXPECT_EQ(enqueue(), CL_INVALID_OPERATION);
  const int two = 2;
  const cl_mutable_dispatch_arg_khr argument{1, sizeof two, &two};
  ASSERT_EQ(update({.command = command, .num_args = 1, .arg_list = &argument}), CL_SUCCESS);
  EXPECT_EQ(info<cl_uint>(CL_COMMAND_BUFFER_STATE_KHR), cl_uint(CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR));
  EXPECT_EQ(run(), values(6));
}

// "Otherwise, none of the updates to mutable-command objects are preserved"
TEST_F(MutableCommands, FailedUpdatesChangeNothing) {
  PROVES("X-E15");
  cl_mutable_command_khr first = recordPut(), second = recordPut();
  ASSERT_EQ(finalize(), CL_SUCCESS);
  const int two = 2;
  const cl_mutable_dispatch_arg_khr valid{1, sizeof two, &two}, invalid{7, sizeof two, &two};
  const cl_mutable_dispatch_config_khr good{.command = first, .num_args = 1, .arg_list = &valid},
      bad{.command = second, .num_args = 1, .arg_list = &invalid};
  const cl_command_buffer_update_type_khr types[] = {MutableDispatchConfig, MutableDispatchConfig};
  const void *configs[] = {&good, &bad};
  EXPECT_EQ(cl().clUpdateMutableCommandsKHR(commands, 2, types, configs), CL_INVALID_ARG_INDEX);
  EXPECT_EQ(run(), values(5));
}

TEST_F(MutableCommands, UpdateErrors) {
  PROVES("X-E15");
  const cl_command_properties_khr onlyOffset[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                                  CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR, 0};
  cl_mutable_command_khr command = recordPut(), limited = recordPut(onlyOffset);
  EXPECT_EQ(update({.command = command}), CL_INVALID_OPERATION) << "not finalized";
  ASSERT_EQ(finalize(), CL_SUCCESS);
  EXPECT_EQ(update({.command = command}), CL_SUCCESS);
  const int two = 2;
  const cl_mutable_dispatch_arg_khr argument{1, sizeof two, &two};
  const size_t size = 8, odd = 6;
  EXPECT_EQ(update({.command = limited, .num_args = 1, .arg_list = &argument}), CL_INVALID_OPERATION);
  EXPECT_EQ(update({.command = limited, .global_work_size = &size}), CL_INVALID_OPERATION);
  EXPECT_EQ(update({.command = limited, .local_work_size = &size}), CL_INVALID_OPERATION);
  EXPECT_EQ(update({.command = limited, .global_work_offset = &size}), CL_SUCCESS);
  EXPECT_EQ(update({.command = command, .work_dim = 2}), CL_INVALID_OPERATION);
  EXPECT_EQ(update({.command = command, .global_work_size = &odd}), CL_INVALID_OPERATION) << "not uniform any more";
  EXPECT_EQ(update({.command = command, .num_args = 1}), CL_INVALID_VALUE);
  EXPECT_EQ(update({.command = command, .arg_list = &argument}), CL_INVALID_VALUE);
  EXPECT_EQ(update({.command = command, .num_svm_args = 1}), CL_INVALID_VALUE);
  EXPECT_EQ(update({.command = command, .num_exec_infos = 1}), CL_INVALID_VALUE);
  EXPECT_EQ(update({.command = nullptr}), CL_INVALID_MUTABLE_COMMAND_KHR);
  cl_command_buffer_update_type_khr type = 99;
  const cl_mutable_dispatch_config_khr config{.command = command};
  const void *configs[] = {&config}, *none[] = {nullptr};
  auto call = [&](cl_uint count, const cl_command_buffer_update_type_khr *types, const void **list) {
    return cl().clUpdateMutableCommandsKHR(commands, count, types, list);
  };
  EXPECT_EQ(call(1, &type, configs), CL_INVALID_VALUE);
  type = MutableDispatchConfig;
  EXPECT_EQ(call(1, &type, none), CL_INVALID_VALUE);
  EXPECT_EQ(call(1, nullptr, configs), CL_INVALID_VALUE);
  EXPECT_EQ(call(1, &type, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(call(0, &type, configs), CL_INVALID_VALUE);
  EXPECT_EQ(call(0, nullptr, nullptr), CL_SUCCESS);
  commands = createMutable();
  ASSERT_EQ(finalize(), CL_SUCCESS);
  if (!hasSanitizer()) // which finds the use of freed memory
    EXPECT_EQ(update({.command = command}), CL_INVALID_MUTABLE_COMMAND_KHR) << "the old command buffer is released";
  commands = create();
  cl_mutable_command_khr fixed = recordPut();
  ASSERT_EQ(finalize(), CL_SUCCESS);
  EXPECT_EQ(update({.command = fixed}), CL_INVALID_OPERATION) << "without CL_COMMAND_BUFFER_MUTABLE_KHR";
}

TEST_F(MutableCommands, Info) {
  PROVES("X-E15");
  EXPECT_EQ(query<cl_mutable_dispatch_fields_khr>(clGetDeviceInfo, device,
                                                  cl_uint(CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR)),
            0x1fu);
  const std::vector<cl_command_properties_khr> list = {CL_MUTABLE_DISPATCH_ASSERTS_KHR,
                                                       CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR, 0};
  cl_mutable_command_khr command = recordPut(list.data());
  EXPECT_EQ(launchIn({.buffer = commands, .properties = list.data()}, put, 16), CL_INVALID_VALUE) << "no local size";
  auto call = cl().clGetMutableCommandInfoKHR;
  expectInfoRules(call, command, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR);
  EXPECT_EQ(call(nullptr, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, 0, nullptr, nullptr), CL_INVALID_MUTABLE_COMMAND_KHR);
  EXPECT_EQ(query<cl_command_queue>(call, command, cl_uint(CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR)), queue.get());
  EXPECT_EQ(query<cl_command_buffer_khr>(call, command, cl_uint(CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR)),
            commands.get());
  EXPECT_EQ(query<cl_command_type>(call, command, cl_uint(CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR)),
            cl_command_type(CL_COMMAND_NDRANGE_KERNEL));
  EXPECT_EQ(queryList<cl_command_properties_khr>(call, command, cl_uint(CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR)),
            list);
  EXPECT_EQ(query<cl_kernel>(call, command, cl_uint(CL_MUTABLE_DISPATCH_KERNEL_KHR)), put.get());
  EXPECT_EQ(query<cl_uint>(call, command, cl_uint(CL_MUTABLE_DISPATCH_DIMENSIONS_KHR)), 1u);
  EXPECT_EQ(query<size_t>(call, command, cl_uint(CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR)), 0u);
  EXPECT_EQ(query<size_t>(call, command, cl_uint(CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR)), 16u);
  EXPECT_EQ(query<size_t>(call, command, cl_uint(CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR)), 4u);
}

} // namespace kiln::test
