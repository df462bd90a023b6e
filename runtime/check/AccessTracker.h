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
//
// Plain accesses whose addresses are a linear function of the work-item wait until the time advances
// (PendingAccesses.h). Those of local memory are then compared with each other, and forgotten: after a barrier nothing
// is a race with them. What the groups before have accessed alike is not compared again (LocalPattern.h). If two may
// conflict, and for all others, each access is compared with cells of the bytes (Shadow.h), which finds the bytes and
// the work-items.
#pragma once
#include "base/abi/Check.h"
#include "runtime/check/GlobalShadow.h"
#include <array>
#include <atomic>

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
  /// The work-items of this thread's group have ended.
  void leave() noexcept;
  /// The work-items of this thread's group have reached a barrier. `sync`: abi::CheckSync.
  void synchronise(uint64_t sync) noexcept;
  void track(const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes, int64_t stride, uint64_t lanes,
             uint64_t item) noexcept;
  /// The plain accesses of all work-items of this thread's group, before any other: the work-item `item` accesses
  /// `pointer` + `item` % `rowItems` * `stride` + `item` / `rowItems` * `pitch`. Returns false, and changes nothing, if
  /// the accesses must be tracked by work-item.
  bool trackGroup(const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes, int64_t stride, uint64_t rowItems,
                  int64_t pitch, uint64_t rows) noexcept;
  /// The same as `track` for addresses that are no linear function of the work-item: that of the work-item `item` + n
  /// is `pointers`[n].
  void trackLanes(const abi::CheckSite &site, const uintptr_t *pointers, uint64_t bytes, uint64_t lanes,
                  uint64_t item) noexcept;
  /// The linear id of the group that this thread runs.
  uint64_t groupOfThisThread() const noexcept;

private:
  struct Thread;
  struct Order;
  template <bool IsLocal> struct Space;
  /// Null if there is no memory.
  static Thread *thisThread() noexcept;
  /// Returns this thread if it runs a group of this launch, else null.
  Thread *runningThread() const noexcept;
  /// After an access that has no entry of the accesses that wait.
  void trackMore(Thread &thread, const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes, int64_t stride,
                 uint64_t lanes, uint64_t item) noexcept;
  void noteSite(const abi::CheckSite &site) noexcept;
  /// Null if it is not known.
  const abi::CheckSite *siteAt(uint16_t number) const noexcept;
  /// Compares the accesses of local memory that wait, at a barrier or the end of the group.
  void settleLocal(Thread &thread) noexcept;
  /// Compares this interval's accesses: one is different from those of the groups before (LocalPattern.h).
  void leavePattern(Thread &thread) noexcept;
  void stopPattern(Thread &thread) noexcept;
  void order(Thread &thread, const abi::CheckSite &site, bool isFence) noexcept;
  void release(Thread &thread, bool local, bool global, bool ofDevice) noexcept;
  /// Returns true if the group has released its accesses at that time to the device.
  bool wasReleased(uint64_t group, uint16_t time) const noexcept;

  static constinit thread_local Thread *current; // see ThreadArena for why it is no object
  const Limits limits_;
  const bool localWaits_; // accesses of local memory wait; those of global memory do if races are searched
  TrackerReports &reports_;
  const uint64_t serial_;   // of this launch in the process
  const unsigned itemBits_; // of a work-item's number in its group
  GlobalShadow global_;
  using Sites = std::array<std::atomic<const abi::CheckSite *>, 256>;
  std::array<std::atomic<Sites *>, (abi::MaxTrackedSites + 1) / 256> sites_{}; // by number; made when they are noted
  Mutex mutex_;
  // The time of each group's last release to the device; made by the first one.
  std::atomic<std::atomic<uint16_t> *> released_{nullptr};
};

} // namespace kiln::check
