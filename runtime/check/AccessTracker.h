// Compares the accesses of a launch's work-items, to find races, and reads of local memory that was never written.
//
// Two accesses of the same bytes are a race if they are of two work-items, one of them writes, they are not both atomic
// for both work-items, and nothing orders them (OpenCL C 3.0, 6.15.12.4 and the C11 memory model that it names). What
// orders them is taken to be more than it is, never less:
//
// - A barrier of the group orders accesses to the memory that its flags name, between all work-items of the group. So
//   does a barrier of a sub-group.
// - A release and a later acquire, at scopes that reach both work-items, order all accesses before the one and after
//   the other: whichever atomic objects they use, and for all work-items of the two groups. A fence counts together
//   with an atomic operation after it (release) or before it (acquire).
//
// Each thread has the time of its group, which barriers and releases advance. Accesses of one group are ordered if a
// barrier is between their times.
#pragma once
#include "base/abi/Check.h"
#include "runtime/check/Shadow.h"
#include <memory>
#include <vector>

namespace kiln::check {

/// A work-item of a launch.
struct ItemId {
  uint64_t group, item; // linear ids
};

struct RaceSide {
  const abi::CheckSite &site;
  ItemId item;
};

/// What the tracker finds. Called by any thread that runs work-groups.
class TrackerReports {
public:
  /// `first`: the access that the tracker has seen first.
  virtual void race(const RaceSide &first, const RaceSide &second, uintptr_t address) noexcept = 0;
  virtual void undefined(const abi::CheckSite &site, const ItemId &item, uintptr_t address) noexcept = 0;

protected:
  ~TrackerReports() = default;
};

class AccessTracker {
public:
  struct Limits {
    uint64_t groups, groupItems; // of the launch
    bool findsRaces, findsUndefined;
  };
  /// Launches with more work-items have no cells for all of them.
  static bool hasCells(uint64_t groups, uint64_t groupItems);
  AccessTracker(const Limits &limits, TrackerReports &reports);
  AccessTracker(const AccessTracker &) = delete;
  ~AccessTracker();

  /// This thread begins the group with this linear id.
  void enter(uint64_t group) noexcept;
  /// The work-items of this thread's group have reached a barrier. `sync`: abi::CheckSync.
  void synchronise(uint64_t sync) noexcept;
  void track(const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes, int64_t stride, uint64_t lanes,
             uint64_t item) noexcept;
  /// The linear id of the group that this thread runs.
  uint64_t groupOfThisThread() const noexcept;

private:
  struct Thread;
  struct Order;
  template <bool IsLocal> struct Space;
  /// Null if there is no memory.
  static Thread *thisThread() noexcept;
  void order(Thread &thread, const abi::CheckSite &site, bool isFence) noexcept;
  void release(Thread &thread, bool local, bool global, bool ofDevice) noexcept;
  /// Returns true if the group has released its accesses at that time to the device.
  bool wasReleased(uint64_t group, uint16_t time) const noexcept;

  const Limits limits_;
  TrackerReports &reports_;
  const uint64_t serial_;   // of this launch in the process
  const unsigned itemBits_; // of a work-item's number in its group
  GlobalShadow global_;
  std::unique_ptr<std::atomic<const abi::CheckSite *>[]> sites_; // by number
  Mutex mutex_;
  // The time of each group's last release to the device; made by the first one.
  std::atomic<std::atomic<uint16_t> *> released_{nullptr};
};

} // namespace kiln::check
