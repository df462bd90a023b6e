// Fuzzes the loader of program binaries, and program builds from them. The first byte selects the form of the others:
//
//   even: the contents of a binary. The fuzzer adds a valid header and checksum.
//   odd:  a ProgramInfo. The fuzzer puts it into a binary with a valid HMAC, so that the loader accepts it.
//
// There is no compiler: a build loads the binary's code or fails. If it succeeds, all kernels are created, cloned,
// given arguments and prepared for launches.
#include "backends/null/NullDevice.h"
#include "runtime/cache/UserKey.h"
#include "runtime/compiler/Compiler.h"
#include "runtime/program/Kernel.h"
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

using namespace kiln;

namespace {

constexpr size_t Head = 16; // bytes of a binary's header: signature and checksum

/// A null device with small limits, so that large sizes always fail.
struct Fixture {
  Fixture() {
    auto owned = std::make_unique<null::NullDevice>();
    null::NullDevice *null = owned.get();
    null->info_.maxAllocSize = null->info_.maxGlobalVariableSize = 1 << 20;
    null->info_.maxParameterSize = 4096;
    device = Ref<DeviceObject>(new DeviceObject(std::move(owned), 0));
    context = *Context::create({}, {device.get()}, nullptr, nullptr);
  }
  Ref<DeviceObject> device;
  Ref<Context> context;
};
Fixture &fixture() {
  static Fixture &fixture = *new Fixture;
  return fixture;
}

[[noreturn]] void violated(const char *rule) {
  fprintf(stderr, "violated rule: %s\n", rule);
  abort();
}

void exercise(Kernel &kernel) {
  alignas(16) static const std::byte zeros[1 << 16] = {};
  const DeviceObject &device = *fixture().device;
  for (cl_uint i = 0; i < kernel.info().args.size(); ++i) {
    const ArgInfo &argument = kernel.info().args[i];
    bool local = argument.kind == ArgKind::Local;
    (void)kernel.setArg(i, local ? 64 : std::min<size_t>(argument.size, sizeof zeros), local ? nullptr : zeros);
    (void)kernel.setArgMem(i, nullptr);
  }
  Ref<Kernel> clone = kernel.clone();
  (void)clone->localBytes(device);
  const size_t global[] = {64, 2, 1}, local[] = {8, 1, 1};
  for (const size_t *size : {static_cast<const size_t *>(nullptr), local}) {
    Result<HostLaunch> launch = clone->prepare(device, {2, nullptr, global, size});
    if (launch.ok() && launch->grid.argumentBytes != kernel.info(device)->argumentBytes)
      violated("a launch has its kernel's argument size");
  }
}

/// Loads and builds a binary and exercises its kernels, as an application does.
void load(const wire::Bytes &bytes) {
  std::vector<DeviceObject *> devices = {fixture().device.get()};
  std::vector<cl_int> statuses;
  Result<Ref<Program>> made = Program::createWithBinary(*fixture().context, devices, {std::span(bytes)}, statuses);
  if (made.ok() != (statuses[0] == CL_SUCCESS))
    violated("binary_status and the returned error agree");
  if (!made.ok())
    return;
  Program &program = **made;
  wire::Bytes out = program.binary(*devices[0]);
  auto first = unpackBinary(bytes), second = unpackBinary(out);
  if (!first || !second || wire::pack(*first) != wire::pack(*second))
    violated("the program's binary equals the loaded one");
  Status built = program.build({}, "", nullptr, nullptr);
  if (built.ok() != program.kernelNames().ok())
    violated("kernel names are available exactly after a successful build");
  if (program.binary(*devices[0]).empty())
    violated("a program keeps its binary after a build");
  if (!built.ok())
    return;
  Result<std::vector<Ref<Kernel>>> kernels = Kernel::createAll(program);
  if (kernels.ok())
    for (const Ref<Kernel> &kernel : *kernels)
      exercise(*kernel);
}

wire::Bytes withHead(std::span<const uint8_t> contents) {
  static const wire::Bytes example = packBinary({});
  wire::Bytes bytes(example.begin(), example.begin() + 8);
  uint64_t sum = 0xcbf29ce484222325;
  for (uint8_t byte : contents)
    sum = (sum ^ byte) * 0x100000001b3;
  sum ^= contents.size();
  auto *sumBytes = reinterpret_cast<const uint8_t *>(&sum);
  bytes.insert(bytes.end(), sumBytes, sumBytes + sizeof sum);
  static_assert(sizeof sum + 8 == Head);
  bytes.insert(bytes.end(), contents.begin(), contents.end());
  return bytes;
}

wire::Bytes authenticatedCode(const ProgramInfo &info) {
  static auto &code = *new auto(*CodeFile::temporary({'c', 'o', 'd', 'e'}));
  ProgramModule module;
  module.binaryType = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  module.spirv = {1, 2, 3, 4};
  protocol::BuildRequest request; // the same request as Program::makeExecutable sends
  request.modules = {module.spirv};
  request.target = fixture().device->info().target;
  module.code = Compiler::authenticate(request, {true, {}, info, code, {}});
  if (module.code.empty())
    violated("the user key exists");
  return packBinary(module);
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  std::string folder = (std::filesystem::temp_directory_path() / "kiln-fuzz-XXXXXX").string();
  if (!mkdtemp(folder.data()))
    violated("a folder for the key can be created");
  setenv("XDG_CONFIG_HOME", folder.c_str(), 1);
  setenv("KILN_COMPILER_DIR", folder.c_str(), 1); // contains no compiler
  setenv("KILN_CACHE", "off", 1);
  if (!userKey())
    violated("the user key exists");
  std::filesystem::remove_all(folder);
  // Check that the loader accepts a valid HMAC. Otherwise odd inputs would test nothing after the HMAC.
  ProgramInfo info;
  info.kernels.resize(1);
  info.kernels[0].name = "k";
  std::vector<cl_int> statuses;
  wire::Bytes bytes = authenticatedCode(info);
  Result<Ref<Program>> made =
      Program::createWithBinary(*fixture().context, {fixture().device.get()}, {std::span(bytes)}, statuses);
  if (!made.ok() || !(*made)->build({}, "", nullptr, nullptr).ok() || (*made)->kernelNames()->size() != 1)
    violated("a valid HMAC is accepted");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size)
    return 0;
  std::span contents(data + 1, size - 1);
  if (data[0] % 2 == 0) {
    load(withHead(contents));
    load(wire::Bytes(contents.begin(), contents.end()));
    return 0;
  }
  ProgramInfo info;
  wire::Reader reader(contents.data(), contents.size());
  reader.read(info);
  load(authenticatedCode(info)); // the fields that the reader could read
  return 0;
}
