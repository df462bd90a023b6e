#include "runtime/queue/CommandScheduler.h"
#include "runtime/queue/Queue.h"
#include <algorithm>
#include <utility>

namespace kiln {

Result<std::vector<std::unique_ptr<LockedStream>>> CommandScheduler::createStreams(DeviceObject &device, bool inOrder,
                                                                                   QueueHints hints) {
  std::vector<std::unique_ptr<LockedStream>> streams;
  for (size_t i = 0; i < (inOrder ? InOrder::Streams : OutOfOrder::Streams); ++i)
    streams.push_back(KILN_TRY(LockedStream::create(device, hints)));
  return streams;
}

CommandScheduler::CommandScheduler(Queue &queue, bool inOrder, std::vector<std::unique_ptr<LockedStream>> streams)
    : queue_(queue), device_(&queue.device()), streams_(std::move(streams)), inOrder_(inOrder),
      hasFences_(device_->info().hasFences), residencyManager_(ResidencyManager::of(queue.context())) {
  if (!inOrder)
    order_.emplace<OutOfOrder>();
}

// ---- flushing -------------------------------------------------------------------------------------------------------

void CommandScheduler::flushStreams(void (Stream::*how)()) noexcept {
  std::vector<Ref<Queue>> queues;
  {
    Lock lock(mutex_);
    unflushed_ = 0;
    queues.swap(queuesToFlush_);
  }
  for (const auto &stream : streams_)
    (stream->get()->*how)();
  // The list is emptied before its queues are flushed, so queues that wait for one another do not recurse forever.
  for (const Ref<Queue> &queue : queues)
    queue->flush();
}

void CommandScheduler::unblock(const CommandNode &node) {
  for (Blocker &blocker : blockers_)
    if (blocker.blocked == &node)
      blocker.blocked = nullptr; // `flushBlockers` erases it: no reference is released under the lock
}

void CommandScheduler::flushBlockers(bool blocked) noexcept {
  while (blocked) {
    // A blocker is flushed even if no command of this queue waits for it any more: another stream may wait for it on
    // the device.
    std::list<Blocker> over;
    Ref<CommandNode> node;
    {
      Lock lock(mutex_);
      auto unflushed = std::ranges::find(blockers_, false, &Blocker::flushed);
      blocked = unflushed != blockers_.end();
      if (blocked) {
        unflushed->flushed = true;
        node = unflushed->blocking;
      }
      for (auto next = blockers_.begin(); next != blockers_.end();)
        if (auto blocker = next++; !blocker->blocked && blocker->flushed)
          over.splice(over.end(), blockers_, blocker);
    }
    if (!node || node->isComplete())
      continue;
    (*node->stream)->flush();
    if (node->queue() != &queue_)
      node->queue()->flush(); // it may not be submitted yet
  }
  ReadyList::drain();
}

// ---- waiting --------------------------------------------------------------------------------------------------------

namespace {
/// Marks that this thread is inside `progressUntil` for a queue, and records whether a command of the queue became
/// ready meanwhile. The thread runs that command itself, so no other one is woken.
struct ProgressScope {
  explicit ProgressScope(const CommandScheduler *of) : of(of), outer(std::exchange(innermost, this)) {}
  ~ProgressScope() { innermost = outer; }
  const CommandScheduler *const of;
  ProgressScope *const outer;
  bool ready = false;
  static thread_local ProgressScope *innermost;
};
thread_local ProgressScope *ProgressScope::innermost = nullptr;
} // namespace

void CommandScheduler::flushReady(bool blocked) noexcept {
  if (hasFences_ || blocked)
    flushBlockers(blocked);
  if (ProgressScope::innermost && ProgressScope::innermost->of == this)
    ProgressScope::innermost->ready = true;
  else
    flush(); // the application may have flushed before the command was submitted
}

void CommandScheduler::progressStreams(WaitCondition done) noexcept {
  for (const auto &stream : streams_) {
    if (done())
      return;
    (*stream)->progressUntil(done);
  }
}

void CommandScheduler::progressUntil(WaitCondition done) noexcept {
  ProgressScope progress(this);
  bool anyReady = false;
  for (;;) {
    progress.ready = false;
    progressStreams(done);
    anyReady |= progress.ready;
    if (done())
      break;
    std::list<Blocker> blockers;
    std::vector<Ref<Queue>> queues = takeQueuesToFlush(blockers);
    if (queues.empty() && blockers.empty() && !progress.ready)
      break;
    struct Until {
      WaitCondition done;
      const ProgressScope &progress;
    } until{done, progress};
    WaitCondition reached{[](const void *u) {
                            auto *until = static_cast<const Until *>(u);
                            return until->progress.ready || until->done();
                          },
                          &until};
    for (const Ref<Queue> &queue : queues) {
      queue->scheduler().progressStreams(reached);
      queue->flush(); // the operations that are left there
    }
    for (const Blocker &blocker : blockers) {
      LockedStream &stream = *blocker.blocking->stream;
      stream->progressUntil(reached);
      stream->flush();
    }
    anyReady |= progress.ready;
  }
  // The application may have flushed the queue before these commands became ready. They may not all have run: another
  // thread may have taken the stream and left.
  if (anyReady)
    flush();
}

std::vector<Ref<Queue>> CommandScheduler::takeQueuesToFlush(std::list<Blocker> &blockers) noexcept {
  Lock lock(mutex_);
  for (auto next = blockers_.begin(); next != blockers_.end();)
    if (auto blocker = next++; blocker->flushed)
      blockers.splice(blockers.end(), blockers_, blocker);
  return std::exchange(queuesToFlush_, {});
}

void CommandScheduler::finish() {
  if (!inOrder_) {
    Ref<CommandNode> marker(new CommandNode(&queue_.context(), &queue_, Marker{true}));
    marker->isWaitable = true;
    insert(*marker, {}, 0);
    return marker->wait();
  }
  struct Target {
    const CompletionCounter &completions;
    uint32_t number;
    bool isReached() const { return completions.hasReached(number); }
  } target{completions_, 0};
  {
    Lock lock(mutex_);
    target.number = std::get_if<InOrder>(&order_)->appended();
    unflushed_ = 0;
  }
  if (target.isReached())
    return;
  progressUntil({[](const void *t) { return static_cast<const Target *>(t)->isReached(); }, &target});
  if (target.isReached())
    return;
  flush();
  completions_.waitFor(target.number);
}

} // namespace kiln
