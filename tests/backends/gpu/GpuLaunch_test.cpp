// How an NDRange is split into launches of the driver. On a real CUDA device the kernel runs; for a real HIP device
// there is no code.
#include "tests/backends/cuda/FakeMachineCode.h"
#include "tests/backends/gpu/GpuTest.h"
#include <chrono>
#include <cstring>
#include <thread>

namespace kiln {

class GpuLaunch : public GpuTest {
protected:
  void SetUp() override {
    if (!GetParam().fake && !GetParam().cuda)
      GTEST_SKIP() << "no code for this architecture here; tests/backends/suite compiles its own";
    GpuTest::SetUp();
  }
  /// Runs `count` and expects every work-item to have run once.
  void expectOnce(std::array<uint64_t, 3> global, std::array<uint64_t, 3> local, std::array<uint64_t, 3> offset = {}) {
    uint64_t items = global[0] * global[1] * global[2];
    auto memory = allocate(items * 4);
    const std::byte zero[4]{};
    uint64_t address = memory->address;
    Launch launch = countLaunch(address, global, local);
    launch.globalOffset = offset;
    launch.function = function;
    ASSERT_EQ(run([&](Issuer &s) -> Status {
                KILN_TRY(s.fill(flat(*memory, 0, items * 4), zero));
                return s.launch(launch);
              }),
              CL_SUCCESS);
    std::vector<std::byte> counters = read(*memory, items * 4);
    for (uint64_t i = 0; i < items; ++i) {
      uint32_t count;
      std::memcpy(&count, counters.data() + i * 4, 4);
      ASSERT_EQ(count, 1u) << "work-item " << i;
    }
  }
  Function *function = nullptr;
};
ON_ALL(GpuLaunch);

TEST_P(GpuLaunch, EveryItemRunsOnce) {
  function = countKernel();
  ASSERT_NE(function, nullptr);
  expectOnce({1, 1, 1}, {1, 1, 1});
  expectOnce({1024, 1, 1}, {256, 1, 1});
  expectOnce({1000, 1, 1}, {256, 1, 1}); // a remainder
  expectOnce({10, 1, 1}, {64, 1, 1});    // only a remainder
  expectOnce({33, 17, 9}, {8, 4, 2});    // remainders in all three: eight launches
  expectOnce({32, 17, 8}, {8, 4, 2});
  expectOnce({100, 3, 1}, {32, 1, 1}, {7, 1, 1000});
}

TEST_P(GpuLaunch, MoreGroupsThanTheGridHas) {
  function = countKernel();
  ASSERT_NE(function, nullptr);
  expectOnce({1, 140'001, 1}, {1, 2, 1}); // 70,000 groups and a remainder; the grid has 65,535
  expectOnce({2, 1, 131'072}, {1, 1, 1});
}

TEST_P(GpuLaunch, LaunchesBeyondTheLimits) {
  function = countKernel();
  ASSERT_NE(function, nullptr);
  uint64_t address = 0;
  auto code = [&](const Launch &asked) {
    Launch launch = asked;
    launch.function = function;
    return run([&](Issuer &s) { return s.launch(launch); });
  };
  EXPECT_EQ(code(countLaunch(address, {2048, 1, 1}, {2048, 1, 1})), CL_OUT_OF_RESOURCES) << "items of a group";
  EXPECT_EQ(code(countLaunch(address, {1, 1, 128}, {1, 1, 128})), CL_OUT_OF_RESOURCES) << "in dimension 2";
  EXPECT_EQ(code(countLaunch(address, {1, 1ull << 62, 1}, {1, 1, 1})), CL_OUT_OF_RESOURCES) << "groups";
  EXPECT_EQ(code(countLaunch(address, {UINT64_MAX, 1, 1}, {1, 1, 1})), CL_OUT_OF_RESOURCES) << "groups, rounded up";
  Launch launch = countLaunch(address, {1, 1, 1}, {1, 1, 1});
  launch.localBytes = 1 << 20;
  EXPECT_EQ(code(launch), CL_OUT_OF_RESOURCES) << "local memory";
  launch = countLaunch(address, {1, 1, 1}, {1, 1, 1});
  std::vector<std::byte> arguments(40000);
  launch.arguments = arguments.data();
  launch.argumentBytes = arguments.size();
  EXPECT_EQ(code(launch), CL_OUT_OF_RESOURCES) << "arguments";
}

TEST_P(GpuLaunch, ParametersAndLocalMemory) {
  if (!fake)
    GTEST_SKIP() << "needs the fake driver, which records calls";
  function = countKernel();
  ASSERT_NE(function, nullptr);
  fake->kernel("count", nullptr);
  plan.staticLocalBytes = 200; // uses 256
  const char arguments[11] = "0123456789";
  uint64_t unused = 0;
  Launch launch = countLaunch(unused, {100, 6, 1}, {32, 2, 1});
  launch.globalOffset = {5, 6, 7};
  launch.workDim = 2;
  launch.arguments = arguments;
  launch.argumentBytes = sizeof arguments;
  launch.localBytes = 1000;
  launch.function = function;
  EXPECT_EQ(run([&](Issuer &s) { return s.launch(launch); }), CL_SUCCESS);
  std::vector<fake::Launch> launches = fake->launches();
  ASSERT_EQ(launches.size(), 2u);
  for (const fake::Launch &one : launches) {
    EXPECT_EQ(one.localBytes, 1000u - 256u);
    ASSERT_EQ(one.parameters.size(), 16 + sizeof(abi::GpuLaunch)) << "the arguments are padded to 8";
    EXPECT_EQ(std::memcmp(one.parameters.data(), arguments, sizeof arguments), 0);
  }
  abi::GpuLaunch block;
  std::memcpy(&block, launches[1].parameters.data() + 16, sizeof block);
  EXPECT_EQ(launches[1].grid[0], 1u);
  EXPECT_EQ(launches[1].grid[1], 3u);
  EXPECT_EQ(launches[1].block[0], 4u) << "the rest";
  EXPECT_EQ(block.globalSize[0], 100u);
  EXPECT_EQ(block.globalOffset[1], 6u);
  EXPECT_EQ(block.localSize[0], 32u) << "as enqueued";
  EXPECT_EQ(block.numGroups[0], 4u) << "of the whole ND-range";
  EXPECT_EQ(block.firstGroup[0], 3u);
  EXPECT_EQ(block.firstItem[0], 5 + 96u);
  EXPECT_EQ(block.firstItem[1], 6u);
  EXPECT_EQ(block.workDim, 2u);
}

// A function that is often launched on a stream has a graph there. Each start of it has its own sizes and arguments.
class GpuLaunchGraphs : public GpuLaunch {
protected:
  static constexpr unsigned Direct = 16; // launches before there is a graph
  void SetUp() override {
    if (!GetParam().cuda)
      GTEST_SKIP() << "graphs of other vendors are not used";
    GpuLaunch::SetUp();
    if (IsSkipped())
      return;
    function = countKernel();
    ASSERT_NE(function, nullptr);
  }
  void launchTimes(unsigned times) {
    for (unsigned i = 0; i < times; ++i)
      expectOnce({32 + 32 * i, 1, 1}, {32, 1, 1}, {i, 0, 0});
  }
  unsigned calls(const char *name) { return fake ? fake->calls(name) : 0; }
};
ON_ALL(GpuLaunchGraphs);

TEST_P(GpuLaunchGraphs, AfterSomeLaunches) {
  launchTimes(Direct + 5);
  if (!fake)
    return;
  EXPECT_EQ(calls("cuLaunchKernel"), Direct);
  EXPECT_EQ(calls("cuGraphLaunch"), 5u);
  EXPECT_EQ(calls("cuGraphCreate"), 1u);
  EXPECT_EQ(calls("cuGraphExecKernelNodeSetParams_v2"), 4u);
  closeDevices();
  EXPECT_EQ(calls("cuGraphDestroy"), 1u);
  EXPECT_EQ(calls("cuGraphExecDestroy"), 1u);
}

TEST_P(GpuLaunchGraphs, EachStreamHasItsOwn) {
  launchTimes(Direct + 1);
  std::unique_ptr<Stream> first = std::move(stream);
  stream = std::move(*device->createStream({}));
  launchTimes(Direct + 1);
  std::swap(first, stream);
  launchTimes(1);
  EXPECT_EQ(calls("cuGraphCreate"), fake ? 2u : 0u);
  first.reset();
}

TEST_P(GpuLaunchGraphs, EightStreamsHaveAGraph) {
  std::vector<std::unique_ptr<Stream>> others;
  for (unsigned i = 0; i < 10; ++i) {
    others.push_back(std::exchange(stream, std::move(*device->createStream({}))));
    launchTimes(Direct + 1);
  }
  EXPECT_EQ(calls("cuGraphCreate"), fake ? 8u : 0u);
  EXPECT_EQ(calls("cuLaunchKernel"), fake ? 10 * Direct + 2 : 0u);
}

TEST_P(GpuLaunchGraphs, UnchangedLaunchesAreNotSetAgain) {
  if (!fake)
    GTEST_SKIP() << "needs the fake driver, which counts calls";
  auto memory = allocate(1024);
  uint64_t address = memory->address;
  Launch launch = countLaunch(address, {64, 1, 1}, {64, 1, 1});
  launch.function = function;
  const auto launchOnce = [&] { EXPECT_EQ(run([&](Issuer &s) { return s.launch(launch); }), CL_SUCCESS); };
  for (unsigned i = 0; i < Direct + 1; ++i)
    launchOnce();
  const auto changes = [&](auto change) {
    const unsigned before = calls("cuGraphExecKernelNodeSetParams_v2");
    change();
    launchOnce();
    return calls("cuGraphExecKernelNodeSetParams_v2") - before;
  };
  EXPECT_EQ(changes([] {}), 0u);
  EXPECT_EQ(changes([&] { launch.globalOffset = {1, 0, 0}; }), 1u);
  EXPECT_EQ(changes([] {}), 0u);
  EXPECT_EQ(changes([&] { launch.globalSize = {128, 1, 1}; }), 1u);
  EXPECT_EQ(changes([&] { launch.localSize = {32, 1, 1}; }), 1u);
  EXPECT_EQ(changes([&] { launch.localBytes = 64; }), 1u);
  EXPECT_EQ(changes([] {}), 0u);
  EXPECT_EQ(fake->launches().back().localBytes, 64u);
}

// The time would include the start of the graph.
TEST_P(GpuLaunchGraphs, TimedLaunchesAreDirect) {
  if (!fake)
    GTEST_SKIP() << "needs the fake driver, which counts calls";
  auto memory = allocate(256);
  uint64_t address = memory->address;
  Launch launch = countLaunch(address, {64, 1, 1}, {64, 1, 1});
  launch.function = function;
  for (unsigned i = 0; i < Direct + 5; ++i)
    submit([&](Issuer &s) { return s.launch(launch); }, TestOperation::Timed)->progressUntil(*stream);
  EXPECT_EQ(calls("cuLaunchKernel"), Direct + 5);
  EXPECT_EQ(calls("cuGraphCreate"), 0u);
}

TEST_P(GpuLaunchGraphs, WithoutAGraphLaunchesAreDirect) {
  if (!fake)
    GTEST_SKIP() << "needs the fake driver, whose calls fail on request";
  for (const char *call : {"cuGraphCreate", "cuGraphAddKernelNode_v2", "cuGraphInstantiateWithFlags"}) {
    fake->reset();
    fake->failCall(call, 1, 801);
    launchTimes(Direct + 3);
    EXPECT_EQ(calls("cuLaunchKernel"), Direct + 3) << call;
    EXPECT_EQ(calls("cuGraphDestroy"), call == std::string("cuGraphCreate") ? 0u : 1u);
    function = countKernel(); // with no graph yet
  }
  fake->reset();
  fake->failCall("cuGraphExecKernelNodeSetParams_v2", 2, 1);
  launchTimes(Direct + 6);
  EXPECT_EQ(calls("cuGraphLaunch"), 2u);
  EXPECT_EQ(calls("cuLaunchKernel"), Direct + 4);
  EXPECT_EQ(calls("cuGraphExecDestroy"), 1u);
}

// Launches of a busy stream are kept back and issued together as graphs.
class GpuLaunchChain : public GpuLaunchGraphs {
protected:
  /// Submits launches without waiting. The i-th one has the global offset i.
  void submitTimes(unsigned times, unsigned flags = TestOperation::Unwatched) {
    for (unsigned i = 0; i < times; ++i)
      submitted.push_back(submit([this, i](Issuer &s) { return s.launch(launchOf(i)); }, flags));
  }
  Launch launchOf(unsigned i) {
    Launch launch = countLaunch(address, {64, 1, 1}, {64, 1, 1});
    launch.globalOffset = {i, 0, 0};
    launch.function = function;
    return launch;
  }
  void SetUp() override {
    GpuLaunchGraphs::SetUp();
    if (IsSkipped())
      return;
    counters = allocate(256);
    address = counters->address;
    write(*counters, std::vector<std::byte>(256));
    if (fake)
      fake->reset();
  }
  void TearDown() override {
    counters.reset();
    GpuLaunchGraphs::TearDown();
  }
  void finish() {
    for (const auto &operation : submitted) {
      operation->progressUntil(*stream);
      EXPECT_EQ(operation->code(), CL_SUCCESS);
    }
  }
  void expectCounts(uint32_t expected) {
    std::vector<std::byte> bytes = read(*counters, 256);
    for (size_t i = 0; i < 64; ++i) {
      uint32_t count;
      std::memcpy(&count, bytes.data() + i * 4, 4);
      ASSERT_EQ(count, expected) << "work-item " << i;
    }
  }
  /// Waits until that many launches have been issued to the driver.
  bool areIssued(size_t count) {
    for (int i = 0; i < 5000 && fake->launches().size() < count; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return fake->launches().size() == count;
  }

  std::unique_ptr<Memory> counters;
  uint64_t address = 0;
  std::vector<std::shared_ptr<TestOperation>> submitted;
};
ON_ALL(GpuLaunchChain);

TEST_P(GpuLaunchChain, RunsInOrderWithFewStarts) {
  constexpr unsigned Times = 1000;
  submitTimes(Times);
  finish();
  expectCounts(Times);
  if (!fake)
    return;
  std::vector<fake::Launch> launches = fake->launches();
  ASSERT_EQ(launches.size(), Times);
  for (unsigned i = 0; i < Times; ++i) {
    abi::GpuLaunch block;
    std::memcpy(&block, launches[i].parameters.data() + 8, sizeof block);
    ASSERT_EQ(block.globalOffset[0], i);
  }
  EXPECT_LE(calls("cuLaunchKernel") + calls("cuGraphLaunch"), Times / 4);
  counters.reset();
  closeDevices();
  EXPECT_EQ(calls("cuGraphDestroy"), calls("cuGraphCreate"));
  EXPECT_EQ(calls("cuGraphExecDestroy"), calls("cuGraphInstantiateWithFlags"));
}

TEST_P(GpuLaunchChain, AFlushIssuesIt) {
  if (!fake)
    GTEST_SKIP() << "needs the fake driver, which records calls";
  fake->hold(true);
  submitTimes(2);
  EXPECT_EQ(fake->launches().size(), 1u) << "the first does not wait";
  stream->flush();
  EXPECT_EQ(fake->launches().size(), 2u);
  fake->hold(false);
  finish();
}

TEST_P(GpuLaunchChain, IsIssuedWithoutAFlush) {
  if (!fake)
    GTEST_SKIP() << "needs the fake driver, which records calls";
  fake->hold(true);
  submitTimes(2);
  stream->flushLazily(); // as the runtime does after some enqueues; the poller goes on
  EXPECT_TRUE(areIssued(2));
  fake->hold(false);
  finish();
}

// All other work is issued after the chain.
TEST_P(GpuLaunchChain, KeepsTheOrderOfOtherWork) {
  std::unique_ptr<Stream> other = std::move(*device->createStream({}));
  const std::byte zero[4]{};
  std::vector<std::byte> result(256);
  submitTimes(3);
  submitted.push_back(
      submit([&](Issuer &s) { return s.fill(flat(*counters, 0, 256), zero); }, TestOperation::Unwatched));
  submitTimes(5);
  Result<std::shared_ptr<Fence>> fence = stream->recordFence();
  ASSERT_TRUE(fence.ok());
  auto copy = TestOperation::submit(*other, [&](Issuer &s) -> Status {
    KILN_TRY(s.waitFence(**fence));
    return s.copy(flatHost(result.data(), 256), flat(*counters, 0, 256));
  });
  copy->progressUntil(*other);
  for (size_t i = 0; i < 64; ++i) {
    uint32_t count;
    std::memcpy(&count, result.data() + i * 4, 4);
    ASSERT_EQ(count, 5u);
  }
  submitTimes(2);
  submitTimes(1, TestOperation::Timed);
  finish();
  expectCounts(8);
}

TEST_P(GpuLaunchChain, UnloadedCodeIsInNoGraph) {
  for (unsigned round = 0; round < 3; ++round) {
    submitTimes(100);
    finish();
    submitted.clear();
    const unsigned graphs = calls("cuGraphCreate");
    function = countKernel(); // unloads the code before
    EXPECT_EQ(calls("cuGraphDestroy"), graphs);
  }
  expectCounts(300);
}

// The commands of a chain that cannot be started fail, and later ones do not.
TEST_P(GpuLaunchChain, FailuresAreReported) {
  if (!fake)
    GTEST_SKIP() << "needs the fake driver, whose calls fail on request";
  submitTimes(200); // there are graphs
  finish();
  submitted.clear();
  fake->failCall("cuGraphLaunch", 2, 701);
  fake->hold(true);
  submitTimes(3);
  fake->hold(false);
  unsigned failed = 0;
  for (const auto &operation : submitted) {
    operation->progressUntil(*stream);
    failed += operation->code() != CL_SUCCESS;
  }
  EXPECT_GE(failed, 2u);
  submitted.clear();
  submitTimes(100);
  finish();
}

// The poller issues the chain, and closes the batch of earlier launches, while an operation is being issued.
TEST_P(GpuLaunchChain, AFailureReachesTheOperationThatIsBeingIssued) {
  if (!fake)
    GTEST_SKIP() << "needs the fake driver, whose calls fail on request";
  fake->hold(true);
  submitTimes(1);
  fake->failCall("cuLaunchKernel", 1, 701);
  const auto failing = submit(
      [&](Issuer &s) -> Status {
        KILN_TRY(s.launch(launchOf(1)));
        stream->flushLazily();
        for (int i = 0; i < 5000 && !calls("cuStreamWriteValue32_v2"); ++i)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return {};
      },
      TestOperation::Unwatched);
  EXPECT_EQ(calls("cuStreamWriteValue32_v2"), 1u) << "the earlier batch is closed";
  EXPECT_EQ(fake->launches().size(), 1u) << "the second launch has failed";
  fake->hold(false);
  failing->progressUntil(*stream);
  EXPECT_EQ(failing->code(), CL_OUT_OF_RESOURCES);
}

TEST_P(GpuLaunchChain, ALostDeviceFailsIt) {
  if (!fake)
    GTEST_SKIP() << "needs the fake driver, whose devices get lost on request";
  submitTimes(200);
  finish();
  submitted.clear();
  fake->loseDevice("cuGraphExecKernelNodeSetParams_v2", 5, 719);
  submitTimes(200);
  cl_int last = CL_SUCCESS;
  for (const auto &operation : submitted) {
    operation->progressUntil(*stream);
    last = operation->code();
  }
  EXPECT_EQ(last, CL_OUT_OF_RESOURCES);
}

// Functions whose registers have no room for a large group: the code is assembled again for such launches.
class GpuLargeGroups : public GpuLaunchChain {
protected:
  void SetUp() override {
    GpuLaunchChain::SetUp();
    if (IsSkipped())
      return;
    if (fake)
      fake->limitThreads(256);
    function = countKernel();
    ASSERT_NE(function, nullptr);
    if (fake)
      fake->reset();
  }
  /// A launch of one group of 1024 work-items, with the address of their counters.
  Launch largeLaunch(uint64_t &large) {
    Launch launch = countLaunch(large, {1024, 1, 1}, {1024, 1, 1});
    launch.function = function;
    return launch;
  }
  unsigned loads() { return calls("cuModuleLoadDataEx"); }
};
ON_ALL(GpuLargeGroups);

TEST_P(GpuLargeGroups, TheFirstLaunchLoadsTheCodeAgain) {
  expectOnce({1000, 1, 1}, {256, 1, 1});
  EXPECT_EQ(loads(), 0u);
  expectOnce({2048, 1, 1}, {1024, 1, 1});
  expectOnce({100, 30, 1}, {30, 30, 1});
  expectOnce({1000, 1, 1}, {256, 1, 1});
  EXPECT_EQ(loads(), fake ? 1u : 0u);
  counters.reset();
  closeDevices();
  EXPECT_EQ(calls("cuModuleUnload"), fake ? 2u : 0u);
}

// Each version has its graphs.
TEST_P(GpuLargeGroups, InGraphs) {
  for (unsigned i = 0; i < Direct + 5; ++i) {
    expectOnce({512, 1, 1}, {512, 1, 1}, {i, 0, 0});
    expectOnce({512, 1, 1}, {128, 1, 1}, {i, 0, 0});
  }
  EXPECT_EQ(calls("cuGraphLaunch"), fake ? 10u : 0u);
  EXPECT_EQ(calls("cuGraphCreate"), fake ? 2u : 0u);
  counters.reset();
  closeDevices();
  EXPECT_EQ(calls("cuGraphDestroy"), fake ? 2u : 0u);
  EXPECT_EQ(calls("cuGraphExecDestroy"), fake ? 2u : 0u);
  EXPECT_EQ(calls("cuModuleUnload"), fake ? 2u : 0u);
}

TEST_P(GpuLargeGroups, InChains) {
  auto memory = allocate(4096);
  write(*memory, std::vector<std::byte>(4096));
  uint64_t large = memory->address;
  constexpr unsigned Times = 200;
  for (unsigned i = 0; i < Times; ++i) {
    submitTimes(1);
    submitted.push_back(submit([&](Issuer &s) { return s.launch(largeLaunch(large)); }, TestOperation::Unwatched));
  }
  finish();
  expectCounts(Times);
  const std::vector<std::byte> bytes = read(*memory, 4096);
  for (size_t i = 0; i < 1024; ++i) {
    uint32_t count;
    std::memcpy(&count, bytes.data() + i * 4, 4);
    ASSERT_EQ(count, Times) << "work-item " << i;
  }
  EXPECT_EQ(loads(), fake ? 1u : 0u);
  const unsigned graphs = calls("cuGraphCreate");
  function = countKernel(); // unloads both versions
  EXPECT_EQ(calls("cuGraphDestroy"), graphs);
  EXPECT_EQ(calls("cuModuleUnload"), fake ? 2u : 0u);
}

// The command fails with the driver's error, others do not, and the next one tries again.
TEST_P(GpuLargeGroups, ALoadThatFails) {
  if (!fake)
    GTEST_SKIP() << "needs the fake driver, whose calls fail on request";
  auto memory = allocate(4096);
  uint64_t large = memory->address;
  const auto largeCode = [&] { return run([&](Issuer &s) { return s.launch(largeLaunch(large)); }); };
  const std::pair<const char *, cl_int> failures[] = {{"cuModuleLoadDataEx", CL_MEM_OBJECT_ALLOCATION_FAILURE},
                                                      {"cuModuleGetFunction", CL_INVALID_PROGRAM_EXECUTABLE},
                                                      {"cuFuncGetAttribute", CL_MEM_OBJECT_ALLOCATION_FAILURE}};
  for (auto [call, code] : failures) {
    fake->failCall(call, 1, gpu::Driver::OutOfMemory);
    EXPECT_EQ(largeCode(), code) << call;
    EXPECT_EQ(run([&](Issuer &s) { return s.launch(launchOf(0)); }), CL_SUCCESS);
  }
  EXPECT_EQ(largeCode(), CL_SUCCESS);
  EXPECT_EQ(loads(), 2u);
  EXPECT_EQ(fake->launches().back().block[0], 1024u);
}

// The code is kept: it may leave Kiln's cache while the program runs. What a compiler process makes of it is loaded; if
// there is nothing, the driver assembles the code.
TEST_P(GpuLargeGroups, WithMachineCode) {
  if (!fake)
    GTEST_SKIP() << "needs the fake driver, whose machine code is text";
  const std::string machineCode = std::string(fake::MachineCode) + countPtx() + "\n";
  const std::string large = machineCode + "// --maxrregcount=64\n";
  const File file(machineCode);
  KernelInfo kernel;
  kernel.name = kernel.entry = "count";
  std::function<Result<wire::Bytes>()> assemble = [] { return wire::Bytes(); };
  auto load = [&](bool assembles) {
    auto ptx = std::make_unique<File>(countPtx());
    CodePaths paths{ptx->path(), file.path()};
    if (assembles)
      paths.assembleForLargestGroups = [&](std::string_view code) {
        EXPECT_EQ(code, countPtx());
        return assemble();
      };
    std::string log;
    Result<std::unique_ptr<Code>> code = device->load(paths, {}, log);
    EXPECT_TRUE(code.ok()) << code.message();
    Result<Function *> found = (*code)->function(kernel);
    EXPECT_TRUE(found.ok()) << found.message();
    function = *found;
    return std::move(*code);
  };
  auto expectMachineCode = [&](unsigned modules) {
    EXPECT_EQ(fake->calls("machine code"), modules);
    fake->reset();
  };
  fake->reset();
  for (bool assembles : {false, true}) {
    std::unique_ptr<Code> code = load(assembles);
    expectOnce({1024, 1, 1}, {1024, 1, 1});
    expectOnce({1024, 1, 1}, {64, 1, 1});
    expectMachineCode(1);
  }
  std::unique_ptr<Code> code = load(true);
  assemble = [] { return fail(CL_BUILD_PROGRAM_FAILURE, "the assembler crashed"); };
  uint64_t address = 0;
  EXPECT_EQ(run([&](Issuer &s) { return s.launch(largeLaunch(address)); }), CL_BUILD_PROGRAM_FAILURE);
  assemble = [&] { return wire::Bytes(large.begin(), large.end()); };
  expectOnce({1024, 1, 1}, {1024, 1, 1});
  expectMachineCode(2);

  std::string log;
  Result<std::unique_ptr<Code>> withoutCode = device->load({"/nowhere/at/all", file.path()}, {}, log);
  ASSERT_TRUE(withoutCode.ok()) << withoutCode.message();
  EXPECT_EQ((*withoutCode)->function(kernel).code(), CL_OUT_OF_RESOURCES);
  kernel.requiredLocalSize = {16, 16, 1};
  EXPECT_TRUE((*withoutCode)->function(kernel).ok()) << "there are no larger groups";
}

// AMD's driver has no assembler: the compiler's code has room for every group, or the launch fails.
TEST_P(GpuLaunch, GroupsThatDoNotFit) {
  if (!fake || GetParam().cuda)
    GTEST_SKIP() << "needs the fake of a driver without assembler";
  fake->limitThreads(256);
  function = countKernel();
  ASSERT_NE(function, nullptr);
  uint64_t address = 0;
  Launch launch = countLaunch(address, {1024, 1, 1}, {1024, 1, 1});
  launch.function = function;
  EXPECT_EQ(run([&](Issuer &s) { return s.launch(launch); }), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(fake->calls("hipModuleLaunchKernel"), 0u);
}

// In rounded dimensions one launch has whole groups, and says how many of their work-items there are.
TEST_P(GpuLaunch, RoundsUpWhereTheKernelAllowsIt) {
  if (!fake)
    GTEST_SKIP() << "needs the fake driver, which records calls";
  function = countKernel();
  ASSERT_NE(function, nullptr);
  fake->kernel("count", nullptr);
  plan.roundedDims = 5;
  uint64_t unused = 0;
  Launch launch = countLaunch(unused, {100, 7, 3}, {32, 2, 2});
  launch.function = function;
  EXPECT_EQ(run([&](Issuer &s) { return s.launch(launch); }), CL_SUCCESS);
  std::vector<fake::Launch> launches = fake->launches();
  ASSERT_EQ(launches.size(), 2u) << "only dimension 1 is split";
  for (size_t i = 0; i < 2; ++i) {
    abi::GpuLaunch block;
    std::memcpy(&block, launches[i].parameters.data() + 8, sizeof block);
    EXPECT_EQ(launches[i].grid[0], 4u);
    EXPECT_EQ(launches[i].grid[1], i ? 1u : 3u);
    EXPECT_EQ(launches[i].grid[2], 2u);
    EXPECT_EQ(block.items[0], 100u);
    EXPECT_EQ(block.items[1], i ? 1u : 6u);
    EXPECT_EQ(block.items[2], 3u);
    EXPECT_EQ(block.numGroups[1], 4u);
  }
}

// The index of a work-item in a rounded launch has 32 bits.
TEST_P(GpuLaunch, RoundedLaunchesCountIn32Bits) {
  if (!fake)
    GTEST_SKIP() << "takes long on a real device";
  function = countKernel();
  ASSERT_NE(function, nullptr);
  fake->kernel("count", nullptr);
  plan.roundedDims = 1;
  uint64_t address = 0, items = 0;
  Launch launch = countLaunch(address, {(1ull << 33) + 5, 1, 1}, {96, 1, 1});
  launch.function = function;
  EXPECT_EQ(run([&](Issuer &s) { return s.launch(launch); }), CL_SUCCESS);
  for (const fake::Launch &one : fake->launches()) {
    abi::GpuLaunch block;
    std::memcpy(&block, one.parameters.data() + 8, sizeof block);
    EXPECT_EQ(block.firstItem[0], items);
    EXPECT_LE(uint64_t(one.grid[0]) * one.block[0], UINT32_MAX);
    EXPECT_LE(block.items[0], uint64_t(one.grid[0]) * one.block[0]);
    items += block.items[0];
  }
  EXPECT_EQ(items, (1ull << 33) + 5);
}

// One vendor's grid counts work-items, in 32 bits.
TEST_P(GpuLaunch, MoreItemsThanTheGridCounts) {
  if (!fake)
    GTEST_SKIP() << "takes long on a real device";
  function = countKernel();
  ASSERT_NE(function, nullptr);
  fake->kernel("count", nullptr);
  uint64_t address = 0;
  Launch launch = countLaunch(address, {(1ull << 33) + 5, 1, 1}, {64, 1, 1});
  launch.function = function;
  EXPECT_EQ(run([&](Issuer &s) { return s.launch(launch); }), CL_SUCCESS);
  uint64_t items = 0;
  for (const fake::Launch &one : fake->launches())
    items += uint64_t(one.grid[0]) * one.block[0];
  EXPECT_EQ(items, (1ull << 33) + 5);
}

TEST_P(GpuLaunch, BadCodeSaysWhy) {
  std::string log;
  File garbage("this is no code");
  Result<std::unique_ptr<Code>> code = device->load({garbage.path()}, {}, log);
  EXPECT_FALSE(code.ok());
  EXPECT_EQ(code.code(), CL_INVALID_BINARY);
  EXPECT_FALSE(log.empty());
  EXPECT_FALSE(device->load({"/nowhere/at/all"}, {}, log).ok());
  std::string whole = emptyCodeObject({"count"});
  for (size_t length = 1; length < whole.size() && !GetParam().cuda; length += 7)
    EXPECT_EQ(device->load({File(whole.substr(0, length)).path()}, {}, log).code(), CL_INVALID_BINARY) << length;
  File empty("");
  EXPECT_FALSE(device->load({empty.path()}, {}, log).ok());
}

TEST_P(GpuLaunch, UnknownKernel) {
  File file(GetParam().cuda ? countPtx() : emptyCodeObject({"count"}));
  std::string log;
  Result<std::unique_ptr<Code>> code = device->load({file.path()}, {}, log);
  ASSERT_TRUE(code.ok()) << code.message();
  KernelInfo kernel;
  kernel.entry = "missing";
  EXPECT_EQ((*code)->function(kernel).code(), CL_INVALID_PROGRAM_EXECUTABLE);
}

} // namespace kiln
