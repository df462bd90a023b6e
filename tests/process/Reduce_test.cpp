// kiln-reduce: a planted miscompile in a large program becomes a small one, without help.
#include "tests/process/ProcessTest.h"
#include <algorithm>
#include <filesystem>
#include <fstream>

namespace kiln::test {
namespace {

using Reduce = ProcessTest;

/// A program of more than 120 lines, in which the plug-in Misbehave changes one constant.
std::string largeProgram() {
  std::string source = "// A program with much that does not matter.\n#define TWICE(x) ((x) * 2)\n";
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i);
    source.append("int helper").append(n).append("(int x) {\n  /* number ").append(n);
    source.append(" */\n  int y = x + ").append(n).append(";\n");
    source += "  for (int k = 0; k < 3; ++k) {\n    y = TWICE(y) ^ k;\n  }\n  return y;\n}\n";
  }
  source += "kernel void off_by_one(global int *o, global int *p) {\n  int i = get_global_id(0);\n  int sum = 0;\n";
  for (int i = 0; i < 12; ++i)
    source.append("  sum += helper").append(std::to_string(i)).append("(i);\n  if (sum > 5) {\n    p[i] = sum;\n  }\n");
  return source + "  if (i > 3) {\n    if (i < 60) {\n      o[i] = sum + 41;\n    }\n  }\n}\n";
}

TEST_F(Reduce, APlantedMiscompileBecomesSmallSlow) {
  inNewProcess(
      [] {
        App app;
        Program program = app.source(largeProgram());
        EXPECT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
        cl_int code = 1;
        Kernel kernel = clCreateKernel(program, "off_by_one", &code);
        EXPECT_EQ(code, CL_SUCCESS);
        std::vector<int> zeros(64);
        Mem out = clCreateBuffer(app.context, CL_MEM_COPY_HOST_PTR, 256, zeros.data(), nullptr),
            more = clCreateBuffer(app.context, CL_MEM_COPY_HOST_PTR, 256, zeros.data(), nullptr);
        clSetKernelArg(kernel, 0, sizeof(cl_mem), out.address());
        clSetKernelArg(kernel, 1, sizeof(cl_mem), more.address());
        const size_t items = 64;
        clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr);
        EXPECT_EQ(clFinish(app.queue), CL_SUCCESS);
      },
      {{"KILN_CROSSCHECK", "1"},
       {"KILN_DUMP", folder + "/dump"},
       {"KILN_PASS_PLUGINS", KILN_MISBEHAVE},
       {"KILN_PIPELINE_CPU", "builtin.module(misbehave,kiln-common,kiln-group,kiln-cpu)"}});
  std::string bundle;
  for (const auto &entry : std::filesystem::directory_iterator(folder + "/dump"))
    if (entry.path().filename().string().starts_with("crosscheck-"))
      bundle = entry.path();
  ASSERT_FALSE(bundle.empty());
  ASSERT_GT(std::ranges::count(contentOf(bundle + "/program.cl"), '\n'), 120);

  EXPECT_EQ(shell(KILN_REDUCE " " + bundle), 2);
  EXPECT_NE(printed().find("the bundle names passes, which are code: "), std::string::npos) << printed();
  EXPECT_EQ(shell(KILN_REDUCE " --passes " + bundle), 0) << printed();
  const std::string reduced = contentOf(bundle + "-reduced/program.cl");
  EXPECT_LT(std::ranges::count(reduced, '\n'), 30) << reduced;
  EXPECT_NE(reduced.find("41"), std::string::npos) << reduced;
  EXPECT_EQ(reduced.find("helper7"), std::string::npos) << reduced;
  EXPECT_EQ(shell(KILN_REPLAY " --passes " + bundle + "-reduced"), 0) << printed();
  EXPECT_NE(printed().find("argument 0"), std::string::npos) << printed();

  EXPECT_EQ(shell(KILN_REDUCE " --passes " + bundle), 2);
  EXPECT_NE(printed().find("-reduced exists"), std::string::npos) << printed();
}

TEST_F(Reduce, OtherBundlesAreRefused) {
  EXPECT_EQ(shell(KILN_REDUCE " " + folder), 2);
  EXPECT_NE(printed().find("No such file or directory"), std::string::npos) << printed();
  std::ofstream(folder + "/bundle.json") << R"({"version":1,"writer":"KILN_CAPTURE"})";
  EXPECT_EQ(shell(KILN_REDUCE " " + folder), 2);
  EXPECT_NE(printed().find("run the program with KILN_CROSSCHECK=1"), std::string::npos) << printed();
}

} // namespace
} // namespace kiln::test
