// Machine code: assembled in a compiler process, once for each code, processor and assembler, and never used when it is
// damaged.
#include "runtime/cache/Cache.h"
#include "runtime/compiler/Compiler.h"
#include "tests/runtime/compiler/CompilerTest.h"
#include <algorithm>
#include <fstream>

namespace kiln {
namespace {

std::string contents(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class NoCode final : public Code {
public:
  Result<Function *> function(const KernelInfo &) override { return fail(CL_INVALID_PROGRAM_EXECUTABLE, "no code"); }
};

/// A device whose assembler is the fake compiler's.
class AssemblingDevice final : public Device {
public:
  AssemblingDevice() { info_.target = "gpu:1"; }
  const DeviceInfo &info() const override { return info_; }
  Result<std::unique_ptr<Memory>> allocate(size_t) override { return fail(CL_OUT_OF_RESOURCES, "no memory"); }
  Result<std::unique_ptr<Memory>> import(void *, size_t) override { return std::unique_ptr<Memory>(); }
  Result<std::unique_ptr<Memory>> allocateHost(size_t bytes) override { return allocate(bytes); }
  Result<std::unique_ptr<Stream>> createStream(QueueHints) override { return fail(CL_OUT_OF_RESOURCES, "no stream"); }
  Assembler assembler() const override {
    return {.library = library, .major = 12, .minor = 8, .identity = "gpu:1 " + version};
  }
  Result<std::unique_ptr<Code>> load(const CodePaths &paths, const ProgramInfo &, std::string &) override {
    EXPECT_TRUE(contents(paths.code).starts_with("code of "));
    loaded = contents(paths.machineCode.empty() ? paths.code : paths.machineCode);
    assembleForLargestGroups = paths.assembleForLargestGroups;
    if (loaded == rejected)
      return fail(CL_INVALID_BINARY, "not for this device");
    return std::unique_ptr<Code>(new NoCode);
  }

  std::string library, version, loaded, rejected;
  decltype(CodePaths::assembleForLargestGroups) assembleForLargestGroups;

private:
  DeviceInfo info_;
};

/// The folder of kept crashes for this program, set before its first options(). It has room for a few only.
struct KeptCrashes : testing::Environment {
  void SetUp() override { setenv("KILN_CAPTURE_DIR", folder().c_str(), 1); }
  void TearDown() override { clear(); }
  static void clear() { std::filesystem::remove_all(folder()); }
  static std::string folder() { return testing::TempDir() + text("kiln-kept-", getpid()); }
};
[[maybe_unused]] auto *const keptCrashes = testing::AddGlobalTestEnvironment(new KeptCrashes);

struct MachineCode : CompilerTest {
  MachineCode() {
    device.library = folder + "/assembler";
    std::ofstream(device.library) << "";
  }
  std::unique_ptr<Compiler> make(bool cached = true) {
    return std::make_unique<Compiler>(std::make_unique<CompilerClient>("kiln-clc", folder, limits),
                                      std::make_unique<CompilerClient>("kilnc", folder, limits),
                                      std::make_unique<Cache>(cached ? folder + "/cache" : "", 1 << 20));
  }
  static CodeResult built(Compiler &compiler, const std::string &command = "x") {
    protocol::BuildRequest request;
    request.modules = {bytes("module")};
    request.target = "cpu", request.pipeline = command;
    CodeResult result = compiler.build(std::move(request));
    EXPECT_TRUE(result.ok && result.code) << result.log;
    return result;
  }
  /// Loads the code of `command` with a new Compiler, as another process does. Returns the build log.
  std::string load(const std::string &command = "x") {
    std::unique_ptr<Compiler> compiler = make();
    std::string log;
    Result<LoadedCode> code = compiler->load(device, built(*compiler, command), log);
    EXPECT_TRUE(code.ok()) << code.message();
    EXPECT_TRUE(!code.ok() || (code->code && code->compiled));
    return log;
  }
  /// Overwrites the files in the cache that have this content.
  unsigned replace(const std::string &content, const std::string &other) {
    unsigned count = 0;
    for (const auto &file : std::filesystem::recursive_directory_iterator(folder + "/cache"))
      if (file.is_regular_file() && contents(file.path()) == content) {
        std::ofstream(file.path(), std::ios::binary) << other;
        ++count;
      }
    return count;
  }
  /// The assembler's calls.
  size_t assembled() const { return std::ranges::count(contents(device.library), '\n'); }
  AssemblingDevice device;
};

TEST_F(MachineCode, AssembledOnce) {
  EXPECT_EQ(load(), "assembled\n");
  EXPECT_EQ(device.loaded, "machine code of x");
  device.loaded.clear();
  EXPECT_EQ(load(), "assembled\n") << "the messages are in the cache";
  EXPECT_EQ(device.loaded, "machine code of x");
  EXPECT_EQ(contents(device.library), "gpu:1 12.8\n");
}

TEST_F(MachineCode, OfEachCodeAndAssembler) {
  load("x");
  load("y");
  EXPECT_EQ(device.loaded, "machine code of y");
  device.version = "another";
  load("x");
  EXPECT_EQ(device.loaded, "machine code of x");
  EXPECT_EQ(assembled(), 3u);
  device.version.clear();
  load("x");
  EXPECT_EQ(assembled(), 3u);
}

TEST_F(MachineCode, DeviceWithoutAssembler) {
  device.library.clear();
  EXPECT_EQ(load(), "");
  EXPECT_EQ(device.loaded, "code of x");
  EXPECT_FALSE(device.assembleForLargestGroups);
}

TEST_F(MachineCode, WithoutCache) {
  std::unique_ptr<Compiler> compiler = make(false);
  for (size_t time = 1; time < 3; ++time) {
    std::string log;
    EXPECT_TRUE(compiler->load(device, built(*compiler), log).ok());
    EXPECT_EQ(device.loaded, "machine code of x");
    EXPECT_EQ(assembled(), time);
  }
}

TEST_F(MachineCode, DamagedFileIsAssembledAgain) {
  load();
  ASSERT_EQ(replace("machine code of x", "machine code of y"), 1u);
  load();
  EXPECT_EQ(device.loaded, "machine code of x") << "the other content was never loaded";
  EXPECT_EQ(assembled(), 2u);
  ASSERT_EQ(replace("machine code of x", ""), 1u);
  load();
  EXPECT_EQ(device.loaded, "machine code of x");
}

TEST_F(MachineCode, RejectedByTheDriverIsAssembledAgain) {
  load();
  device.rejected = "machine code of x";
  std::unique_ptr<Compiler> compiler = make();
  std::string log;
  Result<LoadedCode> code = compiler->load(device, built(*compiler), log);
  EXPECT_EQ(assembled(), 2u);
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.code(), CL_INVALID_BINARY);
}

TEST_F(MachineCode, RejectedCodeIsNotCached) {
  std::unique_ptr<Compiler> compiler = make();
  for (size_t time = 1; time < 3; ++time) {
    std::string log;
    Result<LoadedCode> code = compiler->load(device, built(*compiler, "wrong"), log);
    ASSERT_FALSE(code.ok());
    EXPECT_EQ(code.code(), CL_INVALID_BINARY);
    EXPECT_EQ(log, "an error of the assembler\n");
    EXPECT_EQ(device.loaded, "") << "the driver must not get it";
    EXPECT_EQ(assembled(), time);
  }
}

// The driver never gets code on which the assembler crashed, ran out of memory or did not end.
TEST_F(MachineCode, AssemblerThatFails) {
  limits.processorSeconds = 1, limits.memoryBytes = 200 << 20;
  std::unique_ptr<Compiler> compiler = make();
  for (auto [command, reason] : {std::pair("crash", "the compiler crashed (SIGSEGV)"),
                                 {"spin", "the compiler took longer than 1 s of processor time"},
                                 {"hog", "the compiler ran out of memory"}}) {
    std::string log;
    Result<LoadedCode> code = compiler->load(device, built(*compiler, text("assembler ", command)), log);
    ASSERT_FALSE(code.ok());
    EXPECT_EQ(code.code(), CL_BUILD_PROGRAM_FAILURE);
    EXPECT_TRUE(log.starts_with(text("error: the assembler: ", reason))) << log;
    EXPECT_EQ(device.loaded, "");
  }
  load();
  EXPECT_EQ(device.loaded, "machine code of x");
}

// What is kept of a crash names no library that replaying would load.
TEST_F(MachineCode, KeptRequestNamesNoLibrary) {
  KeptCrashes::clear();
  std::unique_ptr<Compiler> compiler = make();
  std::string log;
  (void)compiler->load(device, built(*compiler, "assembler crash"), log);
  constexpr std::string_view Note = "note: the compiler's input is in ";
  const size_t at = log.find(Note);
  ASSERT_NE(at, std::string::npos) << log;
  const std::string kept = log.substr(at + Note.size(), log.find(';', at) - at - Note.size());
  EXPECT_EQ(contents(kept + "/module-0.s"), "code of assembler crash");
  const std::string packed = contents(kept + "/request.bin");
  protocol::BuildRequest request;
  ASSERT_TRUE(wire::unpack(wire::Bytes(packed.begin(), packed.end()), request));
  EXPECT_EQ(request.task, protocol::Task::Assemble);
  EXPECT_EQ(request.assembler.path, "");
}

// The driver assembles then, and one compiler process is enough to see that.
TEST_F(MachineCode, LibraryThatCannotBeLoaded) {
  std::filesystem::remove(device.library);
  std::unique_ptr<Compiler> compiler = make();
  std::string log;
  EXPECT_TRUE(compiler->load(device, built(*compiler), log).ok());
  EXPECT_EQ(device.loaded, "code of x");
  EXPECT_EQ(log, "");
  std::ofstream(device.library) << "";
  EXPECT_TRUE(compiler->load(device, built(*compiler, "y"), log).ok());
  EXPECT_EQ(device.loaded, "code of y");
  EXPECT_EQ(assembled(), 0u);
  load("y");
  EXPECT_EQ(device.loaded, "machine code of y") << "another process tries again";
}

// The code is cached, and no compiler can be started: the driver assembles.
TEST_F(MachineCode, CompilerThatIsMissing) {
  std::unique_ptr<Compiler> compiler = make();
  const CodeResult code = built(*compiler);
  std::filesystem::remove(folder + "/kilnc");
  compiler = make();
  std::string log;
  EXPECT_TRUE(compiler->load(device, code, log).ok());
  EXPECT_EQ(device.loaded, "code of x");
  EXPECT_EQ(log, "");
}

TEST_F(MachineCode, ForLargestGroups) {
  std::unique_ptr<Compiler> compiler = make();
  std::string log;
  ASSERT_TRUE(compiler->load(device, built(*compiler), log).ok());
  for (unsigned time = 0; time < 2; ++time) {
    ASSERT_TRUE(device.assembleForLargestGroups);
    Result<wire::Bytes> machineCode = device.assembleForLargestGroups("code of x");
    ASSERT_TRUE(machineCode.ok()) << machineCode.message();
    EXPECT_EQ(std::string(machineCode->begin(), machineCode->end()), "large machine code of x");
    EXPECT_EQ(assembled(), 2u) << "it is cached";
  }
}

TEST_F(MachineCode, ForLargestGroupsFails) {
  std::unique_ptr<Compiler> compiler = make();
  std::string log;
  ASSERT_TRUE(compiler->load(device, built(*compiler), log).ok());
  Result<wire::Bytes> rejected = device.assembleForLargestGroups("code of wrong");
  EXPECT_EQ(rejected.code(), CL_INVALID_BINARY);
  EXPECT_EQ(rejected.message(), "an error of the assembler");
  std::filesystem::remove(device.library);
  Result<wire::Bytes> none = device.assembleForLargestGroups("code of x");
  ASSERT_TRUE(none.ok()) << none.message();
  EXPECT_TRUE(none->empty()) << "the driver assembles";
}

} // namespace
} // namespace kiln
