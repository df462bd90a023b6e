#include "tests/backends/gpu/GpuTest.h"
#include "backends/cuda/driver/CudaDriver.h"
#include "backends/hip/driver/HipDriver.h"
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <unistd.h>

namespace kiln {

File::File(const std::string &content) {
  char name[] = "kiln-test-XXXXXX";
  path_ = testing::TempDir() + name;
  int file = mkstemp(path_.data());
  EXPECT_GE(file, 0);
  EXPECT_EQ(::write(file, content.data(), content.size()), ssize_t(content.size()));
  close(file);
}
File::~File() { unlink(path_.c_str()); }

std::string fakeLibrary(bool cuda) {
  std::filesystem::path build = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  return build / "lib" / (cuda ? "libkiln-fake-cuda.so" : "libkiln-fake-hip.so");
}

std::vector<std::unique_ptr<Device>> GpuTest::discover() const {
  std::string library = GetParam().fake ? fakeLibrary(GetParam().cuda) : "";
  return GetParam().cuda ? cuda::discover(library) : hip::discover(library);
}

void GpuTest::SetUp() {
  if (GetParam().fake) {
    void *library = dlopen(fakeLibrary(GetParam().cuda).c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    auto *find = reinterpret_cast<fake::Control *(*)()>(dlsym(library, "kiln_fake_driver"));
    ASSERT_NE(find, nullptr);
    fake = find();
    fake->reset();
    fake->kernel("count", [fake = fake](const fake::Launch &launch) {
      abi::GpuLaunch block;
      uint64_t address;
      std::memcpy(&address, launch.parameters.data(), 8);
      std::memcpy(&block, launch.parameters.data() + 8, sizeof block);
      auto *counters = static_cast<uint32_t *>(fake->real(address));
      std::array<uint64_t, 3> items;
      for (int d = 0; d < 3; ++d)
        items[d] = uint64_t(launch.grid[d]) * launch.block[d];
      for (uint64_t z = 0; z < items[2]; ++z)
        for (uint64_t y = 0; y < items[1]; ++y)
          for (uint64_t x = 0; x < items[0]; ++x) {
            const uint64_t at[3] = {x, y, z};
            uint64_t index = 0;
            for (int d = 2; d >= 0; --d)
              index = index * block.globalSize[d] + block.firstItem[d] - block.globalOffset[d] + at[d];
            ++counters[index];
          }
    });
  }
  openDevices();
}

void GpuTest::openDevices() {
  devices = discover();
  if (devices.empty() && !GetParam().fake)
    GTEST_SKIP() << "the machine has no such GPU";
  ASSERT_FALSE(devices.empty());
  device = devices.front().get();
  Result<std::unique_ptr<Stream>> made = device->createStream();
  ASSERT_TRUE(made.ok()) << made.message();
  stream = std::move(*made);
}

void GpuTest::closeDevices() {
  code_.reset();
  stream.reset();
  devices.clear();
}

void GpuTest::TearDown() {
  if (fake) {
    fake->hold(false);
    fake->mend();
    fake->limitThreads(1024);
    fake->reset();
  }
  closeDevices();
  if (fake)
    EXPECT_EQ(fake->deviceBytes(), 0u) << "device memory was not given back";
}

cl_int GpuTest::run(Stream &on, std::function<Status(Issuer &)> what) {
  auto operation = TestOperation::submit(on, std::move(what));
  operation->progressUntil(on);
  return operation->code();
}

std::unique_ptr<Memory> GpuTest::allocate(size_t bytes) {
  Result<std::unique_ptr<Memory>> memory = device->allocate(bytes);
  EXPECT_TRUE(memory.ok()) << memory.message();
  return memory.ok() ? std::move(*memory) : nullptr;
}

void GpuTest::write(Memory &to, const std::vector<std::byte> &bytes, size_t offset) {
  EXPECT_EQ(
      run([&](Issuer &s) { return s.copy(flat(to, offset, bytes.size()), flatHost(bytes.data(), bytes.size())); }),
      CL_SUCCESS);
}

std::vector<std::byte> GpuTest::read(Memory &from, size_t bytes, size_t offset) {
  std::vector<std::byte> result(bytes);
  EXPECT_EQ(run([&](Issuer &s) { return s.copy(flatHost(result.data(), bytes), flat(from, offset, bytes)); }),
            CL_SUCCESS);
  return result;
}

Function *GpuTest::countKernel() {
  codeFile_ = std::make_unique<File>(GetParam().cuda ? countPtx() : emptyCodeObject({"count"}));
  std::string log;
  Result<std::unique_ptr<Code>> code = device->load({codeFile_->path()}, {}, log);
  EXPECT_TRUE(code.ok()) << code.message() << log;
  if (!code.ok())
    return nullptr;
  code_ = std::move(*code);
  KernelInfo kernel;
  kernel.name = kernel.entry = "count";
  Result<Function *> function = code_->function(kernel);
  EXPECT_TRUE(function.ok()) << function.message();
  return function.ok() ? *function : nullptr;
}

Launch GpuTest::countLaunch(uint64_t &address, std::array<uint64_t, 3> global, std::array<uint64_t, 3> local) {
  Launch launch;
  launch.plan = &plan;
  launch.arguments = &address;
  launch.argumentBytes = sizeof address;
  launch.workDim = 3;
  launch.globalSize = global;
  launch.localSize = local;
  return launch;
}

std::string countPtx() {
  // The parameter is the address, then abi::GpuLaunch at 8: the global ids of the launch's first work-item at 8, 16,
  // 24, global sizes at 56, 64, 72, offsets at 80, 88, 96.
  static_assert(offsetof(abi::GpuLaunch, firstItem) == 0 && offsetof(abi::GpuLaunch, globalSize) == 48 &&
                offsetof(abi::GpuLaunch, globalOffset) == 72 && sizeof(abi::GpuLaunch) == 232);
  std::string code = R"(
.version 7.0
.target sm_50
.address_size 64
.visible .entry count(.param .align 8 .b8 p[240])
{
  .reg .b32 %r<4>;
  .reg .b64 %d<10>;
)";
  const char *dimension[] = {"x", "y", "z"};
  for (int d = 0; d < 3; ++d) {
    const char *axis = dimension[d];
    const std::string id = text("%d", 3 + d);
    code += text("  mov.u32 %r0, %ctaid.", axis, "; mov.u32 %r1, %ntid.", axis, "; mov.u32 %r2, %tid.", axis, ";\n");
    code += text("  mul.wide.u32 ", id, ", %r0, %r1; cvt.u64.u32 %d0, %r2; add.u64 ", id, ", ", id, ", %d0;\n");
    code += text("  ld.param.u64 %d0, [p+", 8 + 8 * d, "]; add.u64 ", id, ", ", id, ", %d0;\n");
    code += text("  ld.param.u64 %d0, [p+", 80 + 8 * d, "]; sub.u64 ", id, ", ", id, ", %d0;\n");
  }
  code += R"(
  ld.param.u64 %d1, [p+64]; mad.lo.u64 %d6, %d5, %d1, %d4;
  ld.param.u64 %d1, [p+56]; mad.lo.u64 %d6, %d6, %d1, %d3;
  ld.param.u64 %d2, [p];
  cvta.to.global.u64 %d2, %d2;
  shl.b64 %d6, %d6, 2;
  add.u64 %d2, %d2, %d6;
  red.global.add.u32 [%d2], 1;
  ret;
}
)";
  return code;
}

std::string emptyCodeObject(const std::vector<std::string> &kernels) {
  std::string strings(1, 0);
  std::vector<Elf64_Sym> symbols(1);
  for (const std::string &kernel : kernels) {
    Elf64_Sym symbol{};
    symbol.st_name = Elf64_Word(strings.size());
    strings += kernel + ".kd" + std::string(1, 0);
    symbols.push_back(symbol);
  }
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = 224;
  header.e_shnum = 3;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shoff = sizeof header;
  Elf64_Shdr sections[3]{};
  sections[1].sh_type = SHT_DYNSYM;
  sections[1].sh_offset = sizeof header + sizeof sections;
  sections[1].sh_size = symbols.size() * sizeof(Elf64_Sym);
  sections[1].sh_link = 2;
  sections[2].sh_type = SHT_STRTAB;
  sections[2].sh_offset = sections[1].sh_offset + sections[1].sh_size;
  sections[2].sh_size = strings.size();
  std::string file;
  file.append(reinterpret_cast<const char *>(&header), sizeof header);
  file.append(reinterpret_cast<const char *>(sections), sizeof sections);
  file.append(reinterpret_cast<const char *>(symbols.data()), sections[1].sh_size);
  return file + strings;
}

} // namespace kiln
