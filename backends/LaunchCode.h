// Code of a launch that is not settled when the launch begins. Each work-group runs one function; which one may differ
// from group to group. For devices with DeviceInfo::runsInIssue; others may ignore both.
#pragma once
#include "base/support/PairedTimes.h"
#include <atomic>
#include <cstdint>
#include <optional>

namespace kiln {

class Function;

/// Faster code for a launch that runs long, which is compiled meanwhile: its work-groups that have not begun use it.
class LaunchUpgrade {
public:
  virtual ~LaunchUpgrade() = default;
  /// The launch has taken `patience` nanoseconds. May be called by several threads, and more than once.
  virtual void request() noexcept = 0;
  /// Null until the code is there. Valid as long as this object.
  std::atomic<Function *> function = nullptr;
  std::atomic<uint64_t> patience = 0;
};

/// Compares a challenger with the code of launches: some of their chunks of work-groups run the challenger. The others
/// are beside them in the same launches, so that both see the same load of the machine and the same data.
class LaunchTrial {
public:
  /// One chunk in `period` runs the challenger.
  explicit LaunchTrial(Function &challenger, unsigned period = 8) : challenger(challenger), period_(period) {}
  /// Returns true if the chunk that begins now runs the challenger.
  bool takesChunk() noexcept {
    return !isOver_.load(std::memory_order_relaxed) &&
           begun_.fetch_add(1, std::memory_order_relaxed) % period_ == period_ / 2;
  }
  /// A chunk has ended.
  void add(bool ofChallenger, uint64_t items, uint64_t nanoseconds) noexcept {
    times_.add(ofChallenger, float(double(nanoseconds) / double(items)));
    if (ofChallenger && ratio())
      isOver_.store(true, std::memory_order_relaxed);
  }
  /// The challenger's time per work-item as a part of the other code's; nothing while too little has been measured.
  std::optional<double> ratio() const noexcept { return times_.ratio(); }

  Function &challenger;

private:
  const unsigned period_;
  std::atomic<unsigned> begun_ = 0;
  std::atomic<bool> isOver_ = false;
  PairedTimes times_;
};

} // namespace kiln
