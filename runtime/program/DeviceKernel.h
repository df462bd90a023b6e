// One kernel of a program on a device: its generic variant and its specialised variants.
//
// The generic variant runs any local size and any image format. If the plan says that a fixed local size pays, or the
// kernel has image arguments, launches with the same values get a specialised variant. The second one looks it up in
// the cache. It is compiled, in the background, once launches have taken as long as its compilation will, so that a
// program whose kernels run for a short time compiles none. It is used once it is ready. If that fails, it is not
// requested again and the generic variant stays in use.
//
// A generic variant in the quick form (protocol::BuildReply::isQuick) has variants for all launches: the one without
// fixed values is the kernel's full form. The first launch looks them up in the cache. A launch that takes as long as
// the compilation of its variant requests it, and the work-groups that begin after it is ready use it.
//
// If the driver measures launches, the first launches of a new variant alternate with those of the generic one. A
// slower variant is dropped. The cache keeps the result for later processes.
#pragma once
#include "base/support/Mutex.h"
#include "runtime/program/DeferredCode.h"
#include "runtime/program/ScheduledKernel.h"
#include <optional>
#include <span>
#include <vector>

namespace kiln {

class DeviceProgram;

/// One kernel of a program on a device.
class DeviceKernel {
public:
  DeviceKernel(const KernelInfo &info, Function *generic, bool isQuick, const Schedule *schedule = nullptr);
  DeviceKernel(const KernelInfo &info, std::unique_ptr<DeferredCode> deferred, bool isQuick);
  ~DeviceKernel();

  /// The code for a launch.
  struct Selection {
    Function *function = nullptr;             // null: that of the generic variant, which is being generated
    std::shared_ptr<void> code{};             // keeps a variant's code alive; null for the generic one
    std::shared_ptr<LaunchUpgrade> upgrade{}; // the variant that will be compiled if the launch runs long; null: none
  };

  const KernelInfo &info;
  const Schedule *const schedule; // null: Kiln's passes

  /// The function of the generic variant; null if its code is not there yet.
  Function *generic() const { return deferred_ ? deferred_->function() : generic_; }
  /// The same, after waiting for its code. For launches, which functionFor has seen.
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
    protocol::Specialisation kind;
    unsigned launches = 0;
    uint64_t notBefore = 0; // the time from which on it may be requested; 0: at any time
    uint64_t spent = 0;     // nanoseconds that its launches of the generic variant took, as far as they are known
    bool lookedUp = false;  // in the cache
    bool requested = false;
    Function *function = nullptr;       // null until it is loaded, and if it was dropped
    unsigned trials = 0;                // launches since it is loaded
    bool isProven = false;              // the trials showed that it is not slower than its base
    bool prefersFixedLocalSize = false; // the plan of its code
    std::shared_ptr<void> code;
    std::shared_ptr<Upgrade> upgrade; // of launches of the quick form; null if there is or will be no faster code
  };
  struct Loaded {
    Function *function;
    std::shared_ptr<void> code;
    bool prefersFixedLocalSize; // the variant's plan
  };
  /// Where a variant comes from.
  enum class Source { Cache, Compiler };
  struct Choice {
    Selection selection;
    std::optional<Source> source{}; // request the variant from there
    protocol::Specialisation kind{};
  };

  Function *genericFor(const Program &program) noexcept;
  /// What launches of `variant` run until it is ready, and what it is compared with: the generic variant, or the full
  /// form if that has replaced it.
  Selection baseOf(const Program &program, const Variant &variant) KILN_REQUIRES(mutex_);
  /// Returns null if there is none.
  Variant *find(const Size &size, Known known) KILN_REQUIRES(mutex_);
  /// Returns null if the kernel has too many variants.
  Variant *add(const Program &program, const Size &size, Known known) KILN_REQUIRES(mutex_);
  /// Nanoseconds that the compilation of a variant takes, as estimated from that of the generic one.
  uint64_t costOfVariant(const DeviceProgram &program) const;
  /// Chooses the code of a launch of `items` work-items that the variant is for.
  Choice choose(const Program &program, Variant &variant, uint64_t items) KILN_REQUIRES(mutex_);
  /// Counts one more launch of `base` in the place of this variant. Returns where to get this one from now; nothing if
  /// it has to wait.
  std::optional<Source> nextStep(const DeviceProgram &program, Variant &variant, const Function *base,
                                 uint64_t items) const KILN_REQUIRES(mutex_);
  /// Returns true if a launch of `items` work-items takes the variant, which is loaded: not each one while it is on
  /// trial, and none if it turns out to be slower than `base`.
  bool takes(const Program &program, Variant &variant, const Function *base, uint64_t items) KILN_REQUIRES(mutex_);
  /// The variant is the base of others from now.
  void prove(Variant &variant) KILN_REQUIRES(mutex_);
  /// Ends the trial of a variant that takes this part of its base's time.
  void decide(const Program &program, Variant &variant, double ofBase) KILN_REQUIRES(mutex_);
  /// The compiler's request for a variant.
  protocol::BuildRequest requestFor(const DeviceProgram &program, const protocol::Specialisation &kind) const;
  /// Gets a variant in the background. Returns false if no thread can.
  bool request(Program program, const protocol::Specialisation &kind, Source from);
  /// Gets a variant, loads it and makes it known to launches.
  void obtain(const DeviceProgram &program, const protocol::Specialisation &kind, Source from) KILN_EXCLUDES(mutex_);
  /// Loads what the compiler built. Returns nothing, and logs why, if it does not fit.
  std::optional<Loaded> load(const DeviceProgram &program, const protocol::Specialisation &kind,
                             CodeResult built) const;

  Function *const generic_; // null if deferred
  const std::unique_ptr<DeferredCode> deferred_;
  const bool isQuick_;                      // the generic variant
  std::atomic<bool> prefersFixedLocalSize_; // the plan's, or that of the proven full form
  Mutex mutex_;
  std::vector<Variant> variants_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln
