// KILN_PROFILE and KILN_DEVICE_TYPE (base/support/Profiles.def, runtime/platform/Presented.cpp).
#include "tests/process/ProcessTest.h"

namespace kiln::test {
namespace {

std::string textOf(cl_device_id device, cl_device_info what) {
  char text[4096] = "";
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

// What llama.cpp and LibreOffice test.
TEST_F(ProfileOf, VendorOfThePlatform) {
  auto vendor = [] {
    char text[64] = "";
    EXPECT_EQ(clGetPlatformInfo(platform(), CL_PLATFORM_VENDOR, sizeof text, text, nullptr), CL_SUCCESS);
    return std::string(text);
  };
  with("intel", [&](App &) { EXPECT_EQ(vendor(), "Intel(R) Corporation"); });
  with("", [&](App &) { EXPECT_EQ(vendor(), "The Kiln project"); });
}

TEST_F(ProfileOf, SubGroupsAsAnExtension) {
  const char *source = "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"
                       "#ifndef cl_khr_subgroups\n#error not there\n#endif\n"
                       "kernel void k(global int *out) { out[get_global_id(0)] = sub_group_reduce_add(1); }";
  auto lists = [](App &app) {
    return (textOf(app.device, CL_DEVICE_EXTENSIONS) + " ").find("cl_khr_subgroups ") != std::string::npos;
  };
  with("intel", [&](App &app) {
    EXPECT_TRUE(lists(app));
    for (const char *standard : {"-cl-std=CL2.0", "-cl-std=CL3.0"}) {
      Program program = app.source(source);
      EXPECT_EQ(app.build(program, standard), CL_SUCCESS) << app.log(program);
      EXPECT_EQ(app.log(program), "");
      EXPECT_EQ(app.run(program, 64)[0], 32);
      Kernel kernel = clCreateKernel(program, "k", nullptr);
      const size_t local = 64;
      size_t count = 0;
      auto query = reinterpret_cast<clGetKernelSubGroupInfoKHR_fn>(
          clGetExtensionFunctionAddressForPlatform(platform(), "clGetKernelSubGroupInfoKHR"));
      ASSERT_NE(query, nullptr);
      EXPECT_EQ(query(kernel, app.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR, sizeof local, &local, sizeof count,
                      &count, nullptr),
                CL_SUCCESS);
      EXPECT_EQ(count, 2u);
    }
  });
  with("", [&](App &app) { EXPECT_FALSE(lists(app)); });
}

TEST_F(ProfileOf, LimitOfAGroup) {
  with("intel", [](App &app) {
    size_t most = 0, sizes[3] = {};
    cl_uint subGroups = 0;
    EXPECT_EQ(clGetDeviceInfo(app.device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, nullptr), CL_SUCCESS);
    EXPECT_EQ(most, 1024u);
    EXPECT_EQ(clGetDeviceInfo(app.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, nullptr), CL_SUCCESS);
    EXPECT_EQ(sizes[0], 1024u);
    EXPECT_EQ(clGetDeviceInfo(app.device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof subGroups, &subGroups, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(subGroups, 128u); // of 8 work-items
    Program program = app.source(sourceOf(1));
    ASSERT_EQ(app.build(program), CL_SUCCESS);
    Kernel kernel = clCreateKernel(program, "k", nullptr);
    size_t ofKernel = 0;
    EXPECT_EQ(
        clGetKernelWorkGroupInfo(kernel, app.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof ofKernel, &ofKernel, nullptr),
        CL_SUCCESS);
    EXPECT_LE(ofKernel, 1024u);
    Mem out = clCreateBuffer(app.context, CL_MEM_READ_WRITE, 2048 * sizeof(int), nullptr, nullptr);
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), out.address()), CL_SUCCESS);
    auto launch = [&](size_t x, size_t y) {
      const size_t size[] = {x, y};
      return clEnqueueNDRangeKernel(app.queue, kernel, 2, nullptr, size, size, 0, nullptr, nullptr);
    };
    EXPECT_EQ(launch(1024, 1), CL_SUCCESS);
    EXPECT_EQ(launch(2048, 1), CL_INVALID_WORK_ITEM_SIZE);
    EXPECT_EQ(launch(1024, 2), CL_INVALID_WORK_GROUP_SIZE);
    EXPECT_EQ(clFinish(app.queue), CL_SUCCESS);
  });
}

/// KILN_DEVICE_TYPE
struct DeviceType : ProcessTest {
  static size_t count(cl_device_type type) {
    cl_uint found = 0;
    return clGetDeviceIDs(platform(), type, 0, nullptr, &found) == CL_SUCCESS ? found : 0;
  }
};

TEST_F(DeviceType, ACpuThatReportsAnotherType) {
  for (auto [name, type] :
       {std::pair{"cpu", CL_DEVICE_TYPE_CPU}, {"gpu", CL_DEVICE_TYPE_GPU}, {"accelerator", CL_DEVICE_TYPE_ACCELERATOR}})
    inNewProcess(
        [type = cl_device_type(type)] {
          for (cl_device_type other : {CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR})
            EXPECT_EQ(count(other), other == type ? 2u : 0u) << other;
          EXPECT_EQ(count(CL_DEVICE_TYPE_ALL), 2u);
          EXPECT_EQ(count(CL_DEVICE_TYPE_DEFAULT), 1u);
          App app(type);
          cl_device_type reported = 0;
          EXPECT_EQ(clGetDeviceInfo(app.device, CL_DEVICE_TYPE, sizeof reported, &reported, nullptr), CL_SUCCESS);
          EXPECT_EQ(reported, type);
          const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, cl_context_properties(platform()), 0};
          cl_int code = 1;
          Context context = clCreateContextFromType(properties, type, nullptr, nullptr, &code);
          EXPECT_EQ(code, CL_SUCCESS);
          EXPECT_TRUE(app.works(1));
          // Memory that all devices share is still that of a CPU.
          int *shared = static_cast<int *>(clSVMAlloc(
              context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, sizeof(int), 0));
          EXPECT_NE(shared, nullptr);
          clSVMFree(context, shared);
        },
        {{"KILN_DEVICE_TYPE", name}, {"KILN_DEVICES", "cpu"}, {"KILN_CPU_DEVICES", "2"}});
}

TEST_F(DeviceType, AnUnknownTypeIsAnErrorInTheLog) {
  inNewProcessWithErrors([] { EXPECT_EQ(count(CL_DEVICE_TYPE_CPU), 1u); },
                         {{"KILN_DEVICE_TYPE", "tpu"}, {"KILN_DEVICES", "cpu"}});
  EXPECT_NE(errors.find("KILN_DEVICE_TYPE=tpu is invalid: 'tpu' is none of cpu,gpu,accelerator"), std::string::npos)
      << errors;
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
