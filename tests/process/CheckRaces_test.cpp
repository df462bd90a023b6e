// KILN_CHECK=races: what a kernel in one file cannot show. tests/e2e/check_races.cl has the kinds of races.
#include "tests/process/ProcessTest.h"

namespace kiln::test {
namespace {

constexpr const char *Source = "kernel void shift(global int *to, global const int *from) {\n"
                               "  size_t i = get_global_id(0);\n"
                               "  int value = from[i + 1];\n"
                               "  to[i] = value;\n}\n";

struct CheckRaces : ProcessTest {
  void shift(bool isInPlace, const Environment &more = {}) {
    Environment environment{{"KILN_CHECK", "races"}};
    environment.insert(environment.end(), more.begin(), more.end());
    inNewProcessWithErrors(
        [&] {
          App app;
          Program program = app.source(Source);
          EXPECT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
          std::vector<int> data(1025, 7);
          auto make = [&] {
            return clCreateBuffer(app.context, CL_MEM_COPY_HOST_PTR, data.size() * 4, data.data(), nullptr);
          };
          Mem to = make(), from = make();
          Kernel kernel = clCreateKernel(program, "shift", nullptr);
          EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), to.address()), CL_SUCCESS);
          EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof(cl_mem), (isInPlace ? to : from).address()), CL_SUCCESS);
          const size_t items = 1024;
          for (int i = 0; i < 3; ++i) // nothing of one launch is a race with the next one
            EXPECT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
                      CL_SUCCESS);
          EXPECT_EQ(clFinish(app.queue), CL_SUCCESS);
        },
        environment);
  }
  void expectReport(const std::string &words) const {
    EXPECT_NE(errors.find(words), std::string::npos) << words << "\n" << errors;
  }
};

TEST_F(CheckRaces, OfTwoArgumentsThatAreOneBuffer) {
  shift(true);
  expectReport("check: kernel shift has a race in the buffer of argument ");
  expectReport("line 3: int value = from[i + 1];");
  expectReport("line 4: to[i] = value;");
  expectReport("check: 1 findings, which occurred 3069 times");
}

TEST_F(CheckRaces, NoneOfTwoBuffers) {
  shift(false);
  EXPECT_EQ(errors.find("check:"), std::string::npos) << errors;
}

TEST_F(CheckRaces, ReportHasBothLines) {
  const std::string report = folder + "/report";
  shift(true, {{"KILN_CHECK_REPORT", report}});
  const std::string line = contentOf(report);
  for (const char *words : {"\"check\":\"races\"", "\"line\":3", "\"line\":4", "\"other\":{", "\"access\":\"read\"",
                            "\"access\":\"write\"", "\"hint\":"})
    EXPECT_NE(line.find(words), std::string::npos) << words << "\n" << line;
}

TEST_F(CheckRaces, EitherLineSuppresses) {
  for (const char *pattern : {"shift:3", "shift:4", "sh*"}) {
    const std::string path = folder + "/suppress";
    FILE *file = fopen(path.c_str(), "w");
    fprintf(file, "%s\n", pattern);
    fclose(file);
    shift(true, {{"KILN_CHECK_SUPPRESS", path}});
    expectReport("0 findings, which occurred 0 times; 1 suppressed");
  }
}

} // namespace
} // namespace kiln::test
