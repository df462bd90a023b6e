// One kernel of a program on a device: its generic variant and its specialised variants.
//
// The generic variant runs any local size and any image format. If the plan says that a fixed local size pays, or the
// kernel has image arguments, launches with the same values get a specialised variant. The second one looks it up in
// the cache. It is compiled, in the background, once launches have taken as long as its compilation will, so that a
// program whose kernels run for a short time compiles none. It is used once it is ready. If that fails, it is not
// requested again and the generic variant stays in use.
//
// If the driver measures launches, the first launches of a new variant alternate with those of the generic one. A
// slower variant is dropped, and the cache keeps that for later processes.
#pragma once
#include "base/support/Mutex.h"
#include "runtime/program/DeferredCode.h"
#include "runtime/program/ScheduledKernel.h"
#include <vector>

namespace kiln {

class DeviceProgram;

/// One kernel of a program on a device.
class DeviceKernel {
public:
  DeviceKernel(const KernelInfo &info, Function *generic, const Schedule *schedule = nullptr);
  DeviceKernel(const KernelInfo &info, std::unique_ptr<DeferredCode> deferred);

  const KernelInfo &info;
  const Schedule *const schedule; // null: Kiln's passes

  /// The function of the generic variant; null if its code is not there yet.
  Function *generic() const { return deferred_ ? deferred_->function() : generic_; }
  /// The same, after waiting for its code. For launches, which functionFor has seen.
  Result<Function *> waitForGeneric() noexcept { return deferred_ ? deferred_->wait() : generic_; }
  /// Returns the function for a launch of `items` work-items with this local size (specialised only if `whole`: all
  /// groups are full) and these image formats and samplers. `code` receives a reference that keeps a variant's code
  /// alive; unchanged for the generic one. Null if the code of the generic one is not there yet: it is generated in the
  /// background.
  Function *functionFor(const std::shared_ptr<const DeviceProgram> &program, const std::array<uint64_t, 3> &localSize,
                        bool whole, uint64_t items, const std::vector<protocol::KnownArgument> &known,
                        std::shared_ptr<void> &code) noexcept KILN_EXCLUDES(mutex_);

  /// Describes the variant that a function belongs to: "generic", or the values it is specialised for.
  std::string variantOf(const Function *function) KILN_EXCLUDES(mutex_);

private:
  struct Variant {
    protocol::Specialisation kind;
    unsigned launches = 0;
    uint64_t notBefore = 0; // the time from which on it may be requested; 0: at any time
    uint64_t spent = 0;     // nanoseconds that its launches of the generic variant took, as far as they are known
    bool lookedUp = false;  // in the cache
    bool requested = false;
    Function *function = nullptr; // null until it is loaded, and if it was dropped
    unsigned trials = 0;          // launches since it is loaded
    bool isProven = false;        // the trials showed that it is not slower than the generic one
    std::shared_ptr<void> code;
  };
  Function *genericFor(const std::shared_ptr<const DeviceProgram> &program) noexcept;
  /// Where a variant comes from.
  enum class Source { Cache, Compiler };
  /// Counts one more launch of the generic variant in the place of this one. Returns where to get this one from now;
  /// nothing if it has to wait.
  std::optional<Source> nextStep(const DeviceProgram &program, Variant &variant, uint64_t items) const
      KILN_REQUIRES(mutex_);
  /// Returns true if a launch of `items` work-items takes the variant, which is loaded: not each one while it is on
  /// trial, and none if it turns out to be slower than the generic one.
  bool takes(const std::shared_ptr<const DeviceProgram> &program, Variant &variant, uint64_t items)
      KILN_REQUIRES(mutex_);
  /// The compiler's request for a variant.
  protocol::BuildRequest requestFor(const DeviceProgram &program, const protocol::Specialisation &kind) const;
  /// Returns false if no thread can get it.
  bool request(std::shared_ptr<const DeviceProgram> program, const protocol::Specialisation &kind, Source from);

  Function *const generic_; // null if deferred
  const std::unique_ptr<DeferredCode> deferred_;
  Mutex mutex_;
  std::vector<Variant> variants_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln
