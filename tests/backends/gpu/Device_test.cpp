// The description of a device, and the properties of its streams.
#include "tests/backends/gpu/GpuTest.h"
#include <algorithm>
#include <set>

namespace kiln {

class GpuInfo : public GpuTest {
protected:
  static bool has(const Device &device, std::string_view extension) {
    return std::ranges::count(device.info().extensions, extension, &NamedVersion::name) == 1;
  }
};
ON_ALL(GpuInfo);

// The minimums of the full profile, except those of missing features.
TEST_P(GpuInfo, Minimums) {
  for (const auto &one : devices) {
    const DeviceInfo &info = one->info();
    EXPECT_EQ(info.type, cl_device_type(CL_DEVICE_TYPE_GPU));
    EXPECT_GE(info.computeUnits, 1u);
    EXPECT_GE(info.maxWorkGroupSize, 1u);
    for (size_t size : info.maxWorkItemSizes)
      EXPECT_GE(size, 1u);
    EXPECT_GE(info.maxAllocSize, std::max<cl_ulong>(std::min<cl_ulong>(1 << 30, info.globalMemSize / 4), 32 << 20));
    EXPECT_LE(info.maxAllocSize, info.globalMemSize);
    EXPECT_GE(info.maxParameterSize, 1024u);
    EXPECT_GE(info.baseAddressAlignBits, 1024u);
    EXPECT_GE(info.maxConstantBufferSize, 64u << 10);
    EXPECT_GE(info.maxConstantArgs, 8u);
    EXPECT_GE(info.maxGlobalVariableSize, 64u << 10);
    EXPECT_GE(info.localMemSize, 32u << 10);
    EXPECT_EQ(info.localMemType, cl_device_local_mem_type(CL_LOCAL));
    EXPECT_EQ(info.globalCacheType == CL_NONE, info.globalCacheSize == 0);
    EXPECT_EQ(info.globalCacheType == CL_NONE, info.globalCacheLine == 0);
    EXPECT_GE(info.preferredWorkGroupSizeMultiple, 1u);
    EXPECT_TRUE(info.hostQueueProperties & CL_QUEUE_PROFILING_ENABLE);
    EXPECT_GT(info.maxClockMHz, 0u);
    EXPECT_FALSE(info.name.empty() || info.vendor.empty() || info.driverVersion.empty());
    EXPECT_FALSE(info.sharesHostMemory);
  }
}

// cl_ext_float_atomics: NVIDIA's processors since Volta have them.
TEST_P(GpuInfo, AtomicsOfHalf) {
  constexpr cl_device_fp_atomic_capabilities_ext All =
      CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT |
      CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT |
      CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT;
  for (const auto &one : devices) {
    EXPECT_EQ(one->info().halfAtomics, GetParam().cuda ? All : 0);
    EXPECT_EQ(std::ranges::count(one->info().spirvExtensions, std::string_view("SPV_EXT_shader_atomic_float16_add")),
              GetParam().cuda);
  }
}

// cl_nv_device_attribute_query
TEST_P(GpuInfo, AttributesOfNvidia) {
  for (const auto &one : devices) {
    ASSERT_EQ(one->info().hardware.has_value(), GetParam().cuda);
    EXPECT_EQ(has(*one, "cl_nv_device_attribute_query"), GetParam().cuda);
    if (!GetParam().cuda)
      continue;
    const HardwareInfo &hardware = *one->info().hardware;
    EXPECT_EQ("nvptx:sm_" + std::to_string(hardware.majorCapability) + std::to_string(hardware.minorCapability),
              one->info().target);
    EXPECT_GE(hardware.registersPerGroup, 32768u);
    EXPECT_TRUE(hardware.copiesDuringKernels);
    if (GetParam().fake) {
      EXPECT_EQ(hardware.copyEngines, 3u);
      EXPECT_FALSE(hardware.endsLongKernels);
    }
  }
}

TEST_P(GpuInfo, IsNotDivided) {
  EXPECT_FALSE(device->info().partitionable);
  EXPECT_EQ(device->createSubDevice({0}, false).code(), CL_INVALID_OPERATION);
  EXPECT_TRUE(device->computeUnitsByAffinity(CL_DEVICE_AFFINITY_DOMAIN_NUMA).empty());
}

TEST_P(GpuInfo, PciAddressAndUuidAreUnique) {
  std::set<Uuid> uuids;
  for (const auto &one : devices) {
    ASSERT_TRUE(one->info().pci && one->info().uuid);
    EXPECT_TRUE(has(*one, "cl_khr_pci_bus_info"));
    EXPECT_TRUE(has(*one, "cl_khr_device_uuid"));
    uuids.insert(*one->info().uuid);
  }
  EXPECT_EQ(uuids.size(), devices.size());
  EXPECT_EQ(*discover()[0]->info().uuid, *devices[0]->info().uuid) << "another look finds the same";
  if (!GetParam().fake)
    return;
  const cl_device_pci_bus_info_khr &place = *devices[1]->info().pci;
  EXPECT_EQ(place.pci_domain, 1u);
  EXPECT_EQ(place.pci_bus, 0xc1u);
  EXPECT_EQ(place.pci_device, 0x1fu);
  EXPECT_EQ(place.pci_function, 3u);
  EXPECT_EQ(devices[1]->info().uuid->front(), GetParam().cuda ? 16 : 1) << "the library's number, or the place";
}

class FakeGpuInfo : public GpuInfo {};
ON_FAKES(FakeGpuInfo);

// An extension whose result the driver does not report is left out; the device is listed.
TEST_P(FakeGpuInfo, UnreportedPropertiesAreLeftOut) {
  fake->failCall(GetParam().cuda ? "cuDeviceGetPCIBusId" : "hipDeviceGetPCIBusId", 1, 999);
  auto found = discover();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(has(*found[0], "cl_khr_pci_bus_info"));
  EXPECT_TRUE(has(*found[1], "cl_khr_pci_bus_info"));
  EXPECT_EQ(has(*found[0], "cl_khr_device_uuid"), GetParam().cuda);
  if (GetParam().cuda) {
    fake->failCall("cuDeviceGetUuid_v2", 1, 999);
    found = discover();
    ASSERT_EQ(found.size(), 2u);
    EXPECT_FALSE(has(*found[0], "cl_khr_device_uuid"));
  }
}

// A released driver stream is reused for streams of its priority.
TEST_P(FakeGpuInfo, PriorityOfStreams) {
  Function *count = countKernel();
  auto memory = allocate(64);
  uint64_t address = memory->address;
  Launch launch = countLaunch(address, {16, 1, 1}, {16, 1, 1});
  launch.function = count;
  auto priorityOf = [&](HintLevel hint) {
    std::unique_ptr<Stream> on = std::move(*device->createStream({.priority = hint}));
    EXPECT_EQ(run(*on, [&](Issuer &s) { return s.launch(launch); }), CL_SUCCESS);
    return fake->launches().back().priority;
  };
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(priorityOf(HintLevel::High), -5);
    EXPECT_EQ(priorityOf(HintLevel::Low), 1);
    EXPECT_EQ(priorityOf(HintLevel::Medium), 0);
  }
  const char *call = GetParam().cuda ? "cuStreamCreateWithPriority" : "hipStreamCreateWithPriority";
  EXPECT_EQ(fake->calls(call), 2u) << "the second round took those of the first";
}

} // namespace kiln
