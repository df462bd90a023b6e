// The drivers of both vendors, each on the fake library and, where the machine has one, on the real one. A test runs on
// all of them unless it needs the fake.
#pragma once
#include "backends/gpu/driver/GpuStream.h"
#include "base/abi/KernelAbi.h"
#include "tests/backends/TestOperation.h"
#include "tests/backends/gpu/FakeDriver.h"
#include <array>
#include <gtest/gtest.h>
#include <ostream>
#include <random>

namespace kiln {

struct Subject {
  const char *name;
  bool fake, cuda;
  friend std::ostream &operator<<(std::ostream &out, const Subject &subject) { return out << subject.name; }
};
/// The folder of the fake libraries, beside the test program.
std::string fakeLibrary(bool cuda);
inline constexpr Subject FakeSubjects[] = {{"FakeCuda", true, true}, {"FakeHip", true, false}};
inline constexpr Subject AllSubjects[] = {
    {"FakeCuda", true, true}, {"FakeHip", true, false}, {"Cuda", false, true}, {"Hip", false, false}};
inline std::string subjectName(const testing::TestParamInfo<Subject> &info) { return info.param.name; }
#define ON_ALL(suite) INSTANTIATE_TEST_SUITE_P(, suite, testing::ValuesIn(AllSubjects), subjectName)
#define ON_FAKES(suite) INSTANTIATE_TEST_SUITE_P(, suite, testing::ValuesIn(FakeSubjects), subjectName)

/// A file of the test.
class File {
public:
  explicit File(const std::string &content);
  ~File();
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

class GpuTest : public testing::TestWithParam<Subject> {
protected:
  void SetUp() override;
  void TearDown() override;

  std::vector<std::unique_ptr<Device>> discover() const;
  /// Finds the devices, and creates a stream of the first.
  void openDevices();
  /// Destroys the devices and all that the test has created on them.
  void closeDevices();
  /// Runs `what` as an operation, waits, and returns its result.
  cl_int run(std::function<Status(Issuer &)> what) { return run(*stream, std::move(what)); }
  cl_int run(Stream &on, std::function<Status(Issuer &)> what);
  std::shared_ptr<TestOperation> submit(std::function<Status(Issuer &)> what, unsigned flags = TestOperation::Plain) {
    return TestOperation::submit(*stream, std::move(what), flags);
  }
  std::unique_ptr<Memory> allocate(size_t bytes);
  void write(Memory &to, const std::vector<std::byte> &bytes, size_t offset = 0);
  std::vector<std::byte> read(Memory &from, size_t bytes, size_t offset = 0);

  /// Code with the kernel `count`, which adds 1 to the counter of its work-item, dimension 0 fastest. Its argument is
  /// the address of the counters.
  Function *countKernel();
  Launch countLaunch(uint64_t &address, std::array<uint64_t, 3> global, std::array<uint64_t, 3> local);

  fake::Control *fake = nullptr;
  std::vector<std::unique_ptr<Device>> devices;
  Device *device = nullptr; // the first
  std::unique_ptr<Stream> stream;
  KernelPlan plan;

private:
  std::unique_ptr<File> codeFile_;
  std::unique_ptr<Code> code_;
};

/// The same on the fake libraries only.
class FakeGpuTest : public GpuTest {};

inline Region flat(Memory &memory, size_t offset, size_t bytes) {
  return {.memory = &memory, .offset = offset, .rowPitch = bytes, .slicePitch = bytes, .extent = {bytes, 1, 1}};
}
inline Region flatHost(const void *host, size_t bytes) {
  return {.host = static_cast<std::byte *>(const_cast<void *>(host)),
          .rowPitch = bytes,
          .slicePitch = bytes,
          .extent = {bytes, 1, 1}};
}
inline std::vector<std::byte> randomBytes(size_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(count);
  for (std::byte &byte : bytes)
    byte = std::byte(random());
  return bytes;
}
/// A small code object for AMDGPU with kernels of these names and no code.
std::string emptyCodeObject(const std::vector<std::string> &kernels);
/// PTX with the kernel `count`.
std::string countPtx();

} // namespace kiln
