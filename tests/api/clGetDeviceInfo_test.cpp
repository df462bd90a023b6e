#include "tests/api/ApiTest.h"
#include <algorithm>
#include <sstream>

namespace kiln::test {
struct GetDeviceInfo : WithDevice {
  template <typename T> T get(cl_device_info param) { return query<T>(clGetDeviceInfo, device, param); }
  std::string text(cl_device_info param) { return queryText(clGetDeviceInfo, device, param); }
  std::vector<std::string> words(cl_device_info param) {
    std::istringstream in(text(param));
    return {std::istream_iterator<std::string>(in), {}};
  }
  std::vector<std::string> names(cl_device_info param) {
    std::vector<std::string> list;
    for (const cl_name_version &one : queryList<cl_name_version>(clGetDeviceInfo, device, param))
      list.push_back(one.name);
    return list;
  }
  bool has(const std::vector<std::string> &list, const std::string &word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  }
};

TEST_F(GetDeviceInfo, InfoRules) {
  PROVES("R3 API-4.2b");
  expectInfoRules(clGetDeviceInfo, device, CL_DEVICE_NAME);
  expectInfoRules(clGetDeviceInfo, device, CL_DEVICE_MAX_WORK_ITEM_SIZES);
}

TEST_F(GetDeviceInfo, QueriesOfAbsentExtensions) {
  PROVES("API-4.2b");
  char room[256];
  EXPECT_EQ(clGetDeviceInfo(device, CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR, sizeof room, room, nullptr),
            CL_INVALID_VALUE);
}

TEST_F(GetDeviceInfo, Identity) {
  PROVES("API-4.2c X-30d");
  EXPECT_EQ(text(CL_DEVICE_PROFILE), "FULL_PROFILE");
  EXPECT_EQ(text(CL_DEVICE_VERSION).rfind("OpenCL 3.0 ", 0), 0u);
  const bool has20 = get<cl_bool>(CL_DEVICE_PIPE_SUPPORT) &&
                     get<cl_device_device_enqueue_capabilities>(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES);
  EXPECT_EQ(text(CL_DEVICE_OPENCL_C_VERSION).rfind(has20 ? "OpenCL C 3.0 " : "OpenCL C 1.2 ", 0), 0u);
  EXPECT_EQ(get<cl_version>(CL_DEVICE_NUMERIC_VERSION), CL_MAKE_VERSION(3, 0, 0));
  EXPECT_EQ(get<cl_platform_id>(CL_DEVICE_PLATFORM), platform);
  EXPECT_EQ(get<cl_bool>(CL_DEVICE_AVAILABLE), cl_bool(CL_TRUE));
  EXPECT_EQ(get<cl_bool>(CL_DEVICE_ENDIAN_LITTLE), cl_bool(CL_TRUE));
  EXPECT_EQ(get<cl_uint>(CL_DEVICE_ADDRESS_BITS), sizeof(void *) * 8);
  EXPECT_FALSE(text(CL_DEVICE_NAME).empty());
  EXPECT_FALSE(text(CL_DEVICE_VENDOR).empty());
  EXPECT_FALSE(text(CL_DRIVER_VERSION).empty());
}

TEST_F(GetDeviceInfo, LanguageVersions) {
  PROVES("X-30d API-3.4.1");
  std::vector<cl_version> versions;
  for (const cl_name_version &one :
       queryList<cl_name_version>(clGetDeviceInfo, device, CL_DEVICE_OPENCL_C_ALL_VERSIONS)) {
    EXPECT_STREQ(one.name, "OpenCL C");
    versions.push_back(one.version);
  }
  std::vector<cl_version> expected{CL_MAKE_VERSION(1, 0, 0), CL_MAKE_VERSION(1, 1, 0), CL_MAKE_VERSION(1, 2, 0),
                                   CL_MAKE_VERSION(3, 0, 0)};
  if (get<cl_version>(CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR) ==
      CL_MAKE_VERSION(3, 0, 0)) // the device supports all features of OpenCL C 2.0
    expected.insert(std::prev(expected.end()), CL_MAKE_VERSION(2, 0, 0));
  EXPECT_EQ(versions, expected);
}

TEST_F(GetDeviceInfo, Extensions) {
  PROVES("X-30d X-E04 X-E06");
  std::vector<std::string> list = words(CL_DEVICE_EXTENSIONS);
  EXPECT_EQ(list, names(CL_DEVICE_EXTENSIONS_WITH_VERSION));
  std::vector<std::string> sorted = list;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end()) << "listed twice";
  for (const char *name : {"cl_khr_byte_addressable_store", "cl_khr_fp64", "cl_khr_global_int32_base_atomics",
                           "cl_khr_global_int32_extended_atomics", "cl_khr_local_int32_base_atomics",
                           "cl_khr_local_int32_extended_atomics", "cl_khr_il_program"})
    EXPECT_TRUE(has(list, name)) << name;
  EXPECT_FALSE(has(list, "cl_khr_subgroups")) << "a work-group runs on one thread";
}

TEST_F(GetDeviceInfo, IntermediateLanguages) {
  PROVES("API-4.2e X-30d");
  std::vector<std::string> list = words(CL_DEVICE_IL_VERSION);
  EXPECT_TRUE(has(list, "SPIR-V_1.0"));
  EXPECT_TRUE(has(list, "SPIR-V_1.2"));
  std::vector<std::string> withVersions;
  for (const cl_name_version &one : queryList<cl_name_version>(clGetDeviceInfo, device, CL_DEVICE_ILS_WITH_VERSION)) {
    EXPECT_STREQ(one.name, "SPIR-V");
    withVersions.push_back(std::string(one.name) + "_" + std::to_string(CL_VERSION_MAJOR(one.version)) + "." +
                           std::to_string(CL_VERSION_MINOR(one.version)));
  }
  EXPECT_EQ(list, withVersions);
  EXPECT_EQ(text(CL_DEVICE_BUILT_IN_KERNELS), "");
  EXPECT_TRUE(names(CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION).empty());
}

TEST_F(GetDeviceInfo, CompilerAvailable) {
  PROVES("API-4.2f");
  EXPECT_EQ(get<cl_bool>(CL_DEVICE_COMPILER_AVAILABLE), cl_bool(CL_TRUE));
  EXPECT_EQ(get<cl_bool>(CL_DEVICE_LINKER_AVAILABLE), cl_bool(CL_TRUE));
  EXPECT_TRUE(get<cl_device_exec_capabilities>(CL_DEVICE_EXECUTION_CAPABILITIES) & CL_EXEC_KERNEL);
}

TEST_F(GetDeviceInfo, FloatingPoint) {
  PROVES("API-4.2g API-4.2h");
  cl_device_fp_config single = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN;
  EXPECT_EQ(get<cl_device_fp_config>(CL_DEVICE_SINGLE_FP_CONFIG) & single, single);
  cl_device_fp_config full = CL_FP_FMA | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF |
                             CL_FP_INF_NAN | CL_FP_DENORM; // the minimum of cl_khr_fp64
  EXPECT_EQ(get<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG) & full, full);
  cl_device_fp_config half = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN;
  EXPECT_EQ(get<cl_device_fp_config>(CL_DEVICE_HALF_FP_CONFIG) & half, half);
  for (cl_device_info width :
       {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE,
        CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, CL_DEVICE_NATIVE_VECTOR_WIDTH_INT,
        CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF})
    EXPECT_GT(get<cl_uint>(width), 0u) << width;
}

TEST_F(GetDeviceInfo, Minimums) {
  PROVES("API-4.2i");
  EXPECT_GE(get<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS), 1u);
  cl_uint dimensions = get<cl_uint>(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS);
  EXPECT_GE(dimensions, 3u);
  EXPECT_EQ(queryList<size_t>(clGetDeviceInfo, device, CL_DEVICE_MAX_WORK_ITEM_SIZES).size(), dimensions);
  EXPECT_GE(get<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE), 1u);
  EXPECT_GE(get<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE), 1024u);
  cl_ulong global = get<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE), allocation = get<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  EXPECT_GE(allocation, std::max<cl_ulong>(std::min<cl_ulong>(1024u << 20, global / 4), 32u << 20));
  EXPECT_LE(allocation, global);
  EXPECT_GE(get<cl_ulong>(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE), 64u << 10);
  EXPECT_GE(get<cl_uint>(CL_DEVICE_MAX_CONSTANT_ARGS), 8u);
  EXPECT_GE(get<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE), 32u << 10);
  EXPECT_NE(get<cl_device_local_mem_type>(CL_DEVICE_LOCAL_MEM_TYPE), cl_device_local_mem_type(CL_NONE));
  size_t printfBuffer = get<size_t>(CL_DEVICE_PRINTF_BUFFER_SIZE);
  EXPECT_TRUE(printfBuffer == 0 || printfBuffer >= 1u << 20) << "no printf, or the full profile's minimum";
  cl_uint align = get<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN);
  EXPECT_GE(align, 128u * 8) << "in bits: the largest type has 128 bytes";
  EXPECT_EQ(align & (align - 1), 0u);
  EXPECT_GE(get<cl_uint>(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE), 128u);
}

TEST_F(GetDeviceInfo, QueuesAndTimers) {
  PROVES("API-4.2n");
  EXPECT_TRUE(get<cl_command_queue_properties>(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES) & CL_QUEUE_PROFILING_ENABLE);
  EXPECT_EQ(get<cl_command_queue_properties>(CL_DEVICE_QUEUE_PROPERTIES),
            get<cl_command_queue_properties>(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES));
  EXPECT_GT(get<size_t>(CL_DEVICE_PROFILING_TIMER_RESOLUTION), 0u);
}

// The CPU uses host memory, so it has every SVM and USM capability.
TEST_F(GetDeviceInfo, SharedMemory) {
  PROVES("API-4.2k LIM-39 X-E29");
  if (get<cl_device_type>(CL_DEVICE_TYPE) != CL_DEVICE_TYPE_CPU)
    GTEST_SKIP() << "the capabilities of a GPU depend on its driver";
  constexpr cl_device_svm_capabilities All = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER |
                                             CL_DEVICE_SVM_FINE_GRAIN_SYSTEM | CL_DEVICE_SVM_ATOMICS;
  EXPECT_EQ(get<cl_device_svm_capabilities>(CL_DEVICE_SVM_CAPABILITIES), All);
  for (cl_device_info name : {CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT,
                              CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT})
    EXPECT_EQ(get<cl_uint>(name), 0u);
  for (cl_device_info name :
       {CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL})
    EXPECT_EQ(get<cl_device_unified_shared_memory_capabilities_intel>(name), 15u) << name;
}

TEST_F(GetDeviceInfo, Images) {
  PROVES("LIM-07 LIM-08 LIM-09 LIM-10 LIM-11 LIM-12 LIM-13 LIM-14 LIM-15 API-4.2d");
  const bool images = get<cl_bool>(CL_DEVICE_IMAGE_SUPPORT);
  struct {
    cl_device_info what;
    size_t least;
    bool isSize;
  } const limits[] = {
      {CL_DEVICE_MAX_READ_IMAGE_ARGS, 128, false},      {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64, false},
      {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 64, false}, {CL_DEVICE_MAX_SAMPLERS, 16, false},
      {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 1, false},      {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 1, false},
      {CL_DEVICE_IMAGE2D_MAX_WIDTH, 16384, true},       {CL_DEVICE_IMAGE2D_MAX_HEIGHT, 16384, true},
      {CL_DEVICE_IMAGE3D_MAX_WIDTH, 2048, true},        {CL_DEVICE_IMAGE3D_MAX_HEIGHT, 2048, true},
      {CL_DEVICE_IMAGE3D_MAX_DEPTH, 2048, true},        {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 65536, true},
      {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 2048, true}};
  for (const auto &limit : limits) {
    const size_t value = limit.isSize ? get<size_t>(limit.what) : get<cl_uint>(limit.what);
    if (images)
      EXPECT_GE(value, limit.least) << limit.what;
    else
      EXPECT_EQ(value, 0u) << limit.what;
  }
  std::vector<std::string> list = words(CL_DEVICE_EXTENSIONS);
  for (const char *name :
       {"cl_khr_3d_image_writes", "cl_khr_depth_images", "cl_khr_image2d_from_buffer", "cl_khr_srgb_image_writes"})
    EXPECT_EQ(has(list, name), images) << name;
}

TEST_F(GetDeviceInfo, DeviceEnqueue) {
  PROVES("X-30f API-4.2m");
  auto capabilities = get<cl_device_device_enqueue_capabilities>(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES);
  if (!capabilities)
    GTEST_SKIP() << "the device has no device-side enqueue";
  EXPECT_TRUE(capabilities & CL_DEVICE_QUEUE_SUPPORTED);
  EXPECT_EQ(get<cl_command_queue_properties>(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES),
            cl_command_queue_properties(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE));
}

// A device has sub-groups and their extensions if it has work-group collective functions. No device has independent
// forward progress of sub-groups.
TEST_F(GetDeviceInfo, SubGroups) {
  PROVES("API-4.2m X-30f");
  bool groups = get<cl_bool>(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT);
  EXPECT_EQ(get<cl_uint>(CL_DEVICE_MAX_NUM_SUB_GROUPS) >= 1, groups);
  EXPECT_EQ(get<cl_bool>(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS), cl_bool(CL_FALSE));
  std::vector<std::string> list = words(CL_DEVICE_EXTENSIONS);
  for (const char *name :
       {"cl_khr_subgroup_ballot", "cl_khr_subgroup_clustered_reduce", "cl_khr_subgroup_extended_types",
        "cl_khr_subgroup_non_uniform_arithmetic", "cl_khr_subgroup_non_uniform_vote", "cl_khr_subgroup_rotate",
        "cl_khr_subgroup_shuffle", "cl_khr_subgroup_shuffle_relative", "cl_khr_work_group_uniform_arithmetic"})
    EXPECT_EQ(has(list, name), groups) << name;
}

// Device queries of optional features agree with the feature macros in CL_DEVICE_OPENCL_C_FEATURES.
TEST_F(GetDeviceInfo, FeatureMacrosAgreeWithQueries) {
  PROVES("X-30e X-30f");
  std::vector<std::string> features = names(CL_DEVICE_OPENCL_C_FEATURES);
  auto expectSame = [&](const char *macro, bool reported) { EXPECT_EQ(has(features, macro), reported) << macro; };
  for (const char *macro : {"__opencl_c_images", "__opencl_c_3d_image_writes", "__opencl_c_read_write_images"})
    expectSame(macro, get<cl_bool>(CL_DEVICE_IMAGE_SUPPORT));
  expectSame("__opencl_c_pipes", get<cl_bool>(CL_DEVICE_PIPE_SUPPORT));
  expectSame("__opencl_c_device_enqueue",
             get<cl_device_device_enqueue_capabilities>(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) != 0);
  expectSame("__opencl_c_generic_address_space", get<cl_bool>(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT));
  expectSame("__opencl_c_program_scope_global_variables", get<size_t>(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE) != 0);
  expectSame("__opencl_c_work_group_collective_functions",
             get<cl_bool>(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT));
  expectSame("__opencl_c_subgroups", get<cl_uint>(CL_DEVICE_MAX_NUM_SUB_GROUPS) != 0);
  expectSame("__opencl_c_fp64", get<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG) != 0);
  expectSame("__opencl_c_int64", true);
  auto memory = get<cl_device_atomic_capabilities>(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES);
  auto fence = get<cl_device_atomic_capabilities>(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES);
  cl_device_atomic_capabilities least = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
  EXPECT_EQ(memory & least, least);
  least |= CL_DEVICE_ATOMIC_ORDER_ACQ_REL;
  EXPECT_EQ(fence & least, least);
  expectSame("__opencl_c_atomic_order_acq_rel", memory & CL_DEVICE_ATOMIC_ORDER_ACQ_REL);
  expectSame("__opencl_c_atomic_order_seq_cst", memory & CL_DEVICE_ATOMIC_ORDER_SEQ_CST);
  expectSame("__opencl_c_atomic_scope_device", memory & CL_DEVICE_ATOMIC_SCOPE_DEVICE);
  expectSame("__opencl_c_atomic_scope_all_devices", memory & CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES);
}

// The generic address space, and every memory order and scope of atomics.
TEST_F(GetDeviceInfo, MemoryModel) {
  PROVES("EXEC-3.3.4a EXEC-3.3.4b");
  EXPECT_EQ(get<cl_bool>(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT), cl_bool(CL_TRUE));
  cl_device_atomic_capabilities all = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
                                      CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP |
                                      CL_DEVICE_ATOMIC_SCOPE_DEVICE | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
  EXPECT_EQ(get<cl_device_atomic_capabilities>(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES), all);
  EXPECT_EQ(get<cl_device_atomic_capabilities>(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES),
            all | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM);
}

TEST_F(GetDeviceInfo, RootDevice) {
  PROVES("API-4.2l");
  EXPECT_EQ(get<cl_device_id>(CL_DEVICE_PARENT_DEVICE), nullptr);
  EXPECT_EQ(get<cl_uint>(CL_DEVICE_REFERENCE_COUNT), 1u);
  EXPECT_LE(get<cl_uint>(CL_DEVICE_PARTITION_MAX_SUB_DEVICES), get<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS));
  EXPECT_EQ(queryList<cl_device_partition_property>(clGetDeviceInfo, device, CL_DEVICE_PARTITION_TYPE),
            std::vector<cl_device_partition_property>{0});
}
} // namespace kiln::test
