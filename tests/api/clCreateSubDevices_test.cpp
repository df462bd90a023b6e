// clCreateSubDevices: sub-devices, invalid property lists, and work that stays on its sub-device. The suite has four
// compute units per device on any machine (ApiTest.cpp), so devices can be partitioned twice.
#include "tests/api/ProgramTest.h"
#include <algorithm>
#include <sched.h>
#include <set>
#include <sys/syscall.h>
#include <unistd.h>

namespace kiln::test {
namespace {

using Properties = std::vector<cl_device_partition_property>;
using SubDevice = Held<cl_device_id, clReleaseDevice>;

constexpr cl_device_affinity_domain Next = CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
constexpr cl_device_affinity_domain Domains[] = {CL_DEVICE_AFFINITY_DOMAIN_NUMA, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE,
                                                 CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE,
                                                 CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE};

Properties equally(cl_uint units) { return {CL_DEVICE_PARTITION_EQUALLY, cl_device_partition_property(units), 0}; }
Properties byCounts(Properties counts) {
  counts.insert(counts.begin(), CL_DEVICE_PARTITION_BY_COUNTS);
  counts.insert(counts.end(), {CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0});
  return counts;
}
Properties byDomain(cl_device_affinity_domain domain) {
  return {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, cl_device_partition_property(domain), 0};
}

/// The thread that ran a native kernel, and its affinity mask.
struct Place {
  long thread = 0;
  cpu_set_t processors;
};
void CL_CALLBACK whereAmI(void *arguments) {
  Place &place = **static_cast<Place **>(arguments);
  place.thread = syscall(SYS_gettid);
  sched_getaffinity(0, sizeof place.processors, &place.processors);
}

} // namespace

struct CreateSubDevices : WithProgram {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(WithProgram::SetUp());
    if (query<cl_device_type>(clGetDeviceInfo, device, CL_DEVICE_TYPE) != CL_DEVICE_TYPE_CPU)
      GTEST_SKIP() << "the device is no CPU";
    all = units(device);
    ASSERT_GE(all, 2u);
  }
  cl_uint units(cl_device_id of) { return query<cl_uint>(clGetDeviceInfo, of, CL_DEVICE_MAX_COMPUTE_UNITS); }
  cl_int code(const Properties &properties, cl_device_id of = nullptr) {
    cl_uint count = 77;
    cl_int code = clCreateSubDevices(of ? of : device, properties.data(), 0, nullptr, &count);
    EXPECT_EQ(count == 77, code != CL_SUCCESS) << "a failed call writes nothing";
    return code;
  }
  std::vector<SubDevice> divide(const Properties &properties, cl_device_id of = nullptr) {
    cl_uint count = 0, again = 0;
    of = of ? of : device;
    EXPECT_EQ(clCreateSubDevices(of, properties.data(), 0, nullptr, &count), CL_SUCCESS);
    std::vector<cl_device_id> made(count);
    EXPECT_EQ(clCreateSubDevices(of, properties.data(), count, made.data(), &again), CL_SUCCESS);
    EXPECT_EQ(count, again);
    return {made.begin(), made.end()};
  }
  std::vector<cl_uint> sizes(const std::vector<SubDevice> &devices) {
    std::vector<cl_uint> list;
    for (const SubDevice &one : devices)
      list.push_back(units(one));
    return list;
  }
  Properties kinds(cl_device_id of) {
    return queryList<cl_device_partition_property>(clGetDeviceInfo, of, CL_DEVICE_PARTITION_PROPERTIES);
  }
  Properties type(cl_device_id of) {
    return queryList<cl_device_partition_property>(clGetDeviceInfo, of, CL_DEVICE_PARTITION_TYPE);
  }
  cl_device_affinity_domain domains(cl_device_id of) {
    return query<cl_device_affinity_domain>(clGetDeviceInfo, of, CL_DEVICE_PARTITION_AFFINITY_DOMAIN);
  }
  Context contextOf(std::vector<cl_device_id> devices) {
    cl_int code = 1;
    Context made = clCreateContext(nullptr, cl_uint(devices.size()), devices.data(), nullptr, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return made;
  }
  Queue queueOn(cl_device_id on, cl_context in) {
    cl_int code = 1;
    Queue made = clCreateCommandQueueWithProperties(in, on, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return made;
  }
  /// Runs `count` native kernels, one after the other, and returns their threads.
  std::vector<Place> places(cl_command_queue on, int count) {
    std::vector<Place> seen(size_t(count), Place{});
    for (Place &place : seen) {
      Place *pointer = &place;
      EXPECT_EQ(clEnqueueNativeKernel(on, whereAmI, &pointer, sizeof pointer, 0, nullptr, nullptr, 0, nullptr, nullptr),
                CL_SUCCESS);
      EXPECT_EQ(clFinish(on), CL_SUCCESS);
    }
    return seen;
  }
  cl_uint all = 0;
};

TEST_F(CreateSubDevices, Equally) {
  PROVES("API-4.3a");
  EXPECT_EQ(sizes(divide(equally(1))), std::vector<cl_uint>(all, 1));
  if (all > 2) {
    EXPECT_EQ(sizes(divide(equally(all - 1))), std::vector<cl_uint>{all - 1}) << "remaining units are not used";
  }
}

TEST_F(CreateSubDevices, ByCounts) {
  PROVES("API-4.3a");
  EXPECT_EQ(sizes(divide(byCounts({1, all - 1}))), (std::vector<cl_uint>{1, all - 1}));
  EXPECT_EQ(sizes(divide(byCounts({1}))), std::vector<cl_uint>{1}) << "the counts may leave units unused";
}

// CL_DEVICE_PARTITION_BY_COUNTS_LIST_END ends the properties; values after it are not read.
TEST_F(CreateSubDevices, ListEndsAfterTheCounts) {
  PROVES("API-4.3a");
  const Properties properties = {CL_DEVICE_PARTITION_BY_COUNTS, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0x7777};
  std::vector<SubDevice> parts = divide(properties);
  EXPECT_EQ(sizes(parts), std::vector<cl_uint>{1});
  EXPECT_EQ(type(parts[0]), byCounts({1}));
}

// A reported affinity domain results in at least two sub-devices that together have all compute units. A domain that is
// not reported is CL_INVALID_VALUE.
TEST_F(CreateSubDevices, ByAffinityDomain) {
  PROVES("API-4.3a API-4.3b API-4.2l");
  cl_device_affinity_domain reported = domains(device);
  cl_device_affinity_domain first = 0;
  for (cl_device_affinity_domain domain : Domains) {
    if (!(reported & domain)) {
      EXPECT_EQ(code(byDomain(domain)), CL_INVALID_VALUE);
      continue;
    }
    first = first ? first : domain;
    std::vector<SubDevice> parts = divide(byDomain(domain));
    std::vector<cl_uint> counts = sizes(parts);
    EXPECT_GT(counts.size(), 1u);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0u), all);
    EXPECT_EQ(type(parts[0]), byDomain(domain));
  }
  EXPECT_EQ((reported & Next) != 0, first != 0);
  if (first) {
    EXPECT_EQ(type(divide(byDomain(Next))[0]), byDomain(first)) << "what was found, not what was asked";
  } else {
    EXPECT_EQ(code(byDomain(Next)), CL_INVALID_VALUE);
  }
}

