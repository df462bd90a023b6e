// kiln-clc through libkiln's client: embedded headers, the recorded file accesses, and hostile input.
#include "base/protocol/Protocol.h"
#include "runtime/compiler/CompilerClient.h"
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

namespace kiln {
namespace {

struct Serve : testing::Test {
  Serve() {
    std::string name = (std::filesystem::temp_directory_path() / "kiln-test-XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  ~Serve() override { std::filesystem::remove_all(folder); }

  static zygote::Limits limits() {
    zygote::Limits limits;
    limits.processorSeconds = 60, limits.memoryBytes = 2ull << 30;
    return limits;
  }
  /// One server for all tests, as in an application.
  static CompilerClient &worker() {
    static CompilerClient worker("kiln-clc", FRONT_END_FOLDER, limits());
    return worker;
  }
  static protocol::CompileReply compile(protocol::CompileRequest request,
                                        const std::string &standard = "-cl-std=CL1.2") {
    protocol::CompileReply reply;
    request.options.push_back(standard);
    Result<wire::Bytes> bytes = worker().request(wire::pack(request));
    if (!bytes.ok())
      reply.log = "worker: " + std::string(bytes.message());
    else
      EXPECT_TRUE(wire::unpack(*bytes, reply));
    return reply;
  }
  void write(const std::string &name, const std::string &text) {
    std::filesystem::create_directories(std::filesystem::path(folder + "/" + name).parent_path());
    std::ofstream(folder + "/" + name) << text;
  }
  static bool contains(const std::vector<std::string> &list, const std::string &text) {
    return std::find(list.begin(), list.end(), text) != list.end();
  }
  static bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
  }

  std::string folder;
};

const std::string Kernel = "kernel void k(global int *p) { p[0] = N; }\n";

TEST_F(Serve, Compiles) {
  protocol::CompileReply reply = compile({"kernel void k(global int *p) { p[0] = 1; }", {}, {}, {}});
  ASSERT_TRUE(reply.ok) << reply.log;
  EXPECT_EQ(reply.log, "");
  ASSERT_GE(reply.spirv.size(), 20u);
  EXPECT_EQ(reply.spirv.size() % 4, 0u);
  EXPECT_EQ(reply.spirv[0] | reply.spirv[1] << 8 | reply.spirv[2] << 16 | reply.spirv[3] << 24, 0x07230203);
  EXPECT_TRUE(reply.included.empty());
}

// base/abi/Extensions.def says since which version a macro exists. Clang and its base header define some features
// of 3.0 earlier.
TEST_F(Serve, EachExtensionHasItsMacro) {
  struct Row {
    std::string name;
    unsigned since;
  };
  const std::vector<Row> rows = {
#define KILN_EXTENSION(name, version, since, needs) {name, since},
#define KILN_FEATURE(name, since, needs) {name, since},
#include "base/abi/Extensions.def"
  };
  for (auto [version, standard] :
       {std::pair{120u, "-cl-std=CL1.2"}, {200u, "-cl-std=CL2.0"}, {300u, "-cl-std=CL3.0"}}) {
    protocol::CompileRequest request;
    for (const Row &row : rows) {
      request.extensions.push_back(row.name);
      if (row.since <= version)
        request.source += "#ifndef " + row.name + "\n#error " + row.name + " is missing\n#endif\n";
      else if (row.since < 300)
        request.source += "#ifdef " + row.name + "\n#error " + row.name + " is too early\n#endif\n";
    }
    request.source += "kernel void k() {}";
    protocol::CompileReply reply = compile(request, standard);
    EXPECT_TRUE(reply.ok) << standard << ": " << reply.log;
  }
}

TEST_F(Serve, ErrorsNameTheSource) {
  protocol::CompileReply reply = compile({"\n  kernel void k() { oops; }", {}, {}, {}});
  EXPECT_FALSE(reply.ok);
  EXPECT_TRUE(contains(reply.log, "<source>:2:21: error: use of undeclared identifier 'oops'")) << reply.log;
  EXPECT_TRUE(contains(reply.log, "kernel void k() { oops; }\n                    ^")) << reply.log;
}

// 100,000 warnings have 40 MB.
TEST_F(Serve, TheLogIsBounded) {
  std::string source;
  for (int i = 0; i < 100'000; ++i)
    source += "#warning \"one of very many of these warnings\"\n";
  protocol::CompileReply reply = compile({source + "oops;\n", {}, {}, {}});
  EXPECT_FALSE(reply.ok);
  EXPECT_LT(reply.log.size(), 1100u << 10);
  EXPECT_TRUE(contains(reply.log, "<source>:1:2: warning: "));
  EXPECT_TRUE(contains(reply.log, " bytes of the log are left out here\n"));
  EXPECT_TRUE(contains(reply.log, "<source>:100001:1: error: ")) << reply.log.substr(reply.log.size() - 500);
}

TEST_F(Serve, TimeMacrosOfFilesAreReported) {
  write("time.h", "constant char made[] = __TIME__;\n");
  protocol::CompileReply reply = compile({"#include \"time.h\"\n", {"-I", folder}, {}, {}});
  ASSERT_TRUE(reply.ok) << reply.log;
  ASSERT_EQ(reply.included.size(), 1u);
  EXPECT_TRUE(reply.included[0].usesTime);
}

TEST_F(Serve, EmbeddedHeadersWinOverFolders) {
  write("inc.h", "#define N 1\n#error from the disk\n");
  EXPECT_TRUE(compile({"#include \"inc.h\"\n" + Kernel, {"-I", folder}, {{"inc.h", "#define N 2\n"}}, {}}).ok);
  EXPECT_TRUE(compile({"#include <inc.h>\n" + Kernel, {"-I", folder}, {{"inc.h", "#define N 2\n"}}, {}}).ok);
  EXPECT_FALSE(compile({"#include \"inc.h\"\n" + Kernel, {"-I", folder}, {}, {}}).ok);
}

TEST_F(Serve, FirstOfTwoHeadersOfOneNameWins) {
  EXPECT_TRUE(compile({"#include \"h\"\n" + Kernel, {}, {{"h", "#define N 2\n"}, {"h", "#error second\n"}}, {}}).ok);
}

TEST_F(Serve, HeadersInFolders) {
  std::vector<protocol::Header> headers = {{"dir/inc.h", "#include \"../other.h\"\n#include \"sub/deep.h\"\n"},
                                           {"other.h", "#define M 1\n"},
                                           {"dir/sub/deep.h", "#define N M\n"}};
  protocol::CompileReply reply = compile({"#include \"dir/inc.h\"\n" + Kernel, {}, headers, {}});
  EXPECT_TRUE(reply.ok) << reply.log;
  reply = compile({"#include \"./dir/inc.h\"\n" + Kernel, {}, headers, {}});
  EXPECT_TRUE(reply.ok) << reply.log;
}

TEST_F(Serve, ErrorsInHeadersNameThem) {
  protocol::CompileReply reply = compile({"#include \"bad.h\"\n", {}, {{"bad.h", "\nint int;\n"}}, {}});
  EXPECT_TRUE(contains(reply.log, "bad.h:2:")) << reply.log;
  EXPECT_TRUE(contains(reply.log, "<source>:1:")) << reply.log;
}

// Inputs of the cache key: the files that were read, and the files that were searched and do not exist.
TEST_F(Serve, SaysWhatItReadAndWhatItMissed) {
  write("second/inc.h", "#include \"more.h\"\n");
  write("second/more.h", "#define N 3\n");
  write("first/other.h", "");
  std::vector<std::string> options = {"-I", folder + "/first", "-I", folder + "/second"};
  protocol::CompileReply reply =
      compile({"#include \"inc.h\"\n#include \"e.h\"\n" + Kernel, options, {{"e.h", ""}}, {}});
  ASSERT_TRUE(reply.ok) << reply.log;
  ASSERT_EQ(reply.included.size(), 2u);
  EXPECT_EQ(reply.included[0].name, folder + "/second/inc.h");
  const std::string text = "#include \"more.h\"\n";
  EXPECT_EQ(reply.included[0].size, text.size());
  EXPECT_EQ(reply.included[0].digest, Sha256::of(text.data(), text.size()));
  EXPECT_FALSE(reply.included[0].usesTime);
  EXPECT_EQ(reply.included[1].name, folder + "/second/more.h");
  EXPECT_TRUE(contains(reply.missing, folder + "/first/inc.h"));
  EXPECT_FALSE(contains(reply.missing, folder + "/second/inc.h"));
}

TEST_F(Serve, NothingOfTheMachineIsIncluded) {
  for (const char *header : {"stdio.h", "stddef.h", "sys/types.h", "opencl-c.h"})
    EXPECT_FALSE(compile({"#include <" + std::string(header) + ">\n", {}, {}, {}}).ok) << header;
}

TEST_F(Serve, ManyThreads) {
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 10; ++i)
        right += compile({Kernel, {"-D", "N=" + std::to_string(thread * 10 + i)}, {}, {}}).ok;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 40);
}

// ---- hostile sources -----------------------------------------------------------------------------------------------

TEST_F(Serve, HostileSourcesFailWithALog) {
  std::string deep = "kernel void k(global int *p) { p[0] = ";
  for (int i = 0; i < 100000; ++i)
    deep += "(";
  std::string bytes;
  for (int i = 0; i < 4096; ++i)
    bytes += static_cast<char>(i * 37);
  for (const std::string &source :
       {deep, bytes, std::string("#include __FILE__\n"), std::string("#include \"/dev/zero\"\n"),
        std::string("#include \"/\"\n"), std::string(1, '\0'), std::string("/*"),
        std::string("kernel void k(global int *p) { asm(\"hlt\"); p[0] = \n")}) {
    protocol::CompileReply reply = compile({source, {}, {}, {}});
    EXPECT_TRUE(!reply.ok || source.size() == 1) << source.substr(0, 50);
    EXPECT_TRUE(!reply.log.empty()) << source.substr(0, 50);
  }
  EXPECT_TRUE(compile({"kernel void k(global int *p) { p[0] = 1; }", {}, {}, {}}).ok);
}

TEST_F(Serve, EmptySourceIsAProgramWithoutKernels) { EXPECT_TRUE(compile({"", {}, {}, {}}).ok); }

TEST_F(Serve, RequestThatMakesNoSense) {
  protocol::CompileReply reply;
  Result<wire::Bytes> bytes = worker().request({1, 2, 3});
  ASSERT_TRUE(bytes.ok() && wire::unpack(*bytes, reply));
  EXPECT_FALSE(reply.ok);
  EXPECT_NE(reply.log, "");
}

} // namespace
} // namespace kiln
