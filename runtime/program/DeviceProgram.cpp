#include "runtime/program/DeviceProgram.h"
#include "base/abi/ImageAbi.h"
#include "base/abi/KernelAbi.h"
#include "base/support/Log.h"
#include "base/support/Thread.h"
#include "base/support/Trace.h"
#include "runtime/explore/ProgramPage.h"
#include <algorithm>

namespace kiln {
namespace {

// Loading code may assemble it in this process (a driver without a separate assembler), for seconds, and the process
// cannot end meanwhile (ExitGate.h). If loading the generic variant took longer than SlowLoad, a variant is requested
// only if the application has launched the kernel for at least UseBeforeSlowLoad times as long.
constexpr uint64_t SlowLoad = 20'000'000;
constexpr uint64_t UseBeforeSlowLoad = 4;

/// An upper bound for sizes, so that the sums below cannot overflow.
constexpr uint64_t MaxPlausibleBytes = 1ull << 40;

/// The slot's size in the argument block.
uint32_t slotOf(const ArgInfo &argument) {
  switch (argument.kind) {
  case ArgKind::Value:
    return argument.size;
  case ArgKind::Image:
    return sizeof(abi::Image);
  case ArgKind::Sampler:
    return sizeof(uint32_t);
  default:
    return sizeof(uint64_t);
  }
}

/// Validates a kernel's metadata, which may come from a damaged file.
Status check(const KernelInfo &kernel, const DeviceInfo &limits) {
  const KernelPlan &plan = kernel.plan;
  uint64_t slotBytes = 0, counted = 0;
  bool valid = kernel.argumentBytes < MaxPlausibleBytes && plan.staticLocalBytes < MaxPlausibleBytes &&
               plan.itemBytes < MaxPlausibleBytes && plan.threadBytes < MaxPlausibleBytes &&
               plan.privateBytes < MaxPlausibleBytes && plan.subGroupSize &&
               plan.subGroupSize <= limits.maxWorkGroupSize && kernel.requiredSubGroups <= UINT32_MAX &&
               plan.preferredMultiple;
  for (const ArgInfo &argument : kernel.args) {
    slotBytes += argument.size;
    counted +=
        argument.kind == ArgKind::Image ? sizeof(cl_mem) : argument.size; // handles count with their size, as in OpenCL
    valid &= argument.kind <= ArgKind::Queue && argument.access <= AccessQualifier::ReadWrite &&
             argument.size == slotOf(argument) && uint64_t(argument.offset) + argument.size <= kernel.argumentBytes;
  }
  if (kernel.role != KernelRole::Kernel && kernel.role != KernelRole::Block)
    valid &=
        kernel.role <= KernelRole::Finalizer && kernel.args.empty() && plan.staticLocalBytes <= limits.localMemSize;
  if (!valid || kernel.argumentBytes > slotBytes + kernel.args.size() * abi::LocalAlignment)
    return fail(CL_BUILD_PROGRAM_FAILURE, "error: invalid metadata of kernel ", kernel.name,
                " in the compiler's reply or the cache");
  if (plan.enqueues && (kernel.role == KernelRole::Initializer || kernel.role == KernelRole::Finalizer))
    return fail(CL_BUILD_PROGRAM_FAILURE, "error: ", kernel.name,
                " is an initializer or finalizer and must not enqueue kernels");
  if (counted > limits.maxParameterSize)
    return fail(CL_BUILD_PROGRAM_FAILURE, "error: kernel ", kernel.name, " has ", counted,
                " bytes of arguments; the limit of device ", limits.name, " is ", limits.maxParameterSize);
  return {};
}

} // namespace

DeviceProgram::DeviceProgram(DeviceObject &device, CodeResult built, protocol::BuildRequest request,
                             std::vector<ModuleOrigin> origins, std::shared_ptr<ReleaseCallbacks> callbacks,
                             std::shared_ptr<explore::ProgramPage> page)
    : callbacks_(std::move(callbacks)), page_(std::move(page)), device_(&device), built_(std::move(built)),
      request_(std::move(request)), origins_(std::move(origins)) {}

DeviceProgram::~DeviceProgram() = default;

Result<std::shared_ptr<const DeviceProgram>>
DeviceProgram::load(DeviceObject &device, CodeResult built, protocol::BuildRequest request,
                    std::vector<ModuleOrigin> origins, std::shared_ptr<ReleaseCallbacks> callbacks,
                    std::shared_ptr<explore::ProgramPage> page, const std::string &schedules, std::string &log) {
  auto end = [](const DeviceProgram *last) {
    std::unique_ptr<const DeviceProgram> owned(last);
    if (InitFiniKernels *kernels = owned->initFiniKernels()) {
      std::unique_ptr<InitFiniRun> run;
      {
        Lock lock(kernels->mutex);
        run = std::move(kernels->run);
      }
      if (run)
        run->enqueueFinalizers(std::move(owned));
    }
  };
  std::shared_ptr<DeviceProgram> program(new DeviceProgram(device, std::move(built), std::move(request),
                                                           std::move(origins), std::move(callbacks), std::move(page)),
                                         end);
  const ProgramInfo &info = program->info();
  for (const KernelInfo &kernel : info.kernels)
    KILN_TRY(check(kernel, device.info()));
  program->variables_ = KILN_TRY(VariableBlock::create(device.device(), info.variables));
  if (program->built_.isQuick)
    KILN_LOG(Info, Program, "the program of ", info.kernels.size(), " kernels is in the quick form");
  if (program->built_.code) {
    const uint64_t begin = nowNanoseconds();
    program->code_ = KILN_TRY(Compiler::get().load(device.device(), program->built_, log));
    program->loadTime_ = nowNanoseconds() - begin;
  }
  if (!schedules.empty())
    KILN_TRY(program->applySchedules(schedules, log));
  KILN_TRY(program->findFunctions());
  if (program->page_)
    for (const auto &[name, kernel] : program->kernels_)
      if (!kernel->schedule)
        program->page_->addMachineCode(name, device.info().name, "generic",
                                       program->code_.code->numbersOf(kernel->info));
  return std::shared_ptr<const DeviceProgram>(std::move(program));
}

Status DeviceProgram::applySchedules(const std::string &folder, std::string &log) {
  const Schedules schedules = KILN_TRY(Schedules::read(folder));
  for (const KernelInfo &kernel : info().kernels) {
    if (kernel.role != KernelRole::Kernel)
      continue;
    const Schedule *schedule = schedules.find(kernel, request_.target);
    log += text("note: kernel ", kernel.name, " has the hash ", kernel.hash,
                schedule ? " and the schedule " : " and no schedule", schedule ? schedule->path : "", '\n');
    if (!schedule)
      continue;
    auto scheduled = KILN_TRY(ScheduledKernel::build(device_->device(), request_, *schedule, info(), kernel));
    KILN_TRY(check(scheduled->info(), device_->info()));
    scheduled_[kernel.name] = std::move(scheduled);
  }
  return {};
}

Status DeviceProgram::findFunctions() {
  std::vector<InitFiniKernel> initializers, finalizers;
  const auto width = unsigned(device_->info().preferredWorkGroupSizeMultiple); // on a CPU, the machine width
  const DeviceKernel::Forms forms{.isQuick = built_.isQuick,
                                  .hasRivals = Compiler::choosesForms(request_) && device_->info().runsInIssue,
                                  .halfWidth = width >= 16 ? width / 2 : 0};
  blocks_.resize(size_t(std::ranges::count(info().kernels, KernelRole::Block, &KernelInfo::role)));
  for (const KernelInfo &kernel : info().kernels) {
    const auto deferred = std::ranges::find(built_.deferred, kernel.name, &protocol::DeferredKernel::name);
    if (deferred != built_.deferred.end() && kernel.role == KernelRole::Kernel) {
      kernels_[kernel.name] =
          std::make_unique<DeviceKernel>(kernel, std::make_unique<DeferredCode>(*this, kernel, *deferred), forms);
      continue;
    }
    if (!code_.code)
      return fail(CL_BUILD_PROGRAM_FAILURE, "error: the compiler's reply or the cache has no code of ", kernel.name);
    Function *function = KILN_TRY(code_.code->function(kernel));
    switch (kernel.role) {
    case KernelRole::Kernel:
      if (auto found = scheduled_.find(kernel.name); found != scheduled_.end()) {
        const ScheduledKernel &scheduled = *found->second;
        kernels_[kernel.name] = std::make_unique<DeviceKernel>(scheduled.info(), scheduled.function(),
                                                               DeviceKernel::Forms{}, &scheduled.schedule());
      } else {
        kernels_[kernel.name] = std::make_unique<DeviceKernel>(kernel, function, forms);
      }
      break;
    case KernelRole::Initializer:
      initializers.push_back({&kernel, function});
      break;
    case KernelRole::Finalizer:
      finalizers.push_back({&kernel, function});
      break;
    case KernelRole::Block:
      if (kernel.block >= blocks_.size() || blocks_[kernel.block])
        return fail(CL_BUILD_PROGRAM_FAILURE,
                    "error: invalid metadata of the program's blocks in the compiler's reply or the cache");
      blocks_[kernel.block] = std::make_unique<DeviceKernel>(kernel, function, forms);
      break;
    }
  }
  if (!initializers.empty() || !finalizers.empty())
    initFiniKernels_ = std::make_unique<InitFiniKernels>(std::move(initializers), std::move(finalizers));
  return {};
}

const wire::Bytes &DeviceProgram::authenticatedCode() const {
  Lock lock(mutex_);
  if (authenticatedCode_)
    return *authenticatedCode_;
  if (built_.deferred.empty())
    return authenticatedCode_.emplace(Compiler::authenticate(wholeRequest(), built_));
  const CodeResult &whole = whole_.emplace(Compiler::get().build(wholeRequest()));
  if (!whole.ok)
    KILN_LOG(Warn, Program, "the program's binary has no code: ", whole.log);
  return authenticatedCode_.emplace(whole.ok ? Compiler::authenticate(wholeRequest(), whole) : wire::Bytes());
}

protocol::BuildRequest DeviceProgram::wholeRequest() const {
  protocol::BuildRequest request = request_;
  request.deferKernels = false;
  return request;
}

Result<LoadedCode> DeviceProgram::loadDeferred(const protocol::DeferredKernel &kernel, std::string &log,
                                               uint64_t &nanoseconds) const {
  std::optional<CodeResult> code;
  {
    Lock lock(mutex_);
    code = whole_; // a binary has been made: its code is there
  }
  if (!code || !code->ok)
    code = Compiler::get().generate(request_, built_, kernel);
  if (!code->ok)
    return fail(CL_OUT_OF_RESOURCES, code->log);
  nanoseconds = code->nanoseconds;
  const uint64_t begin = nowNanoseconds();
  LoadedCode loaded = KILN_TRY(Compiler::get().load(device_->device(), *code, log));
  const uint64_t duration = nowNanoseconds() - begin;
  for (uint64_t longest = loadTime_; longest < duration && !loadTime_.compare_exchange_weak(longest, duration);) {
  }
  return loaded;
}

const ScalarForm *DeviceProgram::scalarForm(std::string &why) const {
  Lock lock(scalarMutex_);
  if (!scalarForm_)
    scalarForm_.emplace(ScalarForm::build(device_->device(), request_, info()));
  if (!scalarForm_->ok()) {
    why = scalarForm_->message();
    return nullptr;
  }
  return (*scalarForm_)->get();
}

const LocatedKernel *DeviceProgram::locatedKernel(const KernelInfo &generic, LocatedKernel::Form form,
                                                  std::string &why) const {
  Lock lock(locatedMutex_);
  const std::pair key(generic.name, form);
  auto found = located_.find(key);
  if (found == located_.end())
    found = located_.emplace(key, LocatedKernel::build(device_->device(), request_, origins_, {info(), generic}, form))
                .first;
  if (found->second.ok())
    return found->second->get();
  why = found->second.message();
  return nullptr;
}

uint64_t DeviceProgram::noVariantBefore() const {
  return loadTime_ < SlowLoad ? 0 : nowNanoseconds() + UseBeforeSlowLoad * loadTime_;
}

DeviceKernel *DeviceProgram::kernel(const std::string &name) const {
  auto found = kernels_.find(name);
  return found == kernels_.end() ? nullptr : found->second.get();
}

} // namespace kiln