TEST_F(CreateSubDevices, PropertiesInvalid) {
  PROVES("API-4.3b");
  EXPECT_EQ(clCreateSubDevices(device, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code({0}), CL_INVALID_VALUE);
  EXPECT_EQ(code({0x4242, 1, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(code({CL_DEVICE_PARTITION_EQUALLY, 0, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(code({CL_DEVICE_PARTITION_EQUALLY, -1, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(code({CL_DEVICE_PARTITION_EQUALLY, 1, CL_DEVICE_PARTITION_EQUALLY, 1, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(code(byCounts({})), CL_INVALID_VALUE);
  EXPECT_EQ(code(byDomain(0)), CL_INVALID_VALUE);
  EXPECT_EQ(code(byDomain(1 << 20)), CL_INVALID_VALUE);
  EXPECT_EQ(code(byDomain(CL_DEVICE_AFFINITY_DOMAIN_NUMA | CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE)), CL_INVALID_VALUE);
}

TEST_F(CreateSubDevices, CountsAboveTheDevice) {
  PROVES("API-4.3b");
  EXPECT_EQ(code(byCounts({all + 1})), CL_INVALID_DEVICE_PARTITION_COUNT);
  EXPECT_EQ(code(byCounts({1, all})), CL_INVALID_DEVICE_PARTITION_COUNT);
  EXPECT_EQ(code(byCounts({1, -1})), CL_INVALID_DEVICE_PARTITION_COUNT);
  EXPECT_EQ(code(byCounts(Properties(all + 1, 1))), CL_INVALID_DEVICE_PARTITION_COUNT);
}

TEST_F(CreateSubDevices, OneUnitCannotBePartitioned) {
  PROVES("API-4.3b API-4.2l");
  std::vector<SubDevice> parts = divide(equally(1));
  EXPECT_EQ(code(equally(1), parts[0]), CL_DEVICE_PARTITION_FAILED);
  EXPECT_EQ(code(byCounts({1}), parts[0]), CL_DEVICE_PARTITION_FAILED);
  EXPECT_EQ(code(byDomain(Next), parts[0]), CL_DEVICE_PARTITION_FAILED);
  EXPECT_EQ(kinds(parts[0]), Properties{0});
  EXPECT_EQ(domains(parts[0]), 0u);
  EXPECT_EQ(query<cl_uint>(clGetDeviceInfo, parts[0].get(), CL_DEVICE_PARTITION_MAX_SUB_DEVICES), 0u);
  EXPECT_EQ(code(equally(all)), CL_DEVICE_PARTITION_FAILED) << "a partition into one part";
  EXPECT_EQ(code(equally(all + 1)), CL_INVALID_DEVICE_PARTITION_COUNT);
}

TEST_F(CreateSubDevices, NumDevicesTooSmall) {
  PROVES("API-4.3b R2");
  cl_device_id one = nullptr;
  cl_uint count = 77;
  EXPECT_EQ(clCreateSubDevices(device, equally(1).data(), 1, &one, &count), CL_INVALID_VALUE);
  EXPECT_EQ(one, nullptr);
  EXPECT_EQ(count, 77u);
  EXPECT_EQ(clCreateSubDevices(device, equally(1).data(), 0, nullptr, nullptr), CL_SUCCESS) << "both outputs are null";
  EXPECT_EQ(clCreateSubDevices(nullptr, equally(1).data(), 0, nullptr, &count), CL_INVALID_DEVICE);
}

TEST_F(CreateSubDevices, QueriesOfRootAndParts) {
  PROVES("API-4.2l API-4.2b");
  EXPECT_EQ(query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES), all);
  Properties root = kinds(device);
  EXPECT_EQ(std::count(root.begin(), root.end(), CL_DEVICE_PARTITION_EQUALLY), 1);
  EXPECT_EQ(std::count(root.begin(), root.end(), CL_DEVICE_PARTITION_BY_COUNTS), 1);
  EXPECT_EQ(std::count(root.begin(), root.end(), CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN), domains(device) != 0);
  Properties list = byCounts({1, all - 1});
  std::vector<SubDevice> parts = divide(list);
  for (const SubDevice &part : parts) {
    EXPECT_EQ(type(part), list) << "the list as given";
    EXPECT_EQ(query<cl_device_id>(clGetDeviceInfo, part.get(), CL_DEVICE_PARENT_DEVICE), device);
    EXPECT_EQ(query<cl_platform_id>(clGetDeviceInfo, part.get(), CL_DEVICE_PLATFORM), platform);
    EXPECT_EQ(queryText(clGetDeviceInfo, part.get(), CL_DEVICE_NAME),
              queryText(clGetDeviceInfo, device, CL_DEVICE_NAME));
    EXPECT_EQ(query<cl_ulong>(clGetDeviceInfo, part.get(), CL_DEVICE_GLOBAL_MEM_SIZE),
              query<cl_ulong>(clGetDeviceInfo, device, CL_DEVICE_GLOBAL_MEM_SIZE));
    expectInfoRules(clGetDeviceInfo, part.get(), CL_DEVICE_PARTITION_TYPE);
  }
  EXPECT_EQ(query<cl_uint>(clGetDeviceInfo, parts[1].get(), CL_DEVICE_PARTITION_MAX_SUB_DEVICES),
            all > 2 ? all - 1 : 0);
  std::vector<cl_device_id> listed(16);
  cl_uint count = 0;
  ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, listed.data(), &count), CL_SUCCESS);
  EXPECT_EQ(std::count(listed.begin(), listed.begin() + count, parts[0].get()), 0) << "only root devices are listed";
}

TEST_F(CreateSubDevices, PartsOfParts) {
  PROVES("API-4.3a");
  if (all < 4)
    GTEST_SKIP() << "the machine has too few units to partition twice";
  std::vector<SubDevice> halves = divide(equally(all / 2));
  std::vector<SubDevice> quarters = divide(equally(1), halves[1]);
  EXPECT_EQ(quarters.size(), all / 2);
  EXPECT_EQ(query<cl_device_id>(clGetDeviceInfo, quarters[0].get(), CL_DEVICE_PARENT_DEVICE), halves[1].get());
  cl_device_id half = halves[1];
  halves.clear(); // sub-devices keep their parent alive
  EXPECT_EQ(query<cl_device_id>(clGetDeviceInfo, quarters[0].get(), CL_DEVICE_PARENT_DEVICE), half);
  Context both = contextOf({quarters[0], quarters[1]});
  EXPECT_NE(both, nullptr);
}

TEST_F(CreateSubDevices, References) {
  PROVES("API-4.3d R13");
  auto count = [&](cl_device_id of) { return query<cl_uint>(clGetDeviceInfo, of, CL_DEVICE_REFERENCE_COUNT); };
  std::vector<SubDevice> parts = divide(equally(1));
  EXPECT_EQ(count(parts[0]), 1u);
  EXPECT_EQ(clRetainDevice(parts[0]), CL_SUCCESS);
  EXPECT_EQ(count(parts[0]), 2u);
  EXPECT_EQ(clReleaseDevice(parts[0]), CL_SUCCESS);
  EXPECT_EQ(count(parts[0]), 1u);
  EXPECT_EQ(clRetainDevice(device), CL_SUCCESS);
  EXPECT_EQ(count(device), 1u) << "root devices are not counted";
  EXPECT_EQ(clReleaseDevice(device), CL_SUCCESS);
  EXPECT_EQ(clReleaseDevice(device), CL_SUCCESS);
  EXPECT_EQ(count(device), 1u);
  EXPECT_EQ(clRetainDevice(nullptr), CL_INVALID_DEVICE);
  EXPECT_EQ(clReleaseDevice(nullptr), CL_INVALID_DEVICE);
}

// Queues of a sub-device keep it alive after the application has released it, and their commands complete.
TEST_F(CreateSubDevices, LivesAsLongAsItsQueues) {
  PROVES("API-4.3d");
  std::vector<SubDevice> parts = divide(equally(1));
  Context in = contextOf({parts[0]});
  Queue on = queueOn(parts[0], in);
  cl_device_id part = parts[0];
  parts.clear();
  in.reset();
  EXPECT_EQ(query<cl_device_id>(clGetCommandQueueInfo, on.get(), CL_QUEUE_DEVICE), part);
  EXPECT_NE(places(on, 1)[0].thread, 0);
}

TEST_F(CreateSubDevices, QueueOfADeviceOutsideOfTheContext) {
  PROVES("API-4.4a API-5.1b");
  std::vector<SubDevice> parts = divide(equally(1));
  cl_int code = 1;
  EXPECT_EQ(clCreateCommandQueueWithProperties(context, parts[0], nullptr, &code), nullptr)
      << "the context has only the parent device";
  EXPECT_EQ(code, CL_INVALID_DEVICE);
  Context part = contextOf({parts[0], parts[0]});
  EXPECT_EQ(query<cl_uint>(clGetContextInfo, part.get(), CL_CONTEXT_NUM_DEVICES), 1u);
  EXPECT_EQ(clCreateCommandQueueWithProperties(part, device, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_DEVICE);
}

// A sub-device of one compute unit uses one thread, which is neither the application's nor another sub-device's.
TEST_F(CreateSubDevices, WorkStaysOnItsThreads) {
  PROVES("API-4.3c");
  std::vector<SubDevice> parts = divide(equally(1));
  Context in = contextOf({parts[0], parts[1], device});
  std::set<long> seen[2];
  for (int i = 0; i < 2; ++i) {
    Queue one = queueOn(parts[size_t(i)], in), two = queueOn(parts[size_t(i)], in);
    for (cl_command_queue on : {one.get(), two.get()})
      for (const Place &place : places(on, 20))
        seen[i].insert(place.thread);
    EXPECT_EQ(seen[i].size(), 1u);
    EXPECT_FALSE(seen[i].contains(syscall(SYS_gettid)));
  }
  EXPECT_NE(*seen[0].begin(), *seen[1].begin());
}

TEST_F(CreateSubDevices, AffinityPartsStayOnTheirProcessors) {
  PROVES("API-4.3c");
  if (!(domains(device) & Next))
    GTEST_SKIP() << "the machine has one processor, or all processors share all caches";
  std::vector<SubDevice> parts = divide(byDomain(Next));
  std::vector<cl_device_id> handles(parts.begin(), parts.end());
  Context in = contextOf(handles);
  cpu_set_t before, mine, taken;
  sched_getaffinity(0, sizeof before, &before);
  CPU_ZERO(&taken);
  for (cl_device_id part : handles) {
    Queue on = queueOn(part, in);
    cpu_set_t here = places(on, 1)[0].processors, both;
    CPU_AND(&both, &here, &taken);
    EXPECT_EQ(CPU_COUNT(&both), 0) << "another sub-device has this processor";
    CPU_OR(&taken, &taken, &here);
    EXPECT_LT(CPU_COUNT(&here), CPU_COUNT(&before));
    EXPECT_LE(CPU_COUNT(&here), int(units(part)));
    for (const Place &place : places(on, 20))
      EXPECT_TRUE(CPU_EQUAL(&place.processors, &here));
  }
  sched_getaffinity(0, sizeof mine, &mine);
  EXPECT_TRUE(CPU_EQUAL(&mine, &before)) << "the affinity of the application's thread is unchanged";
}

// A device and its sub-devices in one context share a buffer's storage and use each other's results.
TEST_F(CreateSubDevices, ContextOfParentAndParts) {
  PROVES("API-4.4a API-4.3c");
  std::vector<SubDevice> parts = divide(equally(1));
  std::vector<cl_device_id> devices(parts.begin(), parts.end());
  devices.push_back(device);
  Context in = contextOf(devices);
  Program program =
      source("kernel void step(global int *p) { p[get_global_id(0)] = p[get_global_id(0)] * 3 + 1; }", in);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  Kernel step = kernel(program, "step");
  std::vector<int> expected = numbers(256);
  Mem data = buffer(1024, CL_MEM_COPY_HOST_PTR, expected.data(), in);
  ASSERT_EQ(set(step, 0, data), CL_SUCCESS);
  size_t global = 256;
  for (cl_device_id one : devices) {
    Queue on = queueOn(one, in);
    ASSERT_EQ(clEnqueueNDRangeKernel(on, step, 1, nullptr, &global, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(on), CL_SUCCESS);
    for (int &value : expected)
      value = value * 3 + 1;
  }
  std::vector<int> found(256);
  Queue on = queueOn(devices[0], in);
  EXPECT_EQ(clEnqueueReadBuffer(on, data, CL_TRUE, 0, 1024, found.data(), 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(found, expected);
}

// A program that is built for the parent device only can be used on its sub-devices. A build for a sub-device cannot be
// used on other devices.
TEST_F(CreateSubDevices, ProgramOfTheParent) {
  PROVES("API-4.3c API-5.8.9b");
  std::vector<SubDevice> parts = divide(equally(1));
  Context in = contextOf({parts[0], parts[1], device});
  auto status = [&](cl_program program, cl_device_id of) {
    return query<cl_build_status>(clGetProgramBuildInfo, program, of, CL_PROGRAM_BUILD_STATUS);
  };
  auto runOn = [&](cl_device_id on, cl_program program) {
    Kernel add = kernel(program, "add");
    std::vector<int> a = numbers(64), sum(64);
    Mem from = buffer(256, CL_MEM_COPY_HOST_PTR, a.data(), in), to = buffer(256, CL_MEM_READ_WRITE, nullptr, in);
    EXPECT_EQ(set(add, 0, from), CL_SUCCESS);
    EXPECT_EQ(set(add, 1, from), CL_SUCCESS);
    EXPECT_EQ(set(add, 2, to), CL_SUCCESS);
    Queue queue = queueOn(on, in);
    size_t global = 64;
    cl_int code = clEnqueueNDRangeKernel(queue, add, 1, nullptr, &global, nullptr, 0, nullptr, nullptr);
    if (code != CL_SUCCESS)
      return code;
    EXPECT_EQ(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, 256, sum.data(), 0, nullptr, nullptr), CL_SUCCESS);
    for (int i = 0; i < 64; ++i)
      EXPECT_EQ(sum[size_t(i)], 2 * a[size_t(i)]);
    return code;
  };
  Program program = source(AddSource, in);
  ASSERT_EQ(clBuildProgram(program, 1, &device, nullptr, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(status(program, parts[0]), CL_BUILD_SUCCESS) << "the build for the parent applies to it";
  EXPECT_EQ(query<cl_program_binary_type>(clGetProgramBuildInfo, program.get(), parts[0].get(), CL_PROGRAM_BINARY_TYPE),
            cl_program_binary_type(CL_PROGRAM_BINARY_TYPE_EXECUTABLE));
  EXPECT_EQ(runOn(parts[0], program), CL_SUCCESS);
  EXPECT_EQ(runOn(device, program), CL_SUCCESS);
  {
    Kernel add = kernel(program, "add");
    EXPECT_GT(query<size_t>(clGetKernelWorkGroupInfo, add.get(), parts[1].get(), CL_KERNEL_WORK_GROUP_SIZE), 0u);
  }

  // A program created from the parent's binary, for the parent only.
  std::vector<size_t> sizes = queryList<size_t>(clGetProgramInfo, program.get(), CL_PROGRAM_BINARY_SIZES);
  ASSERT_EQ(sizes.size(), 3u);
  EXPECT_EQ(sizes, std::vector<size_t>(3, sizes[0])) << "sub-devices have the parent's binary";
  std::vector<std::vector<unsigned char>> bytes(3, std::vector<unsigned char>(sizes[0]));
  unsigned char *targets[] = {bytes[0].data(), bytes[1].data(), bytes[2].data()};
  ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof targets, targets, nullptr), CL_SUCCESS);
  EXPECT_EQ(bytes[0], bytes[2]);
  const unsigned char *binary = bytes[2].data();
  cl_int code = 1;
  Program fromBinary = clCreateProgramWithBinary(in, 1, &device, &sizes[2], &binary, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(fromBinary, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(runOn(parts[1], fromBinary), CL_SUCCESS);

  Program ofOnePart = source(AddSource, in);
  cl_device_id part = parts[0];
  ASSERT_EQ(clBuildProgram(ofOnePart, 1, &part, nullptr, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(runOn(parts[0], ofOnePart), CL_SUCCESS);
  EXPECT_EQ(runOn(parts[1], ofOnePart), CL_INVALID_PROGRAM_EXECUTABLE);
  EXPECT_EQ(runOn(device, ofOnePart), CL_INVALID_PROGRAM_EXECUTABLE);
  EXPECT_EQ(status(ofOnePart, device), CL_BUILD_NONE);
}

TEST_F(CreateSubDevices, LinkedForPartsFromTheParentsObjects) {
  PROVES("API-4.3c API-5.8.9b");
  std::vector<SubDevice> parts = divide(equally(1));
  Context in = contextOf({parts[0], device});
  Program object = source(AddSource, in);
  ASSERT_EQ(clCompileProgram(object, 1, &device, nullptr, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  cl_device_id part = parts[0];
  cl_int code = 1;
  cl_program input = object;
  Program linked = clLinkProgram(in, 1, &part, nullptr, 1, &input, nullptr, nullptr, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  EXPECT_NE(kernel(linked, "add"), nullptr);
}

TEST(SubDevices, GpusAreNotPartitionable) {
  PROVES("API-4.2l API-4.3b");
  cl_uint count = 0;
  if (clGetDeviceIDs(platform(), CL_DEVICE_TYPE_GPU, 0, nullptr, &count) == CL_DEVICE_NOT_FOUND)
    GTEST_SKIP() << "no GPU";
  std::vector<cl_device_id> gpus(count);
  ASSERT_EQ(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_GPU, count, gpus.data(), nullptr), CL_SUCCESS);
  for (cl_device_id gpu : gpus) {
    EXPECT_EQ(query<cl_uint>(clGetDeviceInfo, gpu, CL_DEVICE_PARTITION_MAX_SUB_DEVICES), 0u);
    EXPECT_EQ(queryList<cl_device_partition_property>(clGetDeviceInfo, gpu, CL_DEVICE_PARTITION_PROPERTIES),
              Properties{0});
    EXPECT_EQ(query<cl_device_affinity_domain>(clGetDeviceInfo, gpu, CL_DEVICE_PARTITION_AFFINITY_DOMAIN), 0u);
    EXPECT_EQ(clCreateSubDevices(gpu, equally(1).data(), 0, nullptr, &count), CL_INVALID_VALUE);
  }
}
} // namespace kiln::test
