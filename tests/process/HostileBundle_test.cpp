// A bundle that comes from elsewhere. kiln-replay and kiln-reduce load no code that it names, write to no folder that
// it names, start no program but the compilers, and read no file outside of it, unless the user says so.
#include "base/protocol/Protocol.h"
#include "tests/process/ProcessTest.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

namespace kiln::test {
namespace {

struct HostileBundle : ProcessTest {
  int replay(const std::string &words) const { return shell("timeout 60 " KILN_REPLAY " " + words); }
  bool hasPrinted(const std::string &words) const { return printed().find(words) != std::string::npos; }

  /// A bundle of a launch. `about` may change the text of its bundle.json.
  std::string launch(const std::function<void(std::string &about)> &change) {
    const std::string bundles = folder + "/bundles";
    inNewProcess(
        [] {
          App app;
          Program program = app.source(sourceOf(1));
          EXPECT_EQ(app.build(program), CL_SUCCESS);
          EXPECT_EQ(app.run(program), resultsOf(1));
        },
        {{"KILN_CAPTURE", "k"}, {"KILN_CAPTURE_DIR", bundles}});
    const std::string bundle = std::filesystem::directory_iterator(bundles)->path();
    std::string about = contentOf(bundle + "/bundle.json");
    change(about);
    std::ofstream(bundle + "/bundle.json") << about;
    return bundle;
  }
  /// Replaces the value of the last member of that name.
  static void replace(std::string &about, const std::string &member, const std::string &value) {
    const size_t begin = about.rfind("\"" + member + "\":") + member.size() + 3;
    about.replace(begin, about.find_first_of(",}", begin) - begin, value);
  }

  /// The input of a compiler that has crashed.
  std::string crash(const std::string &compiler, const wire::Bytes &request) const {
    const std::string bundle = folder + "/crash-1-0";
    std::filesystem::create_directory(bundle);
    std::ofstream(bundle + "/bundle.json")
        << R"({"version":1,"writer":"crash","build":"","why":"why","compiler":")" + compiler + "\"}";
    std::ofstream(bundle + "/request.bin", std::ios::binary)
        .write(reinterpret_cast<const char *>(request.data()), std::streamsize(request.size()));
    return bundle;
  }
  protocol::BuildRequest buildRequest() const {
    protocol::BuildRequest request;
    const std::string module = contentOf(KILN_GUEST_MODULE);
    request.modules = {{module.begin(), module.end()}};
    request.target = "cpu";
    return request;
  }
};

TEST_F(HostileBundle, ALaunchWithAPluginLoadsNone) {
  const std::string bundle = launch([](std::string &about) { replace(about, "plugins", "\"/nowhere/evil.so\""); });
  EXPECT_EQ(replay(bundle), 0) << printed();
  EXPECT_FALSE(hasPrinted("evil")) << printed();
  EXPECT_EQ(shell("KILN_CACHE=off " KILN_REPLAY " --passes " + bundle), 2) << printed();
  EXPECT_TRUE(hasPrinted("evil.so")) << printed();
}

// A pipeline needs no plug-in to write a file.
TEST_F(HostileBundle, ALaunchWithAPipelineIsRefused) {
  const std::string written = folder + "/written";
  const std::string bundle = launch([&](std::string &about) {
    replace(about, "pipeline", "\"builtin.module(snapshot-op-locations{filename=" + written + "})\"");
  });
  EXPECT_EQ(replay(bundle), 2) << printed();
  EXPECT_TRUE(hasPrinted("the bundle names passes, which are code: builtin.module(snapshot-op-locations")) << printed();
  EXPECT_FALSE(std::filesystem::exists(written));
  EXPECT_EQ(shell("KILN_PIPELINE_CPU= " KILN_REPLAY " " + bundle), 0) << printed();
  EXPECT_FALSE(std::filesystem::exists(written));
}

TEST_F(HostileBundle, LinksAndPipesAreRefused) {
  const std::string bundle = launch([](std::string &) {}), secret = folder + "/secret";
  for (const auto &file : std::filesystem::directory_iterator(bundle))
    if (file.path().filename().string().starts_with("memory-")) {
      const std::string path = file.path();
      std::filesystem::rename(path, secret);
      std::filesystem::create_symlink(secret, path);
      EXPECT_EQ(replay(bundle), 2);
      EXPECT_TRUE(hasPrinted(path + " cannot be read, or is not a regular file")) << printed();
      break;
    }
  std::filesystem::remove(bundle + "/program.spv");
  ASSERT_EQ(mkfifo((bundle + "/program.spv").c_str(), 0600), 0);
  EXPECT_EQ(replay(bundle), 2);
  EXPECT_TRUE(hasPrinted("program.spv cannot be read, or is not a regular file")) << printed();
}

// The pixels would be read after the end of the bundle's bytes.
TEST_F(HostileBundle, AnImageThatIsLargerThanItsBytesIsRefused) {
  const std::string bundles = folder + "/bundles";
  inNewProcess(
      [] {
        App app;
        Program program = app.source("kernel void k(read_only image2d_t in, global int *out) {"
                                     "  out[0] = read_imagei(in, (int2)(1, 1)).x; }");
        EXPECT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
        Kernel kernel = clCreateKernel(program, "k", nullptr);
        const cl_image_format format{CL_R, CL_SIGNED_INT32};
        cl_image_desc shape{};
        shape.image_type = CL_MEM_OBJECT_IMAGE2D;
        shape.image_width = shape.image_height = 16;
        Mem image = clCreateImage(app.context, CL_MEM_READ_WRITE, &format, &shape, nullptr, nullptr);
        Mem out = clCreateBuffer(app.context, CL_MEM_READ_WRITE, 4, nullptr, nullptr);
        clSetKernelArg(kernel, 0, sizeof(cl_mem), image.address());
        clSetKernelArg(kernel, 1, sizeof(cl_mem), out.address());
        const size_t one = 1;
        clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr);
        EXPECT_EQ(clFinish(app.queue), CL_SUCCESS);
      },
      {{"KILN_CAPTURE", "k"}, {"KILN_CAPTURE_DIR", bundles}});
  const std::string bundle = std::filesystem::directory_iterator(bundles)->path(),
                    about = contentOf(bundle + "/bundle.json");
  EXPECT_EQ(replay(bundle), 0) << printed();
  for (auto [member, value] : {std::pair{"height", "4096"}, {"width", "4096"}, {"rowPitch", "18446744073709551608"}}) {
    std::string changed = about;
    replace(changed, member, value);
    std::ofstream(bundle + "/bundle.json") << changed;
    EXPECT_EQ(replay(bundle), 2) << printed();
    EXPECT_TRUE(hasPrinted("the image of argument 0 has more pixels than its ")) << printed();
  }
}

