// Decides when the commands of one queue are submitted, and to which of its streams. CommandPath.cpp has the steps of a
// command in their order; CommandScheduler.cpp has what threads do that flush the queue or wait for it.
//
// The order among the queue's own commands is InOrder's or OutOfOrder's. What both share is here: dependencies on
// commands of other queues and on events of users, fences, and transfers.
#pragma once
#include "runtime/queue/CompletionCounter.h"
#include "runtime/queue/InOrder.h"
#include "runtime/queue/OutOfOrder.h"
#include "runtime/queue/ResidencyManager.h"
#include <list>

namespace kiln {

class CommandScheduler {
public:
  /// `queue` owns this. CL_OUT_OF_RESOURCES and others if the device creates no stream.
  static Result<std::vector<std::unique_ptr<LockedStream>>> createStreams(DeviceObject &device, bool inOrder,
                                                                          QueueHints hints);
  CommandScheduler(Queue &queue, bool inOrder, std::vector<std::unique_ptr<LockedStream>> streams);

  /// Adds the node's edges, appends it to the queue, and submits it if it has no unresolved dependency. May throw
  /// std::bad_alloc before the first edge is added; no node has changed then. Returns true once the estimated time of
  /// all unflushed commands, `expected` nanoseconds included, reaches 30 us, when waking a pool thread pays.
  bool insert(CommandNode &node, const WaitList &waits, uint64_t expected) KILN_EXCLUDES(mutex_);
  /// All dependencies of the node are resolved, after its enqueue.
  void onReady(CommandNode &node) noexcept KILN_EXCLUDES(mutex_);
  void onComplete(CommandNode &node) noexcept KILN_EXCLUDES(mutex_);

  /// Returns true in the first call.
  bool isFirstFailureAfterLoss() noexcept { return !lossLogged_.exchange(true, std::memory_order_relaxed); }

  /// The context's; null if it has only one memory node.
  ResidencyManager *residencyManager() const { return residencyManager_; }

  void flush() noexcept KILN_EXCLUDES(mutex_) { flushStreams(&Stream::flush); }
  /// The same by Stream::flushLazily.
  void flushLazily() noexcept KILN_EXCLUDES(mutex_) { flushStreams(&Stream::flushLazily); }
  /// Waits until every command inserted so far is complete.
  void finish() KILN_EXCLUDES(mutex_);
  /// The calling thread waits for something of this queue. Meanwhile it runs work of the queue's streams, and of the
  /// streams that the queue's commands wait for.
  void progressUntil(WaitCondition done) noexcept KILN_EXCLUDES(mutex_);

private:
  /// A command that must be flushed because a command of this queue waits for its bytes. Removed when that one does not
  /// wait any more: transfers hold a reference to the queue.
  struct Blocker {
    Ref<CommandNode> blocking;
    const CommandNode *blocked; // null once it does not wait any more
    bool flushed = false;
  };

  /// Calls `use` with the InOrder or the OutOfOrder.
  template <typename Use> decltype(auto) withOrder(Use use) KILN_REQUIRES(mutex_) {
    if (auto *inOrder = std::get_if<InOrder>(&order_))
      return use(*inOrder);
    return use(*std::get_if<OutOfOrder>(&order_));
  }

  void addDependencies(CommandNode &node, const WaitList &waits) KILN_REQUIRES(mutex_);
  /// Adds an edge from `dependency` to `node`, counted until it is issued or until it is complete, as their devices
  /// allow. The node has reserved the memory.
  void addDependency(CommandNode &node, Event &dependency, EdgePolicy policy) noexcept KILN_REQUIRES(mutex_);
  /// Returns true for a marker of an out-of-order queue that may be waited for. It depends on the completion of the
  /// others: a read is not complete when the device has passed it, since the host may still copy from the staging ring.
  bool endsWithOthers(const CommandNode &node) const;
  /// Returns true if the device keeps the order of the two once `dependency` has been issued.
  bool fenceOrders(const CommandNode &node, Event &dependency) const;

  /// Submits every command that its order lets go. Called when `node` has no unresolved dependency.
  void submitReady(CommandNode &node) noexcept KILN_REQUIRES(mutex_);
  void submitNext() noexcept KILN_REQUIRES(mutex_);
  /// Returns false if the node is not ready after all; it then becomes ready again.
  bool submit(CommandNode &node) noexcept KILN_REQUIRES(mutex_);
  bool planAndSubmit(CommandNode &node) noexcept KILN_REQUIRES(mutex_);
  /// Plans the transfers that the command needs. Returns false if it must wait for other commands first.
  bool planTransfers(CommandNode &node, TransferPlan &plan) noexcept KILN_REQUIRES(mutex_);
  /// Records fences on the streams of the node's dependencies; `first`, the first of its transfers or the node itself,
  /// waits for them.
  void recordFences(CommandNode &node, CommandNode &first) KILN_REQUIRES(mutex_);

  /// Called after commands became ready outside an enqueue. Flushes the streams, because the application may have
  /// flushed the queue before these commands were submitted. If the calling thread is inside `progressUntil` for this
  /// queue, it only sets a flag, and `progressUntil` runs them.
  void flushReady(bool blocked) noexcept KILN_EXCLUDES(mutex_);
  /// Flushes blockers and drains the ready list. Called without the lock after anything that may have submitted or
  /// blocked a command.
  void flushBlockers(bool blocked) noexcept KILN_EXCLUDES(mutex_);
  /// The command waits for no blocker any more.
  void unblock(const CommandNode &node) KILN_REQUIRES(mutex_);
  void flushStreams(void (Stream::*how)()) noexcept KILN_EXCLUDES(mutex_);
  void progressStreams(WaitCondition done) noexcept;
  /// Returns the queues that commands of this one wait for and that were not flushed on its behalf yet, and in
  /// `blockers` the flushed commands that block others because of their bytes.
  std::vector<Ref<Queue>> takeQueuesToFlush(std::list<Blocker> &blockers) noexcept KILN_EXCLUDES(mutex_);

  Queue &queue_;
  const DeviceObject *const device_;
  const std::vector<std::unique_ptr<LockedStream>> streams_;
  const bool inOrder_;
  const bool hasFences_;                     // DeviceInfo::hasFences
  ResidencyManager *const residencyManager_; // of the context

  Mutex mutex_;
  std::variant<InOrder, OutOfOrder> order_ KILN_GUARDED_BY(mutex_);
  std::vector<Ref<Queue>> queuesToFlush_ KILN_GUARDED_BY(mutex_); // until the next flush or wait
  std::list<Blocker> blockers_ KILN_GUARDED_BY(mutex_);
  size_t nextStream_ KILN_GUARDED_BY(mutex_) = 0;
  uint64_t unflushed_ KILN_GUARDED_BY(mutex_) = 0; // estimated nanoseconds of work
  CompletionCounter completions_;                  // in order
  std::atomic<bool> lossLogged_{false};            // of the device
};

} // namespace kiln
