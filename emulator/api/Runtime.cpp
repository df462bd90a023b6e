#include "emulator/api/Runtime.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include "emulator/machine/AddressSpace.h"
#include <algorithm>
#include <fstream>
#include <iterator>
#include <sys/mman.h>
#include <unistd.h>

namespace kiln::emulator {
namespace {

constexpr size_t Page = 4096;
/// Between allocations, so that an access beyond one is not in the next.
constexpr size_t Gap = 64 << 10;

/// Takes the code of a file in KILN_EMULATOR_REPLACE, if there is one for the kernel. Returns false if it cannot be
/// loaded.
bool replace(Function &function) {
  const Gpu &gpu = function.code->gpu();
  const std::string path = text(options().emulatorReplace, "/", function.kernel->name, ".", gpu.name, ".co");
  std::ifstream file(path, std::ios::binary);
  if (options().emulatorReplace.empty() || !file)
    return true;
  const std::string image{std::istreambuf_iterator<char>(file), {}};
  std::string error;
  std::shared_ptr<CodeObject> code = CodeObject::load(image.data(), gpu, error);
  const KernelCode *kernel = code ? code->kernel(function.kernel->name) : nullptr;
  if (!kernel) {
    KILN_LOG(Error, Device, "the emulator cannot take kernel ", function.kernel->name, " from ", path, ": ",
             code ? "there is no such kernel" : error);
    return false;
  }
  function = {std::move(code), kernel, function.kernel->arguments};
  return true;
}

} // namespace

Runtime::Runtime() {
  for (const std::string &name : splitList(options().emulatedGpu, ',')) {
    Gpu gpu;
    if (Gpu::describe(name, gpu))
      gpus_.push_back(gpu);
    else
      KILN_LOG(Error, Device, "KILN_EMULATED_GPU is ", name, ", must be a processor from gfx900 on that LLVM has");
  }
  deviceBytes_ = size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE)) / 2;
}

void *Runtime::allocate(Allocation::Kind kind, size_t bytes, int device) {
  const size_t mapped = (std::max<size_t>(bytes, 1) + Page - 1) / Page * Page + Gap;
  Lock lock(mutex_);
  if (kind != Allocation::Kind::Host && bytes > deviceBytes_ - allocated_[device])
    return nullptr;
  void *memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  mprotect(static_cast<char *>(memory) + mapped - Gap, Gap, PROT_NONE);
  if (kind != Allocation::Kind::Host)
    allocated_[device] += bytes;
  allocations_[u64(memory)] = {kind, bytes, mapped, device};
  addressSpace().add(memory, bytes);
  return memory;
}

int Runtime::registerHost(void *host, size_t bytes) {
  if (!host || !bytes)
    return InvalidValue;
  Lock lock(mutex_);
  auto after = allocations_.upper_bound(u64(host) + bytes - 1);
  if (after != allocations_.begin() && std::prev(after)->first + std::prev(after)->second.bytes > u64(host))
    return InvalidValue; // registered already
  allocations_[u64(host)] = {Allocation::Kind::Registered, bytes, 0, 0};
  addressSpace().add(host, bytes);
  return Success;
}

int Runtime::release(void *memory, std::initializer_list<Allocation::Kind> kinds) {
  Lock lock(mutex_);
  auto found = allocations_.find(u64(memory));
  if (found == allocations_.end() || std::ranges::find(kinds, found->second.kind) == kinds.end())
    return InvalidValue;
  const Allocation allocation = found->second;
  allocations_.erase(found);
  addressSpace().remove(memory);
  if (allocation.kind == Allocation::Kind::Device || allocation.kind == Allocation::Kind::Managed)
    allocated_[allocation.device] -= allocation.bytes;
  if (allocation.mapped)
    munmap(memory, allocation.mapped);
  return Success;
}

size_t Runtime::allocatedBytes(int device) {
  Lock lock(mutex_);
  return allocated_[device];
}

Stream *Runtime::createStream(int device, int priority) {
  auto stream = std::make_shared<Stream>(device, priority);
  Lock lock(mutex_);
  streams_[stream.get()] = stream;
  return stream.get();
}

std::shared_ptr<Stream> Runtime::stream(void *handle) {
  Lock lock(mutex_);
  if (!handle) {
    std::shared_ptr<Stream> &null = nullStreams_[currentDevice()];
    if (!null)
      null = std::make_shared<Stream>(currentDevice(), 0);
    return null;
  }
  auto found = streams_.find(handle);
  return found == streams_.end() ? nullptr : found->second;
}

int Runtime::destroyStream(void *handle) {
  std::shared_ptr<Stream> last = stream(handle);
  if (!last || !handle)
    return InvalidHandle;
  last->close();
  Lock lock(mutex_);
  streams_.erase(handle);
  return Success;
}

int Runtime::loadModule(const void *image, int device, void **handle) {
  std::string error;
  std::unique_ptr<CodeObject> code = CodeObject::load(image, gpus_[size_t(device)], error);
  if (!code) {
    KILN_LOG(Error, Device, "emulated ", gpus_[size_t(device)].name, " cannot load the code object: ", error);
    return error.starts_with("it is for ") ? NoBinaryForGpu : InvalidImage;
  }
  auto module = std::make_unique<Module>();
  module->code = std::move(code);
  *handle = module.get();
  Lock lock(mutex_);
  modules_[*handle] = std::move(module);
  return Success;
}

int Runtime::unloadModule(void *handle) {
  Lock lock(mutex_);
  return modules_.erase(handle) ? Success : InvalidHandle;
}

int Runtime::function(void *module, const char *name, void **function) {
  Lock lock(mutex_);
  auto found = modules_.find(module);
  if (found == modules_.end())
    return InvalidHandle;
  const KernelCode *kernel = found->second->code->kernel(name);
  if (!kernel)
    return NotFound;
  std::unique_ptr<Function> &made = found->second->functions[name];
  if (!made) {
    auto one = std::make_unique<Function>(found->second->code, kernel);
    if (!replace(*one))
      return InvalidImage;
    made = std::move(one);
  }
  *function = made.get();
  return Success;
}

Runtime &runtime() {
  static auto *leaked = new Runtime; // streams' threads use it until the process ends
  return *leaked;
}

int &currentDevice() {
  thread_local int device = 0;
  return device;
}

} // namespace kiln::emulator