TEST_F(HostileBundle, NoOtherProgramIsStarted) {
  for (const char *other : {"kiln-replay", "../../bin/sh", "/bin/sh", "kiln-doctor"}) {
    EXPECT_EQ(replay("--compilers=/bin " + crash(other, {})), 2);
    EXPECT_TRUE(hasPrinted("must be kilnc or kiln-clc")) << printed();
  }
}

TEST_F(HostileBundle, OptionsOfClangAreRefused) {
  const std::string written = folder + "/written";
  for (const std::vector<std::string> &options : std::initializer_list<std::vector<std::string>>{
           {"-load", "/nowhere/evil.so"}, {"-o", written}, {"-dependency-file", written, "-MT", "x"}, {"-E"}}) {
    protocol::CompileRequest request{"kernel void k() {}", options, {}, {}};
    EXPECT_EQ(replay(crash("kiln-clc", wire::pack(request))), 2) << options.front();
    EXPECT_TRUE(hasPrinted("unknown option '" + options.front() + "'")) << printed();
  }
  EXPECT_FALSE(std::filesystem::exists(written));
  protocol::CompileRequest request{"kernel void k() {}", {"-D", "X=1", "-I", "/tmp", "-g", "-cl-std=CL3.0"}, {}, {}};
  EXPECT_EQ(replay(crash("kiln-clc", wire::pack(request))), 1) << printed(); // it is compiled, without a crash
  EXPECT_TRUE(hasPrinted("the compiler does not crash")) << printed();
}

TEST_F(HostileBundle, ARequestLoadsNoPluginAndWritesNoDump) {
  protocol::BuildRequest request = buildRequest();
  request.plugins = {"/nowhere/evil.so"};
  request.dumpFolder = folder + "/dump";
  EXPECT_EQ(replay(crash("kilnc", wire::pack(request))), 1) << printed();
  EXPECT_TRUE(hasPrinted("the request's plug-ins are not loaded")) << printed();
  EXPECT_TRUE(hasPrinted("the compiler does not crash")) << printed();
  EXPECT_FALSE(std::filesystem::exists(folder + "/dump"));
  EXPECT_EQ(replay("--passes " + crash("kilnc", wire::pack(request))), 1) << printed();
  EXPECT_TRUE(hasPrinted("evil.so")) << printed();
  EXPECT_FALSE(std::filesystem::exists(folder + "/dump"));
}

TEST_F(HostileBundle, ARequestWithAPipelineIsRefused) {
  protocol::BuildRequest request = buildRequest();
  request.pipeline = "builtin.module(snapshot-op-locations{filename=" + folder + "/written})";
  EXPECT_EQ(replay(crash("kilnc", wire::pack(request))), 2) << printed();
  EXPECT_TRUE(hasPrinted("the request names passes, which are code")) << printed();
  EXPECT_FALSE(std::filesystem::exists(folder + "/written"));
}

TEST_F(HostileBundle, KilnReduceTakesNoOtherOptionsAndNoLinks) {
  const std::string bundle = folder + "/bundle";
  std::filesystem::create_directory(bundle);
  std::ofstream(bundle + "/program.cl") << "kernel void k() {}";
  auto describe = [&](const std::string &options) {
    std::ofstream(bundle + "/bundle.json")
        << R"({"writer":"KILN_CROSSCHECK","pipeline":"","target":"cpu","options":")" + options + "\"}";
  };
  for (const char *options : {"--request=/etc/passwd", "-DX -o /tmp/x", "--emit=llvm"}) {
    describe(options);
    EXPECT_EQ(shell(KILN_REDUCE " " + bundle), 2) << options;
    EXPECT_TRUE(hasPrinted("which is no option of clBuildProgram")) << printed();
  }
  describe("");
  std::filesystem::create_symlink("/etc/passwd", bundle + "/memory-0.bin");
  EXPECT_EQ(shell(KILN_REDUCE " " + bundle), 2);
  EXPECT_TRUE(hasPrinted("memory-0.bin is not a regular file")) << printed();
}

} // namespace
} // namespace kiln::test
