// Machine code that the driver's assembler makes, which Kiln keeps in its cache.
#include "tests/backends/gpu/GpuTest.h"
#include <cstring>

namespace kiln {
namespace {

class GpuAssembler : public GpuTest {
protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped() && !GetParam().cuda)
      GTEST_SKIP() << "kilnc itself makes machine code for HIP";
  }
};
ON_ALL(GpuAssembler);

} // namespace

// The cache key of machine code has the processor and the version of the driver.
TEST_P(GpuAssembler, ItsName) {
  for (const std::unique_ptr<Device> &other : devices) {
    EXPECT_TRUE(other->assembler().starts_with(other->info().target + " CUDA "));
    EXPECT_NE(other->assembler().find(other->info().driverVersion), std::string::npos);
  }
}

TEST_P(GpuAssembler, MachineCodeRuns) {
  File ptx(countPtx());
  std::string log;
  Result<wire::Bytes> machineCode = device->assemble(ptx.path(), log);
  ASSERT_TRUE(machineCode.ok()) << machineCode.message() << log;
  ASSERT_GT(machineCode->size(), 4u);
  EXPECT_EQ(std::memcmp(machineCode->data(),
                        "\x7f"
                        "ELF",
                        4),
            0);
  File file(std::string(machineCode->begin(), machineCode->end()));
  Result<std::unique_ptr<Code>> code = device->load({ptx.path(), file.path()}, {}, log);
  ASSERT_TRUE(code.ok()) << code.message() << log;
  KernelInfo kernel;
  kernel.name = kernel.entry = "count";
  Result<Function *> function = (*code)->function(kernel);
  ASSERT_TRUE(function.ok()) << function.message();
  auto counters = allocate(4000);
  const std::byte zero[1]{};
  EXPECT_EQ(run([&](Stream &s) { return s.fill(flat(*counters, 0, 4000), zero); }), CL_SUCCESS);
  uint64_t address = counters->address;
  Launch launch = countLaunch(address, {1000, 1, 1}, {250, 1, 1});
  launch.function = *function;
  EXPECT_EQ(run([&](Stream &s) { return s.launch(launch); }), CL_SUCCESS);
  const std::vector<std::byte> bytes = read(*counters, 4000);
  for (size_t i = 0; i < 1000; ++i) {
    uint32_t value;
    std::memcpy(&value, bytes.data() + 4 * i, 4);
    ASSERT_EQ(value, 1u) << i;
  }
}

// Machine code has the source lines of code with lines, for profilers.
TEST_P(GpuAssembler, SourceLines) {
  auto hasLines = [&](const std::string &code) {
    File ptx(code);
    std::string log;
    Result<wire::Bytes> machineCode = device->assemble(ptx.path(), log);
    EXPECT_TRUE(machineCode.ok()) << machineCode.message() << log;
    return machineCode.ok() &&
           std::string(machineCode->begin(), machineCode->end()).find(".debug_line") != std::string::npos;
  };
  EXPECT_FALSE(hasLines(countPtx()));
  std::string withLines = countPtx();
  const size_t body = withLines.find("  mov.u32");
  ASSERT_NE(body, std::string::npos);
  withLines.insert(body, "\t.loc\t1 7 0\n");
  EXPECT_TRUE(hasLines(withLines + "\t.file\t1 \"shown.cl\"\n"));
}

TEST_P(GpuAssembler, WrongCode) {
  File text("this is not PTX");
  std::string log;
  Result<wire::Bytes> machineCode = device->assemble(text.path(), log);
  ASSERT_FALSE(machineCode.ok());
  EXPECT_EQ(machineCode.code(), CL_INVALID_BINARY);
  EXPECT_NE(log.find("the driver rejects the code"), std::string::npos) << log;
  File nothing("");
  EXPECT_EQ(device->assemble(nothing.path(), log).code(), CL_INVALID_BINARY);
}

// A failing call leaves no linker behind, and later ones succeed.
TEST_P(GpuAssembler, CallsFail) {
  if (!fake)
    GTEST_SKIP() << "needs the fake driver";
  File ptx(countPtx());
  std::string log;
  for (const char *call : {"cuLinkCreate_v2", "cuLinkAddData_v2", "cuLinkComplete"}) {
    const unsigned destroyed = fake->calls("cuLinkDestroy");
    fake->failCall(call, 1, 2);
    Result<wire::Bytes> machineCode = device->assemble(ptx.path(), log);
    ASSERT_FALSE(machineCode.ok()) << call;
    EXPECT_EQ(machineCode.code(), CL_MEM_OBJECT_ALLOCATION_FAILURE) << call;
    EXPECT_EQ(fake->calls("cuLinkDestroy") - destroyed, std::string_view(call) == "cuLinkCreate_v2" ? 0u : 1u) << call;
    EXPECT_TRUE(device->assemble(ptx.path(), log).ok()) << call;
  }
}

} // namespace kiln
