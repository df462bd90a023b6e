// Plans, for each command, where its bytes must be and which transfers bring them there. A context has one if its
// devices have more than one memory node. The residency maps themselves are in each root buffer's Residency.
//
// A command is planned when it is first in its queue and its dependencies are complete (or issued, inside a device with
// fences), so that the map is valid when the command runs. A command that reads or modifies its range needs it current
// on its node; one that overwrites all of it does not. A command that writes makes its node the only current one.
//
//   - Fetch: bytes that the command's own stream can copy (host and device, or a peer device) are a transfer on that
//     stream, right before the command. The transfer does not depend on the command's success, so that the map stays
//     valid.
//   - Push: bytes that are current only on a device that this one cannot access are copied to the host's node, on a
//     separate stream of that device. The command is planned again after that.
//   - A command waits for an unfinished transfer into its own node whenever it uses the bytes. It waits for an
//     unfinished writer only if the bytes are copied from the writer's node or overwritten there by a transfer.
//     Otherwise commands on one node are ordered by their events alone.
//
// An overwrite that may still be skipped, because an event of its wait list may fail, fetches the bytes as well:
// skipping it must leave their values.
#pragma once
#include "runtime/memory/Residency.h"
#include "runtime/queue/CommandNode.h"

namespace kiln {

/// What must happen before a command is submitted.
struct TransferPlan {
  /// Transfers on the command's own stream, before it.
  std::vector<Ref<CommandNode>> fetches;
  /// Transfers on the push streams of their devices.
  std::vector<Ref<CommandNode>> pushes;
  /// Commands that must be issued (same device, with fences) or complete before the command is planned again. Both
  /// lists empty: the plan is final.
  std::vector<Ref<CommandNode>> waitIssued;
  /// Commands that must be complete, on any device.
  std::vector<Ref<CommandNode>> waitEnded;

  bool decided() const { return waitIssued.empty() && waitEnded.empty(); }
};

class ResidencyManager final : public ContextPart {
public:
  /// The context's; null if it has only one memory node.
  static ResidencyManager *of(const Context &context);
  explicit ResidencyManager(const Context &context);
  ~ResidencyManager() override;

  /// Allocates the storage that the command uses on its device, so that the enqueue reports a lack of memory.
  static Status reserve(Command &command, const DeviceObject &device);
  /// Plans the command that is next on `stream`. The transfers of the plan must be submitted, whatever the result.
  Status plan(CommandNode &node, LockedStream &stream, TransferPlan &result) KILN_EXCLUDES(mutex_);
  /// Removes the pending writes of a command that completes with `code`, and for a failed transfer its node. The node
  /// still has its command.
  void onCommandComplete(CommandNode &node, cl_int code) noexcept KILN_EXCLUDES(mutex_);

  /// Completed transfers and their bytes.
  struct TransferStats {
    uint64_t transfers = 0, bytes = 0;
  };
  TransferStats transferStats() const KILN_EXCLUDES(mutex_);

private:
  class Planner;
  /// For Planner, which runs under the lock.
  void assertHeld() const KILN_ANNOTATE(assert_capability(mutex_)) {}
  Result<LockedStream *> pushStream(MemoryNode node) KILN_REQUIRES(mutex_);

  const Context &context_; // owns this
  mutable Mutex mutex_;
  std::vector<std::unique_ptr<LockedStream>> pushStreams_ KILN_GUARDED_BY(mutex_); // as Context::memoryDevices
  TransferStats stats_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln
