// One kernel of a program on a device: its generic variant and its specialised variants.
//
// The generic variant runs any local size and any image format. If the plan says that a fixed local size pays, or the
// kernel has image arguments, launches with the same values get a specialised variant. The second one looks it up in
// the cache. It is compiled, in the background, once launches have taken as long as its compilation will, so that a
// program whose kernels run for a short time compiles none. It is used once it is ready. If that fails, it is not
// requested again and the generic variant stays in use.
//
// With image arguments the first launch looks the variant up, and requests it while the process has compiled little
// (Compiler::paysAhead): the generic code decodes each pixel by a switch over all formats.
//
// On GPUs, the code of a kernel with image arguments is deferred. Its first launch gets the variant for the formats at
// hand in place of the generic one: that takes no longer, without a switch over all formats, and is faster.
//
// A generic variant in the quick form (protocol::BuildReply::isQuick) has variants for all launches: the one without
// fixed values is the kernel's full form. The first launch looks them up in the cache. A launch that takes as long as
// the compilation of its variant requests it, and the work-groups that begin after it is ready use it. The cache adds
// up the time of launches in all processes: each that takes a part of the price worth mentioning writes its sum.
//
// A kernel that has run long on a CPU gets rivals of what its launches run, one after the other: code of half the
// machine width, if that has 16 lanes, and the scalar form. Each is the fastest code of some kernels.
//
// If the driver measures launches, each new variant is on trial first (LaunchTrial): some chunks of launches run it. A
// slower one is dropped. The cache keeps the result for later processes.
#pragma once
#include "base/support/Mutex.h"
#include "runtime/program/DeferredCode.h"
#include "runtime/program/ScheduledKernel.h"
#include "runtime/program/Variant.h"
#include <optional>
#include <span>
#include <vector>

namespace kiln {

class DeviceProgram;

/// One kernel of a program on a device.
class DeviceKernel {
public:
  struct Forms {
    bool isQuick = false;   // the generic variant is in the quick form
    bool hasRivals = false; // code with fewer lanes than what launches run may be faster, and may be used
    unsigned halfWidth = 0; // half of the machine width; 0: it has too few lanes for such a rival
  };
  DeviceKernel(const KernelInfo &info, Function *generic, Forms forms, const Schedule *schedule = nullptr);
  DeviceKernel(const KernelInfo &info, std::unique_ptr<DeferredCode> deferred, Forms forms);
  ~DeviceKernel();

  /// The code for a launch.
  struct Selection {
    Function *function = nullptr;             // null: that of the generic variant, which is being generated
    std::shared_ptr<void> code{};             // keeps a variant's code alive; null for the generic one
    std::shared_ptr<LaunchUpgrade> upgrade{}; // the variant that will be compiled if the launch runs long; null: none
    std::shared_ptr<LaunchTrial> trial{};     // of a variant; null: none
  };

  const KernelInfo &info;
  const Schedule *const schedule; // null: Kiln's passes

  /// The function of the generic variant; null if its code is not there yet.
  Function *generic() const { return deferred_ ? deferred_->function() : generic_; }
  /// The same, after waiting for its code. For launches, which `select` has seen.
  Result<Function *> waitForGeneric() noexcept { return deferred_ ? deferred_->wait() : generic_; }
  /// Returns the code for a launch of `items` work-items with this local size (specialised only if `whole`: all groups
  /// are full) and these image formats and samplers.
  Selection select(const std::shared_ptr<const DeviceProgram> &program, const std::array<uint64_t, 3> &localSize,
                   bool whole, uint64_t items, const std::vector<protocol::KnownArgument> &known) noexcept
      KILN_EXCLUDES(mutex_);

  /// Describes the variant that a function belongs to: "generic", or the values it is specialised for.
  std::string variantOf(const Function *function) KILN_EXCLUDES(mutex_);

private:
  class Upgrade;
  using Program = std::shared_ptr<const DeviceProgram>;
  using Size = std::array<uint64_t, 3>;
  using Known = std::span<const protocol::KnownArgument>;

