// Memory that the host and the devices of a driver share.
#include "tests/backends/gpu/GpuTest.h"
#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace kiln {

class GpuSharedMemory : public GpuTest {
protected:
  /// Returns true if host and device may access managed memory at the same time; otherwise the device pins host memory.
  bool sharesPages() const { return device->info().svm & CL_DEVICE_SVM_ATOMICS; }
  std::unique_ptr<Memory> shared(size_t bytes) {
    Result<std::unique_ptr<Memory>> made = device->allocateShared(bytes);
    EXPECT_TRUE(made.ok()) << made.message();
    return made.ok() ? std::move(*made) : nullptr;
  }
  std::unique_ptr<Memory> pinned(size_t bytes) {
    Result<std::unique_ptr<Memory>> made = device->allocateHost(bytes);
    EXPECT_TRUE(made.ok()) << made.message();
    return made.ok() ? std::move(*made) : nullptr;
  }
};
ON_ALL(GpuSharedMemory);

TEST_P(GpuSharedMemory, ReportedCapabilities) {
  for (const auto &one : devices) {
    const DeviceInfo &info = one->info();
    EXPECT_EQ(info.svm & 3,
              cl_device_svm_capabilities(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER));
    EXPECT_TRUE(info.usmHost & CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL);
    EXPECT_TRUE(info.usmDevice & CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL);
    EXPECT_TRUE(info.usmShared & CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL);
    const bool together = info.usmShared & CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;
    EXPECT_TRUE(together || !sharesPages());
    EXPECT_EQ(info.usmSystem != 0, (info.svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0);
  }
  if (GetParam().fake) {
    EXPECT_EQ(sharesPages(), GetParam().cuda) << "as the fake driver reports";
  }
}

TEST_P(GpuSharedMemory, ManagedMemoryOnBothSides) {
  if (!sharesPages()) {
    EXPECT_EQ(shared(4096), nullptr);
    GTEST_SKIP() << "the device has no managed memory";
  }
  auto memory = shared(100'000), other = shared(100'000);
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(uint64_t(memory->host), memory->address);
  std::vector<std::byte> data = randomBytes(100'000), seen(100'000);
  std::memcpy(memory->host, data.data(), data.size());
  EXPECT_EQ(read(*memory, 100'000), data);
  EXPECT_EQ(run([&](Issuer &s) { return s.copy(flat(*other, 0, 100'000), flat(*memory, 0, 100'000)); }), CL_SUCCESS);
  EXPECT_EQ(std::memcmp(other->host, data.data(), data.size()), 0);
  const std::byte seven[4]{std::byte(7), std::byte(0), std::byte(0), std::byte(0)};
  EXPECT_EQ(run([&](Issuer &s) { return s.fill(flat(*other, 4, 400), seven); }), CL_SUCCESS);
  EXPECT_EQ(static_cast<int *>(other->host)[100], 7);
  auto onDevice = allocate(100'000);
  EXPECT_EQ(run([&](Issuer &s) { return s.copy(flat(*onDevice, 0, 100'000), flat(*memory, 0, 100'000)); }), CL_SUCCESS);
  EXPECT_EQ(read(*onDevice, 100'000), data);
}

TEST_P(GpuSharedMemory, KernelsWriteWhatTheHostReads) {
  Function *count = countKernel();
  ASSERT_NE(count, nullptr);
  auto memory = sharesPages() ? shared(4096) : pinned(4096);
  ASSERT_NE(memory, nullptr);
  std::memset(memory->host, 0, 4096);
  ASSERT_EQ(uint64_t(memory->host), memory->address);
  uint64_t address = memory->address;
  Launch launch = countLaunch(address, {1024, 1, 1}, {64, 1, 1});
  launch.function = count;
  EXPECT_EQ(run([&](Issuer &s) { return s.launch(launch); }), CL_SUCCESS);
  auto *counters = static_cast<uint32_t *>(memory->host);
  EXPECT_EQ(std::count(counters, counters + 1024, 1u), 1024);
}

// Another device of the driver imports the memory at the same address, and frees nothing.
TEST_P(GpuSharedMemory, ImportedByAPeer) {
  if (devices.size() < 2)
    GTEST_SKIP() << "there is one device";
  for (bool pages : {true, false}) {
    if (pages && !sharesPages())
      continue;
    auto memory = pages ? shared(8192) : pinned(8192);
    ASSERT_NE(memory, nullptr);
    std::unique_ptr<Stream> there = std::move(*devices[1]->createStream());
    std::vector<std::byte> data = randomBytes(8192), seen(8192);
    for (int round = 0; round < 2; ++round) {
      Result<std::unique_ptr<Memory>> imported = devices[1]->import(memory->host, 8192);
      ASSERT_TRUE(imported.ok() && *imported);
      EXPECT_EQ((*imported)->address, memory->address);
      Memory &one = **imported;
      EXPECT_EQ(run(*there, [&](Issuer &s) { return s.copy(flat(one, 0, 8192), flatHost(data.data(), 8192)); }),
                CL_SUCCESS);
      EXPECT_EQ(std::memcmp(memory->host, data.data(), 8192), 0);
      EXPECT_EQ(run(*there, [&](Issuer &s) { return s.copy(flatHost(seen.data(), 8192), flat(one, 0, 8192)); }),
                CL_SUCCESS);
      EXPECT_EQ(seen, data);
    }
    EXPECT_EQ(read(*memory, 8192), data) << "it is there still";
  }
}

// Host memory alone, which devices of different drivers have in common.
TEST_P(GpuSharedMemory, ImportedFromTheHost) {
  void *host = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(host, MAP_FAILED);
  {
    Result<std::unique_ptr<Memory>> imported = device->import(host, 8192);
    ASSERT_TRUE(imported.ok() && *imported);
    EXPECT_EQ((*imported)->address, uint64_t(host));
    std::vector<std::byte> data = randomBytes(8192);
    std::memcpy(host, data.data(), 8192);
    EXPECT_EQ(read(**imported, 8192), data);
  }
  munmap(host, 8192);
}

TEST_P(GpuSharedMemory, Prefetch) {
  if (!sharesPages())
    GTEST_SKIP() << "the device has no managed memory";
  auto memory = shared(1 << 20);
  std::memset(memory->host, 3, 1 << 20);
  for (bool toHost : {false, true}) {
    EXPECT_EQ(run([&](Issuer &s) { return s.prefetch(flat(*memory, 4096, 100'000), toHost); }), CL_SUCCESS);
    if (GetParam().fake) {
      EXPECT_EQ(fake->pagesAt(), toHost ? -1 : 0);
    }
    EXPECT_EQ(read(*memory, 1 << 20), std::vector<std::byte>(1 << 20, std::byte(3)));
  }
  auto plain = allocate(4096);
  EXPECT_EQ(run([&](Issuer &s) { return s.prefetch(flat(*plain, 0, 4096), true); }), CL_SUCCESS) << "nothing to move";
}

class FakeGpuSharedMemory : public GpuSharedMemory {};
ON_FAKES(FakeGpuSharedMemory);

// Managed memory is limited to the free memory: the driver would overcommit and move pages back and forth.
TEST_P(FakeGpuSharedMemory, NoMoreThanIsFree) {
  if (!sharesPages())
    GTEST_SKIP() << "the device has no managed memory";
  fake->setMemory(64 << 20);
  auto found = discover();
  Device &small = *found[0];
  EXPECT_EQ(*small.allocateShared(65 << 20), nullptr);
  std::unique_ptr<Memory> half = std::move(*small.allocateShared(40 << 20));
  ASSERT_NE(half, nullptr);
  EXPECT_EQ(*small.allocateShared(40 << 20), nullptr);
  half.reset();
  EXPECT_NE(*small.allocateShared(40 << 20), nullptr);
  fake->setMemory(size_t(1) << 30);
}

TEST_P(FakeGpuSharedMemory, FailuresLeaveNothing) {
  if (!sharesPages())
    GTEST_SKIP() << "the device has no managed memory";
  const size_t before = fake->deviceBytes();
  fake->failCall("cuMemAllocManaged", 1, 2);
  EXPECT_EQ(device->allocateShared(4096).code(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  fake->failCall("cuMemGetInfo_v2", 1, 999);
  EXPECT_FALSE(device->allocateShared(4096).ok());
  auto memory = shared(4096);
  fake->failCall("cuMemPrefetchAsync", 1, 999);
  EXPECT_EQ(run([&](Issuer &s) { return s.prefetch(flat(*memory, 0, 4096), false); }), CL_SUCCESS) << "a hint only";
  memory.reset();
  EXPECT_EQ(fake->deviceBytes(), before);
}

} // namespace kiln
