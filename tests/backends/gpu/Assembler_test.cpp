// The library with NVIDIA's assembler that a compiler process loads (backends/cuda/driver/PtxLibrary.cpp): that of the
// driver in use, or none.
#include "backends/cuda/driver/CudaDriver.h"
#include "tests/backends/gpu/GpuTest.h"
#include <filesystem>
#include <fstream>

namespace kiln {
namespace {

constexpr char Name[] = "libnvidia-ptxjitcompiler.so.1";

class GpuAssembler : public GpuTest {
protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped() && !GetParam().cuda)
      GTEST_SKIP() << "kilnc itself makes machine code for HIP";
  }
};
ON_ALL(GpuAssembler);

/// A folder with a copy of the fake driver. It is no link: the loader identifies a file by its inode.
class DriverFolder : public testing::Test {
protected:
  DriverFolder() {
    std::string name = testing::TempDir() + "kiln-driver-XXXXXX";
    folder = mkdtemp(name.data());
  }
  ~DriverFolder() override { std::filesystem::remove_all(folder); }
  void addDriver(const std::string &name) const {
    std::filesystem::copy_file(fakeLibrary(/*cuda=*/true), folder / name);
  }
  void addFile(const std::string &name, const std::string &content) const {
    std::filesystem::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << content;
  }
  void addLink(const std::string &name, const std::string &target) const {
    std::filesystem::create_directories((folder / name).parent_path());
    std::filesystem::create_symlink(target, folder / name);
  }
  Assembler assembler(const std::string &driver = "libcuda.so.1") const {
    std::vector<std::unique_ptr<Device>> devices = cuda::discover(folder / driver);
    EXPECT_EQ(devices.size(), 2u);
    return devices.empty() ? Assembler() : devices[0]->assembler();
  }

  std::filesystem::path folder;
};

} // namespace

// The cache key of machine code has the processor and the version of the driver.
TEST_P(GpuAssembler, ItsIdentity) {
  for (const std::unique_ptr<Device> &other : devices) {
    const Assembler assembler = other->assembler();
    EXPECT_TRUE(assembler.identity.starts_with(other->info().target + " CUDA ")) << assembler.identity;
    EXPECT_NE(assembler.identity.find(other->info().driverVersion), std::string::npos) << assembler.identity;
    EXPECT_GE(assembler.major, 12u);
    EXPECT_EQ(assembler.library.empty(), GetParam().fake) << "a driver that is given by its path has its own only";
  }
}

TEST_F(DriverFolder, BesideTheDriver) {
  addDriver("libcuda.so.1");
  addFile(Name, "assembler");
  const Assembler first = assembler();
  EXPECT_EQ(first.library, folder / Name);
  EXPECT_EQ(std::pair(first.major, first.minor), std::pair(12u, 8u));
  addFile(Name, "another assembler");
  EXPECT_NE(assembler().identity, first.identity);
}

TEST_F(DriverFolder, BesideTheFileThatALinkNames) {
  addDriver("libcuda.so.580.1");
  addLink("links/libcuda.so.1", "../libcuda.so.580.1");
  addFile("libnvidia-ptxjitcompiler.so.580.1", "assembler");
  addLink(Name, "libnvidia-ptxjitcompiler.so.580.1");
  EXPECT_EQ(assembler("links/libcuda.so.1").library, folder / Name);
}

// The folder from which the driver was loaded comes first.
TEST_F(DriverFolder, BesideTheLink) {
  addDriver("libcuda.so.580.1");
  addLink("links/libcuda.so.1", "../libcuda.so.580.1");
  addFile(Name, "assembler");
  addFile(std::string("links/") + Name, "assembler");
  EXPECT_EQ(assembler("links/libcuda.so.1").library, folder / "links" / Name);
}

TEST_F(DriverFolder, OfAnotherDriver) {
  addDriver("libcuda.so.580.1");
  addLink("libcuda.so.1", "libcuda.so.580.1");
  addFile("libnvidia-ptxjitcompiler.so.570.2", "assembler");
  addLink(Name, "libnvidia-ptxjitcompiler.so.570.2");
  EXPECT_EQ(assembler().library, "");
}

TEST_F(DriverFolder, Missing) {
  addDriver("libcuda.so.1");
  EXPECT_EQ(assembler().library, "");
  addLink(Name, "removed");
  EXPECT_EQ(assembler().library, "");
}

} // namespace kiln
