// FEATURES.md, section 6: each device's limits are at least the specification's minimums, and kernels can use them up
// to the reported values. For an optional feature that a device does not have, the query returns 0 (OpenCL 3.0) or at
// least the full minimum.
#include "tests/api/ProgramTest.h"
#include <chrono>
#include <thread>

namespace kiln::test {

struct Limits : WithProgram {
  template <typename T> T get(cl_device_info what) { return query<T>(clGetDeviceInfo, device, what); }
  /// Checks that the query returns 0 or at least `least`.
  template <typename T> void expectNoneOr(cl_device_info what, T least) {
    T value = get<T>(what);
    EXPECT_TRUE(value == 0 || value >= least) << "query " << what << " returns " << value;
  }
  void forEveryDevice(void (Limits::*check)()) {
    cl_device_id own = device;
    cl_uint count = 0;
    ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count), CL_SUCCESS);
    std::vector<cl_device_id> all(count);
    ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, all.data(), nullptr), CL_SUCCESS);
    for (cl_device_id one : all) {
      SCOPED_TRACE(queryText(clGetDeviceInfo, one, CL_DEVICE_NAME));
      device = one;
      (this->*check)();
    }
    device = own;
  }
  void execution() {
    EXPECT_GE(get<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS), 1u);
    EXPECT_GE(get<cl_uint>(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS), 3u);
    std::vector<size_t> sizes = queryList<size_t>(clGetDeviceInfo, device, CL_DEVICE_MAX_WORK_ITEM_SIZES);
    EXPECT_EQ(sizes.size(), get<cl_uint>(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS));
    for (size_t size : sizes)
      EXPECT_GE(size, 1u);
    EXPECT_GE(get<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE), 1u);
    EXPECT_EQ(get<cl_bool>(CL_DEVICE_COMPILER_AVAILABLE), cl_bool(CL_TRUE));
    EXPECT_EQ(get<cl_bool>(CL_DEVICE_LINKER_AVAILABLE), cl_bool(CL_TRUE));
    EXPECT_TRUE(get<cl_device_exec_capabilities>(CL_DEVICE_EXECUTION_CAPABILITIES) & CL_EXEC_KERNEL);
    EXPECT_TRUE(get<cl_command_queue_properties>(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES) & CL_QUEUE_PROFILING_ENABLE);
    EXPECT_LE(get<cl_uint>(CL_DEVICE_PARTITION_MAX_SUB_DEVICES), get<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS));
    EXPECT_NE((" " + queryText(clGetDeviceInfo, device, CL_DEVICE_IL_VERSION) + " ").find(" SPIR-V_1.2 "),
              std::string::npos);
  }
  void memory() {
    EXPECT_TRUE(get<cl_uint>(CL_DEVICE_ADDRESS_BITS) == 64 || get<cl_uint>(CL_DEVICE_ADDRESS_BITS) == 32);
    const cl_ulong all = get<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE), most = get<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    EXPECT_GE(most, std::max<cl_ulong>(std::min<cl_ulong>(1 << 30, all / 4), 32 << 20));
    EXPECT_LE(most, all);
    EXPECT_GE(get<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE), 1024u);
    EXPECT_GE(get<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN), 1024u);
    EXPECT_GE(get<cl_ulong>(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE), 64u << 10);
    EXPECT_GE(get<cl_uint>(CL_DEVICE_MAX_CONSTANT_ARGS), 8u);
    EXPECT_GE(get<size_t>(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE), 64u << 10);
    EXPECT_GE(get<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE), 32u << 10);
    EXPECT_EQ(get<cl_device_mem_cache_type>(CL_DEVICE_GLOBAL_MEM_CACHE_TYPE) == CL_NONE,
              get<cl_ulong>(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE) == 0);
  }
  void numbers() {
    cl_device_fp_config least = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN;
    EXPECT_EQ(get<cl_device_fp_config>(CL_DEVICE_SINGLE_FP_CONFIG) & least, least);
    cl_device_fp_config wide = get<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG);
    least |= CL_FP_FMA | CL_FP_DENORM;
    EXPECT_TRUE(wide == 0 || (wide & least) == least);
  }
  void optional() {
    const bool images = get<cl_bool>(CL_DEVICE_IMAGE_SUPPORT);
    for (auto [what, least] : {std::pair(CL_DEVICE_MAX_READ_IMAGE_ARGS, 128u),
                               {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64u},
                               {CL_DEVICE_MAX_SAMPLERS, 16u}})
      EXPECT_GE(get<cl_uint>(cl_device_info(what)), images ? least : 0u);
    expectNoneOr<cl_uint>(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 64);
    const bool pipes = get<cl_bool>(CL_DEVICE_PIPE_SUPPORT);
    EXPECT_GE(get<cl_uint>(CL_DEVICE_MAX_PIPE_ARGS), pipes ? 16u : 0u);
    EXPECT_GE(get<cl_uint>(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS), pipes ? 1u : 0u);
    EXPECT_GE(get<cl_uint>(CL_DEVICE_PIPE_MAX_PACKET_SIZE), pipes ? 1024u : 0u);
    const bool enqueue = get<cl_device_device_enqueue_capabilities>(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) != 0;
    EXPECT_GE(get<cl_uint>(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE), enqueue ? 16u << 10 : 0u);
    EXPECT_GE(get<cl_uint>(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE), enqueue ? 256u << 10 : 0u);
    EXPECT_GE(get<cl_uint>(CL_DEVICE_MAX_ON_DEVICE_QUEUES), enqueue ? 1u : 0u);
    EXPECT_GE(get<cl_uint>(CL_DEVICE_MAX_ON_DEVICE_EVENTS), enqueue ? 1024u : 0u);
    expectNoneOr<size_t>(CL_DEVICE_PRINTF_BUFFER_SIZE, 1 << 20);
  }
};

TEST_F(Limits, Execution) {
  PROVES("LIM-02 LIM-29 LIM-30 LIM-31 LIM-38 LIM-41");
  forEveryDevice(&Limits::execution);
}
TEST_F(Limits, Memory) {
  PROVES("LIM-05 LIM-27");
  forEveryDevice(&Limits::memory);
}
TEST_F(Limits, Numbers) {
  PROVES("LIM-21 LIM-22");
  forEveryDevice(&Limits::numbers);
}
TEST_F(Limits, OptionalFeatures) {
  PROVES("X-30f");
  forEveryDevice(&Limits::optional);
}

// Every work-item runs in groups of CL_DEVICE_MAX_WORK_GROUP_SIZE work-items, laid out along each dimension as far as
// CL_DEVICE_MAX_WORK_ITEM_SIZES permits.
TEST_F(Limits, LargestWorkGroup) {
  PROVES("LIM-01 LIM-03 LIM-04");
  Program program =
      built("kernel void mark(global uint *out) {"
            "  size_t i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + "
            "             get_global_id(0);"
            "  out[i] += get_local_size(0) * get_local_size(1) * get_local_size(2); }");
  Kernel mark = kernel(program, "mark");
  const size_t most = std::min(get<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE),
                               query<size_t>(clGetKernelWorkGroupInfo, mark.get(), device, CL_KERNEL_WORK_GROUP_SIZE));
  std::vector<size_t> sizes = queryList<size_t>(clGetDeviceInfo, device, CL_DEVICE_MAX_WORK_ITEM_SIZES);
  for (size_t d = 0; d < 3; ++d) {
    size_t local[3] = {1, 1, 1};
    local[d] = std::min(most, sizes[d]);
    size_t global[3] = {local[0], local[1], local[2]};
    const size_t items = local[d] * 3;
    global[d] = items;
    std::vector<cl_uint> zero(items);
    Mem out = buffer(items * 4, CL_MEM_COPY_HOST_PTR, zero.data());
    ASSERT_EQ(set(mark, 0, out), CL_SUCCESS);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue, mark, 3, nullptr, global, local, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(read<cl_uint>(out, items), std::vector<cl_uint>(items, cl_uint(local[d]))) << "dimension " << d;
    local[d] = sizes[d] + 1;
    global[d] = local[d];
    cl_int code = clEnqueueNDRangeKernel(queue, mark, 3, nullptr, global, local, 0, nullptr, nullptr);
    EXPECT_TRUE(code == CL_INVALID_WORK_ITEM_SIZE || code == CL_INVALID_WORK_GROUP_SIZE) << code;
  }
}

// A buffer of CL_DEVICE_MAX_MEM_ALLOC_SIZE bytes is usable at both ends. It has half of the machine's memory, so the
// test retries for a minute while other programs use more than the other half.
TEST_F(Limits, LargestAllocation) {
  PROVES("LIM-06 API-5.2.1b");
  const size_t most = get<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  const size_t places[] = {0, most - 4};
  Mem largest;
  auto usable = [&] { // a device may reserve memory at the first write
    cl_int code = 1;
    largest = clCreateBuffer(context, CL_MEM_READ_WRITE, most, nullptr, &code);
    for (const size_t at : places)
      if (const cl_uint value = cl_uint(at + 7); code == CL_SUCCESS)
        code = clEnqueueWriteBuffer(queue, largest, CL_TRUE, at, 4, &value, 0, nullptr, nullptr);
    return code;
  };
  cl_int made = usable();
  for (int tries = 1; tries < 60 && made == CL_MEM_OBJECT_ALLOCATION_FAILURE; ++tries) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    made = usable();
  }
  ASSERT_EQ(made, CL_SUCCESS);
  for (const size_t at : places) {
    cl_uint found = 0;
    ASSERT_EQ(clEnqueueReadBuffer(queue, largest, CL_TRUE, at, 4, &found, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(found, cl_uint(at + 7));
  }
  cl_int code = 1;
  EXPECT_EQ(clCreateBuffer(context, CL_MEM_READ_WRITE, most + 1, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_BUFFER_SIZE);
}

// As many arguments as fit CL_DEVICE_MAX_PARAMETER_SIZE, each with a different value.
TEST_F(Limits, LargestParameters) {
  PROVES("LIM-19");
  const size_t count = get<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE) / 8;
  std::string text = "kernel void sum(global ulong *out", body = "*out = 0";
  for (size_t i = 1; i < count; ++i) {
    text += ", ulong a" + std::to_string(i);
    body += " + a" + std::to_string(i) + " * " + std::to_string(i % 7 + 1);
  }
  Program program = built((text + ") { " + body + "; }").c_str());
  Kernel sum = kernel(program, "sum");
  Mem out = buffer(8);
  ASSERT_EQ(set(sum, 0, out), CL_SUCCESS);
  cl_ulong expected = 0;
  for (size_t i = 1; i < count; ++i) {
    const cl_ulong value = i * 0x1234567ull;
    ASSERT_EQ(set(sum, cl_uint(i), value), CL_SUCCESS);
    expected += value * (i % 7 + 1);
  }
  ASSERT_EQ(launch(sum, 1), CL_SUCCESS);
  EXPECT_EQ(read<cl_ulong>(out, 1)[0], expected);
}

// Buffers, and sub-buffers at multiples of it, are aligned to CL_DEVICE_MEM_BASE_ADDR_ALIGN.
TEST_F(Limits, AlignmentOfBuffers) {
  PROVES("LIM-20");
  const size_t align = get<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  Program program = built("kernel void where(global char *p, global ulong *out) { *out = (ulong)p; }");
  Kernel where = kernel(program, "where");
  Mem out = buffer(8);
  ASSERT_EQ(set(where, 1, out), CL_SUCCESS);
  for (size_t size : {size_t(1), size_t(100), align * 4, size_t(1) << 20}) {
    Mem whole = buffer(size);
    ASSERT_EQ(set(where, 0, whole), CL_SUCCESS);
    ASSERT_EQ(launch(where, 1), CL_SUCCESS);
    EXPECT_EQ(read<cl_ulong>(out, 1)[0] % align, 0u) << "buffer of " << size;
    if (size < align * 2)
      continue;
    const cl_buffer_region region{align, align};
    cl_int code = 1;
    Mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    ASSERT_EQ(set(where, 0, part), CL_SUCCESS);
    ASSERT_EQ(launch(where, 1), CL_SUCCESS);
    EXPECT_EQ(read<cl_ulong>(out, 1)[0] % align, 0u) << "sub-buffer of " << size;
  }
}

// CL_DEVICE_MAX_CONSTANT_ARGS constant arguments of 64 KiB each.
TEST_F(Limits, ConstantArguments) {
  PROVES("LIM-24 LIM-25");
  const size_t count =
      std::min<size_t>(get<cl_uint>(CL_DEVICE_MAX_CONSTANT_ARGS), get<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE) / 8 - 1);
  constexpr size_t Words = (64 << 10) / 4;
  std::string text = "kernel void sum(global uint *out", body = "out[0] = 0";
  for (size_t i = 0; i < count; ++i) {
    text += ", constant uint *c" + std::to_string(i);
    body += " + c" + std::to_string(i) + "[0] + c" + std::to_string(i) + "[" + std::to_string(Words - 1) + "]";
  }
  Program program = built((text + ") { " + body + "; }").c_str());
  Kernel sum = kernel(program, "sum");
  Mem out = buffer(4);
  ASSERT_EQ(set(sum, 0, out), CL_SUCCESS);
  std::vector<Mem> constants;
  cl_uint expected = 0;
  for (size_t i = 0; i < count; ++i) {
    std::vector<cl_uint> data(Words, 1000000);
    data.front() = cl_uint(i);
    data.back() = cl_uint(i * 1000);
    expected += data.front() + data.back();
    constants.push_back(buffer(Words * 4, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, data.data()));
    ASSERT_EQ(set(sum, cl_uint(i + 1), constants.back()), CL_SUCCESS);
  }
  ASSERT_EQ(launch(sum, 1), CL_SUCCESS);
  EXPECT_EQ(read<cl_uint>(out, 1)[0], expected);
}

