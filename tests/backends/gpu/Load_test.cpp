// Driver libraries that are missing, wrong, too old or without a device: no devices, and no error.
#include "backends/cuda/driver/CudaDriver.h"
#include "backends/gpu/driver/Driver.h"
#include "backends/hip/driver/HipDriver.h"
#include "base/support/Trace.h"
#include "tests/backends/gpu/GpuTest.h"
#include <dlfcn.h>

namespace kiln {

class GpuLoad : public GpuTest {
protected:
  std::vector<std::unique_ptr<Device>> from(const std::string &library) {
    return GetParam().cuda ? cuda::discover(library) : hip::discover(library);
  }
};
ON_FAKES(GpuLoad);

TEST_P(GpuLoad, MissingLibrary) { EXPECT_TRUE(from("/nowhere/libdriver.so").empty()); }

TEST_P(GpuLoad, LibraryOfSomethingElse) {
  EXPECT_TRUE(from("libm.so.6").empty());
  EXPECT_TRUE(from(fakeLibrary(!GetParam().cuda)).empty()) << "the other vendor's";
}

TEST_P(GpuLoad, DriverThatFails) {
  const bool cuda = GetParam().cuda;
  for (const char *call : {cuda ? "cuInit" : "hipInit", cuda ? "cuDriverGetVersion" : "hipDriverGetVersion",
                           cuda ? "cuDeviceGetCount" : "hipGetDeviceCount"}) {
    fake->failCall(call, 1, 100);
    EXPECT_TRUE(discover().empty()) << call;
    EXPECT_EQ(discover().size(), 2u) << "and later it does not";
  }
  fake->setDevices(0);
  EXPECT_TRUE(discover().empty());
  fake->setDevices(2);
}

// A device whose description fails is left out.
TEST_P(GpuLoad, OneDeviceOfTwo) {
  fake->failCall(GetParam().cuda ? "cuDeviceGetName" : "hipDeviceGetName", 2, 999);
  EXPECT_EQ(discover().size(), 1u);
}

// Listing the devices creates no context.
TEST_P(GpuLoad, ListingOpensNothing) {
  if (!GetParam().cuda)
    GTEST_SKIP() << "the HIP runtime itself decides when it opens devices";
  stream.reset();
  fake->reset();
  devices = discover();
  EXPECT_EQ(fake->calls("cuDevicePrimaryCtxRetain"), 0u);
  EXPECT_TRUE(devices[0]->createStream().ok());
  EXPECT_EQ(fake->calls("cuDevicePrimaryCtxRetain"), 1u);
}

// The application's current context is restored.
TEST_P(GpuLoad, ApplicationsOwnContextComesBack) {
  void *library = dlopen(fakeLibrary(GetParam().cuda).c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr);
  auto *set = reinterpret_cast<int (*)(void *)>(dlsym(library, GetParam().cuda ? "cuCtxSetCurrent" : "hipSetDevice"));
  auto *get = reinterpret_cast<int (*)(void *)>(dlsym(library, GetParam().cuda ? "cuCtxGetCurrent" : "hipGetDevice"));
  const uintptr_t second = GetParam().cuda ? 2 : 1;
  set(reinterpret_cast<void *>(second));
  auto memory = allocate(1000);
  const std::byte one[1]{};
  EXPECT_EQ(run([&](Issuer &s) { return s.fill(flat(*memory, 0, 1000), one); }), CL_SUCCESS);
  uintptr_t now = 0;
  get(&now);
  EXPECT_EQ(now, second);
}

// Without drivers, looking for them must not slow down an application's start.
TEST(GpuStart, CostsNothingWithoutDrivers) {
  uint64_t before = nowNanoseconds();
  size_t found = cuda::discover("").size() + hip::discover("").size();
  uint64_t took = nowNanoseconds() - before;
  if (found)
    GTEST_SKIP() << "the machine has a GPU";
  EXPECT_LT(took, 5'000'000u);
}

// AMD's library of Debian loads and reports no device.
TEST(GpuStart, RealHipLibraryWithoutADevice) {
  void *library = dlopen("libamdhip64.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    GTEST_SKIP() << "libamdhip64.so.5 is not installed";
  if (!hip::discover("").empty())
    GTEST_SKIP() << "the machine has such a GPU";
  EXPECT_TRUE(hip::discover("libamdhip64.so.5").empty());
  // It has every function of the table.
  auto *count = reinterpret_cast<int (*)(int *)>(dlsym(library, "hipGetDeviceCount"));
  ASSERT_NE(count, nullptr);
  int devices = -1;
  EXPECT_EQ(count(&devices), 100) << "no device";
}

TEST(GpuErrors, MeanWhatTheySay) {
  using gpu::Driver;
  EXPECT_EQ(Driver::errorCode(0), CL_SUCCESS);
  EXPECT_EQ(Driver::errorCode(2), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_EQ(Driver::errorCode(218), CL_INVALID_BINARY);
  EXPECT_EQ(Driver::errorCode(12345), CL_OUT_OF_RESOURCES);
  EXPECT_TRUE(Driver::isFatal(700));
  EXPECT_TRUE(Driver::isFatal(719));
  EXPECT_FALSE(Driver::isFatal(2));
  EXPECT_NE(std::string_view(Driver::advice(716)).find("KILN_CHECK_ASSUMPTIONS"), std::string_view::npos);
  EXPECT_STREQ(Driver::advice(700), "");
  EXPECT_FALSE(Driver::isFatal(701)) << "too many registers for the launch; the next one may fit";
}

} // namespace kiln
