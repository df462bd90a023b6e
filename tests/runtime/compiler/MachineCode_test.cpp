// Machine code in the cache: assembled once for each code, processor and assembler, and never used when it is damaged.
#include "runtime/cache/Cache.h"
#include "runtime/compiler/Compiler.h"
#include "tests/runtime/compiler/CompilerTest.h"
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

/// Machine code is the code after the assembler's name.
class AssemblingDevice final : public Device {
public:
  const DeviceInfo &info() const override { return info_; }
  Result<std::unique_ptr<Memory>> allocate(size_t) override { return fail(CL_OUT_OF_RESOURCES, "no memory"); }
  Result<std::unique_ptr<Memory>> import(void *, size_t) override { return std::unique_ptr<Memory>(); }
  Result<std::unique_ptr<Memory>> allocateHost(size_t bytes) override { return allocate(bytes); }
  Result<std::unique_ptr<Stream>> createStream(QueueHints) override { return fail(CL_OUT_OF_RESOURCES, "no stream"); }
  std::string assembler() const override { return version; }
  Result<wire::Bytes> assemble(const std::string &path, std::string &log) override {
    ++assembled;
    log += "assembled\n";
    if (isBroken)
      return fail(CL_INVALID_BINARY, "the assembler is broken");
    const std::string code = version + ": " + contents(path);
    return wire::Bytes(code.begin(), code.end());
  }
  Result<std::unique_ptr<Code>> load(const CodePaths &paths, const ProgramInfo &, std::string &) override {
    EXPECT_TRUE(contents(paths.code).starts_with("code of "));
    loaded = contents(paths.machineCode.empty() ? paths.code : paths.machineCode);
    if (loaded == rejected)
      return fail(CL_INVALID_BINARY, "not for this device");
    return std::unique_ptr<Code>(new NoCode);
  }

  std::string version, loaded, rejected;
  unsigned assembled = 0;
  bool isBroken = false;

private:
  DeviceInfo info_;
};

struct MachineCode : CompilerTest {
  std::unique_ptr<Compiler> make(bool cached = true) {
    return std::make_unique<Compiler>(std::make_unique<CompilerClient>("kiln-clc", folder, limits),
                                      std::make_unique<CompilerClient>("kilnc", folder, limits),
                                      std::make_unique<Cache>(cached ? folder + "/cache" : "", 1 << 20));
  }
  static CodeResult built(Compiler &compiler, const std::string &options = "x") {
    protocol::BuildRequest request;
    request.modules = {bytes("module")};
    request.target = "cpu", request.options = options;
    CodeResult result = compiler.build(std::move(request));
    EXPECT_TRUE(result.ok && result.code) << result.log;
    return result;
  }
  /// Loads the code of `options` with a new Compiler, as another process does. Returns the build log.
  std::string load(const std::string &options = "x") {
    std::unique_ptr<Compiler> compiler = make();
    std::string log;
    Result<LoadedCode> code = compiler->load(device, built(*compiler, options), log);
    EXPECT_TRUE(code.ok()) << code.message();
    EXPECT_TRUE(!code.ok() || (code->code && code->compiled && !code->machineCode == device.version.empty()));
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
  AssemblingDevice device;
};

TEST_F(MachineCode, AssembledOnce) {
  device.version = "A1";
  EXPECT_EQ(load(), "assembled\n");
  EXPECT_EQ(device.loaded, "A1: code of x");
  device.loaded.clear();
  EXPECT_EQ(load(), "assembled\n") << "the messages are in the cache";
  EXPECT_EQ(device.loaded, "A1: code of x");
  EXPECT_EQ(device.assembled, 1u);
}

TEST_F(MachineCode, OfEachCodeAndAssembler) {
  device.version = "A1";
  load("x");
  load("y");
  EXPECT_EQ(device.loaded, "A1: code of y");
  device.version = "A2";
  load("x");
  EXPECT_EQ(device.loaded, "A2: code of x");
  EXPECT_EQ(device.assembled, 3u);
  device.version = "A1";
  load("x");
  EXPECT_EQ(device.loaded, "A1: code of x");
  EXPECT_EQ(device.assembled, 3u);
}

TEST_F(MachineCode, DeviceWithoutAssembler) {
  EXPECT_EQ(load(), "");
  EXPECT_EQ(device.loaded, "code of x");
  EXPECT_EQ(device.assembled, 0u);
}

// The driver has a cache as well, and uses it for code only.
TEST_F(MachineCode, WithoutCacheTheCodeIsLoaded) {
  device.version = "A1";
  std::unique_ptr<Compiler> compiler = make(false);
  std::string log;
  EXPECT_TRUE(compiler->load(device, built(*compiler), log).ok());
  EXPECT_EQ(device.loaded, "code of x");
  EXPECT_EQ(device.assembled, 0u);
}

TEST_F(MachineCode, DamagedFileIsAssembledAgain) {
  device.version = "A1";
  load();
  ASSERT_EQ(replace("A1: code of x", "A1: code of y"), 1u);
  load();
  EXPECT_EQ(device.loaded, "A1: code of x") << "the other content was never loaded";
  EXPECT_EQ(device.assembled, 2u);
  ASSERT_EQ(replace("A1: code of x", ""), 1u);
  load();
  EXPECT_EQ(device.loaded, "A1: code of x");
}

TEST_F(MachineCode, RejectedByTheDriverIsAssembledAgain) {
  device.version = "A1";
  load();
  device.rejected = "A1: code of x";
  std::unique_ptr<Compiler> compiler = make();
  std::string log;
  Result<LoadedCode> code = compiler->load(device, built(*compiler), log);
  EXPECT_EQ(device.assembled, 2u);
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.code(), CL_INVALID_BINARY);
}

TEST_F(MachineCode, FailureIsNotCached) {
  device.version = "A1";
  device.isBroken = true;
  std::unique_ptr<Compiler> compiler = make();
  std::string log;
  Result<LoadedCode> code = compiler->load(device, built(*compiler), log);
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.message(), "the assembler is broken");
  EXPECT_EQ(log, "assembled\n");
  device.isBroken = false;
  load();
  EXPECT_EQ(device.loaded, "A1: code of x");
}

} // namespace
} // namespace kiln