  struct Variant {
    VariantKind kind;
    unsigned launches = 0;
    uint64_t notBefore = 0; // the time from which on it may be requested; 0: at any time
    uint64_t spent = 0;     // nanoseconds that launches took that it is for, as estimated, if it has no upgrade
    bool lookedUp = false;  // in the cache
    bool requested = false;
    bool isDropped = false; // it was slower, or there is no code
    std::optional<LoadedVariant> loaded{};
    std::shared_ptr<LaunchTrial> trial{}; // null: before it is loaded, and once it is kept or dropped
    std::shared_ptr<Upgrade> upgrade{};   // of launches of the quick form; null if there is or will be no faster code
  };
  /// Where a variant comes from.
  enum class Source { Cache, Compiler };
  struct Order {
    VariantKind kind;
    Source source;
  };
  struct Choice {
    Selection selection;
    std::optional<Order> order{}; // a variant to get in the background
  };

  /// Returns true if launches may run a rival with this number of lanes. `isFixed`: it is one of a specialised variant.
  bool mayRun(Lanes lanes, bool isFixed) const;
  Function *genericFor(const Program &program) noexcept;
  /// What launches run that `variant` is for until it is ready, and what it is compared with: the generic variant, or
  /// the full form if that has replaced it.
  Selection baseOf(const Program &program, const Variant &variant) KILN_REQUIRES(mutex_);
  /// Returns null if there is none.
  Variant *find(const Size &size, Known known, Lanes lanes) KILN_REQUIRES(mutex_);
  Variant *find(const VariantKind &kind) KILN_REQUIRES(mutex_) {
    return find(kind.fixed.localSize, kind.fixed.known, kind.lanes);
  }
  /// Returns null if the kernel has too many variants.
  Variant *add(const Program &program, const Size &size, Known known, Lanes lanes) KILN_REQUIRES(mutex_);
  /// The same, after `add` if there is none.
  Variant *findOrAdd(const Program &program, const Size &size, Known known, Lanes lanes) KILN_REQUIRES(mutex_);
  /// Returns true if a launch may wait for a variant in place of the generic one: the generation of neither has begun.
  bool mayReplaceGeneric(const DeviceProgram &program) const noexcept;
  /// Nanoseconds that launches must have taken before a variant is compiled: what that takes, as estimated from the
  /// generic one, or a multiple.
  uint64_t priceOf(const DeviceProgram &program, const VariantKind &kind) const;
  /// Chooses between a variant and its base for a launch of `items` work-items.
  Choice choose(const Program &program, Variant &variant, Selection base, uint64_t items) KILN_REQUIRES(mutex_);
  /// With KILN_VARIANTS=mixed: gets all forms, waiting for the compiler, and chooses two of them, by turns.
  Selection selectMixed(const Program &program, const Size &size, Known known) KILN_EXCLUDES(mutex_);
  /// Chooses the code of a launch that has these fixed values.
  Choice chooseFor(const Program &program, const Size &size, Known known, uint64_t items) KILN_REQUIRES(mutex_);
  /// Counts one more launch of `base` in the place of a variant. Returns where to get the variant from now; nothing if
  /// it has to wait.
  std::optional<Source> nextStep(const DeviceProgram &program, Variant &variant, const Function *base,
                                 uint64_t items) const KILN_REQUIRES(mutex_);
  /// Ends the trial of a variant that takes this part of its base's time.
  void decide(const Program &program, Variant &variant, double ofBase) KILN_REQUIRES(mutex_);
  /// The variant is used by all its launches from now.
  void keep(Variant &variant) KILN_REQUIRES(mutex_);
  /// The compiler's request for a variant.
  protocol::BuildRequest requestFor(const DeviceProgram &program, const VariantKind &kind) const;
  /// Gets a variant in the background.
  void request(Program program, Order order);
  /// Gets a variant, loads it and makes it known to launches.
  void obtain(const DeviceProgram &program, const VariantKind &kind, Source from) KILN_EXCLUDES(mutex_);

  Function *const generic_; // null if deferred
  const std::unique_ptr<DeferredCode> deferred_;
  const Forms forms_;
  std::atomic<bool> prefersFixedLocalSize_; // the plan's, or that of the full form
  Mutex mutex_;
  std::vector<Variant> variants_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln
