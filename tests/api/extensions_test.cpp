// Extensions of the host API: the queries of each extension, and the errors on devices without it.
#include "base/support/OpenCL.h"
#include "tests/api/ProgramTest.h"
#include <CL/cl_icd.h>
#include <algorithm>

namespace kiln::test {
namespace {

std::vector<cl_device_id> allDevices() {
  cl_uint count = 0;
  EXPECT_EQ(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 0, nullptr, &count), CL_SUCCESS);
  std::vector<cl_device_id> devices(count);
  EXPECT_EQ(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr), CL_SUCCESS);
  return devices;
}

std::vector<std::string> namesOf(const std::vector<cl_name_version> &list) {
  std::vector<std::string> names;
  for (const cl_name_version &one : list)
    names.push_back(one.name);
  return names;
}

bool claims(cl_device_id device, const std::string &extension) {
  std::string list = " " + queryText(clGetDeviceInfo, device, CL_DEVICE_EXTENSIONS) + " ";
  return list.find(" " + extension + " ") != std::string::npos;
}

} // namespace

// ---- cl_khr_suggested_local_work_size -------------------------------------------------------------------------------

struct SuggestedLocalSize : WithProgram {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(WithProgram::SetUp());
    ASSERT_TRUE(claims(device, "cl_khr_suggested_local_work_size"));
    suggest = reinterpret_cast<clGetKernelSuggestedLocalWorkSizeKHR_fn>(
        clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR"));
    ASSERT_NE(suggest, nullptr);
    program = built("kernel void sizes(global uint *out) {"
                    "  for (uint d = 0; d < 3; ++d) out[d] = get_enqueued_local_size(d); }"
                    "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(global uint *out) { *out = 1; }",
                    "-cl-std=CL3.0");
    sizes = kernel(program, "sizes");
    out = buffer(64);
    ASSERT_EQ(set(sizes, 0, out), CL_SUCCESS);
  }
  std::vector<size_t> of(std::vector<size_t> global, cl_kernel which = nullptr) {
    std::vector<size_t> local(global.size(), 99);
    EXPECT_EQ(suggest(queue, which ? which : sizes.get(), cl_uint(global.size()), nullptr, global.data(), local.data()),
              CL_SUCCESS);
    return local;
  }
  clGetKernelSuggestedLocalWorkSizeKHR_fn suggest = nullptr;
  Program program;
  Kernel sizes;
  Mem out;
};

// The suggested size is that of a launch without a local size.
TEST_F(SuggestedLocalSize, MatchesTheLaunch) {
  PROVES("X-E23");
  for (std::vector<size_t> global : {std::vector<size_t>{1}, {97}, {4096}, {1000003}, {64, 3}, {7, 113}, {12, 5, 64}}) {
    std::vector<size_t> local = of(global);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue, sizes, cl_uint(global.size()), nullptr, global.data(), nullptr, 0, nullptr,
                                     nullptr),
              CL_SUCCESS);
    std::vector<cl_uint> seen = read<cl_uint>(out, 3);
    local.resize(3, 1);
    for (size_t d = 0; d < 3; ++d)
      EXPECT_EQ(seen[d], local[d]) << global[0] << " dimension " << d;
  }
}

// In a program with uniform work-groups, the suggested size can be given to a launch.
TEST_F(SuggestedLocalSize, DividesIfGroupsAreUniform) {
  PROVES("X-E23");
  Program uniform = built("kernel void count(global uint *out) { out[get_global_id(0) & 7] = 1; }", "-cl-std=CL1.2");
  Kernel count = kernel(uniform, "count");
  ASSERT_EQ(set(count, 0, out), CL_SUCCESS);
  for (size_t global : {97, 10007, 4096}) {
    const size_t local = of({global}, count)[0];
    EXPECT_EQ(global % local, 0u);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue, count, 1, nullptr, &global, &local, 0, nullptr, nullptr), CL_SUCCESS);
  }
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
}

TEST_F(SuggestedLocalSize, RequiredOne) {
  PROVES("X-E23");
  Kernel fixed = kernel(program, "fixed");
  ASSERT_EQ(set(fixed, 0, out), CL_SUCCESS);
  EXPECT_EQ(of({16, 16, 1}, fixed), (std::vector<size_t>{4, 2, 1}));
}

TEST_F(SuggestedLocalSize, Errors) {
  PROVES("X-E23 R2");
  const size_t global[3] = {16, 1, 1}, zero[3] = {16, 0, 1};
  size_t local[3] = {99, 99, 99};
  EXPECT_EQ(suggest(nullptr, sizes, 1, nullptr, global, local), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(suggest(queue, nullptr, 1, nullptr, global, local), CL_INVALID_KERNEL);
  EXPECT_EQ(suggest(queue, sizes, 0, nullptr, global, local), CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(suggest(queue, sizes, 4, nullptr, global, local), CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(suggest(queue, sizes, 1, nullptr, nullptr, local), CL_INVALID_GLOBAL_WORK_SIZE);
  EXPECT_EQ(suggest(queue, sizes, 2, nullptr, zero, local), CL_INVALID_GLOBAL_WORK_SIZE);
  EXPECT_EQ(suggest(queue, sizes, 1, nullptr, global, nullptr), CL_INVALID_VALUE);
  const size_t offset[1] = {SIZE_MAX};
  EXPECT_EQ(suggest(queue, sizes, 1, offset, global, local), CL_INVALID_GLOBAL_OFFSET);
  Kernel unset = kernel(program, "sizes");
  EXPECT_EQ(suggest(queue, unset, 1, nullptr, global, local), CL_INVALID_KERNEL_ARGS);
  Queue other = makeQueue(0, otherContext);
  EXPECT_EQ(suggest(other, sizes, 1, nullptr, global, local), CL_INVALID_CONTEXT);
  EXPECT_EQ(local[0], 99u);
}

// ---- cl_khr_device_uuid, cl_khr_pci_bus_info ------------------------------------------------------------------------

TEST(DeviceUuid, StableAndUnique) {
  PROVES("X-E21");
  std::vector<std::vector<cl_uchar>> seen;
  for (cl_device_id device : allDevices()) {
    if (!claims(device, "cl_khr_device_uuid"))
      continue;
    auto get = [&](cl_device_info what) { return queryList<cl_uchar>(clGetDeviceInfo, device, what); };
    std::vector<cl_uchar> uuid = get(CL_DEVICE_UUID_KHR);
    EXPECT_EQ(uuid.size(), size_t(CL_UUID_SIZE_KHR));
    EXPECT_NE(uuid, std::vector<cl_uchar>(CL_UUID_SIZE_KHR, 0));
    EXPECT_EQ(uuid, get(CL_DEVICE_UUID_KHR));
    EXPECT_EQ(std::count(seen.begin(), seen.end(), uuid), 0) << "two devices have this UUID";
    seen.push_back(uuid);
    EXPECT_EQ(get(CL_DRIVER_UUID_KHR).size(), size_t(CL_UUID_SIZE_KHR));
    EXPECT_NE(get(CL_DRIVER_UUID_KHR), std::vector<cl_uchar>(CL_UUID_SIZE_KHR, 0));
    EXPECT_EQ(query<cl_bool>(clGetDeviceInfo, device, CL_DEVICE_LUID_VALID_KHR), cl_bool(CL_FALSE));
    EXPECT_EQ(get(CL_DEVICE_LUID_KHR).size(), size_t(CL_LUID_SIZE_KHR));
    EXPECT_EQ(query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_NODE_MASK_KHR), 0u);
    expectInfoRules(clGetDeviceInfo, device, CL_DEVICE_UUID_KHR);
  }
  EXPECT_FALSE(seen.empty());
}

// CL_DEVICE_PCI_BUS_INFO_KHR is valid only on devices with the extension, and not on CPUs.
TEST(PciBusInfo, OfGpusOnly) {
  PROVES("X-E22 API-4.2b");
  for (cl_device_id device : allDevices()) {
    cl_device_pci_bus_info_khr info{};
    cl_int code = clGetDeviceInfo(device, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof info, &info, nullptr);
    EXPECT_EQ(code, claims(device, "cl_khr_pci_bus_info") ? CL_SUCCESS : CL_INVALID_VALUE);
    if (query<cl_device_type>(clGetDeviceInfo, device, CL_DEVICE_TYPE) == CL_DEVICE_TYPE_CPU) {
      EXPECT_EQ(code, CL_INVALID_VALUE);
    }
  }
}

// ---- cl_nv_device_attribute_query -----------------------------------------------------------------------------------

TEST(NvidiaAttributes, OfNvidiasGpusOnly) {
  constexpr cl_device_info Properties[] = {CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV,
                                           CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV,
                                           CL_DEVICE_REGISTERS_PER_BLOCK_NV,
                                           CL_DEVICE_WARP_SIZE_NV,
                                           CL_DEVICE_GPU_OVERLAP_NV,
                                           CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV,
                                           CL_DEVICE_INTEGRATED_MEMORY_NV,
                                           CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV};
  for (cl_device_id device : allDevices()) {
    const bool claimed = claims(device, "cl_nv_device_attribute_query");
    for (cl_device_info property : Properties) {
      cl_uint value = 99;
      size_t size = 0;
      EXPECT_EQ(clGetDeviceInfo(device, property, sizeof value, &value, &size), claimed ? CL_SUCCESS : CL_INVALID_VALUE)
          << property;
      EXPECT_EQ(size, claimed ? sizeof(cl_uint) : 0);
    }
    for (cl_device_info property : {CL_DEVICE_PCI_BUS_ID_NV, CL_DEVICE_PCI_SLOT_ID_NV, CL_DEVICE_PCI_DOMAIN_ID_NV}) {
      cl_uint value = 99;
      EXPECT_EQ(clGetDeviceInfo(device, property, sizeof value, &value, nullptr),
                claimed && claims(device, "cl_khr_pci_bus_info") ? CL_SUCCESS : CL_INVALID_VALUE)
          << property;
    }
  }
}

// ---- cl_khr_integer_dot_product -------------------------------------------------------------------------------------

// The device supports both kinds of input, as version 2 of the extension requires, and reports no acceleration.
TEST(IntegerDotProduct, BothInputs) {
  PROVES("X-E18");
  for (cl_device_id device : allDevices()) {
    ASSERT_TRUE(claims(device, "cl_khr_integer_dot_product"));
    EXPECT_EQ(query<cl_device_integer_dot_product_capabilities_khr>(clGetDeviceInfo, device,
                                                                    CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR),
              cl_device_integer_dot_product_capabilities_khr(CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR |
                                                             CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR));
    for (cl_device_info name : {CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR,
                                CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR}) {
      auto fast = query<cl_device_integer_dot_product_acceleration_properties_khr>(clGetDeviceInfo, device, name);
      EXPECT_EQ(fast.signed_accelerated, cl_bool(CL_FALSE));
      EXPECT_EQ(fast.accumulating_saturating_mixed_signedness_accelerated, cl_bool(CL_FALSE));
    }
  }
}

// ---- cl_khr_priority_hints, cl_khr_throttle_hints -------------------------------------------------------------------

struct QueueHints : WithProgram {
  cl_int create(std::vector<cl_queue_properties> list, Queue &made) {
    cl_int code = 1;
    made = clCreateCommandQueueWithProperties(context, device, list.data(), &code);
    EXPECT_EQ(made != nullptr, code == CL_SUCCESS);
    return code;
  }
};

TEST_F(QueueHints, AcceptedAndReturned) {
  PROVES("X-E25 R15");
  for (auto [extension, key] : {std::pair("cl_khr_priority_hints", CL_QUEUE_PRIORITY_KHR),
                                std::pair("cl_khr_throttle_hints", CL_QUEUE_THROTTLE_KHR)})
    for (cl_queue_properties value : {1, 2, 4}) {
      std::vector<cl_queue_properties> list{cl_queue_properties(key), value, CL_QUEUE_PROPERTIES,
                                            CL_QUEUE_PROFILING_ENABLE, 0};
      Queue made;
      if (!claims(device, extension)) {
        EXPECT_EQ(create(list, made), CL_INVALID_VALUE) << "a property of an unsupported extension";
        continue;
      }
      ASSERT_EQ(create(list, made), CL_SUCCESS);
      EXPECT_EQ(queryList<cl_queue_properties>(clGetCommandQueueInfo, made.get(), CL_QUEUE_PROPERTIES_ARRAY), list);
      const int seven = 7;
      Mem data = buffer(4096);
      EXPECT_EQ(clEnqueueFillBuffer(made, data, &seven, 4, 0, 4096, 0, nullptr, nullptr), CL_SUCCESS);
      EXPECT_EQ(clFinish(made), CL_SUCCESS);
      EXPECT_EQ(read<int>(data, 1024), std::vector<int>(1024, 7));
    }
}

TEST_F(QueueHints, InvalidValues) {
  PROVES("X-E25 R15");
  Queue made;
  for (cl_queue_properties key : {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_THROTTLE_KHR}) {
    for (cl_queue_properties value : {0, 3, 8})
      EXPECT_EQ(create({key, value, 0}, made), CL_INVALID_VALUE);
    EXPECT_EQ(create({key, 2, key, 2, 0}, made), CL_INVALID_VALUE) << "the property is repeated";
  }
}

// ---- cl_khr_extended_versioning -------------------------------------------------------------------------------------

// Each list with versions has the same names as the list without versions.
TEST(ExtendedVersioning, ListsAgree) {
  PROVES("X-E27 X-30d");
  auto words = [](const std::string &text) {
    std::vector<std::string> list;
    for (size_t at = 0, end; at < text.size(); at = end + 1) {
      end = std::min(text.find(' ', at), text.size());
      list.push_back(text.substr(at, end - at));
    }
    return list;
  };
  cl_platform_id ours = platform();
  EXPECT_EQ(namesOf(queryList<cl_name_version>(clGetPlatformInfo, ours, CL_PLATFORM_EXTENSIONS_WITH_VERSION_KHR)),
            words(queryText(clGetPlatformInfo, ours, CL_PLATFORM_EXTENSIONS)));
  cl_version version = query<cl_version>(clGetPlatformInfo, ours, CL_PLATFORM_NUMERIC_VERSION_KHR);
  EXPECT_EQ(queryText(clGetPlatformInfo, ours, CL_PLATFORM_VERSION).find("OpenCL 3.0 "), 0u);
  EXPECT_EQ(version, CL_MAKE_VERSION(3, 0, 0));
  for (cl_device_id device : allDevices()) {
    ASSERT_TRUE(claims(device, "cl_khr_extended_versioning"));
    std::vector<cl_name_version> extensions =
        queryList<cl_name_version>(clGetDeviceInfo, device, CL_DEVICE_EXTENSIONS_WITH_VERSION_KHR);
    EXPECT_EQ(namesOf(extensions), words(queryText(clGetDeviceInfo, device, CL_DEVICE_EXTENSIONS)));
    for (const cl_name_version &one : extensions) {
      const bool isProvisional = std::string_view(one.name).starts_with("cl_khr_command_buffer") ||
                                 std::string_view(one.name) == "cl_khr_cooperative_matrix";
      EXPECT_GE(one.version, isProvisional ? CL_MAKE_VERSION(0, 9, 0) : CL_MAKE_VERSION(1, 0, 0)) << one.name;
    }
    EXPECT_EQ(query<cl_version>(clGetDeviceInfo, device, CL_DEVICE_NUMERIC_VERSION_KHR), version);
    cl_version language = query<cl_version>(clGetDeviceInfo, device, CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR);
    EXPECT_EQ(queryText(clGetDeviceInfo, device, CL_DEVICE_OPENCL_C_VERSION)
                  .find("OpenCL C " + std::to_string(CL_VERSION_MAJOR(language)) + "." +
                        std::to_string(CL_VERSION_MINOR(language)) + " "),
              0u);
    EXPECT_FALSE(queryList<cl_name_version>(clGetDeviceInfo, device, CL_DEVICE_ILS_WITH_VERSION_KHR).empty());
    EXPECT_TRUE(
        queryList<cl_name_version>(clGetDeviceInfo, device, CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION_KHR).empty());
  }
}

// The platform lists the extensions that every device has.
TEST(PlatformExtensions, ThoseOfEveryDevice) {
  PROVES("API-4.1b");
  std::vector<std::string> common =
      namesOf(queryList<cl_name_version>(clGetPlatformInfo, platform(), CL_PLATFORM_EXTENSIONS_WITH_VERSION));
  std::vector<cl_device_id> devices = allDevices();
  for (const cl_name_version &one :
       queryList<cl_name_version>(clGetDeviceInfo, devices[0], CL_DEVICE_EXTENSIONS_WITH_VERSION)) {
    bool everywhere =
        std::all_of(devices.begin(), devices.end(), [&](cl_device_id device) { return claims(device, one.name); });
    EXPECT_EQ(std::count(common.begin(), common.end(), one.name), everywhere) << one.name;
  }
}

// ---- cl_khr_spirv_queries -------------------------------------------------------------------------------------------

struct Declared {
  std::vector<std::string> sets, extensions;
  std::vector<cl_uint> capabilities;
};
Declared declaredIn(const std::vector<char> &il) {
  Declared found;
  std::vector<uint32_t> words(il.size() / 4);
  std::memcpy(words.data(), il.data(), words.size() * 4);
  auto string = [&](size_t at) { return std::string(reinterpret_cast<const char *>(&words[at])); };
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    uint32_t opcode = words[at] & 0xffff;
    if (opcode == 17) // OpCapability
      found.capabilities.push_back(words[at + 1]);
    if (opcode == 10) // OpExtension
      found.extensions.push_back(string(at + 1));
    if (opcode == 11 && string(at + 2).find("NonSemantic.") != 0) // OpExtInstImport
      found.sets.push_back(string(at + 2));
  }
  return found;
}

// Modules that declare and use each reported feature build. Some features are reported only on devices with work-group
// and sub-group functions, pipes, device-side enqueue, a clock or atomics of half.
TEST_F(WithProgram, SpirvQueriesMatchTheCompiler) {
  PROVES("X-E26");
  ASSERT_TRUE(claims(device, "cl_khr_spirv_queries"));
  auto texts = [&](cl_device_info what) {
    std::vector<const char *> answer = queryList<const char *>(clGetDeviceInfo, device, what);
    return std::vector<std::string>(answer.begin(), answer.end());
  };
  std::vector<char> il = module("spirv_support");
  const auto halfAtomics =
      query<cl_device_fp_atomic_capabilities_ext>(clGetDeviceInfo, device, CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT);
  const std::pair<std::string, bool> optional[] = {
      {"spirv_16", true},
      {"spirv_groups", query<cl_bool>(clGetDeviceInfo, device, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT)},
      {"spirv_matrices", claims(device, "cl_khr_cooperative_matrix")},
      {"spirv_pipes", query<cl_bool>(clGetDeviceInfo, device, CL_DEVICE_PIPE_SUPPORT)},
      {"spirv_images", query<cl_bool>(clGetDeviceInfo, device, CL_DEVICE_IMAGE_SUPPORT)},
      {"spirv_enqueue", query<cl_device_device_enqueue_capabilities>(clGetDeviceInfo, device,
                                                                     CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) != 0},
      {"spirv_clock", claims(device, "cl_khr_kernel_clock")},
      {"spirv_half_add", (halfAtomics & CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT) != 0},
      {"spirv_half_min_max", (halfAtomics & CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT) != 0}};
  Declared declared = declaredIn(il);
  for (auto &[name, isThere] : optional) {
    if (!isThere)
      continue;
    Declared more = declaredIn(module(name));
    for (cl_uint capability : more.capabilities)
      if (std::count(declared.capabilities.begin(), declared.capabilities.end(), capability) == 0)
        declared.capabilities.push_back(capability);
    for (const std::string &extension : more.extensions)
      if (std::ranges::find(declared.extensions, extension) == declared.extensions.end())
        declared.extensions.push_back(extension);
  }
  EXPECT_EQ(queryList<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_SPIRV_CAPABILITIES_KHR), declared.capabilities);
  EXPECT_EQ(texts(CL_DEVICE_SPIRV_EXTENSIONS_KHR), declared.extensions);
  EXPECT_EQ(texts(CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR), declared.sets);
  expectInfoRules(clGetDeviceInfo, device, CL_DEVICE_SPIRV_CAPABILITIES_KHR);

  cl_int code = 1;
  Program program = clCreateProgramWithIL(context, il.data(), il.size(), &code);
  ASSERT_EQ(code, CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << log(program);
  Kernel everything = kernel(program, "everything");
  std::vector<uint64_t> zero(8);
  zero[0] = 1;
  Mem arguments[5];
  for (int i = 0; i < 5; ++i) {
    arguments[i] = buffer(64, CL_MEM_COPY_HOST_PTR, zero.data());
    EXPECT_EQ(set(everything, cl_uint(i), arguments[i]), CL_SUCCESS);
  }
  ASSERT_EQ(launch(everything, 1), CL_SUCCESS);
  EXPECT_EQ(read<uint32_t>(arguments[0], 1)[0], 4u) << "one more than it was, twice";
  EXPECT_EQ(read<uint64_t>(arguments[1], 1)[0], 3u);

  for (auto &[name, isThere] : optional) {
    std::vector<char> part = module(name);
    Program program = clCreateProgramWithIL(context, part.data(), part.size(), &code);
    ASSERT_EQ(code, CL_SUCCESS);
    if (isThere) // unreported features may build as well
      EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS)
          << name << ": " << log(program);
  }
}

// ---- base/abi/Extensions.def ----------------------------------------------------------------------------------------

// The front end defines the macros of the extensions and features that the device reports, and of no others.
TEST_F(WithProgram, MacrosAreThoseOfReportedExtensions) {
  PROVES("API-4.2d X-30e");
  const std::vector<std::string> reported = [&] {
    std::vector<std::string> names =
        namesOf(queryList<cl_name_version>(clGetDeviceInfo, device, CL_DEVICE_EXTENSIONS_WITH_VERSION));
    for (const std::string &feature :
         namesOf(queryList<cl_name_version>(clGetDeviceInfo, device, CL_DEVICE_OPENCL_C_FEATURES)))
      names.push_back(feature);
    return names;
  }();
  std::string text;
  auto expect = [&](const char *name) {
    const bool isReported = std::ranges::find(reported, name) != reported.end();
    text += std::string(isReported ? "#ifndef " : "#ifdef ") + name + "\n#error " + name + "\n#endif\n";
  };
  size_t rows = 0;
#define KILN_EXTENSION(name, version, since, needs) expect(name), ++rows;
#define KILN_FEATURE(name, since, needs) expect(name), ++rows;
#include "base/abi/Extensions.def"
  EXPECT_LE(reported.size(), rows) << "each has a row";
  built((text + AddSource).c_str(), "-cl-std=CL3.0");
}

// A device that accepts a SPIR-V extension of an OpenCL extension reports both.
TEST_F(WithProgram, SpirvExtensionsComeWithThoseOfOpencl) {
  PROVES("X-E20 X-E26");
  auto reports = [&](cl_device_info what, const std::string &name) {
    for (const char *one : queryList<const char *>(clGetDeviceInfo, device, what))
      if (one == name)
        return true;
    return false;
  };
  size_t pairs = 0;
  auto expect = [&](cl_device_info what, const std::string &name, const std::string &extension) {
    if (extension.empty() || !reports(what, name))
      return;
    EXPECT_TRUE(claims(device, extension)) << name;
    ++pairs;
  };
#define KILN_SPIRV_SET(name, extension) expect(CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR, name, extension);
#define KILN_SPIRV_EXTENSION(name, extension, needs) expect(CL_DEVICE_SPIRV_EXTENSIONS_KHR, name, extension);
#include "base/abi/Extensions.def"
  EXPECT_GE(pairs, 8u);
}

// ---- cl_khr_expect_assume -------------------------------------------------------------------------------------------

TEST_F(WithProgram, HintsChangeNoValue) {
  PROVES("X-E20");
  ASSERT_TRUE(claims(device, "cl_khr_expect_assume"));
  const std::vector<char> il = module("spirv_hints");
  Program inWords = clCreateProgramWithIL(context, il.data(), il.size(), nullptr);
  ASSERT_EQ(clBuildProgram(inWords, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << log(inWords);
  // Clang has the functions, which the extension does not require.
  Program inC = built("kernel void hints(global uint *out) {"
                      "  uint value = __builtin_expect(*out, 7);"
                      "  __builtin_assume(value > 0);"
                      "  *out = 5 * value + (__builtin_expect(value > 0, 0) ? 1 : 0); }");
  for (cl_program program : {inWords.get(), inC.get()}) {
    cl_uint value = 3;
    Mem out = buffer(sizeof value, CL_MEM_COPY_HOST_PTR, &value);
    Kernel hints = kernel(program, "hints");
    ASSERT_EQ(set(hints, 0, out), CL_SUCCESS);
    ASSERT_EQ(launch(hints, 1), CL_SUCCESS);
    EXPECT_EQ(read<cl_uint>(out, 1)[0], 16u);
  }
}

// ---- cl_khr_icd -----------------------------------------------------------------------------------------------------

TEST(Icd, HandlesHaveTheTableOfVersion1) {
  PROVES("API-ICDa X-E01");
  // A loader takes a tag in the slot of clGetPlatformIDs for version 2.
  auto table = *reinterpret_cast<cl_icd_dispatch **>(platform());
  const auto address = [](const char *name) { return clGetExtensionFunctionAddressForPlatform(platform(), name); };
  EXPECT_EQ(reinterpret_cast<void *>(table->clGetPlatformIDs), address("clGetPlatformIDs"));
  EXPECT_EQ(reinterpret_cast<void *>(table->clUnloadCompiler), address("clUnloadCompiler"));
  EXPECT_EQ(reinterpret_cast<void *>(table->clGetDeviceInfo), address("clGetDeviceInfo"));
  cl_device_id device = nullptr;
  ASSERT_EQ(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 1, &device, nullptr), CL_SUCCESS);
  EXPECT_EQ(*reinterpret_cast<cl_icd_dispatch **>(device), table);
  EXPECT_EQ(address("clIcdSetPlatformDispatchDataKHR"), nullptr);
  EXPECT_EQ(address("clNoSuchFunction"), nullptr);
}

TEST(Icd, PlatformReportsVersionAndSuffix) {
  PROVES("API-ICDa X-E01");
  bool found = false;
  for (const cl_name_version &one :
       queryList<cl_name_version>(clGetPlatformInfo, platform(), CL_PLATFORM_EXTENSIONS_WITH_VERSION))
    if (one.name == std::string("cl_khr_icd")) {
      found = true;
      EXPECT_EQ(one.version, CL_MAKE_VERSION(1, 0, 0));
    }
  EXPECT_TRUE(found);
  EXPECT_EQ(queryText(clGetPlatformInfo, platform(), CL_PLATFORM_ICD_SUFFIX_KHR), "KILN");
  EXPECT_EQ(clUnloadCompiler(), CL_SUCCESS);
}
} // namespace kiln::test
