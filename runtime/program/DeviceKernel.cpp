#include "runtime/program/DeviceKernel.h"
#include "base/abi/ImageAbi.h"
#include "base/abi/KernelAbi.h"
#include "base/abi/TextureUse.h"
#include "base/support/Log.h"
#include "base/support/Thread.h"
#include "base/support/Trace.h"
#include "runtime/explore/ProgramPage.h"
#include "runtime/program/DeviceProgram.h"
#include <algorithm>

namespace kiln {
namespace {

// Specialised variants per kernel. A program that uses more local sizes is tuning itself and would lose more time to
// compilation than it gains.
constexpr size_t MaxVariants = 4;
constexpr unsigned MinLaunches = 2;

// Launches that compare a variant with the generic one: they alternate, so that both see the same load of the machine.
constexpr unsigned Trials = 8;
// A variant that takes more of its base's time is dropped.
constexpr double MostOfBase = 1.1;
// One that takes less is kept before the trials end.
constexpr double ClearlyFaster = 0.7;
// The time to compile a kernel's full form, in those of its quick form. Of 120 programs of ggml and 54 of PyFR the
// median is 3.
constexpr uint64_t FullFormCost = 3;

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
  std::string what = kind.localSize[0] || !kind.known.empty() ? "" : "any values";
  if (kind.localSize[0])
    what = text("local size ", kind.localSize[0], "x", kind.localSize[1], "x", kind.localSize[2]);
  for (const protocol::KnownArgument &known : kind.known)
    what += text(what.empty() ? "" : ", ", "argument ", known.index, " = ", describe(known.value));
  return what;
}

} // namespace

/// Requests its variant when a launch runs long. The variant's code lives as long as it.
class DeviceKernel::Upgrade final : public LaunchUpgrade {
public:
  Upgrade(DeviceKernel &kernel, const Program &program, protocol::Specialisation kind)
      : kernel_(kernel), program_(program), kind_(std::move(kind)) {}
  void request() noexcept override {
    const Program program = isRequested_.exchange(true) ? nullptr : program_.lock();
    if (!program)
      return;
    try {
      {
        Lock lock(kernel_.mutex_);
        Variant *variant = kernel_.find(kind_.localSize, kind_.known);
        if (!variant || std::exchange(variant->requested, true))
          return;
      }
      (void)kernel_.request(program, kind_, Source::Compiler);
    } catch (const std::bad_alloc &) {
      KILN_LOG(Info, Program, "no variant of ", kernel_.info.name, ": out of memory");
    }
  }
  void set(const Loaded &loaded) {
    code_ = loaded.code;
    function.store(loaded.function, std::memory_order_release);
  }

private:
  DeviceKernel &kernel_; // the launch holds the program
  const std::weak_ptr<const DeviceProgram> program_;
  const protocol::Specialisation kind_;
  std::atomic<bool> isRequested_ = false;
  std::shared_ptr<void> code_;
};

DeviceKernel::DeviceKernel(const KernelInfo &info, Function *generic, bool isQuick, const Schedule *schedule)
    : info(info), schedule(schedule), generic_(generic), isQuick_(isQuick),
      prefersFixedLocalSize_(info.plan.prefersFixedLocalSize) {
  variants_.reserve(MaxVariants);
}

DeviceKernel::DeviceKernel(const KernelInfo &info, std::unique_ptr<DeferredCode> deferred, bool isQuick)
    : info(info), schedule(nullptr), generic_(nullptr), deferred_(std::move(deferred)), isQuick_(isQuick),
      prefersFixedLocalSize_(info.plan.prefersFixedLocalSize) {
  variants_.reserve(MaxVariants);
}

DeviceKernel::~DeviceKernel() = default;

Function *DeviceKernel::genericFor(const Program &program) noexcept {
  Function *function = generic();
  if (!function)
    deferred_->start(program);
  return function;
}

DeviceKernel::Selection DeviceKernel::baseOf(const Program &program, const Variant &variant) {
  if (isQuick_)
    if (const Variant *full = find({}, {}); full && full != &variant && full->isProven)
      return {full->function, full->code};
  return {genericFor(program)};
}

DeviceKernel::Variant *DeviceKernel::find(const Size &size, Known known) {
  auto found = std::ranges::find_if(variants_, [&](const Variant &other) {
    return other.kind.localSize == size && std::ranges::equal(other.kind.known, known);
  });
  return found == variants_.end() ? nullptr : &*found;
}

