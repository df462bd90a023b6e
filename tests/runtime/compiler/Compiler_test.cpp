// The cache and the compiler processes: a cache hit starts no process, and changed inputs are compiled again.
#include "runtime/cache/Cache.h"
#include "runtime/compiler/Compiler.h"
#include "tests/runtime/compiler/CompilerTest.h"
#include <fstream>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace kiln {
namespace {

struct CompilerCacheTest : CompilerTest {
  /// A Compiler with the test's cache, with or without compiler programs.
  std::unique_ptr<Compiler> make(bool programs, bool cached = true) {
    std::string where = programs ? folder : folder + "/nowhere";
    return std::make_unique<Compiler>(std::make_unique<CompilerClient>("kiln-clc", where, limits),
                                      std::make_unique<CompilerClient>("kilnc", where, limits),
                                      std::make_unique<Cache>(cached ? folder + "/cache" : "", 1 << 20));
  }
  static protocol::BuildRequest request(const std::string &command) {
    protocol::BuildRequest request;
    request.modules = {bytes("module")};
    request.target = "cpu", request.pipeline = command;
    return request;
  }
  void write(const std::string &name, const std::string &text) { std::ofstream(folder + "/" + name) << text; }
};

TEST_F(CompilerCacheTest, SourceIsCompiledOnce) {
  SourceResult first = make(true)->compile({"source", {}, {}, {}});
  EXPECT_TRUE(first.ok);
  EXPECT_EQ(first.log, "a warning\n");
  EXPECT_EQ(first.spirv, bytes("spirv of source"));
  SourceResult second = make(false)->compile({"source", {}, {}, {}});
  EXPECT_TRUE(second.ok) << second.log;
  EXPECT_EQ(second.log, first.log);
  EXPECT_EQ(second.spirv, first.spirv);
}

TEST_F(CompilerCacheTest, AllInputsAreInTheKey) {
  ASSERT_TRUE(make(true)->compile({"source", {"-D", "a"}, {{"h", "text"}}, {"cl_khr_fp64"}}).ok);
  auto without = make(false);
  EXPECT_TRUE(without->compile({"source", {"-D", "a"}, {{"h", "text"}}, {"cl_khr_fp64"}}).ok);
  EXPECT_FALSE(without->compile({"source2", {"-D", "a"}, {{"h", "text"}}, {"cl_khr_fp64"}}).ok);
  EXPECT_FALSE(without->compile({"source", {"-D", "b"}, {{"h", "text"}}, {"cl_khr_fp64"}}).ok);
  EXPECT_FALSE(without->compile({"source", {"-D", "a"}, {{"h", "other"}}, {"cl_khr_fp64"}}).ok);
  EXPECT_FALSE(without->compile({"source", {"-D", "a"}, {{"h", "text"}}, {}}).ok);
}

TEST_F(CompilerCacheTest, ExperienceIsRemembered) {
  protocol::BuildRequest variant = request("x"), other = request("x"), scalar = request("x");
  variant.specialisations = {{"k", {64, 1, 1}}}, other.specialisations = {{"k", {32, 1, 1}}};
  scalar.specialisations = variant.specialisations, scalar.scalar = true;
  const CacheKey ofVariant = Compiler::experienceKey(variant), ofScalar = Compiler::experienceKey(scalar);
  EXPECT_EQ(make(false)->experience(ofVariant).verdict, Verdict::None);
  make(false)->remember(ofVariant, {Verdict::Slower, 7});
  make(false)->remember(ofScalar, {Verdict::Faster});
  EXPECT_EQ(make(false)->experience(ofVariant).verdict, Verdict::Slower);
  EXPECT_EQ(make(false)->experience(ofVariant).spent, 7u);
  EXPECT_EQ(make(false)->experience(ofScalar).verdict, Verdict::Faster);
  EXPECT_EQ(make(false)->experience(Compiler::experienceKey(other)).verdict, Verdict::None);
  make(false)->remember(ofVariant, {Verdict::Faster});
  EXPECT_EQ(make(false)->experience(ofVariant).verdict, Verdict::Faster);
}

TEST_F(CompilerCacheTest, OnlyACachedResultIsFound) {
  EXPECT_FALSE(make(true)->find(request("x")));
  ASSERT_TRUE(make(true)->build(request("x")).ok);
  EXPECT_TRUE(make(false)->find(request("x")));
}

TEST_F(CompilerCacheTest, ErrorsAreNotCached) {
  SourceResult failed = make(true)->compile({"wrong", {}, {}, {}});
  EXPECT_FALSE(failed.ok);
  EXPECT_EQ(failed.log, "an error\n");
  EXPECT_NE(make(false)->compile({"wrong", {}, {}, {}}).log, failed.log);
}

TEST_F(CompilerCacheTest, ChangedIncludeIsCompiledAgain) {
  write("inc.h", "one");
  std::vector<std::string> options = {"-I", folder + "/inc.h"};
  EXPECT_EQ(make(true)->compile({"s", options, {}, {}}).spirv, bytes("spirv with one"));
  EXPECT_EQ(make(false)->compile({"s", options, {}, {}}).spirv, bytes("spirv with one"));
  write("inc.h", "two");
  EXPECT_FALSE(make(false)->compile({"s", options, {}, {}}).ok);
  EXPECT_EQ(make(true)->compile({"s", options, {}, {}}).spirv, bytes("spirv with two"));
  std::filesystem::remove(folder + "/inc.h");
  EXPECT_FALSE(make(false)->compile({"s", options, {}, {}}).ok);
}

// 1 TiB would take an hour to read, a pipe or a device for ever.
TEST_F(CompilerCacheTest, IncludeThatBecameSomethingElseIsNotRead) {
  const std::string file = folder + "/inc.h";
  const std::vector<std::string> options = {"-I", file};
  auto isMissed = [&] {
    SourceResult result = make(false)->compile({"s", options, {}, {}});
    return !result.ok && contains(result.log, "error: kiln-clc is not in ");
  };
  write("inc.h", "one");
  ASSERT_TRUE(make(true)->compile({"s", options, {}, {}}).ok);
  ASSERT_TRUE(make(false)->compile({"s", options, {}, {}}).ok);
  ASSERT_EQ(truncate(file.c_str(), off_t(1) << 40), 0);
  EXPECT_TRUE(isMissed());
  std::filesystem::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_TRUE(isMissed());
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  EXPECT_TRUE(isMissed());
  std::filesystem::remove(file);
  std::filesystem::create_symlink("/dev/zero", file);
  EXPECT_TRUE(isMissed());
}

// A compiler's own limit is not enough: the reply is data of another process.
TEST_F(CompilerCacheTest, LogsAreBounded) {
  for (bool programs : {true, false}) { // also of the cache
    auto compiler = make(programs);
    for (const std::string &log :
         {compiler->compile({"chatty", {}, {}, {}}).log, compiler->build(request("chatty")).log}) {
      EXPECT_GT(log.size(), 1u << 19);
      EXPECT_LT(log.size(), 1100u << 10);
      EXPECT_TRUE(contains(log, " bytes of the log are left out here"));
    }
  }
}

// The new file precedes the old one on the search path.
TEST_F(CompilerCacheTest, NewIncludeIsCompiledAgain) {
  std::vector<std::string> options = {"-I", folder + "/later.h"};
  EXPECT_EQ(make(true)->compile({"s", options, {}, {}}).spirv, bytes("spirv of s"));
  EXPECT_TRUE(make(false)->compile({"s", options, {}, {}}).ok);
  write("later.h", "text");
  EXPECT_FALSE(make(false)->compile({"s", options, {}, {}}).ok);
}

// Two working folders have a file of one name. A program without includes has one entry for both.
TEST_F(CompilerCacheTest, FilesOfAWorkingFolderArePartOfTheKey) {
  std::string a = folder + "/a", b = folder + "/b";
  for (const std::string &one : {a, b})
    std::filesystem::create_directory(one);
  write("a/here.h", "one"), write("b/here.h", "two");
  EXPECT_EQ(make(true)->compile({"here", {}, {}, {}, a}).spirv, bytes("spirv with one"));
  EXPECT_EQ(make(true)->compile({"here", {}, {}, {}, b}).spirv, bytes("spirv with two"));
  EXPECT_EQ(make(false)->compile({"here", {}, {}, {}, a}).spirv, bytes("spirv with one"));
  EXPECT_EQ(make(false)->compile({"here", {}, {}, {}, b}).spirv, bytes("spirv with two"));
  write("a/here.h", "three");
  EXPECT_EQ(make(true)->compile({"here", {}, {}, {}, a}).spirv, bytes("spirv with three"));
  EXPECT_TRUE(make(true)->compile({"s", {}, {}, {}, a}).ok);
  EXPECT_TRUE(make(false)->compile({"s", {}, {}, {}, b}).ok);
}

TEST_F(CompilerCacheTest, NewFileInTheWorkingFolderIsCompiledAgain) {
  EXPECT_EQ(make(true)->compile({"here", {}, {}, {}, folder}).spirv, bytes("spirv of here"));
  EXPECT_TRUE(make(false)->compile({"here", {}, {}, {}, folder}).ok);
  EXPECT_FALSE(make(false)->compile({"here", {}, {}, {}, folder + "/elsewhere"}).ok);
  write("here.h", "text");
  EXPECT_FALSE(make(false)->compile({"here", {}, {}, {}, folder}).ok);
}

TEST_F(CompilerCacheTest, TimeMacrosAreNotCached) {
  EXPECT_TRUE(make(true)->compile({"char t[] = __TIME__;", {}, {}, {}}).ok);
  EXPECT_FALSE(make(false)->compile({"char t[] = __TIME__;", {}, {}, {}}).ok);
}

TEST_F(CompilerCacheTest, CodeIsBuiltOnce) {
  CodeResult first = make(true)->build(request("x"));
  ASSERT_TRUE(first.ok && first.code) << first.log;
  CodeResult second = make(false)->build(request("x"));
  ASSERT_TRUE(second.ok && second.code) << second.log;
  EXPECT_EQ(second.code->read(), bytes("code of x"));
  EXPECT_EQ(second.info.kernels.at(0).name, "x");
  EXPECT_FALSE(make(false)->build(request("y")).ok);
  protocol::BuildRequest other = request("x");
  other.specConstants.push_back({1, bytes("1")});
  EXPECT_FALSE(make(false)->build(other).ok);
  other = request("x");
  other.specialisations.push_back({"k", {8, 1, 1}});
  EXPECT_FALSE(make(false)->build(other).ok);
}

TEST_F(CompilerCacheTest, EntryWithoutCodeIsBuiltAgain) {
  ASSERT_TRUE(make(true)->build(request("x")).ok);
  CodeResult cached = make(false)->build(request("x"));
  ASSERT_TRUE(cached.ok && cached.isCached);
  Cache cache(folder + "/cache", 1 << 20);
  cache.store(cached.key, cache.find(cached.key)->data, {});
  EXPECT_FALSE(make(false)->build(request("x")).ok);
  CodeResult again = make(true)->build(request("x"));
  ASSERT_TRUE(again.ok && again.code && !again.isCached) << again.log;
  EXPECT_EQ(again.code->read(), bytes("code of x"));
}

TEST_F(CompilerCacheTest, DroppedEntryIsBuiltAgain) {
  ASSERT_TRUE(make(true)->build(request("x")).ok);
  CodeResult cached = make(false)->build(request("x"));
  ASSERT_TRUE(cached.isCached);
  make(false)->drop(cached.key);
  EXPECT_FALSE(make(false)->build(request("x")).ok);
  EXPECT_TRUE(make(true)->build(request("x")).ok);
}

// A rebuilt plug-in is a different input.
TEST_F(CompilerCacheTest, PluginsCountByContent) {
  write("plugin.so", "one");
  protocol::BuildRequest with = request("x");
  with.plugins = {folder + "/plugin.so"};
  EXPECT_TRUE(make(true)->build(with).ok);
  EXPECT_TRUE(make(false)->build(with).ok);
  write("plugin.so", "two");
  EXPECT_FALSE(make(false)->build(with).ok);
}

TEST_F(CompilerCacheTest, InspectAndLinkAreCached) {
  EXPECT_TRUE(make(true)->inspect({bytes("m")}).ok);
  EXPECT_TRUE(make(false)->inspect({bytes("m")}).ok);
  EXPECT_EQ(make(true)->link({bytes("a"), bytes("b")}, true).spirv, bytes("library of a b"));
  EXPECT_EQ(make(false)->link({bytes("a"), bytes("b")}, true).spirv, bytes("library of a b"));
  EXPECT_FALSE(make(false)->link({bytes("a"), bytes("b")}, false).ok);
}

TEST_F(CompilerCacheTest, WithoutACacheCodeHasAFile) {
  CodeResult built = make(true, false)->build(request("x"));
  ASSERT_TRUE(built.ok && built.code) << built.log;
  EXPECT_EQ(built.code->read(), bytes("code of x"));
}

// A result depends on the compiler's libraries, which are updated separately. A process checks each list once, so each
// check here runs in a separate process.
TEST_F(CompilerCacheTest, UpdatedLibraryOfTheCompilerIsCompiledAgain) {
  std::string library = folder + "/libfake.so";
  std::filesystem::copy_file(FAKE_LIBRARY, library);
  setenv("KILN_FAKE_LIBRARY", library.c_str(), 1);
  auto make = [&](bool programs) {
    return inChild([&] {
      auto compiler = this->make(programs);
      return compiler->build(request("x")).ok && compiler->compile({"source", {}, {}, {}}).ok;
    });
  };
  auto known = [&](bool source) {
    return inChild([&] {
      auto compiler = this->make(false);
      return source ? compiler->compile({"source", {}, {}, {}}).ok : compiler->build(request("x")).ok;
    });
  };
  EXPECT_TRUE(make(true));
  EXPECT_TRUE(make(false));
  timespec times[2] = {{0, UTIME_OMIT}, {1000000000, 5}};
  ASSERT_EQ(utimensat(AT_FDCWD, library.c_str(), times, 0), 0);
  EXPECT_FALSE(known(true));
  EXPECT_FALSE(known(false));
  EXPECT_TRUE(make(true)) << "made again";
  EXPECT_TRUE(make(false));
  std::filesystem::remove(library);
  EXPECT_FALSE(known(true));
  EXPECT_FALSE(known(false));
  unsetenv("KILN_FAKE_LIBRARY");
}

struct AuthenticatedCodeTest : CompilerCacheTest {
  /// Builds, and returns the code with its HMAC.
  wire::Bytes authenticatedCode(const std::string &command) {
    CodeResult built = make(true)->build(request(command));
    EXPECT_TRUE(built.ok) << built.log;
    return Compiler::authenticate(request(command), built);
  }
  /// Returns true if it replaces the compiler: there is none, and the cache is empty.
  bool works(const std::string &command, const wire::Bytes &binaryCode) {
    std::filesystem::remove_all(folder + "/cache");
    CodeResult built = make(false)->build(request(command), binaryCode);
    EXPECT_EQ(built.ok, built.code != nullptr);
    if (built.ok) {
      EXPECT_EQ(built.code->read(), bytes("code of " + command));
      EXPECT_EQ(built.info.kernels.at(0).name, command);
    }
    return built.ok;
  }
};

TEST_F(AuthenticatedCodeTest, ReplacesTheCompiler) {
  wire::Bytes x = authenticatedCode("x");
  ASSERT_FALSE(x.empty());
  EXPECT_TRUE(works("x", x));
  EXPECT_TRUE(make(false)->build(request("x")).ok) << "the result is cached now";
  CodeResult uncached = make(false, false)->build(request("x"), x);
  ASSERT_TRUE(uncached.ok && uncached.code) << "no cache needed";
  EXPECT_EQ(uncached.code->read(), bytes("code of x"));
  EXPECT_EQ(Compiler::authenticate(request("x"), uncached), x) << "the same result has the same HMAC";
}

TEST_F(AuthenticatedCodeTest, OnlyForWhatItWasBuiltFrom) {
  wire::Bytes x = authenticatedCode("x");
  EXPECT_FALSE(works("y", x));
  std::filesystem::remove_all(folder + "/cache");
  protocol::BuildRequest other = request("x");
  other.modules = {bytes("another module")};
  EXPECT_FALSE(make(false)->build(other, x).ok);
}

TEST_F(AuthenticatedCodeTest, EveryChangedByteIsDetected) {
  wire::Bytes x = authenticatedCode("x");
  for (size_t i = 0; i < x.size(); ++i) {
    wire::Bytes changed = x;
    changed[i] ^= 0x20;
    EXPECT_FALSE(works("x", changed)) << "byte " << i << " of " << x.size();
  }
  for (size_t size = 0; size < x.size(); ++size)
    EXPECT_FALSE(works("x", {x.begin(), x.begin() + ptrdiff_t(size)})) << size;
  EXPECT_TRUE(works("x", x));
}

// Code without a valid HMAC is compiled again; it is not an error.
TEST_F(AuthenticatedCodeTest, CompiledWhereItCannotBeUsed) {
  wire::Bytes changed = authenticatedCode("x");
  changed.back() ^= 1;
  std::filesystem::remove_all(folder + "/cache");
  CodeResult built = make(true)->build(request("x"), changed);
  ASSERT_TRUE(built.ok && built.code) << built.log;
  EXPECT_EQ(built.code->read(), bytes("code of x"));
}

TEST_F(AuthenticatedCodeTest, NotWithAnotherCompiler) {
  std::string library = folder + "/libfake.so";
  std::filesystem::copy_file(FAKE_LIBRARY, library);
  setenv("KILN_FAKE_LIBRARY", library.c_str(), 1);
  wire::Bytes x = authenticatedCode("x");
  unsetenv("KILN_FAKE_LIBRARY");
  EXPECT_TRUE(inChild([&] { return works("x", x); }));
  timespec times[2] = {{0, UTIME_OMIT}, {1000000000, 5}};
  ASSERT_EQ(utimensat(AT_FDCWD, library.c_str(), times, 0), 0);
  EXPECT_FALSE(inChild([&] { return works("x", x); }));
}

TEST_F(CompilerCacheTest, FailuresAreInTheLog) {
  auto compiler = make(true);
  EXPECT_TRUE(compiler->compile({"crash", {}, {}, {}}).log.starts_with("error: the compiler crashed (SIGSEGV)\n"));
  EXPECT_TRUE(compiler->build(request("crash")).log.starts_with("error: the compiler crashed (SIGSEGV)\n"));
  EXPECT_EQ(compiler->compile({"garbage", {}, {}, {}}).log, "error: invalid reply of kiln-clc\n");
  EXPECT_TRUE(contains(make(false)->compile({"new", {}, {}, {}}).log, "error: kiln-clc is not in "));
}

/// Prevents this process from executing programs.
bool forbidExecution() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog filter{sizeof program / sizeof *program, program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST_F(CompilerCacheTest, CachedCodeWorksWithoutExec) {
  ASSERT_TRUE(make(true)->build(request("x")).ok);
  EXPECT_TRUE(inChild([&] {
    if (!forbidExecution())
      return false;
    auto compiler = make(true);
    std::string log = compiler->build(request("y")).log;
    return compiler->build(request("x")).ok && contains(log, "cannot be started: Operation not permitted");
  }));
}

// Descriptors are closed, as a loop of 1,000 builds shows.
TEST_F(CompilerCacheTest, DescriptorsAreClosed) {
  auto compiler = make(true, false);
  auto open = [] {
    size_t count = 0;
    for ([[maybe_unused]] auto &entry : std::filesystem::directory_iterator("/proc/self/fd"))
      ++count;
    return count;
  };
  compiler->build(request("0")), compiler->compile({"0", {}, {}, {}});
  size_t before = open();
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(compiler->build(request(std::to_string(i))).ok);
    EXPECT_FALSE(compiler->compile({"crash", {}, {}, {}}).ok);
  }
  EXPECT_EQ(open(), before);
}

} // namespace
} // namespace kiln
