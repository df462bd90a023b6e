// The names and versions that KILN_PROFILE selects.
#include "tests/process/ProcessTest.h"

namespace kiln::test {
namespace {

std::string textOf(cl_device_id device, cl_device_info what) {
  char text[256] = "";
  EXPECT_EQ(clGetDeviceInfo(device, what, sizeof text, text, nullptr), CL_SUCCESS);
  return text;
}

struct ProfileOf : ProcessTest {
  void with(const std::string &name, const std::function<void(App &)> &situation) {
    inNewProcessWithErrors(
        [&] {
          App app;
          situation(app);
        },
        {{"KILN_PROFILE", name}, {"KILN_LOG", "info,api"}});
  }
};

TEST_F(ProfileOf, NoneByDefault) {
  with("", [](App &app) { EXPECT_EQ(textOf(app.device, CL_DEVICE_VERSION).substr(0, 10), "OpenCL 3.0"); });
  EXPECT_EQ(errors.find("profile"), std::string::npos) << errors;
}

TEST_F(ProfileOf, NamesAndSubGroups) {
  with("intel", [](App &app) {
    EXPECT_NE(textOf(app.device, CL_DEVICE_NAME).find("Intel"), std::string::npos);
    EXPECT_NE(textOf(app.device, CL_DEVICE_VENDOR).find("Intel"), std::string::npos);
    EXPECT_TRUE(app.works(3));
    Program program = app.source("__attribute__((reqd_work_group_size(64, 1, 1))) kernel void k(global int *out) {"
                                 "  out[get_global_id(0)] = get_max_sub_group_size(); }");
    EXPECT_EQ(app.build(program, "-cl-std=CL3.0"), CL_SUCCESS) << app.log(program);
    EXPECT_EQ(app.run(program, 64)[0], 32);
    Program own = app.source(
        "__attribute__((intel_reqd_sub_group_size(8), reqd_work_group_size(64, 1, 1))) kernel void k(global int *out) {"
        "  out[get_global_id(0)] = get_max_sub_group_size(); }");
    EXPECT_EQ(app.build(own, "-cl-std=CL3.0"), CL_SUCCESS) << app.log(own);
    EXPECT_EQ(app.run(own, 64)[0], 8) << "a kernel's own wish comes first";
  });
  EXPECT_NE(errors.find("profile intel for kiln-process-tests"), std::string::npos) << errors;
}

TEST_F(ProfileOf, TextsOfVersions) {
  with("opencl12", [](App &app) {
    EXPECT_EQ(textOf(app.device, CL_DEVICE_VERSION).substr(0, 15), "OpenCL 1.2 Kiln");
    EXPECT_EQ(textOf(app.device, CL_DEVICE_OPENCL_C_VERSION).substr(0, 17), "OpenCL C 1.2 Kiln");
    EXPECT_TRUE(app.works(4));
  });
}

TEST_F(ProfileOf, OptionsComeFirstAndTheStandardStays) {
  const char *generic = "kernel void k(global int *out) { int *p = out; p[get_global_id(0)] = 5; }";
  with("", [&](App &app) {
    Program program = app.source(generic);
    EXPECT_EQ(app.build(program, "-cl-std=CL1.2"), CL_BUILD_PROGRAM_FAILURE);
  });
  with("newest", [&](App &app) {
    Program program = app.source(generic);
    EXPECT_EQ(app.build(program, "-cl-std=CL1.2"), CL_SUCCESS) << app.log(program);
    EXPECT_EQ(app.run(program, 1), std::vector<int>{5});
    EXPECT_EQ(app.build(program, "-cl-std=CL9.9"), CL_INVALID_BUILD_OPTIONS);
  });
}

TEST_F(ProfileOf, UnknownNameIsAnErrorInTheLog) {
  with("nonesuch", [](App &app) { EXPECT_EQ(textOf(app.device, CL_DEVICE_VERSION).substr(0, 10), "OpenCL 3.0"); });
  EXPECT_NE(errors.find("KILN_PROFILE is nonesuch, must be one of intel, opencl12, newest"), std::string::npos)
      << errors;
}

} // namespace
} // namespace kiln::test
