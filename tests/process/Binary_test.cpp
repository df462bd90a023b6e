// Loads program binaries in another process, after the cache was emptied, as another user, and with other contents.
//
// "Without a compiler" is literal: the process dies if it tries to start one.
#include "tests/process/ProcessTest.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace kiln::test {
namespace {

using Bytes = std::vector<unsigned char>;

struct ComingBack : ProcessTest {
  Environment as(const std::string &user, const std::string &cache = "other-cache") {
    return {{"XDG_CONFIG_HOME", folder + "/" + user}, {"KILN_CACHE_DIR", folder + "/" + cache}};
  }
  std::string path(const char *name = "binary") { return folder + "/" + name; }
  void write(const Bytes &bytes) {
    std::ofstream(path(), std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
  }
  Bytes read() {
    std::ifstream in(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  static Bytes binaryOf(cl_program program) {
    Bytes bytes(query<size_t>(clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES));
    unsigned char *target = bytes.data();
    EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof target, &target, nullptr), CL_SUCCESS);
    return bytes;
  }
  static Program load(const App &app, const Bytes &bytes, cl_int expected = CL_SUCCESS) {
    const unsigned char *data = bytes.data();
    size_t size = bytes.size();
    cl_int status = 1, code = 1;
    Program program = clCreateProgramWithBinary(app.context, 1, &app.device, &size, &data, &status, &code);
    EXPECT_EQ(code, expected);
    EXPECT_EQ(status, expected);
    return program;
  }
  /// Builds sourceOf(7) as the user `one` and leaves its binary.
  void make(const char *options = nullptr) {
    inNewProcess(
        [&] {
          App app;
          Program program = app.source(sourceOf(7));
          ASSERT_EQ(app.build(program, options), CL_SUCCESS) << app.log(program);
          write(binaryOf(program));
        },
        as("one", "cache"));
  }
  /// Without a compiler the build fails: none of the binary's code runs.
  void expectNeedsCompiler(const std::string &user) {
    inNewProcess(
        [&] {
          refuse(Refusal::Processes);
          App app;
          Program program = load(app, read());
          EXPECT_EQ(app.build(program), CL_BUILD_PROGRAM_FAILURE);
          EXPECT_NE(app.log(program).find("cannot be started"), std::string::npos) << app.log(program);
        },
        as(user, "third-cache"));
  }
  /// The result of the binary in a process with an empty cache.
  void expectWorks(const Environment &environment, bool mayCompile) {
    std::filesystem::remove_all(folder + "/other-cache");
    inNewProcess(
        [&] {
          if (!mayCompile) {
            leaveAtOnce();
            refuse(Refusal::AllKills);
          }
          App app;
          Program program = load(app, read());
          ASSERT_NE(program, nullptr);
          ASSERT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
          EXPECT_EQ(app.run(program), resultsOf(7));
        },
        environment);
  }
  /// Changes a binary and corrects its checksum.
  static void checksum(Bytes &bytes) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 16; i < bytes.size(); ++i)
      hash = (hash ^ bytes[i]) * 0x100000001b3;
    hash ^= bytes.size() - 16;
    std::memcpy(&bytes[8], &hash, sizeof hash);
  }
  static size_t find(const Bytes &bytes, const std::string &text) {
    return size_t(std::search(bytes.begin(), bytes.end(), text.begin(), text.end()) - bytes.begin());
  }
};

TEST_F(ComingBack, NeedsNoCompilerWhereTheCacheIsEmpty) {
  PROVES("API-5.8.1c");
  make();
  expectWorks(as("one"), false);
}

TEST_F(ComingBack, NeedsNoCacheEither) {
  make("-cl-mad-enable -D X");
  expectWorks({{"XDG_CONFIG_HOME", folder + "/one"}, {"KILN_CACHE", "off"}}, false);
}

TEST_F(ComingBack, IsTheSameInEveryQuery) {
  make();
  inNewProcess(
      [&] {
        App app;
        Bytes bytes = read();
        Program program = load(app, bytes);
        EXPECT_EQ(binaryOf(program), bytes) << "before it is built";
        ASSERT_EQ(app.build(program), CL_SUCCESS);
        EXPECT_EQ(binaryOf(program), bytes) << "and after";
      },
      as("one"));
}

// Another user's Kiln does not run the code: it compiles the SPIR-V.
TEST_F(ComingBack, ToAnotherUser) {
  make();
  expectWorks(as("two"), true);
  expectNeedsCompiler("two");
}

TEST_F(ComingBack, ToAUserWithoutAKey) {
  make();
  std::ofstream(folder + "/file") << "no folder";
  expectWorks(as("file"), true);
}

// Modified code never runs, even with a correct checksum.
TEST_F(ComingBack, WithOtherCode) {
  PROVES("API-5.8.1c");
  make();
  Bytes good = read();
  size_t code = find(good, "\x7f"
                           "ELF");
  ASSERT_LT(code, good.size());
  for (size_t from : {code + 64, code + (good.size() - code) / 2}) {
    Bytes bad = good;
    std::fill(bad.begin() + ptrdiff_t(from), bad.end(), 0xf4); // hlt
    checksum(bad);
    write(bad);
    expectWorks(as("one"), true);
  }
  Bytes shorter(good.begin(), good.end() - 100);
  checksum(shorter);
  write(shorter);
  inNewProcess([&] { EXPECT_EQ(load(App(), read(), CL_INVALID_BINARY), nullptr); }, as("one"));
}

// Authenticated code does not run for another program.
TEST_F(ComingBack, WithAnotherModule) {
  make("-cl-mad-enable");
  Bytes bytes = read();
  const std::string options("\x0e\0\0\0\0\0\0\0-cl-mad-enable", 22);
  const size_t flags = find(bytes, options) + options.size(); // protocol::CodeFlags, a byte each
  constexpr size_t Unoptimised = 1, MadEnable = 5;
  ASSERT_LT(flags + MadEnable, bytes.size());
  ASSERT_EQ(bytes[flags + MadEnable], 1);
  bytes[flags + MadEnable] = 0;
  bytes[flags + Unoptimised] = 1;
  checksum(bytes);
  write(bytes);
  expectWorks(as("one"), true);
  expectNeedsCompiler("one");
}

TEST_F(ComingBack, ItsModuleIsNoSpirv) {
  make();
  Bytes bytes = read();
  size_t module = find(bytes, std::string("\x03\x02\x23\x07", 4));
  ASSERT_LT(module + 100, bytes.size());
  for (size_t at : {module, module + 20, module + 41}) {
    Bytes bad = bytes;
    for (size_t i = at; i < at + 40; ++i)
      bad[i] = uint8_t(i * 37);
    checksum(bad);
    write(bad);
    inNewProcess(
        [&] {
          App app;
          Program program = load(app, read());
          EXPECT_EQ(app.build(program), CL_BUILD_PROGRAM_FAILURE) << at;
          EXPECT_GT(app.log(program).size(), 1u);
          EXPECT_TRUE(app.works(1)) << "the context is usable";
        },
        as("one"));
  }
}

} // namespace
} // namespace kiln::test