DeviceKernel::Variant *DeviceKernel::add(const Program &program, const Size &size, Known known) {
  // The full form has a place of its own: it runs what the others are too many for.
  const bool isFullForm = !size[0] && known.empty();
  if (!isFullForm && variants_.size() >= MaxVariants) {
    // Evicts the oldest entry that was launched once, so that frequent ones get in.
    auto once = std::ranges::find(variants_, false, &Variant::requested);
    if (once == variants_.end())
      return nullptr;
    variants_.erase(once);
  }
  Variant variant{.kind = {info.name, size, {known.begin(), known.end()}},
                  .notBefore = program->noVariantBefore(),
                  .code = {},
                  .upgrade = {}};
  if (isQuick_)
    variant.upgrade = std::make_shared<Upgrade>(*this, program, variant.kind);
  return &variants_.emplace_back(std::move(variant));
}

uint64_t DeviceKernel::costOfVariant(const DeviceProgram &program) const {
  const uint64_t generic = program.compileNanoseconds() + (deferred_ ? deferred_->nanoseconds() : 0);
  return isQuick_ ? FullFormCost * generic : generic;
}

bool DeviceKernel::takes(const Program &program, Variant &variant, const Function *base, uint64_t items) {
  if (whenToCompile() == WhenToCompile::Always || variant.isProven || !base || !base->isMeasured())
    return true;
  const auto ofBase = base->expectedNanoseconds(items), ofVariant = variant.function->expectedNanoseconds(items);
  const bool isTurn = ++variant.trials % 2;
  if (!ofBase || !ofVariant)
    return isTurn;
  const double ratio = double(*ofVariant) / double(*ofBase);
  if (variant.trials <= Trials && ratio > ClearlyFaster)
    return isTurn;
  decide(program, variant, ratio);
  return variant.isProven;
}

void DeviceKernel::prove(Variant &variant) {
  variant.isProven = true;
  if (isQuick_ && !variant.kind.localSize[0] && variant.kind.known.empty() && variant.prefersFixedLocalSize)
    prefersFixedLocalSize_ = true;
}

void DeviceKernel::decide(const Program &program, Variant &variant, double ofBase) {
  if (ofBase <= MostOfBase)
    prove(variant);
  KILN_LOG(Info, Program, "the variant of ", info.name, " for ", describe(variant.kind), " takes ", ofBase,
           " of the time of the code before it, and is ", variant.isProven ? "kept" : "dropped");
  if (!variant.isProven) {
    variant.function = nullptr;
    variant.code.reset(); // launches in progress hold it
    variant.upgrade.reset();
  }
  const Verdict verdict = variant.isProven ? Verdict::Faster : Verdict::Slower;
  if (!buildThreads().runFunction(
          [request = requestFor(*program, variant.kind), verdict] { Compiler::get().remember(request, verdict); }))
    KILN_LOG(Info, Program, "it is tried again by the next process");
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
                                                           const Function *base, uint64_t items) const {
  const std::optional<uint64_t> expected = base ? base->expectedNanoseconds(items) : std::nullopt;
  variant.spent += expected.value_or(0);
  if (variant.requested || ++variant.launches < MinLaunches ||
      (variant.notBefore && nowNanoseconds() < variant.notBefore))
    return {};
  if (whenToCompile() == WhenToCompile::Always || (base && !base->isMeasured()) ||
      variant.spent >= costOfVariant(program))
    return Source::Compiler;
  return variant.lookedUp ? std::nullopt : std::optional(Source::Cache);
}

DeviceKernel::Choice DeviceKernel::choose(const Program &program, Variant &variant, uint64_t items) {
  Selection base = baseOf(program, variant);
  if (variant.function)
    return {takes(program, variant, base.function, items) ? Selection{variant.function, variant.code}
                                                          : std::move(base)};
  Choice choice{std::move(base)};
  choice.source = nextStep(*program, variant, choice.selection.function, items);
  if (variant.upgrade) {
    const uint64_t cost = costOfVariant(*program);
    variant.upgrade->patience = cost - std::min(cost, variant.spent);
    choice.selection.upgrade = variant.upgrade;
  }
  if (choice.source) {
    (*choice.source == Source::Cache ? variant.lookedUp : variant.requested) = true;
    choice.kind = variant.kind;
  }
  return choice;
}

DeviceKernel::Selection DeviceKernel::select(const Program &program, const Size &localSize, bool whole, uint64_t items,
                                             const std::vector<protocol::KnownArgument> &knownArguments) noexcept {
  Known known;
  if (!schedule)
    known = knownArguments;
  const bool sized = prefersFixedLocalSize_ && whole;
  if ((!sized && known.empty() && !isQuick_) || whenToCompile() == WhenToCompile::Never)
    return {genericFor(program)};
  Size size = sized ? localSize : Size{};
  try {
    Choice choice;
    bool isNew = false;
    {
      Lock lock(mutex_);
      Variant *variant = find(size, known);
      if (!variant && !(variant = add(program, size, known)) && isQuick_) {
        size = {}, known = {};
        variant = find(size, known);
      }
      isNew = variant && isQuick_ && !std::exchange(variant->lookedUp, true);
      if (variant && !isNew)
        choice = choose(program, *variant, items);
      else
        choice.selection = {genericFor(program)};
    }
    if (isNew) {
      obtain(*program, {info.name, size, {known.begin(), known.end()}}, Source::Cache);
      Lock lock(mutex_);
      if (Variant *variant = find(size, known))
        choice = choose(program, *variant, items);
    }
    if (choice.source && !request(program, choice.kind, *choice.source))
      KILN_LOG(Info, Program, "no variant of ", info.name, ": no thread can build it");
    return std::move(choice.selection);
  } catch (const std::bad_alloc &) {
    KILN_LOG(Info, Program, "no variant of ", info.name, ": out of memory");
  }
  return {genericFor(program)};
}

