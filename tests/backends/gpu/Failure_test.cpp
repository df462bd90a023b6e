// Failing driver calls, and a lost device. No wait may hang, and no failure may be silent.
#include "base/support/Futex.h"
#include "base/support/Thread.h"
#include "tests/backends/gpu/GpuTest.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace kiln {

class GpuFailure : public GpuTest {
protected:
  static void SetUpTestSuite() { installForkHandlers(); }
  /// A write, a fill, a launch and a read: their codes, and whether the bytes are right.
  struct Outcome {
    std::vector<cl_int> codes;
    bool right = false;
    bool ok() const {
      return std::all_of(codes.begin(), codes.end(), [](cl_int code) { return code == CL_SUCCESS; });
    }
  };
  Outcome scenario(Function *function, Memory &memory, unsigned flags) {
    std::vector<std::byte> data = randomBytes(100'000), result(100'000);
    const std::byte zero[4]{};
    uint64_t address = memory.address;
    Launch launch = countLaunch(address, {50, 1, 1}, {32, 1, 1});
    launch.function = function;
    std::vector<std::shared_ptr<TestOperation>> operations;
    operations.push_back(
        submit([&](Issuer &s) { return s.copy(flat(memory, 0, 100'000), flatHost(data.data(), 100'000)); }, flags));
    operations.push_back(submit([&](Issuer &s) { return s.fill(flat(memory, 0, 200), zero); }, flags));
    operations.push_back(submit([&](Issuer &s) { return s.launch(launch); }, flags));
    operations.push_back(
        submit([&](Issuer &s) { return s.copy(flatHost(result.data(), 100'000), flat(memory, 0, 100'000)); }, flags));
    Outcome outcome;
    for (auto &operation : operations) {
      operation->progressUntil(*stream);
      outcome.codes.push_back(operation->code());
    }
    for (size_t i = 0; i < 50; ++i) {
      const uint32_t one = 1;
      std::memcpy(data.data() + 4 * i, &one, 4);
    }
    outcome.right = data == result;
    return outcome;
  }
};
ON_FAKES(GpuFailure);

// Each call of a few commands fails once: some command fails, or none was affected and the bytes are right. Afterwards
// everything works.
TEST_P(GpuFailure, AnyCallMayFailOnce) {
  Function *function = countKernel();
  ASSERT_NE(function, nullptr);
  auto memory = allocate(100'000);
  for (unsigned flags : {TestOperation::Plain, TestOperation::Timed, TestOperation::Unwatched}) {
    ASSERT_TRUE(scenario(function, *memory, flags).right);
    for (unsigned nth = 1; nth < 60; ++nth) {
      fake->reset();
      fake->failCall("", nth, 999);
      Outcome outcome = scenario(function, *memory, flags);
      EXPECT_TRUE(!outcome.ok() || outcome.right) << "call " << nth;
      fake->reset();
      ASSERT_TRUE(scenario(function, *memory, flags).right) << "after call " << nth;
    }
  }
}

TEST_P(GpuFailure, OutOfMemory) {
  fake->failCall(GetParam().cuda ? "cuMemAlloc_v2" : "hipMalloc", 1, 2);
  EXPECT_NE(allocate(1000), nullptr) << "the second attempt, after the pool was emptied";
  fake->failCall(GetParam().cuda ? "cuMemAlloc_v2" : "hipMalloc", 1, 2);
  fake->failCall(GetParam().cuda ? "cuMemAlloc_v2" : "hipMalloc", 1, 2);
  // Another size, so that the released block is not reused.
  Result<std::unique_ptr<Memory>> none = device->allocate(1 << 20);
  EXPECT_EQ(none.code(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_NE(allocate(1 << 20), nullptr);
}

TEST_P(GpuFailure, PinnedMemoryRunsOut) {
  auto memory = allocate(1 << 20);
  std::vector<std::byte> data = randomBytes(1 << 20);
  const char *call = GetParam().cuda ? "cuMemHostAlloc" : "hipHostMalloc";
  fake->failCall(call, 1, 2);
  fake->failCall(call, 1, 2);
  EXPECT_NE(run([&](Issuer &s) { return s.copy(flat(*memory, 0, 1 << 20), flatHost(data.data(), 1 << 20)); }),
            CL_SUCCESS);
  write(*memory, data);
  EXPECT_EQ(read(*memory, 1 << 20), data);
}

// A kernel writes to an invalid address: every later driver call returns that error.
TEST_P(GpuFailure, BrokenDeviceFailsEverything) {
  Function *function = countKernel();
  ASSERT_NE(function, nullptr);
  auto memory = allocate(100'000);
  fake->hold(true);
  std::vector<std::shared_ptr<TestOperation>> before;
  const std::byte zero[4]{};
  for (int i = 0; i < 10; ++i)
    before.push_back(submit([&](Issuer &s) { return s.fill(flat(*memory, 0, 200), zero); }));
  fake->breakDevice(700);
  fake->hold(false);
  for (auto &operation : before) {
    operation->progressUntil(*stream);
    EXPECT_EQ(operation->code(), CL_OUT_OF_RESOURCES);
  }
  Outcome outcome = scenario(function, *memory, TestOperation::Plain);
  EXPECT_EQ(outcome.codes, std::vector<cl_int>(4, CL_OUT_OF_RESOURCES));
  auto flushed = submit([](Issuer &) -> Status { return {}; });
  stream->flush();
  flushed->sleep();
  EXPECT_EQ(flushed->code(), CL_OUT_OF_RESOURCES);
  EXPECT_FALSE(device->allocate(1000).ok());
  EXPECT_FALSE(device->createStream().ok());
  EXPECT_FALSE(stream->recordFence().ok());
}

// The device is lost in each driver call of a few commands in turn, and every later call returns the same error. Every
// operation ends, no later one succeeds, the other device goes on, and everything can be destroyed.
TEST_P(GpuFailure, LostInAnyCall) {
  RecordProperty("features", "EXEC-3.2f");
  const std::vector<int> codes =
      GetParam().cuda ? std::vector{46, 214, 226, 700, 719, 721} : std::vector{214, 700, 719};
  size_t next = 0;
  for (unsigned flags : {TestOperation::Plain, TestOperation::Timed, TestOperation::Unwatched}) {
    bool lost = true;
    for (unsigned nth = 1; lost; ++nth) {
      SCOPED_TRACE("flags " + std::to_string(flags) + ", call " + std::to_string(nth));
      closeDevices();
      fake->mend();
      fake->reset();
      openDevices();
      Function *function = countKernel();
      ASSERT_NE(function, nullptr);
      auto memory = allocate(100'000);
      fake->loseDevice("", nth, codes[next++ % codes.size()]);
      (void)scenario(function, *memory, flags);
      lost = !device->isAvailable();
      const Outcome after = scenario(function, *memory, flags);
      if (!lost) { // the scenario has fewer calls
        EXPECT_GT(nth, 10u);
        break;
      }
      EXPECT_EQ(after.codes, std::vector<cl_int>(4, CL_OUT_OF_RESOURCES));
      EXPECT_FALSE(device->allocate(1000).ok());
      EXPECT_FALSE(device->createStream().ok());

      ASSERT_GE(devices.size(), 2u);
      EXPECT_TRUE(devices[1]->isAvailable());
      Result<std::unique_ptr<Memory>> others = devices[1]->allocate(1000);
      ASSERT_TRUE(others.ok()) << others.message();
      Result<std::unique_ptr<Stream>> otherStream = devices[1]->createStream();
      ASSERT_TRUE(otherStream.ok()) << otherStream.message();
      const std::vector<std::byte> data = randomBytes(1000);
      std::vector<std::byte> result(1000);
      EXPECT_EQ(
          run(**otherStream, [&](Issuer &s) { return s.copy(flat(**others, 0, 1000), flatHost(data.data(), 1000)); }),
          CL_SUCCESS);
      EXPECT_EQ(
          run(**otherStream, [&](Issuer &s) { return s.copy(flatHost(result.data(), 1000), flat(**others, 0, 1000)); }),
          CL_SUCCESS);
      EXPECT_EQ(data, result);
    }
  }
}

// What a lost device had not run is gone with its memory when the driver is reset.
TEST_P(GpuFailure, ResettingTheDriverDropsWork) {
  Function *function = countKernel();
  ASSERT_NE(function, nullptr);
  auto memory = allocate(200);
  std::atomic<unsigned> ran{0};
  fake->kernel("count", [&](const fake::Launch &) { ++ran; });
  fake->hold(true);
  uint64_t address = memory->address;
  Launch launch = countLaunch(address, {50, 1, 1}, {50, 1, 1});
  launch.function = function;
  auto held = submit([&](Issuer &s) { return s.launch(launch); });
  fake->loseDevice("", 1, 700);
  EXPECT_FALSE(device->allocate(1 << 20).ok());
  held->progressUntil(*stream);
  memory.reset();
  closeDevices();
  fake->mend();
  openDevices();
  fake->hold(false);
  auto other = allocate(200);
  const std::byte zero[1]{};
  EXPECT_EQ(run([&](Issuer &s) { return s.fill(flat(*other, 0, 200), zero); }), CL_SUCCESS);
  EXPECT_EQ(ran, 0u);
  fake->kernel("count", nullptr);
}

// A copy from a lost device to another one fails, and does not lose the other one.
TEST_P(GpuFailure, CopyFromLostDeviceLosesOnlyThat) {
  for (bool noticed : {false, true}) {
    closeDevices();
    fake->mend();
    fake->reset();
    openDevices();
    ASSERT_GE(devices.size(), 2u);
    auto from = allocate(1000);
    Result<std::unique_ptr<Memory>> to = devices[1]->allocate(1000);
    ASSERT_TRUE(to.ok()) << to.message();
    Result<std::unique_ptr<Stream>> other = devices[1]->createStream();
    ASSERT_TRUE(other.ok()) << other.message();
    const std::byte zero[1]{};
    auto fill = [&](Issuer &s, Memory &memory) { return s.fill(flat(memory, 0, 1000), zero); };
    fake->breakDevice(700);
    auto broken = submit([&](Issuer &s) { return fill(s, *from); });
    if (noticed)
      broken->progressUntil(*stream);
    else
      while (!fake->isBroken(0))
        cpuRelax();
    EXPECT_EQ(run(**other, [&](Issuer &s) { return s.copy(flat(**to, 0, 1000), flat(*from, 0, 1000)); }),
              CL_OUT_OF_RESOURCES);
    broken->progressUntil(*stream);
    EXPECT_EQ(broken->code(), CL_OUT_OF_RESOURCES);
    EXPECT_FALSE(device->isAvailable());
    EXPECT_TRUE(devices[1]->isAvailable());
    EXPECT_EQ(run(**other, [&](Issuer &s) { return fill(s, **to); }), CL_SUCCESS);
  }
}

// A failing operation may share its driver event with earlier ones, but not its failure.
TEST_P(GpuFailure, FailureDoesNotSpreadInABatch) {
  auto memory = allocate(1000);
  const std::byte one[1]{};
  auto fill = [&](Issuer &s) { return s.fill(flat(*memory, 0, 1000), one); };
  auto before = submit(fill, TestOperation::Unwatched);
  auto failing = submit([](Issuer &) { return fail(CL_INVALID_VALUE, "on purpose"); }, TestOperation::Unwatched);
  auto after = submit(fill, TestOperation::Unwatched);
  for (auto &operation : {before, failing, after})
    operation->progressUntil(*stream);
  EXPECT_EQ(before->code(), CL_SUCCESS);
  EXPECT_EQ(failing->code(), CL_INVALID_VALUE);
  EXPECT_EQ(after->code(), CL_SUCCESS);
}

// The driver's threads do not exist in the child. Calls for the parent's devices fail there at once, and the child
// finds no devices.
TEST_P(GpuFailure, ChildOfAForkHasNoDevices) {
  auto memory = allocate(1000);
  const std::byte one[1]{};
  EXPECT_EQ(run([&](Issuer &s) { return s.fill(flat(*memory, 0, 1000), one); }), CL_SUCCESS);
  pid_t child = fork();
  if (child == 0) {
    auto operation = submit([&](Issuer &s) { return s.fill(flat(*memory, 0, 1000), one); });
    stream->flush();
    if (!operation->done() || operation->code() != CL_OUT_OF_RESOURCES)
      _exit(1);
    if (run([](Issuer &) -> Status { return {}; }) != CL_OUT_OF_RESOURCES)
      _exit(2);
    if (device->allocate(1000).ok() || stream->recordFence().ok())
      _exit(3);
    if (!discover().empty())
      _exit(4);
    memory.reset();
    stream.reset();
    devices.clear();
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(run([&](Issuer &s) { return s.fill(flat(*memory, 0, 1000), one); }), CL_SUCCESS)
      << "the parent device still works";
}

} // namespace kiln
