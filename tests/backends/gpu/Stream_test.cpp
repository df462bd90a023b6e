// How operations end: in order, on whichever thread, with few driver events and with consistent times.
#include "base/support/Trace.h"
#include "tests/backends/gpu/GpuTest.h"
#include <cstring>
#include <filesystem>
#include <numeric>
#include <thread>

namespace kiln {

class GpuStreams : public GpuTest {
protected:
  unsigned recorded() const { return fake->calls(GetParam().cuda ? "cuEventRecord" : "hipEventRecord"); }
};
ON_ALL(GpuStreams);

TEST_P(GpuStreams, Description) {
  const DeviceInfo &info = device->info();
  EXPECT_EQ(info.type, cl_device_type(CL_DEVICE_TYPE_GPU));
  EXPECT_TRUE(info.target.starts_with(GetParam().cuda ? "nvptx:sm_" : "amdgpu:gfx")) << info.target;
  EXPECT_TRUE(info.hasFences);
  EXPECT_FALSE(info.sharesHostMemory);
  EXPECT_FALSE(info.name.empty());
  EXPECT_GE(info.computeUnits, 1u);
  EXPECT_GE(info.maxWorkGroupSize, 256u);
  EXPECT_GE(info.localMemSize, 32u << 10);
  EXPECT_GE(info.globalMemSize, 1u << 30);
  EXPECT_GE(info.maxParameterSize, 1024u);
  EXPECT_TRUE(info.preferredWorkGroupSizeMultiple == 32 || info.preferredWorkGroupSizeMultiple == 64);
  if (fake) {
    EXPECT_EQ(info.target, GetParam().cuda ? "nvptx:sm_90" : "amdgpu:gfx942") << "without features";
    EXPECT_EQ(info.computeUnits, GetParam().cuda ? 132u : 304u);
    const bool realDriver = std::filesystem::exists("/sys/module/nvidia/version"); // whose version NVIDIA's OpenCL has
    if (!GetParam().cuda || !realDriver)
      EXPECT_EQ(info.driverVersion, GetParam().cuda ? "12.8" : "6.2");
  }
}

TEST_P(GpuStreams, SubmitIssuesAndEndsNothing) {
  bool issued = false;
  auto operation = submit([&](Issuer &) -> Status {
    issued = true;
    return {};
  });
  EXPECT_TRUE(issued);
  operation->progressUntil(*stream);
  EXPECT_EQ(operation->code(), CL_SUCCESS);
}

TEST_P(GpuStreams, EndsWithoutAWaitingThread) {
  auto memory = allocate(1000);
  const std::byte one[1]{};
  for (unsigned flags : {TestOperation::Plain, TestOperation::Unwatched, TestOperation::Timed}) {
    auto operation = submit([&](Issuer &s) { return s.fill(flat(*memory, 0, 1000), one); }, flags);
    stream->flush();
    operation->sleep();
    EXPECT_EQ(operation->code(), CL_SUCCESS);
  }
}

TEST_P(GpuStreams, EndsInOrderOnEveryThread) {
  constexpr int Count = 3000;
  auto memory = allocate(1000);
  std::vector<std::shared_ptr<TestOperation>> operations;
  const std::byte one[1]{};
  std::thread helper;
  for (int i = 0; i < Count; ++i) {
    operations.push_back(submit([&](Issuer &s) { return s.fill(flat(*memory, 0, 1000), one); },
                                i % 3 ? TestOperation::Unwatched : TestOperation::Plain));
    if (i % 100 == 0)
      stream->flush();
    if (i == 1000)
      helper = std::thread([&, operation = operations.back()] { operation->progressUntil(*stream); });
  }
  operations.back()->progressUntil(*stream);
  for (auto &operation : operations)
    EXPECT_TRUE(operation->done());
  helper.join();
}

// A thousand launches that no thread waits for one at a time use few events.
TEST_P(GpuStreams, WaitsOfASecondSleep) {
  if (!fake)
    GTEST_SKIP() << "needs the fake driver, whose own threads sleep";
  auto processTime = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec);
  };
  auto memory = allocate(1000);
  const std::byte one[1]{};
  fake->hold(true);
  auto operation = submit([&](Issuer &s) { return s.fill(flat(*memory, 0, 1000), one); });
  std::atomic<uint64_t> released{0};
  std::thread release([&] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    released.store(nowNanoseconds());
    fake->hold(false);
  });
  const uint64_t before = processTime();
  operation->progressUntil(*stream);
  const uint64_t used = processTime() - before, delay = nowNanoseconds() - released.load();
  release.join();
  EXPECT_EQ(operation->code(), CL_SUCCESS);
  RecordProperty("cpu_us", int(used / 1000));
  RecordProperty("delay_us", int(delay / 1000));
  EXPECT_LE(used, 50'000'000u) << "nanoseconds of all threads: 5% of a core";
  EXPECT_LE(delay, 50'000'000u) << "nanoseconds";
}

// CompletionWord: the end of a batch is a word that the device writes, if the driver has such writes.
TEST_P(GpuStreams, TheDeviceWritesTheEndOfABatch) {
  if (!fake || !GetParam().cuda)
    GTEST_SKIP() << "needs the fake driver, which counts calls, of a vendor whose writes are used";
  auto memory = allocate(1000);
  const std::byte one[1]{};
  const auto fill = [&](Issuer &s) { return s.fill(flat(*memory, 0, 1000), one); };
  EXPECT_EQ(run(fill), CL_SUCCESS);
  EXPECT_EQ(fake->calls("cuStreamWriteValue32_v2"), 1u);
  EXPECT_EQ(fake->calls("cuEventRecord"), 0u);
  // An event takes the place of a write that fails.
  fake->failCall("cuStreamWriteValue32_v2", 1, 801);
  EXPECT_EQ(run(fill), CL_SUCCESS);
  EXPECT_EQ(fake->calls("cuEventRecord"), 1u);
  // A stream that gets no memory for its word uses events.
  fake->reset();
  fake->failCall("cuMemHostGetDevicePointer_v2", 1, 2);
  stream = std::move(*device->createStream({}));
  EXPECT_EQ(run(fill), CL_SUCCESS);
  EXPECT_EQ(fake->calls("cuStreamWriteValue32_v2"), 0u);
  EXPECT_EQ(fake->calls("cuEventRecord"), 1u);
}

TEST_P(GpuStreams, UnwaitableOperationsShareEvents) {
  if (!fake)
    GTEST_SKIP() << "needs the fake driver, which counts calls";
  auto memory = allocate(1000);
  const std::byte one[1]{};
  unsigned before = recorded();
  std::shared_ptr<TestOperation> last;
  fake->hold(true);
  for (int i = 0; i < 1000; ++i)
    last = submit([&](Issuer &s) { return s.fill(flat(*memory, 0, 1000), one); }, TestOperation::Unwatched);
  EXPECT_LE(recorded() - before, 1000u / 64);
  fake->hold(false);
  last->progressUntil(*stream);
  EXPECT_LE(recorded() - before, 1000u / 64 + 2);
  // A marker, which issues nothing, uses none.
  before = recorded();
  submit([](Issuer &) -> Status { return {}; })->progressUntil(*stream);
  EXPECT_EQ(recorded(), before);
}

// The event of the staging ring's chunk is that of the batch as well.
TEST_P(GpuStreams, SmallReadRecordsOneEvent) {
  if (!fake)
    GTEST_SKIP() << "needs the fake driver, which counts calls";
  auto memory = allocate(1000);
  std::vector<std::byte> data = randomBytes(1000);
  write(*memory, data);
  unsigned before = recorded();
  EXPECT_EQ(read(*memory, 4), std::vector(data.begin(), data.begin() + 4));
  EXPECT_EQ(recorded() - before, 1u);
  const std::byte one[1]{std::byte(1)};
  before = recorded();
  auto fill = submit([&](Issuer &s) { return s.fill(flat(*memory, 0, 4), one); }, TestOperation::Unwatched);
  EXPECT_EQ(read(*memory, 4), std::vector(4, std::byte(1)));
  EXPECT_TRUE(fill->done());
  EXPECT_EQ(recorded() - before, 1u);
}

// Another thread closes batches at any moment while reads are issued: no operation ends before its work.
TEST_P(GpuStreams, BatchesClosedDuringReads) {
  auto memory = allocate(4);
  std::atomic<bool> over{false};
  std::thread closer([&] {
    struct Never {
      static bool test(const void *over) { return static_cast<const std::atomic<bool> *>(over)->load(); }
    };
    while (!over)
      stream->progressUntil({Never::test, &over});
  });
  for (unsigned i = 0; i < 2000; ++i) {
    const std::byte pattern[1]{std::byte(i)};
    submit([&](Issuer &s) { return s.fill(flat(*memory, 0, 4), pattern); }, TestOperation::Unwatched);
    std::array<std::byte, 4> result{};
    auto operation = submit([&](Issuer &s) { return s.copy(flatHost(result.data(), 4), flat(*memory, 0, 4)); });
    operation->progressUntil(*stream);
    ASSERT_EQ(result[3], std::byte(i)) << i;
  }
  over = true;
  closer.join();
}

TEST_P(GpuStreams, ManyInFlight) {
  constexpr int Count = 20'000;
  if (fake)
    fake->hold(true);
  auto memory = allocate(1000);
  const std::byte one[1]{};
  std::vector<std::shared_ptr<TestOperation>> operations;
  for (int i = 0; i < Count; ++i)
    operations.push_back(submit([&](Issuer &s) { return s.fill(flat(*memory, 0, 1000), one); }));
  stream->flush();
  if (fake) {
    EXPECT_FALSE(operations.front()->done());
    fake->hold(false);
  }
  for (auto &operation : operations)
    operation->sleep();
}

// Reads to pageable memory that are larger than the ring: the issuing thread waits for the device only.
TEST_P(GpuStreams, ReadsLargerThanTheRing) {
  constexpr size_t Size = 40 << 20;
  auto memory = allocate(Size);
  std::vector<std::byte> data = randomBytes(Size), first(Size), second(Size);
  write(*memory, data);
  Result<std::unique_ptr<Stream>> other = device->createStream();
  ASSERT_TRUE(other.ok());
  auto a = submit([&](Issuer &s) { return s.copy(flatHost(first.data(), Size), flat(*memory, 0, Size)); });
  auto b = TestOperation::submit(
      **other, [&](Issuer &s) { return s.copy(flatHost(second.data(), Size), flat(*memory, 0, Size)); });
  stream->flush();
  (*other)->flush();
  a->sleep();
  b->sleep();
  EXPECT_EQ(first, data);
  EXPECT_EQ(second, data);
}

TEST_P(GpuStreams, FencesOrderStreams) {
  Result<std::unique_ptr<Stream>> other = device->createStream();
  ASSERT_TRUE(other.ok());
  constexpr size_t Size = 1 << 20;
  auto memory = allocate(Size);
  std::vector<std::byte> result(Size);
  for (int round = 0; round < 100; ++round) {
    const std::byte value[1]{std::byte(round)};
    if (fake)
      fake->hold(true); // all of it is issued before any of it runs
    auto filled = submit([&](Issuer &s) { return s.fill(flat(*memory, 0, Size), value); });
    Result<std::shared_ptr<Fence>> fence = stream->recordFence();
    ASSERT_TRUE(fence.ok());
    auto got = TestOperation::submit(**other, [&](Issuer &s) -> Status {
      KILN_TRY(s.waitFence(**fence));
      return s.copy(flatHost(result.data(), 4096), flat(*memory, Size - 4096, 4096));
    });
    Result<std::shared_ptr<Fence>> back = (*other)->recordFence();
    auto next = submit([&](Issuer &s) { return s.waitFence(**back); });
    if (fake)
      fake->hold(false);
    got->progressUntil(**other);
    ASSERT_EQ(result[0], value[0]);
    ASSERT_EQ(result[4095], value[0]);
    next->progressUntil(*stream);
  }
}

TEST_P(GpuStreams, FenceWithoutNewWorkIsReused) {
  auto memory = allocate(1000);
  const std::byte one[1]{};
  EXPECT_EQ(run([&](Issuer &s) { return s.fill(flat(*memory, 0, 1000), one); }), CL_SUCCESS);
  std::shared_ptr<Fence> first = *stream->recordFence(), second = *stream->recordFence();
  EXPECT_EQ(first, second);
  EXPECT_EQ(run([&](Issuer &s) { return s.fill(flat(*memory, 0, 1000), one); }), CL_SUCCESS);
  EXPECT_NE(*stream->recordFence(), first);
}

TEST_P(GpuStreams, TimesAreConsistent) {
  constexpr size_t Large = 1 << 20;
  auto memory = allocate(Large);
  const std::byte one[1]{};
  uint64_t last = 0;
  for (int round = 0; round < 300; ++round) {
    uint64_t before = nowNanoseconds();
    auto operation = submit([&](Issuer &s) { return s.fill(flat(*memory, 0, round % 2 ? 1000 : Large), one); },
                            TestOperation::Timed);
    operation->progressUntil(*stream);
    uint64_t after = nowNanoseconds();
    auto [start, end] = operation->times();
    ASSERT_GE(start, before);
    ASSERT_GE(start, last);
    ASSERT_LE(start, end);
    ASSERT_LE(end, after);
    last = end;
  }
  auto untimed = submit([&](Issuer &s) { return s.fill(flat(*memory, 0, 1000), one); });
  untimed->progressUntil(*stream);
  EXPECT_EQ(untimed->times().first, 0u);
}

// The clock's base event is replaced when it is old; earlier operations still have the right times.
TEST_P(GpuStreams, TimesAfterAPause) {
  auto memory = allocate(1000);
  const std::byte one[1]{};
  auto timed = [&] {
    auto operation = submit([&](Issuer &s) { return s.fill(flat(*memory, 0, 1000), one); }, TestOperation::Timed);
    operation->progressUntil(*stream);
    return operation->times();
  };
  timed();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  uint64_t before = nowNanoseconds();
  auto [start, end] = timed();
  EXPECT_GE(start, before);
  EXPECT_LE(end, nowNanoseconds());
  EXPECT_LT(end - start, 50'000'000u);
}

// The end of an operation may release the last reference to its stream, on any thread.
TEST_P(GpuStreams, StreamGoesWithItsLastOperation) {
  struct Owner final : Operation {
    Status issue(Issuer &) override { return {}; }
    void onEnded(cl_int, uint64_t, uint64_t) override {
      std::shared_ptr<Owner> self = std::move(this->self);
      stream.reset();
      gone.store(1);
      waitQueue.wake(gone);
    }
    std::shared_ptr<Owner> self;
    std::shared_ptr<Stream> stream;
    std::atomic<uint32_t> gone{0};
    WaitQueue waitQueue;
  };
  for (int round = 0; round < 50; ++round) {
    auto owner = std::make_shared<Owner>();
    owner->self = owner;
    std::shared_ptr<Stream> own = std::move(*device->createStream());
    owner->stream = own;
    own->submit(*owner);
    if (round % 2) {
      own->flush();
      own.reset(); // the poller has the last reference, or had it
    } else {
      Stream &bare = *own;
      std::weak_ptr<Stream> last = own;
      own.reset();
      if (std::shared_ptr<Stream> still = last.lock()) // otherwise the poller was faster
        bare.progressUntil(
            {[](const void *o) { return static_cast<const Owner *>(o)->gone.load() == 1; }, owner.get()});
    }
    owner->waitQueue.wait(owner->gone, [&] { return owner->gone.load() == 1; });
  }
}

// `onEnded` may submit more, to any stream, on any thread.
TEST_P(GpuStreams, SubmitFromEnded) {
  Result<std::unique_ptr<Stream>> other = device->createStream();
  ASSERT_TRUE(other.ok());
  struct Chain final : Operation {
    Status issue(Issuer &) override { return {}; }
    void onEnded(cl_int, uint64_t, uint64_t) override {
      if (uint32_t so = count.fetch_add(1) + 1; so < 2000) {
        Stream &next = *streams[so % 2];
        next.submit(*this);
        next.flush();
      } else {
        waitQueue.wake(count);
      }
    }
    Stream *streams[2];
    std::atomic<uint32_t> count{0};
    WaitQueue waitQueue;
  } chain;
  chain.streams[0] = stream.get();
  chain.streams[1] = other->get();
  stream->submit(chain);
  stream->flush();
  chain.waitQueue.wait(chain.count, [&] { return chain.count.load() == 2000; });
}

TEST_P(GpuStreams, ManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::unique_ptr<Stream> mine = std::move(*device->createStream());
      std::unique_ptr<Memory> memory = std::move(*device->allocate(100'000));
      for (int round = 0; round < 50; ++round) {
        std::vector<std::byte> data = randomBytes(100'000, unsigned(t * 1000 + round)), result(100'000);
        auto a = TestOperation::submit(
            *mine, [&](Issuer &s) { return s.copy(flat(*memory, 0, 100'000), flatHost(data.data(), 100'000)); });
        auto b = TestOperation::submit(
            *mine, [&](Issuer &s) { return s.copy(flatHost(result.data(), 100'000), flat(*memory, 0, 100'000)); });
        b->progressUntil(*mine);
        wrong += result != data || a->code() || b->code();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace kiln
