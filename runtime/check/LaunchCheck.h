// The checks of one launch on the CPU: which memory its arguments may access, and what a wrong access is.
#pragma once
#include "base/abi/Check.h"
#include "runtime/check/AccessTracker.h"
#include "runtime/check/LaunchReports.h"
#include <mutex>
#include <span>

namespace kiln::check {

class LaunchCheck final : public abi::CheckLaunch, private LaunchReports, private TrackerReports {
public:
  LaunchCheck(const CheckTarget &launch, const DeviceObject &device);
  LaunchCheck(const LaunchCheck &) = delete;
  /// Adds the number of times that the findings of the tracker have occurred.
  ~LaunchCheck();

private:
  static void *checkAccess(const abi::CheckLaunch *launch, const abi::CheckSite *site, void *pointer, void *base,
                           uint64_t size, uint64_t bytes, uint64_t x, uint64_t y, uint64_t z);
  static void reportOutside(const abi::CheckLaunch *launch, const abi::CheckSite *site, const abi::Image *image,
                            double x, double y, double z, uint64_t globalX, uint64_t globalY, uint64_t globalZ);
  static void reportMisaligned(const abi::CheckLaunch *launch, const abi::CheckSite *site, void *pointer, uint64_t x,
                               uint64_t y, uint64_t z);
  static void reportMissing(const abi::CheckLaunch *launch, const abi::CheckSite *site, uint64_t x, uint64_t y,
                            uint64_t z);
  static void reportNumber(const abi::CheckLaunch *launch, const abi::CheckSite *site, uint64_t number, uint64_t limit,
                           uint64_t x, uint64_t y, uint64_t z);
  static void enterGroup(const abi::CheckLaunch *launch, uint64_t x, uint64_t y, uint64_t z);
  static void synchroniseGroup(const abi::CheckLaunch *launch, uint64_t sync);
  static void trackAccess(const abi::CheckLaunch *launch, const abi::CheckSite *site, void *pointer, uint64_t bytes,
                          int64_t stride, uint64_t lanes, uint64_t item);
  /// The same if only races are searched: `startTracking` has made the tracker.
  static void trackForRaces(const abi::CheckLaunch *launch, const abi::CheckSite *site, void *pointer, uint64_t bytes,
                            int64_t stride, uint64_t lanes, uint64_t item);
  static uint64_t trackGroup(const abi::CheckLaunch *launch, const abi::CheckSite *site, void *pointer, uint64_t bytes,
                             int64_t stride, uint64_t rowItems, int64_t pitch, uint64_t rows);
  static void trackLanes(const abi::CheckLaunch *launch, const abi::CheckSite *site, const uintptr_t *pointers,
                         uint64_t bytes, uint64_t lanes, uint64_t item);
  static void leaveGroup(const abi::CheckLaunch *launch);
  static void reportPrivate(const abi::CheckLaunch *launch, const abi::CheckSite *site, uint64_t item);
  void race(const RaceSide &first, const RaceSide &second, uintptr_t address) noexcept override;
  void undefined(const abi::CheckSite &site, const ItemId &item, uintptr_t address) noexcept override;
  void startTracking();
  /// Finds the arguments and captured buffers whose memory was not written as a whole.
  void startInit();
  /// Returns true if bytes of the object were never written. They are noted from now on.
  bool startInit(size_t argument, MemObject &object);
  /// Notes which bytes a write has written, and reports a read of others. Called for memory of an argument.
  void trackWritten(const abi::CheckSite &site, uintptr_t pointer, uint64_t bytes, int64_t stride, uint64_t lanes,
                    uint64_t item);
  /// The same for adjacent work-items that access `itemBytes` bytes each.
  void trackWritten(const abi::CheckSite &site, uintptr_t begin, uint64_t bytes, uint64_t itemBytes, uint64_t item);
  /// Returns true if a and b may have common bytes.
  static bool overlap(const Argument &a, const Argument &b);
  /// Returns true if no other argument has memory of this one.
  bool hasOwnMemory(size_t index) const;
  /// Returns true if another work-item may write memory that the argument points to.
  bool maySeeWrites(size_t index) const;
  /// The work-item's global ids.
  std::array<uint64_t, 3> globalIdOf(const ItemId &item) const;
  /// Reports the first finding of two sites in this launch, and counts the others.
  template <typename Make> void addOnce(const abi::CheckSite *first, const abi::CheckSite *second, const Make &make);
  /// Returns true if the access is right, or if that cannot be known.
  bool isAccepted(const Access &access) const;
  std::vector<abi::CheckRange> ranges_;
  std::optional<AccessTracker> tracker_;
  std::array<uint64_t, 3> groups_{1, 1, 1}; // of the launch, with a tracker
  bool hasEqualGroups_ = true;              // all groups have the same size
  std::atomic<bool> hasLocalRace_ = false;
  /// The bytes of an argument that have been written. Null: all, or it is not known.
  struct Written {
    WrittenBytes *bytes = nullptr;
    size_t begin = 0; // of the argument's memory in the buffer
  };
  std::vector<Written> written_;            // as arguments_; empty without KILN_CHECK=init
  std::atomic<bool> notesAccesses_ = false; // the code does; that of kernels which call functions does not
  // Findings of the tracker, with the number of times that they occurred after the first. Found millions of times.
  struct Repeated {
    Finding finding;
    std::atomic<uint64_t> times{0};
  };
  Mutex mutex_;
  std::map<std::pair<const abi::CheckSite *, const abi::CheckSite *>, Repeated> repeated_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln::check
