// Bytes into the loader of program binaries, and behind it. The first byte says what the others are:
//
//   even: a binary's contents. Head and checksum are put right, as somebody would who knows them.
//   odd:  what is known of a program's code. It goes into a binary with a genuine seal, so that it is believed.
//
// There is no compiler: a build ends where it would be asked, or loads what came along. What is loaded gets its kernels
// made, cloned, given arguments and prepared for launches.
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

constexpr size_t Head = 16; // of a binary: what says that it is one, and the checksum

/// A null device that has little, so that nothing large is a matter of luck.
struct World {
  World() {
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
World &world() {
  static World &world = *new World;
  return world;
}

[[noreturn]] void broken(const char *rule) {
  fprintf(stderr, "broken rule: %s\n", rule);
  abort();
}

void exercise(Kernel &kernel) {
  alignas(16) static const std::byte zeros[1 << 16] = {};
  const DeviceObject &device = *world().device;
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
    Result<KernelLaunch> launch = clone->prepare(device, {2, nullptr, global, size});
    if (launch.ok() && launch->launch.argumentBytes != kernel.info(device)->argumentBytes)
      broken("a launch has the arguments of its kernel");
  }
}

/// Everything that an application does with a binary.
void load(const wire::Bytes &bytes) {
  std::vector<DeviceObject *> devices = {world().device.get()};
  std::vector<cl_int> statuses;
  Result<Ref<Program>> made = Program::createWithBinary(*world().context, devices, {std::span(bytes)}, statuses);
  if (made.ok() != (statuses[0] == CL_SUCCESS))
    broken("the status of a binary is that of its program");
  if (!made.ok())
    return;
  Program &program = **made;
  wire::Bytes out = program.binary(*devices[0]);
  auto first = unpackBinary(bytes), second = unpackBinary(out);
  if (!first || !second || wire::pack(*first) != wire::pack(*second))
    broken("what comes in comes out");
  Status built = program.build({}, "", nullptr, nullptr);
  if (built.ok() != program.kernelNames().ok())
    broken("a program that is built has kernels, however many");
  if (program.binary(*devices[0]).empty())
    broken("a binary stays");
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

wire::Bytes sealed(const ProgramInfo &info) {
  static auto &code = *new auto(*CodeFile::temporary({'c', 'o', 'd', 'e'}));
  ProgramModule module;
  module.binaryType = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  module.spirv = {1, 2, 3, 4};
  protocol::BuildRequest request; // as Program::makeExecutable asks
  request.modules = {module.spirv};
  request.target = world().device->info().target;
  module.code = Compiler::seal(request, {true, {}, info, code, {}});
  if (module.code.empty())
    broken("there is a key");
  return packBinary(module);
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  std::string folder = (std::filesystem::temp_directory_path() / "kiln-fuzz-XXXXXX").string();
  if (!mkdtemp(folder.data()))
    broken("a folder for the key");
  setenv("XDG_CONFIG_HOME", folder.c_str(), 1);
  setenv("KILN_COMPILER_DIR", folder.c_str(), 1); // which has none
  setenv("KILN_CACHE", "off", 1);
  if (!userKey())
    broken("there is a key");
  std::filesystem::remove_all(folder);
  // The inputs that matter most are believed; were they not, everything behind would go untried.
  ProgramInfo info;
  info.kernels.resize(1);
  info.kernels[0].name = "k";
  std::vector<cl_int> statuses;
  wire::Bytes bytes = sealed(info);
  Result<Ref<Program>> made =
      Program::createWithBinary(*world().context, {world().device.get()}, {std::span(bytes)}, statuses);
  if (!made.ok() || !(*made)->build({}, "", nullptr, nullptr).ok() || (*made)->kernelNames()->size() != 1)
    broken("a genuine seal is believed");
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
  load(sealed(info)); // as far as it goes
  return 0;
}
