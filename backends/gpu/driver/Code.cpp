#include "backends/gpu/driver/Code.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include "base/support/Trace.h"
#include <fstream>
#include <iterator>

namespace kiln::gpu {
namespace {

/// The local memory, static and dynamic, that a kernel may have without setFunctionAttribute.
constexpr uint64_t UsualLocalBytes = 48 << 10;

Result<std::string> contents(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::string image{std::istreambuf_iterator<char>(in), {}};
  if (!in.good() && !in.eof())
    return fail(CL_OUT_OF_RESOURCES, "the code in ", path, " cannot be read");
  if (image.empty())
    return fail(CL_INVALID_BINARY, "the code in ", path, " is empty");
  return image;
}

} // namespace

Status GpuFunction::allow(GpuDevice &device, uint64_t dynamicBytes) {
  uint64_t bytes = staticBytes + dynamicBytes;
  if (bytes > device.limits().localBytes)
    return fail(CL_OUT_OF_RESOURCES, "a work-group of the launch needs ", bytes,
                " bytes of local memory, the device has ", device.limits().localBytes);
  const auto &set = device.driver().calls.setFunctionAttribute;
  if (bytes <= UsualLocalBytes || !set || allowed_.load(std::memory_order_relaxed) >= dynamicBytes)
    return {};
  KILN_TRY(device.run(set, handle, FunctionMaxDynamicLocalBytes, int(dynamicBytes)));
  allowed_.store(dynamicBytes, std::memory_order_relaxed);
  return {};
}

GpuCode::~GpuCode() {
  if (!device_.usable())
    return;
  ScopedContext current(device_);
  device_.destroyLaunchGraphs(); // they may contain functions of the module
  for (const auto &[name, function] : functions_)
    if (function)
      function->graphs.destroy(device_.driver());
  (void)device_.run(device_.driver().calls.unloadModule, module_);
}

Result<Function *> GpuCode::function(const KernelInfo &kernel) {
  Lock lock(mutex_);
  std::unique_ptr<GpuFunction> &slot = functions_[kernel.entry];
  if (!slot) {
    ScopedContext current(device_);
    const DriverFunctions &calls = device_.driver().calls;
    FunctionHandle handle = nullptr;
    if (int code = calls.function.function(&handle, module_, kernel.entry.c_str())) {
      (void)device_.failed(code, calls.function.name);
      return fail(CL_INVALID_PROGRAM_EXECUTABLE, "the code in ", path_, " has no ", kernel.entry);
    }
    int threads = 0, bytes = 0;
    KILN_TRY(device_.run(calls.functionAttribute, &threads, FunctionMaxThreads, handle));
    KILN_TRY(device_.run(calls.functionAttribute, &bytes, FunctionLocalBytes, handle));
    slot = std::make_unique<GpuFunction>(handle, uint64_t(threads), uint64_t(bytes), kernel.role == KernelRole::Block);
    KILN_LOG(Debug, Program, kernel.name, ": at most ", threads, " work-items per group, ", bytes,
             " bytes of static local memory");
  }
  return slot.get();
}

std::vector<CodeNumber> GpuCode::numbersOf(const KernelInfo &kernel) {
  std::vector<CodeNumber> numbers;
  Result<Function *> loaded = function(kernel);
  if (!loaded.ok())
    return numbers;
  ScopedContext current(device_);
  const auto handle = static_cast<GpuFunction *>(*loaded)->handle;
  for (auto [attribute, name] : {std::pair(FunctionRegisters, "registers per work-item"),
                                 std::pair(FunctionThreadBytes, "bytes of spills and private arrays per work-item")})
    if (int value = 0; device_.driver().calls.functionAttribute.function(&value, attribute, handle) == 0)
      numbers.push_back({name, uint64_t(value)});
  return numbers;
}

std::string GpuDevice::assembler() const {
  const std::string version = options().gpuMachineCode ? driver_->assembler() : std::string();
  return version.empty() ? version : text(info_.target, " ", version);
}

Result<wire::Bytes> GpuDevice::assemble(const std::string &path, std::string &log) {
  KILN_TRY(open());
  const std::string code = KILN_TRY(contents(path));
  trace::Span span("driver", "assemble code");
  ScopedContext current(*this);
  return driver_->assemble(code, log);
}

Result<std::unique_ptr<Code>> GpuDevice::load(const std::string &path, const ProgramInfo &, std::string &log) {
  KILN_TRY(open());
  std::string image = KILN_TRY(contents(path));
  trace::Span span("driver", "load code");
  ScopedContext current(*this);
  ModuleHandle module = nullptr;
  KILN_TRY(driver_->loadModule(module, std::move(image), log));
  try {
    return std::unique_ptr<Code>(new GpuCode(*this, module, path));
  } catch (const std::bad_alloc &) {
    (void)run(driver_->calls.unloadModule, module);
    throw;
  }
}

} // namespace kiln::gpu