TEST_F(Limits, ProgramVariable) {
  PROVES("LIM-26");
  const size_t words = std::min<size_t>(get<size_t>(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE), 1 << 20) / 4;
  std::string text = "global uint words[" + std::to_string(words) +
                     "]; kernel void put() { words[get_global_id(0)] = get_global_id(0) + 1; }"
                     "kernel void take(global uint *out) { out[get_global_id(0)] = words[get_global_id(0)]; }";
  Program program = built(text.c_str(), "-cl-std=CL3.0");
  Kernel put = kernel(program, "put"), take = kernel(program, "take");
  Mem out = buffer(words * 4);
  ASSERT_EQ(set(take, 0, out), CL_SUCCESS);
  ASSERT_EQ(launch(put, words), CL_SUCCESS);
  ASSERT_EQ(launch(take, words), CL_SUCCESS);
  std::vector<cl_uint> expected(words);
  std::iota(expected.begin(), expected.end(), 1u);
  EXPECT_EQ(read<cl_uint>(out, words), expected);
}

// A kernel can use CL_DEVICE_LOCAL_MEM_SIZE bytes. One byte more is an error of the launch, and nothing runs.
TEST_F(Limits, LocalMemory) {
  PROVES("LIM-28 LIM-43");
  const size_t most = get<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE);
  Program program = built("kernel void turn(local uchar *l, uint size, global uint *out) {"
                          "  for (uint i = get_local_id(0); i < size; i += get_local_size(0)) l[i] = i * 7;"
                          "  barrier(CLK_LOCAL_MEM_FENCE); uint sum = 0;"
                          "  for (uint i = get_local_id(0); i < size; i += get_local_size(0)) sum += l[size - 1 - i];"
                          "  atomic_add(out, sum); }");
  Kernel turn = kernel(program, "turn");
  cl_uint expected = 0;
  for (size_t i = 0; i < most; ++i)
    expected += cl_uchar(i * 7);
  const cl_uint zero = 0;
  Mem out = buffer(4, CL_MEM_COPY_HOST_PTR, const_cast<cl_uint *>(&zero));
  const size_t local = 16;
  ASSERT_EQ(clSetKernelArg(turn, 0, most, nullptr), CL_SUCCESS);
  ASSERT_EQ(set(turn, 1, cl_uint(most)), CL_SUCCESS);
  ASSERT_EQ(set(turn, 2, out), CL_SUCCESS);
  ASSERT_EQ(launch(turn, 16, &local), CL_SUCCESS);
  EXPECT_EQ(read<cl_uint>(out, 1)[0], expected);
  ASSERT_EQ(clSetKernelArg(turn, 0, most + 1, nullptr), CL_SUCCESS);
  EXPECT_EQ(launch(turn, 16, &local), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(read<cl_uint>(out, 1)[0], expected);
}
} // namespace kiln::test
