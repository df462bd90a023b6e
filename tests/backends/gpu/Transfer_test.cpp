// Copies and fills of every shape, between the device, pinned and pageable host memory.
#include "tests/backends/gpu/GpuTest.h"
#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace kiln {

class GpuTransfer : public GpuTest {};
ON_ALL(GpuTransfer);

TEST_P(GpuTransfer, AnySizeAndOffset) {
  auto memory = allocate(20 << 20);
  for (size_t bytes : {1u, 3u, 4096u, 65535u, 65537u, 524288u, 524289u, 4u << 20, (16u << 20) + 7})
    for (size_t offset : {0u, 1u, 4095u}) {
      std::vector<std::byte> data = randomBytes(bytes, unsigned(bytes + offset));
      write(*memory, data, offset);
      ASSERT_EQ(read(*memory, bytes, offset), data) << bytes << " bytes at " << offset;
    }
}

TEST_P(GpuTransfer, BetweenBuffers) {
  auto first = allocate(100'000), second = allocate(100'000);
  std::vector<std::byte> data = randomBytes(100'000);
  write(*first, data);
  write(*second, data);
  EXPECT_EQ(run([&](Issuer &s) { return s.copy(flat(*second, 11, 5'000), flat(*first, 50'003, 5'000)); }), CL_SUCCESS);
  std::vector<std::byte> expected = data;
  std::memcpy(expected.data() + 11, data.data() + 50'003, 5'000);
  EXPECT_EQ(read(*second, 100'000), expected);
}

namespace {

struct Shape {
  std::array<size_t, 3> extent;
  size_t offset, rowPitch, slicePitch;
};
void model(std::vector<std::byte> &to, const Shape &a, const std::vector<std::byte> &from, const Shape &b) {
  for (size_t z = 0; z < a.extent[2]; ++z)
    for (size_t y = 0; y < a.extent[1]; ++y)
      std::memcpy(to.data() + a.offset + y * a.rowPitch + z * a.slicePitch,
                  from.data() + b.offset + y * b.rowPitch + z * b.slicePitch, a.extent[0]);
}
Region regionOf(const Shape &shape) {
  return {.offset = shape.offset, .rowPitch = shape.rowPitch, .slicePitch = shape.slicePitch, .extent = shape.extent};
}

} // namespace

// Every direction: to the device, on it, from it; contiguous, with pitches, one row per slice, rows longer than a
// chunk.
TEST_P(GpuTransfer, RectsOfEveryShape) {
  constexpr size_t Size = 6 << 20;
  const std::array<std::array<size_t, 3>, 6> extents{
      {{1, 1, 1}, {7, 5, 3}, {100, 1, 9}, {64, 64, 4}, {700'000, 2, 2}, {3'000, 300, 2}}};
  auto memory = allocate(Size), other = allocate(Size);
  Result<std::unique_ptr<Memory>> pinned = device->allocateHost(Size);
  ASSERT_TRUE(pinned.ok());
  std::vector<std::byte> before = randomBytes(Size, 7), source = randomBytes(Size, 8);
  for (const auto &extent : extents)
    for (bool tightHere : {true, false})
      for (bool tightThere : {true, false}) {
        auto shape = [&](size_t offset, bool tight) {
          size_t row = extent[0] + (tight ? 0 : 13);
          return Shape{extent, offset, row, row * (extent[1] + (tight ? 0 : 2))};
        };
        Shape here = shape(5, tightHere), there = shape(130, tightThere);
        Region device = regionOf(here), host = regionOf(there);
        // host -> device
        write(*memory, before);
        device.memory = memory.get();
        host.host = source.data();
        ASSERT_EQ(run([&](Issuer &s) { return s.copy(device, host); }), CL_SUCCESS);
        std::vector<std::byte> expected = before;
        model(expected, here, source, there);
        ASSERT_EQ(read(*memory, Size), expected) << extent[0] << "x" << extent[1] << "x" << extent[2];
        // device -> device
        write(*other, before);
        host.host = nullptr;
        host.memory = other.get();
        ASSERT_EQ(run([&](Issuer &s) { return s.copy(host, device); }), CL_SUCCESS);
        std::vector<std::byte> copied = before;
        model(copied, there, expected, here);
        ASSERT_EQ(read(*other, Size), copied);
        // device -> host, pageable and pinned
        for (bool isPinned : {false, true}) {
          std::vector<std::byte> result = before;
          auto *target = isPinned ? static_cast<std::byte *>((*pinned)->host) : result.data();
          std::memcpy(target, before.data(), Size);
          Region to = regionOf(there);
          to.memory = isPinned ? pinned->get() : nullptr;
          to.host = isPinned ? nullptr : target;
          ASSERT_EQ(run([&](Issuer &s) { return s.copy(to, device); }), CL_SUCCESS);
          ASSERT_EQ(std::memcmp(target, copied.data(), Size), 0);
        }
      }
}

TEST_P(GpuTransfer, FillsOfEveryPattern) {
  auto memory = allocate(1 << 20);
  for (size_t pattern : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u})
    for (size_t repeats : {1u, 3u, 700u, 8000u})
      for (bool same : {false, true}) {
        size_t bytes = pattern * repeats, offset = pattern * 3;
        std::vector<std::byte> before = randomBytes(1 << 20, 3), what = randomBytes(pattern, unsigned(bytes));
        if (same)
          std::fill(what.begin(), what.end(), std::byte(0x5a));
        if (offset + bytes > before.size())
          continue;
        write(*memory, before);
        ASSERT_EQ(run([&](Issuer &s) { return s.fill(flat(*memory, offset, bytes), what); }), CL_SUCCESS);
        for (size_t i = 0; i < bytes; ++i)
          before[offset + i] = what[i % pattern];
        ASSERT_EQ(read(*memory, before.size()), before) << repeats << " of " << pattern << " bytes";
      }
}

// An address that is not a multiple of the pattern: the application's memory may have any alignment.
TEST_P(GpuTransfer, FillAtOddAddress) {
  auto memory = allocate(1000);
  std::vector<std::byte> before = randomBytes(1000), pattern = randomBytes(4, 9);
  write(*memory, before);
  ASSERT_EQ(run([&](Issuer &s) { return s.fill(flat(*memory, 1, 800), pattern); }), CL_SUCCESS);
  for (size_t i = 0; i < 800; ++i)
    before[1 + i] = pattern[i % 4];
  EXPECT_EQ(read(*memory, 1000), before);
}

TEST_P(GpuTransfer, PinnedMemoryIsCopiedDirectly) {
  constexpr size_t Size = 3 << 20;
  auto memory = allocate(Size);
  Result<std::unique_ptr<Memory>> pinned = device->allocateHost(Size);
  ASSERT_TRUE(pinned.ok());
  auto *host = static_cast<std::byte *>((*pinned)->host);
  ASSERT_NE(host, nullptr);
  std::vector<std::byte> data = randomBytes(Size);
  std::memcpy(host, data.data(), Size);
  unsigned before = fake ? fake->calls(GetParam().cuda ? "cuMemcpyHtoDAsync_v2" : "hipMemcpyHtoDAsync") : 0;
  ASSERT_EQ(run([&](Issuer &s) { return s.copy(flat(*memory, 0, Size), flat(**pinned, 0, Size)); }), CL_SUCCESS);
  if (fake) {
    EXPECT_EQ(fake->calls(GetParam().cuda ? "cuMemcpyHtoDAsync_v2" : "hipMemcpyHtoDAsync"), before + 1);
  }
  std::memset(host, 0, Size);
  // The plain pointer, as an application that mapped the storage has it.
  ASSERT_EQ(run([&](Issuer &s) { return s.copy(flatHost(host + 100, Size - 200), flat(*memory, 100, Size - 200)); }),
            CL_SUCCESS);
  EXPECT_EQ(std::memcmp(host + 100, data.data() + 100, Size - 200), 0);
  EXPECT_EQ(host[99], std::byte(0));
  EXPECT_EQ(host[Size - 100], std::byte(0));
}

TEST_P(GpuTransfer, ImportsWholePages) {
  constexpr size_t Size = 1 << 20;
  auto *host =
      static_cast<std::byte *>(mmap(nullptr, Size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(host, MAP_FAILED);
  {
    Result<std::unique_ptr<Memory>> odd = device->import(host + 64, 4096);
    ASSERT_TRUE(odd.ok());
    EXPECT_EQ(*odd, nullptr) << "not from the start of a page";
    Result<std::unique_ptr<Memory>> memory = device->import(host, Size);
    ASSERT_TRUE(memory.ok()) << memory.message();
    ASSERT_NE(*memory, nullptr);
    EXPECT_EQ((*memory)->host, host);
    Result<std::unique_ptr<Memory>> again = device->import(host + 100, 1000);
    ASSERT_TRUE(again.ok());
    ASSERT_NE(*again, nullptr) << "any part of a range that is imported already";
    EXPECT_EQ((*again)->address, (*memory)->address + 100);
    auto onDevice = allocate(Size);
    std::vector<std::byte> data = randomBytes(Size);
    write(*onDevice, data);
    EXPECT_EQ(run([&](Issuer &s) { return s.copy(flat(**memory, 0, Size), flat(*onDevice, 0, Size)); }), CL_SUCCESS);
    EXPECT_EQ(std::memcmp(host, data.data(), Size), 0);
  }
  Result<std::unique_ptr<Memory>> later = device->import(host, Size);
  ASSERT_TRUE(later.ok());
  EXPECT_NE(*later, nullptr) << "given back before";
  later = std::unique_ptr<Memory>();
  munmap(host, Size);
}

TEST_P(GpuTransfer, HostToHostIsInOrder) {
  auto memory = allocate(1000);
  std::vector<std::byte> data = randomBytes(1000), middle(1000), last(1000);
  write(*memory, data);
  auto first = submit([&](Issuer &s) { return s.copy(flatHost(middle.data(), 1000), flat(*memory, 0, 1000)); });
  auto second = submit([&](Issuer &s) { return s.copy(flatHost(last.data(), 1000), flatHost(middle.data(), 1000)); });
  second->progressUntil(*stream);
  EXPECT_EQ(second->code(), CL_SUCCESS);
  EXPECT_EQ(last, data);
}

// A pageable read is complete on the host only after a poll. A later write from there, in the same stream, uses the
// bytes that were read.
TEST_P(GpuTransfer, WriteOfWhatWasJustRead) {
  constexpr size_t Size = 2 << 20;
  auto first = allocate(Size), second = allocate(Size);
  std::vector<std::byte> data = randomBytes(Size), host(Size);
  write(*first, data);
  auto a = submit([&](Issuer &s) { return s.copy(flatHost(host.data(), Size), flat(*first, 0, Size)); });
  auto b = submit([&](Issuer &s) { return s.copy(flat(*second, 0, Size), flatHost(host.data(), Size)); });
  b->progressUntil(*stream);
  EXPECT_EQ(read(*second, Size), data);
}

// The same across streams that are ordered by a fence and not by the host.
TEST_P(GpuTransfer, WriteOfWhatAnotherStreamRead) {
  constexpr size_t Size = 2 << 20;
  Result<std::unique_ptr<Stream>> made = device->createStream(), third = device->createStream();
  ASSERT_TRUE(made.ok() && third.ok());
  auto first = allocate(Size), second = allocate(Size);
  std::vector<std::byte> data = randomBytes(Size), host(Size);
  write(*first, data);
  std::shared_ptr<Fence> fence, next;
  auto a = submit([&](Issuer &s) { return s.copy(flatHost(host.data(), Size), flat(*first, 0, Size)); });
  fence = *stream->recordFence();
  auto between = TestOperation::submit(**third, [&](Issuer &s) { return s.waitFence(*fence); });
  next = *(*third)->recordFence(); // includes what it waited for
  auto b = TestOperation::submit(**made, [&](Issuer &s) -> Status {
    KILN_TRY(s.waitFence(*next));
    return s.copy(flat(*second, 0, Size), flatHost(host.data(), Size));
  });
  b->progressUntil(**made);
  EXPECT_EQ(b->code(), CL_SUCCESS);
  a->progressUntil(*stream);
  between->progressUntil(**third);
  EXPECT_EQ(read(*second, Size), data);
}

TEST_P(GpuTransfer, BetweenDevices) {
  if (devices.size() < 2)
    GTEST_SKIP() << "the machine has one such GPU only";
  ASSERT_TRUE(devices[0]->canAccessPeer(*devices[1]));
  constexpr size_t Size = 300'000;
  auto here = allocate(Size);
  Result<std::unique_ptr<Memory>> there = devices[1]->allocate(Size);
  Result<std::unique_ptr<Stream>> other = devices[1]->createStream();
  ASSERT_TRUE(there.ok() && other.ok());
  std::vector<std::byte> data = randomBytes(Size);
  EXPECT_EQ(run(**other, [&](Issuer &s) { return s.copy(flat(**there, 0, Size), flatHost(data.data(), Size)); }),
            CL_SUCCESS);
  EXPECT_EQ(run([&](Issuer &s) { return s.copy(flat(*here, 0, Size), flat(**there, 0, Size)); }), CL_SUCCESS);
  EXPECT_EQ(read(*here, Size), data);
  if (fake) {
    EXPECT_EQ(fake->calls(GetParam().cuda ? "cuCtxEnablePeerAccess" : "hipDeviceEnablePeerAccess"), 1u);
  }
  // Rows as well.
  Region to = flat(*here, 0, 100), from = flat(**there, 1000, 100);
  to.extent = from.extent = {100, 50, 1};
  to.rowPitch = 128;
  from.rowPitch = 200;
  EXPECT_EQ(run([&](Issuer &s) { return s.copy(to, from); }), CL_SUCCESS);
  std::vector<std::byte> result = read(*here, Size);
  for (size_t row = 0; row < 50; ++row)
    ASSERT_EQ(std::memcmp(result.data() + row * 128, data.data() + 1000 + row * 200, 100), 0);
}

// One buffer may have nearly all that is free.
TEST_P(GpuTransfer, StorageOfAllThatIsFree) {
  if (!fake)
    GTEST_SKIP() << "needs the fake driver, whose memory is known";
  EXPECT_GE(device->info().maxAllocSize, device->info().globalMemSize / 32 * 31);
  EXPECT_LT(device->info().maxAllocSize, device->info().globalMemSize) << "the driver needs memory as well";
  fake->setMemory(600 << 20);
  EXPECT_NE(allocate(599 << 20), nullptr);
  EXPECT_EQ(device->allocate(size_t(601) << 20).code(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  fake->setMemory(size_t(1) << 30);
}

// Released storage is reused without the driver, and freed when an allocation fails.
TEST_P(GpuTransfer, StorageIsKeptAndFreed) {
  if (!fake)
    GTEST_SKIP() << "needs the fake driver, which counts calls";
  const char *call = GetParam().cuda ? "cuMemAlloc_v2" : "hipMalloc";
  allocate(10 << 20).reset();
  unsigned before = fake->calls(call);
  for (int i = 0; i < 10; ++i)
    allocate((10 << 20) - i * 1000).reset();
  EXPECT_EQ(fake->calls(call), before);
  auto large = allocate(700 << 20);
  EXPECT_NE(large, nullptr);
  allocate(60 << 20).reset(); // kept
  EXPECT_NE(allocate(300 << 20), nullptr) << "only after the pool has freed its blocks";
  Result<std::unique_ptr<Memory>> tooMuch = device->allocate(2000u << 20);
  EXPECT_FALSE(tooMuch.ok());
  EXPECT_EQ(tooMuch.code(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

} // namespace kiln
