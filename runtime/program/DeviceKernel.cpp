#include "runtime/program/DeviceKernel.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include "base/support/Thread.h"
#include "base/support/Trace.h"
#include "runtime/program/DeviceProgram.h"
#include <algorithm>

namespace kiln {
namespace {

// Specialised variants per kernel, without the full form and rivals. A program that uses more local sizes is tuning
// itself and would lose more time to compilation than it gains.
constexpr size_t MaxVariants = 4;
constexpr size_t MaxRivals = MaxVariants + 1; // with the same number of lanes
constexpr unsigned MinLaunches = 2;

// A variant that takes more of its base's time is dropped. A rival must gain: a change is no use otherwise.
constexpr double MostOfBase = 1.1, MostOfBaseIfRival = 0.95;
// Later processes do not try a variant again that took more.
constexpr double SlowForGood = 1.3;
// The time to compile a kernel's full form, in those of its quick form: 2 to 6 for kernels of ggml.
constexpr uint64_t FullFormPrice = 3;
// A process whose launches took less of the price is not counted: a file would be written for each kernel.
constexpr uint64_t SmallestPart = 32;
// Few kernels are faster with fewer lanes, so launches must have taken that many times what the compilation will.
constexpr uint64_t RivalPrice = 10;
// In the order of their trials.
constexpr Lanes Rivals[] = {Lanes::Half, Lanes::Scalar};

enum class WhenToCompile { Never, Earned, Always, Mixed };

/// KILN_VARIANTS.
WhenToCompile whenToCompile() {
  static const WhenToCompile when = [] {
    const std::string &value = options().variants;
    if (value == "off")
      return WhenToCompile::Never;
    if (value == "always")
      return WhenToCompile::Always;
    if (value == "mixed")
      return WhenToCompile::Mixed;
    return WhenToCompile::Earned; // also for a value that is invalid
  }();
  return when;
}

bool isRival(const VariantKind &kind) { return kind.lanes != Lanes::Machine; }

/// A trial of a variant's code, which lives as long.
struct VariantTrial : LaunchTrial {
  template <typename... Arguments>
  explicit VariantTrial(std::shared_ptr<void> code, Function &function, Arguments... arguments)
      : LaunchTrial(function, arguments...), code(std::move(code)) {}
  const std::shared_ptr<void> code;
};

} // namespace

/// Requests its variant when a launch runs long, or launches of all processes have. The variant's code lives as long as
/// it.
class DeviceKernel::Upgrade final : public LaunchUpgrade {
public:
  Upgrade(DeviceKernel &kernel, const Program &program, VariantKind kind)
      : kernel_(kernel), program_(program), kind_(std::move(kind)) {}
  void request() noexcept override {
    Program program = isRequested_.exchange(true) ? nullptr : program_.lock();
    if (!program)
      return;
    try {
      {
        Lock lock(kernel_.mutex_);
        Variant *variant = kernel_.find(kind_);
        if (!variant || std::exchange(variant->requested, true))
          return;
      }
      kernel_.request(std::move(program), {kind_, Source::Compiler});
    } catch (const std::bad_alloc &) {
      KILN_LOG(Info, Program, "no variant of ", kernel_.info.name, ": out of memory");
    }
  }
  void ran(uint64_t nanoseconds) noexcept override {
    const uint64_t own = own_.fetch_add(nanoseconds, std::memory_order_relaxed) + nanoseconds;
    const Program program = isRequested_ ? nullptr : program_.lock();
    if (!program)
      return;
    const uint64_t price = kernel_.priceOf(*program, kind_);
    if (spent() >= price)
      return request();
    // What is in the cache is at least a half of the time that this process has added to it.
    uint64_t recorded = recorded_.load(std::memory_order_relaxed);
    if (own >= std::max(price / SmallestPart, 2 * recorded) && recorded_.compare_exchange_strong(recorded, own))
      remember();
  }
  /// Earlier processes have spent this time, and later ones find it by the key. Called once.
  void setEarlier(uint64_t nanoseconds, const CacheKey &key) {
    earlierKey_ = key;
    earlier_ = nanoseconds;
    key_.store(&earlierKey_, std::memory_order_release); // partner: remember
  }
  /// Nanoseconds that launches of this process and earlier ones took.
  uint64_t spent() const { return earlier_ + own_.load(std::memory_order_relaxed); }
  void set(const LoadedVariant &loaded) {
    code_ = loaded.code;
    function.store(loaded.function, std::memory_order_release);
  }

private:
  void remember() noexcept {
    const CacheKey *key = key_.load(std::memory_order_acquire);
    if (!key)
      return;
    try {
      (void)buildThreads().runFunction([key = *key, spent = spent()] {
        Compiler::get().remember(key, {.spent = spent});
      }); // without a thread, later processes know less
    } catch (const std::bad_alloc &) {
    }
  }

