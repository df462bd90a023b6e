#include "runtime/program/DeviceProgram.h"
#include "base/abi/ImageAbi.h"
#include "base/abi/KernelAbi.h"
#include "base/abi/TextureUse.h"
#include "base/support/Log.h"
#include "base/support/Thread.h"
#include "base/support/Trace.h"
#include "runtime/explore/ProgramPage.h"
#include <algorithm>
#include <span>

namespace kiln {
namespace {

// Specialised variants per kernel. A program that uses more local sizes is tuning itself and would lose more time to
// compilation than it gains.
constexpr size_t MaxVariants = 4;
constexpr unsigned MinLaunches = 2;
// Loading code may assemble it in this process (a driver without a separate assembler), for seconds, and the process
// cannot end meanwhile (ExitGate.h). If loading the generic variant took longer than SlowLoad, a variant is requested
// only if the application has launched the kernel for at least UseBeforeSlowLoad times as long.
constexpr uint64_t SlowLoad = 20'000'000;
constexpr uint64_t UseBeforeSlowLoad = 4;

// Launches that compare a variant with the generic one: they alternate, so that both see the same load of the machine.
constexpr unsigned Trials = 8;
// A variant that takes more of the generic one's time is dropped.
constexpr double MostOfGeneric = 1.1;

enum class WhenToCompile { Never, Earned, Always };

/// KILN_VARIANTS.
WhenToCompile whenToCompile() {
  static const WhenToCompile when = [] {
    const std::string &value = options().variants;
    if (value == "off")
      return WhenToCompile::Never;
    if (value == "always")
      return WhenToCompile::Always;
    if (value != "earned")
      KILN_LOG(Error, Program, "KILN_VARIANTS is ", value, ", must be earned, always or off; earned is used");
    return WhenToCompile::Earned;
  }();
  return when;
}

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

/// The value of a known argument: a sampler, or an image's format and how kernels read and filter it.
std::string describe(uint32_t value) {
  const uint32_t format = value & ~abi::FormatTextured;
  if (abi::imageOrder(format))
    return text("image of format 0x", std::hex, format, value == format ? "" : textureUse(format));
  static constexpr const char *Addressing[] = {"none", "clamp to edge", "clamp", "repeat", "mirrored repeat"};
  const uint32_t mode = value & abi::SamplerModeMask;
  return text("sampler ", mode < std::size(Addressing) ? Addressing[mode] : "?",
              value & abi::SamplerLinear ? ", linear" : ", nearest",
              value & abi::SamplerNormalized ? ", normalised" : "");
}

/// For the log.
std::string describe(const protocol::Specialisation &kind) {
  std::string what;
  if (kind.localSize[0])
    what = text("local size ", kind.localSize[0], "x", kind.localSize[1], "x", kind.localSize[2]);
  for (const protocol::KnownArgument &known : kind.known)
    what += text(what.empty() ? "" : ", ", "argument ", known.index, " = ", describe(known.value));
  return what;
}

} // namespace

DeviceProgram::DeviceProgram(DeviceObject &device, CodeResult built, protocol::BuildRequest request,
                             std::shared_ptr<ReleaseCallbacks> callbacks, std::shared_ptr<explore::ProgramPage> page)
    : callbacks_(std::move(callbacks)), page_(std::move(page)), device_(&device), built_(std::move(built)),
      request_(std::move(request)) {}

DeviceProgram::~DeviceProgram() = default;

Result<std::shared_ptr<const DeviceProgram>> DeviceProgram::load(DeviceObject &device, CodeResult built,
                                                                 protocol::BuildRequest request,
                                                                 std::shared_ptr<ReleaseCallbacks> callbacks,
                                                                 std::shared_ptr<explore::ProgramPage> page,
                                                                 std::string &log) {
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
  std::shared_ptr<DeviceProgram> program(
      new DeviceProgram(device, std::move(built), std::move(request), std::move(callbacks), std::move(page)), end);
  const ProgramInfo &info = program->info();
  for (const KernelInfo &kernel : info.kernels)
    KILN_TRY(check(kernel, device.info()));
  program->variables_ = KILN_TRY(VariableBlock::create(device.device(), info.variables));
  if (program->built_.code) {
    const uint64_t begin = nowNanoseconds();
    program->code_ = KILN_TRY(Compiler::get().load(device.device(), program->built_, log));
    program->loadTime_ = nowNanoseconds() - begin;
  }
  if (!options().schedules.empty())
    KILN_TRY(program->applySchedules(log));
  KILN_TRY(program->findFunctions());
  if (program->page_)
    for (const auto &[name, kernel] : program->kernels_)
      if (!kernel->schedule)
        program->page_->addMachineCode(name, device.info().name, "generic",
                                       program->code_.code->numbersOf(kernel->info));
  return std::shared_ptr<const DeviceProgram>(std::move(program));
}

Status DeviceProgram::applySchedules(std::string &log) {
  const Schedules schedules = KILN_TRY(Schedules::read(options().schedules));
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
  blocks_.resize(size_t(std::ranges::count(info().kernels, KernelRole::Block, &KernelInfo::role)));
  for (const KernelInfo &kernel : info().kernels) {
    const auto deferred = std::ranges::find(built_.deferred, kernel.name, &protocol::DeferredKernel::name);
    if (deferred != built_.deferred.end() && kernel.role == KernelRole::Kernel) {
      kernels_[kernel.name] =
          std::make_unique<DeviceKernel>(kernel, std::make_unique<DeferredCode>(*this, kernel, *deferred));
      continue;
    }
    if (!code_.code)
      return fail(CL_BUILD_PROGRAM_FAILURE, "error: the compiler's reply or the cache has no code of ", kernel.name);
    Function *function = KILN_TRY(code_.code->function(kernel));
    switch (kernel.role) {
    case KernelRole::Kernel:
      if (auto found = scheduled_.find(kernel.name); found != scheduled_.end()) {
        const ScheduledKernel &scheduled = *found->second;
        kernels_[kernel.name] =
            std::make_unique<DeviceKernel>(scheduled.info(), scheduled.function(), &scheduled.schedule());
      } else {
        kernels_[kernel.name] = std::make_unique<DeviceKernel>(kernel, function);
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
      blocks_[kernel.block] = std::make_unique<DeviceKernel>(kernel, function);
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

uint64_t DeviceProgram::noVariantBefore() const {
  return loadTime_ < SlowLoad ? 0 : nowNanoseconds() + UseBeforeSlowLoad * loadTime_;
}

DeviceKernel *DeviceProgram::kernel(const std::string &name) const {
  auto found = kernels_.find(name);
  return found == kernels_.end() ? nullptr : found->second.get();
}

DeviceKernel::DeviceKernel(const KernelInfo &info, Function *generic, const Schedule *schedule)
    : info(info), schedule(schedule), generic_(generic) {
  variants_.reserve(MaxVariants);
}

DeviceKernel::DeviceKernel(const KernelInfo &info, std::unique_ptr<DeferredCode> deferred)
    : info(info), schedule(nullptr), generic_(nullptr), deferred_(std::move(deferred)) {
  variants_.reserve(MaxVariants);
}

Function *DeviceKernel::genericFor(const std::shared_ptr<const DeviceProgram> &program) noexcept {
  Function *function = generic();
  if (!function)
    deferred_->start(program);
  return function;
}

bool DeviceKernel::takes(const std::shared_ptr<const DeviceProgram> &program, Variant &variant, uint64_t items) {
  const Function *generic = this->generic();
  if (whenToCompile() == WhenToCompile::Always || variant.isProven || !generic)
    return true;
  const auto ofGeneric = generic->expectedNanoseconds(items), ofVariant = variant.function->expectedNanoseconds(items);
  if (++variant.trials <= Trials || !ofGeneric || !ofVariant)
    return variant.trials % 2;
  variant.isProven = double(*ofVariant) <= MostOfGeneric * double(*ofGeneric);
  if (variant.isProven)
    return true;
  KILN_LOG(Info, Program, "the variant of ", info.name, " for ", describe(variant.kind), " takes ",
           double(*ofVariant) / double(*ofGeneric), " of the time of the generic one, and is dropped");
  variant.function = nullptr;
  variant.code.reset(); // launches in progress hold it
  if (!buildThreads().runFunction(
          [request = requestFor(*program, variant.kind)] { Compiler::get().markSlow(request); }))
    KILN_LOG(Info, Program, "it is tried again by the next process");
  return false;
}

protocol::BuildRequest DeviceKernel::requestFor(const DeviceProgram &program,
                                                const protocol::Specialisation &kind) const {
  protocol::BuildRequest request = program.request_;
  request.specialisations = {kind};
  if (schedule)
    schedule->applyTo(request);
  return request;
}

std::optional<DeviceKernel::Source> DeviceKernel::nextStep(const DeviceProgram &program, Variant &variant,
                                                           uint64_t items) const {
  const Function *function = generic();
  const std::optional<uint64_t> expected = function ? function->expectedNanoseconds(items) : std::nullopt;
  variant.spent += expected.value_or(0);
  if (variant.requested || ++variant.launches < MinLaunches ||
      (variant.notBefore && nowNanoseconds() < variant.notBefore))
    return {};
  // Devices that do not tell how long launches take compile it at once.
  const uint64_t cost = program.compileNanoseconds() + (deferred_ ? deferred_->nanoseconds() : 0);
  const bool earned = whenToCompile() == WhenToCompile::Always || !expected || variant.spent >= cost;
  if (earned)
    return Source::Compiler;
  return variant.lookedUp ? std::nullopt : std::optional(Source::Cache);
}

Function *DeviceKernel::functionFor(const std::shared_ptr<const DeviceProgram> &program,
                                    const std::array<uint64_t, 3> &localSize, bool whole, uint64_t items,
                                    const std::vector<protocol::KnownArgument> &knownArguments,
                                    std::shared_ptr<void> &code) noexcept {
  std::span<const protocol::KnownArgument> known;
  if (!schedule)
    known = knownArguments;
  const bool sized = info.plan.prefersFixedLocalSize && whole;
  if ((!sized && known.empty()) || whenToCompile() == WhenToCompile::Never)
    return genericFor(program);
  const std::array<uint64_t, 3> size = sized ? localSize : std::array<uint64_t, 3>{};
  try {
    protocol::Specialisation kind;
    std::optional<Source> step;
    {
      Lock lock(mutex_);
      auto variant = std::ranges::find_if(variants_, [&](const Variant &other) {
        return other.kind.localSize == size && std::ranges::equal(other.kind.known, known);
      });
      if (variant == variants_.end()) {
        // Evicts the oldest entry that was launched once, so that frequent ones get in.
        if (variants_.size() == MaxVariants)
          if (auto once = std::ranges::find(variants_, false, &Variant::requested); once != variants_.end())
            variants_.erase(once);
        if (variants_.size() < MaxVariants)
          variants_.push_back({.kind = {info.name, size, {known.begin(), known.end()}},
                               .launches = 1,
                               .notBefore = program->noVariantBefore(),
                               .code = {}});
        return genericFor(program);
      }
      if (variant->function) {
        if (!takes(program, *variant, items))
          return genericFor(program);
        code = variant->code;
        return variant->function;
      }
      step = nextStep(*program, *variant, items);
      if (!step)
        return genericFor(program);
      (*step == Source::Cache ? variant->lookedUp : variant->requested) = true;
      kind = variant->kind;
    }
    if (!request(program, kind, *step))
      KILN_LOG(Info, Program, "no variant of ", info.name, ": no thread can build it");
  } catch (const std::bad_alloc &) {
    KILN_LOG(Info, Program, "no variant of ", info.name, ": out of memory");
  }
  return genericFor(program);
}

std::string DeviceKernel::variantOf(const Function *function) {
  if (function == generic())
    return schedule ? "schedule" : "generic";
  Lock lock(mutex_);
  auto variant = std::ranges::find(variants_, function, &Variant::function);
  return variant == variants_.end() ? "variant" : describe(variant->kind);
}

bool DeviceKernel::request(std::shared_ptr<const DeviceProgram> program, const protocol::Specialisation &kind,
                           Source from) {
  return buildThreads().runFunction([this, program = std::move(program), kind, from] {
    const protocol::BuildRequest request = requestFor(*program, kind);
    if (whenToCompile() != WhenToCompile::Always && Compiler::get().isSlow(request)) {
      Lock lock(mutex_);
      for (Variant &variant : variants_)
        variant.requested |= variant.kind == kind; // never again
      return;
    }
    std::optional<CodeResult> found = Compiler::get().find(request);
    if (!found && from == Source::Cache)
      return;
    const CodeResult built = found ? std::move(*found) : Compiler::get().build(request);
    const std::string what = describe(kind);
    if (program->page_)
      program->page_->addVariant(program->request_.target + ' ' + what, std::move(built.explored));
    const KernelInfo *variantInfo = nullptr;
    for (const KernelInfo &kernel : built.info.kernels)
      if (kernel.name == info.name)
        variantInfo = &kernel;
    if (!built.ok || !built.code || !variantInfo) {
      KILN_LOG(Warn, Program, "no variant of ", info.name, " for ", what, ": ", built.log);
      return;
    }
    // A variant that needs more than the plan allows is not used, because launches are sized by the plan.
    const KernelPlan &plan = variantInfo->plan;
    if (plan.itemBytes > info.plan.itemBytes || plan.threadBytes > info.plan.threadBytes ||
        plan.staticLocalBytes != info.plan.staticLocalBytes || variantInfo->argumentBytes != info.argumentBytes ||
        plan.prints != info.plan.prints || plan.enqueues != info.plan.enqueues ||
        built.info.variables != program->info().variables || built.info.printf != program->info().printf) {
      KILN_LOG(Warn, Program, "the variant of ", info.name, " for ", what, " does not match the plan");
      return;
    }
    std::string log; // the build log has the driver's messages for the generic variant
    Result<LoadedCode> code = Compiler::get().load(program->device_->device(), built, log);
    KernelInfo fixed = *variantInfo;
    if (kind.localSize[0])
      fixed.requiredLocalSize = kind.localSize; // other launches run the generic variant
    Result<Function *> function = nullptr;
    if (code.ok())
      function = code->code->function(fixed);
    if (!code.ok() || !function.ok()) {
      KILN_LOG(Warn, Program, "the variant of ", info.name, " for ", what,
               " cannot be loaded: ", code.ok() ? function.message() : code.message());
      return;
    }
    KILN_LOG(Info, Program, "the variant of ", info.name, " for ", what, " is ready");
    if (program->page_)
      program->page_->addMachineCode(info.name, program->device_->info().name, what, code->code->numbersOf(fixed));
    auto loaded = std::make_shared<LoadedCode>(std::move(*code));
    Lock lock(mutex_);
    for (Variant &variant : variants_)
      if (variant.kind == kind) {
        variant.requested = true; // also if it was in the cache
        variant.code = std::move(loaded);
        variant.function = *function;
      }
  });
}

} // namespace kiln
