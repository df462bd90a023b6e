// Decides, command by command, where bytes have to be and what is moved for it. One for a context whose devices have
// more than one place to keep bytes in; the book is each buffer's Residency.
//
// A decision is made when a command heads its queue and what it waits for has ended (or, inside one device that orders
// its streams, been issued), so the book tells what holds when the command runs. A command that reads or writes needs
// its range current in its place, one that overwrites does not; what writes makes its place the only one.
//
//   - Bytes that the command's own stream can fetch (host and device, or a device that this one reaches) are a
//     transfer on that stream, right ahead of the command. The command's fate does not matter to it, so that the book
//     stays true.
//   - Bytes that lie only on a device out of reach are pushed to the host's place, on a stream that this device has for
//     that; the command is decided again when they are there.
//   - Who finds a transfer or a writer that has not ended waits for it where that matters: for a transfer into the
//   place
//     wherever the bytes are used, for a writer before its bytes are copied or overwritten from elsewhere. Commands on
//     one place otherwise run side by side as their events allow: disjoint bytes are nobody's conflict.
//
// An overwrite that may yet be dropped, because something in its wait list may still fail, fetches the bytes as well:
// dropping it leaves them what they were.
#pragma once
#include "runtime/memory/Residency.h"
#include "runtime/queue/Command.h"
#include "runtime/queue/LockedStream.h"

namespace kiln {

/// What a command needs before it goes to its stream.
struct TransferPlan {
  /// For the command's own stream, ahead of it.
  std::vector<Ref<Event>> fetches;
  /// For the streams that their devices push on.
  std::vector<Ref<Event>> pushes;
  /// What must end, or be issued, before the command can be decided. Empty: it is decided.
  std::vector<Ref<Event>> waitIssued;
  /// The same for what must have ended, wherever it runs.
  std::vector<Ref<Event>> waitEnded;

  bool decided() const { return waitIssued.empty() && waitEnded.empty(); }
};

class ResidencyManager {
public:
  explicit ResidencyManager(const Context &context);
  ~ResidencyManager();

  /// Storage on the command's device for what it writes there, so that its enqueue fails where there is none.
  static Status reserve(Command &command, const DeviceObject &device);
  /// Decides for an event that is next on `stream`. What is in the plan must be submitted, whatever the result.
  Status plan(Event &event, LockedStream &stream, TransferPlan &result) KILN_EXCLUDES(mutex_);
  /// Takes out of the book what it says about an event that ends with `code`; its command is still there.
  void onEventComplete(Event &event, cl_int code, uint64_t start, uint64_t end) noexcept KILN_EXCLUDES(mutex_);

  /// Transfers that were done so far, and their bytes.
  struct TransferStats {
    uint64_t transfers = 0, bytes = 0;
  };
  TransferStats transferStats() const KILN_EXCLUDES(mutex_);

private:
  class Planner;
  /// For a Decision, which is made under the lock.
  void assertHeld() const KILN_ANNOTATE(assert_capability(mutex_)) {}
  Result<LockedStream *> pushStream(Place node) KILN_REQUIRES(mutex_);

  const Context &context_; // which owns this
  mutable Mutex mutex_;
  std::vector<std::unique_ptr<LockedStream>> pushStreams_ KILN_GUARDED_BY(mutex_); // as Context::memories
  TransferStats stats_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln
