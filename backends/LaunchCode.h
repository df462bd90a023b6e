// Code of a launch that is not settled when the launch begins. Each work-group runs one function; which one may differ
// from group to group. For devices with DeviceInfo::runsInIssue; others may ignore both.
#pragma once
#include "base/support/PairedTimes.h"
#include <atomic>
#include <cstdint>
#include <optional>

namespace kiln {

class Function;
struct KernelPlan;

/// Work-groups of a launch that run another function, for a debugger. Groups are numbered, dimension 0 fastest.
struct DebuggedGroups {
  Function *function;     // with the launch's arguments and local memory
  const KernelPlan *plan; // the function's
  uint64_t first, end;
};

/// Faster code for a launch that runs long, which is compiled meanwhile: its work-groups that have not begun use it.
class LaunchUpgrade {
public:
  virtual ~LaunchUpgrade() = default;
  /// The launch has taken `patience` nanoseconds. May be called by several threads, and more than once.
  virtual void request() noexcept = 0;
  /// A launch has ended that took `nanoseconds` on all threads, without the faster code. May be called by several
  /// threads.
  virtual void ran(uint64_t nanoseconds) noexcept = 0;
  /// Null until the code is there. Valid as long as this object.
  std::atomic<Function *> function = nullptr;
  std::atomic<uint64_t> patience = 0;
};

/// Compares a challenger with the code of launches: some of their chunks of work-groups run the challenger. The others
/// are beside them in the same launches, so that both see the same load of the machine and the same data. Once the
/// result is known, all chunks run the winner, also in a launch that began before.
class LaunchTrial {
public:
  /// One chunk in `period` runs the challenger; without an end if `isEndless`, for tests.
  explicit LaunchTrial(Function &challenger, unsigned period = 4, bool isEndless = false)
      : challenger(challenger), period_(period), isEndless_(isEndless) {}
  /// Returns true if the chunk that begins now runs the challenger.
  bool takesChunk() noexcept {
    const double result = result_.load(std::memory_order_relaxed);
    return result > 0 ? result < 1 : begun_.fetch_add(1, std::memory_order_relaxed) % period_ == period_ / 2;
  }
  /// A chunk has ended.
  void add(bool ofChallenger, uint64_t items, uint64_t nanoseconds) noexcept {
    if (isEndless_ || result_.load(std::memory_order_relaxed) > 0)
      return;
    times_.add(ofChallenger, nanoseconds, items);
    if (const auto ratio = ofChallenger ? times_.ratio() : std::nullopt)
      result_.store(*ratio, std::memory_order_relaxed);
  }
  /// The challenger's time per work-item as a part of the other code's; nothing while the trial is open.
  std::optional<double> ratio() const noexcept {
    const double result = result_.load(std::memory_order_relaxed);
    return result > 0 ? std::optional(result) : std::nullopt;
  }

  Function &challenger;

private:
  const unsigned period_;
  const bool isEndless_;
  std::atomic<unsigned> begun_ = 0;
  std::atomic<double> result_ = 0; // the ratio; 0: the trial is open
  PairedTimes times_;
};

} // namespace kiln
