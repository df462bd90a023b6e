#include "tests/api/ApiTest.h"

namespace kiln::test {
struct GetPlatformInfo : WithDevice {};

TEST_F(GetPlatformInfo, InfoRules) {
  PROVES("R3 API-4.1b");
  expectInfoRules(clGetPlatformInfo, platform, CL_PLATFORM_NAME);
}

TEST_F(GetPlatformInfo, Identity) {
  PROVES("API-4.1b API-ICDa X-30d");
  EXPECT_EQ(queryText(clGetPlatformInfo, platform, CL_PLATFORM_PROFILE), "FULL_PROFILE");
  const std::string version = queryText(clGetPlatformInfo, platform, CL_PLATFORM_VERSION);
  EXPECT_EQ(version.rfind("OpenCL 3.0 ", 0), 0u);
  for (const char *other : {"1.0", "1.1", "1.2", "2.0", "2.1", "2.2"})
    EXPECT_EQ(version.find(other), std::string::npos) << "a program that looks for " << other << " finds it";
  EXPECT_EQ(queryText(clGetPlatformInfo, platform, CL_PLATFORM_ICD_SUFFIX_KHR), "KILN");
  EXPECT_FALSE(queryText(clGetPlatformInfo, platform, CL_PLATFORM_VENDOR).empty());
  EXPECT_EQ(query<cl_version>(clGetPlatformInfo, platform, CL_PLATFORM_NUMERIC_VERSION), CL_MAKE_VERSION(3, 0, 0));
  EXPECT_GT(query<cl_ulong>(clGetPlatformInfo, platform, CL_PLATFORM_HOST_TIMER_RESOLUTION), 0u);
}

TEST_F(GetPlatformInfo, ExtensionsWithVersionsAreTheSameList) {
  PROVES("X-30d API-4.1b");
  std::string names;
  for (const cl_name_version &one :
       queryList<cl_name_version>(clGetPlatformInfo, platform, CL_PLATFORM_EXTENSIONS_WITH_VERSION))
    names += (names.empty() ? "" : " ") + std::string(one.name);
  EXPECT_EQ(queryText(clGetPlatformInfo, platform, CL_PLATFORM_EXTENSIONS), names);
  EXPECT_NE((" " + names + " ").find(" cl_khr_icd "), std::string::npos);
}
} // namespace kiln::test
