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

/// The work-items of the largest group that may be launched.
uint64_t largestGroupOf(const KernelInfo &kernel, const LaunchLimits &limits) {
  uint64_t items = 1;
  for (uint64_t size : kernel.requiredLocalSize)
    items *= size;
  return items ? items : limits.maxThreads;
}

} // namespace

Result<GpuFunction *> GpuFunction::forLargerGroupsOf(uint64_t items) noexcept {
  GpuFunction *function = forLargestGroups_.load(std::memory_order_acquire);
  if (!function) {
    try {
      function = KILN_TRY(code_.forLargestGroups(*this));
    } catch (const std::bad_alloc &) {
      return Status::withoutMessage(CL_OUT_OF_HOST_MEMORY);
    }
    forLargestGroups_.store(function, std::memory_order_release);
  }
  const uint64_t most = function ? function->maxThreads : maxThreads;
  if (items > most)
    return fail(CL_OUT_OF_RESOURCES, "the work-group has ", items, " work-items, must be at most ", most,
                " for the kernel");
  return function;
}

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
  if (!current)
    return;
  device_.destroyLaunchGraphs(); // they may contain functions of the module
  for (const Module *module : {&module_, &moduleForLargestGroups_}) {
    for (const auto &[name, function] : module->functions)
      if (function)
        function->graphs.destroy(device_.driver());
    if (module->handle)
      (void)device_.run(device_.driver().calls.unloadModule, module->handle);
  }
}

Result<GpuFunction *> GpuCode::find(Module &module, const std::string &entry, bool isOneDimensional) {
  std::unique_ptr<GpuFunction> &slot = module.functions[entry];
  if (!slot) {
    ScopedContext current(device_);
    if (!current)
      return device_.lostStatus();
    const DriverFunctions &calls = device_.driver().calls;
    FunctionHandle handle = nullptr;
    if (int code = calls.function.function(&handle, module.handle, entry.c_str())) {
      (void)device_.failed(code, calls.function.name);
      return fail(CL_INVALID_PROGRAM_EXECUTABLE, "the code in ", paths_.code, " has no ", entry);
    }
    int threads = 0, bytes = 0;
    KILN_TRY(device_.run(calls.functionAttribute, &threads, FunctionMaxThreads, handle));
    KILN_TRY(device_.run(calls.functionAttribute, &bytes, FunctionLocalBytes, handle));
    slot = std::make_unique<GpuFunction>(*this, entry, handle, uint64_t(threads), uint64_t(bytes), isOneDimensional);
    KILN_LOG(Debug, Program, entry, ": at most ", threads, " work-items per group, ", bytes,
             " bytes of static local memory");
  }
  return slot.get();
}

Result<Function *> GpuCode::function(const KernelInfo &kernel) {
  Lock lock(mutex_);
  GpuFunction *found = KILN_TRY(find(module_, kernel.entry, kernel.role == KernelRole::Block));
  const bool hasRoom = found->maxThreads >= largestGroupOf(kernel, device_.limits());
  if (!hasRoom && device_.driver().assemblesCode() && !moduleForLargestGroups_.handle && source_.empty())
    source_ = KILN_TRY(contents(paths_.code));
  return found;
}

Result<GpuFunction *> GpuCode::forLargestGroups(const GpuFunction &function) {
  Lock lock(mutex_);
  Module &module = moduleForLargestGroups_;
  if (!module.handle) {
    if (source_.empty())
      return nullptr;
    KILN_LOG(Info, Program, "the registers of ", function.entry, " have room for ", function.maxThreads,
             " work-items per group, a launch has more: the code is assembled for the largest groups");
    KILN_TRY(loadForLargestGroups());
  }
  return find(module, function.entry, function.isOneDimensional);
}

Status GpuCode::loadForLargestGroups() {
  trace::Span span("driver", "load code for the largest groups");
  std::string image = source_;
  Driver::Registers registers = Driver::Registers::ForLargestGroups;
  if (paths_.assembleForLargestGroups)
    if (wire::Bytes machineCode = KILN_TRY(paths_.assembleForLargestGroups(source_)); !machineCode.empty()) {
      image.assign(machineCode.begin(), machineCode.end());
      registers = Driver::Registers::AsNeeded;
    }
  ScopedContext current(device_);
  if (!current)
    return device_.lostStatus();
  std::string log; // the build log has the messages for the other module
  ModuleHandle loaded = nullptr;
  KILN_TRY(device_.driver().loadModule(loaded, std::move(image), registers, log));
  moduleForLargestGroups_.handle = loaded;
  source_ = std::string();
  return {};
}

// Of the module that runs nearly all launches.
std::vector<CodeNumber> GpuCode::numbersOf(const KernelInfo &kernel) {
  std::vector<CodeNumber> numbers;
  Result<Function *> loaded = function(kernel);
  if (!loaded.ok())
    return numbers;
  ScopedContext current(device_);
  if (!current)
    return numbers;
  const auto handle = static_cast<GpuFunction *>(*loaded)->handle;
  for (auto [attribute, name] : {std::pair(FunctionRegisters, "registers per work-item"),
                                 std::pair(FunctionThreadBytes, "bytes of spills and private arrays per work-item")})
    if (int value = 0; device_.driver().calls.functionAttribute.function(&value, attribute, handle) == 0)
      numbers.push_back({name, uint64_t(value)});
  return numbers;
}

Assembler GpuDevice::assembler() const {
  Assembler assembler = options().gpuMachineCode ? driver_->assembler() : Assembler();
  assembler.identity = text(info_.target, " ", assembler.identity);
  return assembler;
}

Result<std::unique_ptr<Code>> GpuDevice::load(const CodePaths &paths, const ProgramInfo &, std::string &log) {
  KILN_TRY(open());
  std::string image = KILN_TRY(contents(paths.machineCode.empty() ? paths.code : paths.machineCode));
  trace::Span span("driver", "load code");
  ScopedContext current(*this);
  if (!current)
    return lostStatus();
  ModuleHandle module = nullptr;
  KILN_TRY(driver_->loadModule(module, std::move(image), Driver::Registers::AsNeeded, log));
  try {
    return std::unique_ptr<Code>(new GpuCode(*this, module, paths));
  } catch (const std::bad_alloc &) {
    (void)run(driver_->calls.unloadModule, module);
    throw;
  }
}

} // namespace kiln::gpu
