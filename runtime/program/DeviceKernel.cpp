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
#include <span>

namespace kiln {
namespace {

// Specialised variants per kernel. A program that uses more local sizes is tuning itself and would lose more time to
// compilation than it gains.
constexpr size_t MaxVariants = 4;
constexpr unsigned MinLaunches = 2;

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
  if (whenToCompile() == WhenToCompile::Always || variant.isProven || !generic || !generic->isMeasured())
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
  const uint64_t cost = program.compileNanoseconds() + (deferred_ ? deferred_->nanoseconds() : 0);
  if (whenToCompile() == WhenToCompile::Always || (function && !function->isMeasured()) || variant.spent >= cost)
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
    CodeResult built = found ? std::move(*found) : Compiler::get().build(request);
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