  DeviceKernel &kernel_; // the launch holds the program
  const std::weak_ptr<const DeviceProgram> program_;
  const VariantKind kind_;
  std::atomic<bool> isRequested_ = false;
  CacheKey earlierKey_{};
  std::atomic<const CacheKey *> key_ = nullptr; // null: nothing is recorded
  std::atomic<uint64_t> earlier_ = 0, own_ = 0, recorded_ = 0;
  std::shared_ptr<void> code_;
};

DeviceKernel::DeviceKernel(const KernelInfo &info, Function *generic, Forms forms, const Schedule *schedule)
    : info(info), schedule(schedule), generic_(generic), forms_(forms),
      prefersFixedLocalSize_(info.plan.prefersFixedLocalSize) {}

DeviceKernel::DeviceKernel(const KernelInfo &info, std::unique_ptr<DeferredCode> deferred, Forms forms)
    : info(info), schedule(nullptr), generic_(nullptr), deferred_(std::move(deferred)), forms_(forms),
      prefersFixedLocalSize_(info.plan.prefersFixedLocalSize) {}

DeviceKernel::~DeviceKernel() = default;

bool DeviceKernel::mayRun(Lanes lanes, bool isFixed) const {
  if (!forms_.hasRivals)
    return false;
  // The scalar form of a full form is the quick form, of which the full form is a variant.
  return lanes == Lanes::Half ? forms_.halfWidth != 0 : isFixed || !forms_.isQuick;
}

Function *DeviceKernel::genericFor(const Program &program) noexcept {
  Function *function = generic();
  if (!function)
    deferred_->start(program);
  return function;
}

DeviceKernel::Selection DeviceKernel::baseOf(const Program &program, const Variant &variant) {
  if (forms_.isQuick)
    if (const Variant *full = find({}, {}, Lanes::Machine); full && full != &variant && full->loaded && !full->trial)
      return {full->loaded->function, full->loaded->code};
  return {genericFor(program)};
}

DeviceKernel::Variant *DeviceKernel::find(const Size &size, Known known, Lanes lanes) {
  auto found = std::ranges::find_if(variants_, [&](const Variant &other) {
    return other.kind.lanes == lanes && other.kind.fixed.localSize == size &&
           std::ranges::equal(other.kind.fixed.known, known);
  });
  return found == variants_.end() ? nullptr : &*found;
}

DeviceKernel::Variant *DeviceKernel::add(const Program &program, const Size &size, Known known, Lanes lanes) {
  const auto isSpecialised = [](const Variant &variant) {
    return !isRival(variant.kind) && (variant.kind.fixed.localSize[0] || !variant.kind.fixed.known.empty());
  };
  Variant variant{.kind = {{info.name, size, {known.begin(), known.end()}}, lanes},
                  .notBefore = program->noVariantBefore()};
  if (isRival(variant.kind) && std::ranges::count_if(variants_, [&](const Variant &one) {
                                 return one.kind.lanes == lanes;
                               }) >= ptrdiff_t(MaxRivals))
    return nullptr;
  // The full form is not counted: it runs what the others are too many for.
  if (isSpecialised(variant) && std::ranges::count_if(variants_, isSpecialised) >= ptrdiff_t(MaxVariants)) {
    // Evicts the oldest entry that was launched once, so that frequent ones get in.
    auto once =
        std::ranges::find_if(variants_, [&](const Variant &one) { return isSpecialised(one) && !one.requested; });
    if (once == variants_.end())
      return nullptr;
    variants_.erase(once);
  }
  if (forms_.isQuick && !isRival(variant.kind))
    variant.upgrade = std::make_shared<Upgrade>(*this, program, variant.kind);
  return &variants_.emplace_back(std::move(variant));
}

DeviceKernel::Variant *DeviceKernel::findOrAdd(const Program &program, const Size &size, Known known, Lanes lanes) {
  Variant *variant = find(size, known, lanes);
  return variant ? variant : add(program, size, known, lanes);
}

bool DeviceKernel::mayReplaceGeneric(const DeviceProgram &program) const noexcept {
  return deferred_ && !program.device_->info().runsInIssue && !deferred_->hasBegun();
}

uint64_t DeviceKernel::priceOf(const DeviceProgram &program, const VariantKind &kind) const {
  const uint64_t generic = program.compileNanoseconds() + (deferred_ ? deferred_->nanoseconds() : 0);
  return generic * (isRival(kind) ? RivalPrice : forms_.isQuick ? FullFormPrice : 1);
}

std::optional<DeviceKernel::Source> DeviceKernel::nextStep(const DeviceProgram &program, Variant &variant,
                                                           const Function *base, uint64_t items) const {
  const std::optional<uint64_t> expected = base ? base->expectedNanoseconds(items) : std::nullopt;
  variant.spent = variant.upgrade ? variant.upgrade->spent() : variant.spent + expected.value_or(0);
  if (variant.requested)
    return {};
  const uint64_t price = priceOf(program, variant.kind);
  const bool paysAhead = !isRival(variant.kind) && !forms_.isQuick && Compiler::get().paysAhead();
  // The generic code calls a function for each pixel, and takes 13 to 30 times as long.
  const unsigned least = paysAhead && !variant.kind.fixed.known.empty() ? 1 : MinLaunches;
  if (++variant.launches < least || (variant.notBefore && nowNanoseconds() < variant.notBefore))
    return {};
  if (whenToCompile() == WhenToCompile::Always || paysAhead || (base && !base->isMeasured()) || variant.spent >= price)
    return Source::Compiler;
  if (variant.lookedUp || (isRival(variant.kind) && variant.spent < price / RivalPrice))
    return {};
  return Source::Cache;
}

void DeviceKernel::keep(Variant &variant) {
  variant.trial.reset();
  const protocol::Specialisation &fixed = variant.kind.fixed;
  const bool isFullForm = forms_.isQuick && !isRival(variant.kind) && !fixed.localSize[0] && fixed.known.empty();
  if (isFullForm && variant.loaded->prefersFixedLocalSize)
    prefersFixedLocalSize_ = true;
}

void DeviceKernel::decide(const Program &program, Variant &variant, double ofBase) {
  const bool isKept = ofBase <= (isRival(variant.kind) ? MostOfBaseIfRival : MostOfBase);
  KILN_LOG(Info, Program, "the variant of ", info.name, " for ", variant.kind.description(), " takes ", ofBase,
           " of the time of the code before it, and is ", isKept ? "kept" : "dropped");
  if (isKept) {
    keep(variant);
  } else {
    variant.isDropped = true;
    variant.loaded.reset(); // launches in progress hold it
    variant.trial.reset();
    variant.upgrade.reset();
  }
  if (!isKept && ofBase < SlowForGood)
    return;
  const Verdict verdict = isKept ? Verdict::Faster : Verdict::Slower;
  if (!buildThreads().runFunction([request = requestFor(*program, variant.kind), verdict] {
        Compiler::get().remember(Compiler::experienceKey(request), {verdict});
      }))
    KILN_LOG(Info, Program, "it is tried again by the next process");
}

protocol::BuildRequest DeviceKernel::requestFor(const DeviceProgram &program, const VariantKind &kind) const {
  protocol::BuildRequest request = program.request_;
  request.specialisations = {kind.fixed};
  request.scalar = kind.lanes == Lanes::Scalar;
  if (kind.lanes == Lanes::Half)
    request.machineWidth = forms_.halfWidth;
  if (schedule)
    schedule->applyTo(request);
  return request;
}

DeviceKernel::Choice DeviceKernel::choose(const Program &program, Variant &variant, Selection base, uint64_t items) {
  if (const auto ratio = variant.trial ? variant.trial->ratio() : std::nullopt)
    decide(program, variant, *ratio);
  if (variant.trial) {
    base.trial = variant.trial;
    return {std::move(base)};
  }
  if (variant.loaded)
    return {{variant.loaded->function, variant.loaded->code}};
  Choice choice{std::move(base)};
  if (const auto source = nextStep(*program, variant, choice.selection.function, items)) {
    (*source == Source::Cache ? variant.lookedUp : variant.requested) = true;
    choice.order = {variant.kind, *source};
  }
  if (variant.upgrade) {
    const uint64_t price = priceOf(*program, variant.kind);
    variant.upgrade->patience = price - std::min(price, variant.upgrade->spent());
    choice.selection.upgrade = variant.upgrade;
  }
  return choice;
}

DeviceKernel::Choice DeviceKernel::chooseFor(const Program &program, const Size &size, Known known, uint64_t items) {
  Choice choice;
  const bool isFixed = size[0] || !known.empty();
  if (isFixed || forms_.isQuick) {
    Variant *variant = find(size, known, Lanes::Machine);
    if (!variant)
      return {{genericFor(program)}};
    const bool isSettled = variant->loaded && !variant->trial; // then no code for all values needs to be generated
    choice = choose(program, *variant, isSettled ? Selection() : baseOf(program, *variant), items);
    if (variant->trial || (!variant->loaded && !variant->isDropped))
      return choice;
  } else {
    choice.selection = {genericFor(program)};
  }
  for (Lanes lanes : Rivals) {
    if (!mayRun(lanes, isFixed))
      continue;
    Variant *rival = findOrAdd(program, size, known, lanes);
    if (!rival)
      continue;
    choice = choose(program, *rival, std::move(choice.selection), items);
    if (rival->trial || (!rival->loaded && !rival->isDropped))
      break; // the next rival is compared with the faster one of these
  }
  return choice;
}

DeviceKernel::Selection DeviceKernel::select(const Program &program, const Size &localSize, bool whole, uint64_t items,
                                             const std::vector<protocol::KnownArgument> &knownArguments) noexcept {
  Known known;
  if (!schedule)
    known = knownArguments;
  const bool sized = prefersFixedLocalSize_ && whole, isFixed = sized || !known.empty();
  // Codes of a kernel number the sites of their checks differently, and the runtime has those of the generic one.
  if ((!isFixed && !forms_.isQuick && !forms_.hasRivals) || whenToCompile() == WhenToCompile::Never ||
      !info.checkSites.empty())
    return {genericFor(program)};
  Size size = sized ? localSize : Size{};
  try {
    if (whenToCompile() == WhenToCompile::Mixed && program->device_->info().runsInIssue)
      return selectMixed(program, size, known);
    Choice choice;
    std::optional<Source> atOnce; // where this launch gets the variant from
    {
      Lock lock(mutex_);
      if (isFixed || forms_.isQuick) {
        Variant *variant = findOrAdd(program, size, known, Lanes::Machine);
        if (!variant && forms_.isQuick) {
          size = {}, known = {};
          variant = findOrAdd(program, size, known, Lanes::Machine);
        }
        const bool isSlowWithout = forms_.isQuick || !known.empty(); // a read of the cache pays for one launch
        if (variant && isSlowWithout && !std::exchange(variant->lookedUp, true))
          atOnce = Source::Cache;
        if (variant && !known.empty() && !variant->requested && mayReplaceGeneric(*program)) {
          variant->requested = true;
          atOnce = Source::Compiler;
        }
      }
      if (!atOnce)
        choice = chooseFor(program, size, known, items);
    }
    if (atOnce) {
      obtain(*program, {{info.name, size, {known.begin(), known.end()}}}, *atOnce);
      Lock lock(mutex_);
      choice = chooseFor(program, size, known, items);
    }
    if (choice.order)
      request(program, std::move(*choice.order));
    return std::move(choice.selection);
  } catch (const std::bad_alloc &) {
    KILN_LOG(Info, Program, "no variant of ", info.name, ": out of memory");
  }
  return {genericFor(program)};
}

DeviceKernel::Selection DeviceKernel::selectMixed(const Program &program, const Size &size, Known known) {
  Result<Function *> generic = waitForGeneric();
  if (!generic.ok())
    return {};
  const bool isFixed = size[0] || !known.empty();
  std::vector<Selection> forms{{*generic}};
  for (Lanes lanes : {Lanes::Machine, Lanes::Half, Lanes::Scalar}) {
    if (lanes == Lanes::Machine ? !isFixed && !forms_.isQuick : !mayRun(lanes, /*isFixed=*/true))
      continue;
    bool isNew = false;
    {
      Lock lock(mutex_);
      Variant *variant = findOrAdd(program, size, known, lanes);
      isNew = variant && !std::exchange(variant->requested, true);
    }
    if (isNew)
      obtain(*program, {{info.name, size, {known.begin(), known.end()}}, lanes}, Source::Compiler);
    Lock lock(mutex_);
    if (const Variant *variant = find(size, known, lanes); variant && variant->loaded)
      forms.push_back({variant->loaded->function, variant->loaded->code});
  }
  static std::atomic<unsigned> turns = 0; // of all kernels
  const unsigned turn = turns.fetch_add(1, std::memory_order_relaxed);
  Selection selection = forms[turn % forms.size()];
  Selection &other = forms[(turn + 1) % forms.size()];
  if (forms.size() > 1)
    selection.trial = std::make_shared<VariantTrial>(std::move(other.code), *other.function, 2, true);
  return selection;
}

std::string DeviceKernel::variantOf(const Function *function) {
  if (function == generic())
    return schedule ? "schedule" : forms_.isQuick ? "quick form" : "generic";
  Lock lock(mutex_);
  auto variant = std::ranges::find_if(
      variants_, [&](const Variant &one) { return one.loaded && one.loaded->function == function; });
  return variant == variants_.end() ? "variant" : variant->kind.description();
}

void DeviceKernel::request(Program program, Order order) {
  if (!buildThreads().runFunction([this, program = std::move(program), order = std::move(order)] {
        obtain(*program, order.kind, order.source);
      }))
    KILN_LOG(Info, Program, "no variant of ", info.name, ": no thread can build it");
}

void DeviceKernel::obtain(const DeviceProgram &program, const VariantKind &kind, Source from) {
  const protocol::BuildRequest request = requestFor(program, kind);
  Experience experience;
  std::optional<CacheKey> key;
  if (whenToCompile() == WhenToCompile::Earned) {
    key = Compiler::experienceKey(request);
    experience = Compiler::get().experience(*key);
  }
  if (experience.verdict == Verdict::Slower) {
    Lock lock(mutex_);
    if (Variant *variant = find(kind)) {
      variant->requested = variant->isDropped = true; // never again
      variant->upgrade.reset();
    }
    return;
  }
  std::optional<CodeResult> built = Compiler::get().find(request);
  if (!built && from == Source::Cache) {
    Lock lock(mutex_);
    if (Variant *variant = find(kind); variant && variant->upgrade && key)
      variant->upgrade->setEarlier(experience.spent, *key);
    return;
  }
  if (!built)
    built = Compiler::get().build(request);
  std::optional<LoadedVariant> loaded = program.loadVariant(info, kind, std::move(*built));
  if (!loaded) {
    Lock lock(mutex_);
    if (Variant *variant = find(kind))
      variant->isDropped = true;
    return;
  }
  // Without measurements the variant is taken to be faster.
  const bool isTried = whenToCompile() == WhenToCompile::Earned && program.device_->info().runsInIssue;
  Lock lock(mutex_);
  Variant *variant = find(kind);
  if (!variant)
    return;
  variant->requested = true; // also if it was in the cache
  variant->loaded = loaded;
  if (isTried && experience.verdict != Verdict::Faster)
    variant->trial = std::make_shared<VariantTrial>(loaded->code, *loaded->function);
  else
    keep(*variant);
  if (variant->upgrade)
    variant->upgrade->set(*loaded);
}

} // namespace kiln
