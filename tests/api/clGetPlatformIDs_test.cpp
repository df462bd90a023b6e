#include "tests/api/ApiTest.h"
#include <thread>

using namespace kiln::test;

TEST(GetPlatformIDs, NumEntriesZero) {
  PROVES("R4 API-4.1a");
  cl_platform_id id;
  cl_uint count;
  EXPECT_EQ(clGetPlatformIDs(0, &id, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetPlatformIDs(0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetPlatformIDs(0, nullptr, &count), CL_SUCCESS);
}

// Calls Kiln's clIcdGetPlatformIDsKHR, because the loader implements clGetPlatformIDs with its own list.
TEST(GetPlatformIDs, OfKilnItself) {
  PROVES("API-ICDa R4");
  cl_platform_id kiln = kiln::test::platform();
  ASSERT_NE(kiln, nullptr);
  auto list = reinterpret_cast<cl_int (*)(cl_uint, cl_platform_id *, cl_uint *)>(
      clGetExtensionFunctionAddressForPlatform(kiln, "clIcdGetPlatformIDsKHR"));
  ASSERT_NE(list, nullptr);
  cl_platform_id id = nullptr;
  cl_uint count = 0;
  EXPECT_EQ(list(0, &id, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(list(0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(list(1, &id, &count), CL_SUCCESS);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(id, kiln);
}

TEST(GetPlatformIDs, SameHandleFromEveryThread) {
  PROVES("API-4.1a R16");
  cl_platform_id first = kiln::test::platform();
  ASSERT_NE(first, nullptr);
  std::vector<std::thread> threads;
  std::atomic<int> same = 0;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] { same += kiln::test::platform() == first; });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(same, 8);
}