std::string DeviceKernel::variantOf(const Function *function) {
  if (function == generic())
    return schedule ? "schedule" : isQuick_ ? "quick form" : "generic";
  Lock lock(mutex_);
  auto variant = std::ranges::find(variants_, function, &Variant::function);
  return variant == variants_.end() ? "variant" : describe(variant->kind);
}

bool DeviceKernel::request(Program program, const protocol::Specialisation &kind, Source from) {
  return buildThreads().runFunction([this, program = std::move(program), kind, from] { obtain(*program, kind, from); });
}

void DeviceKernel::obtain(const DeviceProgram &program, const protocol::Specialisation &kind, Source from) {
  const protocol::BuildRequest request = requestFor(program, kind);
  std::optional<Verdict> verdict;
  if (whenToCompile() != WhenToCompile::Always)
    verdict = Compiler::get().verdictOn(request);
  if (verdict == Verdict::Slower) {
    Lock lock(mutex_);
    if (Variant *variant = find(kind.localSize, kind.known)) {
      variant->requested = true; // never again
      variant->upgrade.reset();
    }
    return;
  }
  std::optional<CodeResult> built = Compiler::get().find(request);
  if (!built && from == Source::Cache)
    return;
  if (!built)
    built = Compiler::get().build(request);
  std::optional<Loaded> loaded = load(program, kind, std::move(*built));
  if (!loaded)
    return;
  Lock lock(mutex_);
  Variant *variant = find(kind.localSize, kind.known);
  if (!variant)
    return;
  variant->requested = true; // also if it was in the cache
  variant->code = loaded->code;
  variant->function = loaded->function;
  variant->prefersFixedLocalSize = loaded->prefersFixedLocalSize;
  if (verdict == Verdict::Faster)
    prove(*variant);
  if (variant->upgrade)
    variant->upgrade->set(*loaded);
}

std::optional<DeviceKernel::Loaded> DeviceKernel::load(const DeviceProgram &program,
                                                       const protocol::Specialisation &kind, CodeResult built) const {
  const std::string what = describe(kind);
  if (program.page_)
    program.page_->addVariant(program.request_.target + ' ' + what, std::move(built.explored));
  const auto found = std::ranges::find(built.info.kernels, info.name, &KernelInfo::name);
  if (!built.ok || !built.code || found == built.info.kernels.end()) {
    KILN_LOG(Warn, Program, "no variant of ", info.name, " for ", what, ": ", built.log);
    return {};
  }
  // A variant that needs more than the plan allows is not used, because launches are sized by the plan.
  const KernelPlan &plan = found->plan;
  if (plan.itemBytes > info.plan.itemBytes || plan.threadBytes > info.plan.threadBytes ||
      plan.staticLocalBytes != info.plan.staticLocalBytes || found->argumentBytes != info.argumentBytes ||
      plan.prints != info.plan.prints || plan.enqueues != info.plan.enqueues ||
      built.info.variables != program.info().variables || built.info.printf != program.info().printf) {
    KILN_LOG(Warn, Program, "the variant of ", info.name, " for ", what, " does not match the plan");
    return {};
  }
  std::string log; // the build log has the driver's messages for the generic variant
  Result<LoadedCode> code = Compiler::get().load(program.device_->device(), built, log);
  KernelInfo fixed = *found;
  if (kind.localSize[0])
    fixed.requiredLocalSize = kind.localSize; // other launches run the generic variant
  Result<Function *> function = nullptr;
  if (code.ok())
    function = code->code->function(fixed);
  if (!code.ok() || !function.ok()) {
    KILN_LOG(Warn, Program, "the variant of ", info.name, " for ", what,
             " cannot be loaded: ", code.ok() ? function.message() : code.message());
    return {};
  }
  KILN_LOG(Info, Program, "the variant of ", info.name, " for ", what, " is ready");
  if (program.page_)
    program.page_->addMachineCode(info.name, program.device_->info().name, what, code->code->numbersOf(fixed));
  return Loaded{*function, std::make_shared<LoadedCode>(std::move(*code)), plan.prefersFixedLocalSize};
}

} // namespace kiln
