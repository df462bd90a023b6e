#include "backends/gpu/driver/GpuStream.h"
#include "backends/gpu/driver/Code.h"
#include "backends/gpu/driver/WaitPace.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include "base/support/Trace.h"
#include <algorithm>

namespace kiln::gpu {
namespace {

struct WaitingThread {
  explicit WaitingThread(CompletionPoller &poller) : poller(poller) {
    poller.waitingThreads.fetch_add(1, std::memory_order_relaxed);
  }
  ~WaitingThread() { poller.waitingThreads.fetch_sub(1, std::memory_order_relaxed); }
  CompletionPoller &poller;
};

class EventMark final : public TimeMark {
public:
  EventMark(GpuDevice &device, PooledEvent event) : device_(device), event_(std::move(event)) {}
  uint64_t time() override {
    if (!device_.usable())
      return 0;
    uint64_t start = 0, end = 0;
    ScopedContext current(device_);
    return current && device_.eventClock().times(event_.get(), event_.get(), start, end).ok() ? start : 0;
  }

private:
  GpuDevice &device_;
  const PooledEvent event_;
};

} // namespace

GpuStreamState::~GpuStreamState() {
  while (spare_)
    delete std::exchange(spare_, spare_->next);
  if (!device_.usable())
    return;
  ScopedContext current(device_);
  if (!current)
    return;
  chain_.destroyGraphs(device_.driver());
  device_.releaseStream(handle_, priority_);
}

GpuStreamState::Batch *GpuStreamState::newBatch() {
  if (!spare_)
    return new (std::nothrow) Batch;
  return std::exchange(spare_, spare_->next);
}

Result<PooledEvent> GpuStreamState::recorded(EventKind kind) {
  if (!device_.usable())
    return device_.lostStatus();
  EventHandle event = KILN_TRY(device_.events().acquire(kind));
  PooledEvent held(device_.events(), event, kind);
  KILN_TRY(device_.run(device_.driver().calls.record, event, handle_));
  return held;
}

bool GpuStreamState::append(Operation &operation) {
  operation.streamNext = nullptr;
  if (!open_ && !(open_ = newBatch()))
    return false;
  (open_->last ? open_->last->streamNext : open_->first) = &operation;
  open_->last = &operation;
  ++open_->count;
  return true;
}

void GpuStreamState::issueHeldChain() {
  if (chain_.empty())
    return;
  ScopedContext current(device_);
  Status status = chain_.issue(device_, handle_);
  if (!status.ok() && chainCode_ == CL_SUCCESS)
    chainCode_ = status.code();
}

void GpuStreamState::issueChainOlderThan(uint64_t time) {
  Lock lock(mutex_);
  if (!chain_.empty() && chain_.since() <= time)
    issueHeldChain();
}

void GpuStreamState::destroyLaunchGraphs() {
  Lock lock(mutex_);
  chain_.destroyGraphs(device_.driver());
}

void GpuStreamState::appendUnbatched(Operation &operation, Status status) {
  issueHeldChain();
  Status reached = synchronize();
  const cl_int chainCode = std::exchange(chainCode_, CL_SUCCESS); // no other operation is open
  operation.streamStatus = !status.ok() ? status.code() : chainCode != CL_SUCCESS ? chainCode : reached.code();
  UnbatchedList &list = last_ ? last_->unbatchedAfter : unbatched_;
  (list.last ? list.last->streamNext : list.first) = &operation;
  list.last = &operation;
}

void GpuStreamState::completeUnbatched(Operation &operation) {
  pending_.fetch_sub(1, std::memory_order_relaxed);
  device_.pending.fetch_sub(1, std::memory_order_relaxed);
  uint64_t now = operation.needsTimes ? nowNanoseconds() : 0;
  operation.onEnded(operation.streamStatus, now, now);
}

Status GpuStreamState::recordEnd(Batch &batch) {
  if (word_.isAvailable()) {
    Result<uint32_t> number = word_.write();
    if (number.ok()) {
      batch.endNumber = *number;
      return {};
    }
    if (!device_.usable())
      return std::move(number).status();
  }
  batch.end = KILN_TRY(recorded(EventKind::Plain));
  return {};
}

void GpuStreamState::closeOpen(cl_int code) {
  if (!open_)
    return;
  issueHeldChain();
  Batch *batch = std::exchange(open_, nullptr);
  batch->code = code == CL_SUCCESS ? chainCode_ : code;
  if (!issuesInChain_)
    chainCode_ = CL_SUCCESS;
  // Cleared first: other threads may issue meanwhile and set it again. If `read` has cleared it, the chunk that it
  // issued before is in `arrival`.
  bool issuedSinceEvent = issuedSinceEvent_.exchange(false, std::memory_order_acquire);
  batch->arrival = staging_->issued();
  if (!batch->end && issuedSinceEvent && device_.usable())
    if (Status status = recordEnd(*batch); !status.ok() && batch->code == CL_SUCCESS)
      batch->code = status.code();
  waitableBatches_ += batch->isWaitable;
  batch->next = nullptr;
  (last_ ? last_->next : first_) = batch;
  last_ = batch;
}

void GpuStreamState::submit(Operation &operation) {
  const bool needsTimes = operation.needsTimes,
             isWaitable = operation.isWaitable; // it may be destroyed before this function returns
  ScopedContext current(device_);
  pending_.fetch_add(1, std::memory_order_relaxed);
  device_.pending.fetch_add(1, std::memory_order_seq_cst);
  Status status = device_.usable() ? Status() : device_.lostStatus();
  PooledEvent start;
  uint64_t began = 0;
  auto record = [&](PooledEvent &event) -> Status {
    event = KILN_TRY(recorded(EventKind::Timing));
    return {};
  };
  if (needsTimes) {
    {
      Lock lock(mutex_);
      closeOpen(CL_SUCCESS);
    }
    began = nowNanoseconds();
    if (status.ok())
      status = record(start);
  }
  issuesTimed_ = needsTimes;
  launchStarts_.clear(); // of an operation that was not appended
  if (status.ok())
    status = operation.issue(*this);
  PooledEvent end;
  if (needsTimes && status.ok())
    status = record(end);
  if (!status.ok())
    KILN_LOG(Warn, Device, "a command failed: ", status.message());

  Lock lock(mutex_);
  if (!status.ok())
    closeOpen(CL_SUCCESS); // earlier operations have not failed
  issuesInChain_ = false;
  if (!append(operation))
    return appendUnbatched(operation, std::move(status));
  if (open_->count == 1)
    open_->opened = needsTimes ? began : nowNanoseconds();
  if (needsTimes) {
    open_->start = std::move(start);
    open_->end = std::move(end);
  }
  open_->isWaitable |= isWaitable;
  const bool isLimited = !launchStarts_.empty(); // the limit is for this operation alone
  open_->launchStarts.swap(launchStarts_);
  const bool isFull = open_->count >= MaxBatchSize || isLimited;
  if (needsTimes || isWaitable || !status.ok() || isFull)
    closeOpen(status.code());
  if (isFull)
    full_.store(true, std::memory_order_relaxed);
}

Result<std::unique_ptr<TimeMark>> GpuStreamState::markTime() {
  issueChain();
  return std::make_unique<EventMark>(device_, KILN_TRY(recorded(EventKind::Timing)));
}

void GpuStreamState::flush() {
  issueChain();
  flushLazily();
}

void GpuStreamState::flushLazily() {
  if (full_.exchange(false, std::memory_order_relaxed)) {
    Ref<GpuStreamState> self(this);
    retire();
  }
  if (!busy() || device_.poller().ensurePolling())
    return;
  // No other thread polls: this is a forked child, or no thread can be started.
  Ref<GpuStreamState> self(this);
  close();
  retire();
}

void GpuStreamState::closeOlderThan(uint64_t time) {
  ScopedContext current(device_);
  Lock lock(mutex_);
  if (open_ && open_->opened <= time)
    closeOpen(CL_SUCCESS);
}

uint64_t GpuStreamState::pendingSince() {
  Lock lock(mutex_);
  return first_ ? first_->opened : 0;
}

const GpuFunction *GpuStreamState::findLateLaunch(Batch &batch) {
  const uint64_t now = nowNanoseconds();
  while (batch.started < batch.launchStarts.size() &&
         device_.driver().calls.query.function(batch.launchStarts[batch.started].event.get()) != Driver::NotReady) {
    ++batch.started;
    batch.runningSince = now;
  }
  const bool isLate = batch.started && (now - batch.runningSince) / 1'000'000'000 >= options().launchTimeout;
  return isLate ? batch.launchStarts[batch.started - 1].function : nullptr;
}

bool GpuStreamState::reached(Batch &batch) {
  if (batch.isReached)
    return true;
  if (device_.usable()) {
    const DriverFunctions &calls = device_.driver().calls;
    const bool byWord = batch.endNumber != 0;
    int code = Driver::NotReady;
    if (staging_->arrived(batch.arrival)) {
      if (staging_->takeFailure(batch.arrival) && batch.code == CL_SUCCESS)
        batch.code = CL_OUT_OF_RESOURCES;
      code = byWord      ? (word_.hasReached(batch.endNumber) ? 0 : word_.poll())
             : batch.end ? calls.query.function(batch.end.get())
                         : 0;
    }
    if (code == 0)
      return batch.isReached = true;
    if (code != Driver::NotReady) {
      Status status = device_.failed(code, byWord ? calls.queryStream.name : calls.query.name);
      if (batch.code == CL_SUCCESS)
        batch.code = status.code();
    } else if (const GpuFunction *late = findLateLaunch(batch)) {
      device_.loseByTimeout(late->entry);
    } else {
      return false;
    }
  }
  if (batch.code == CL_SUCCESS)
    batch.code = CL_OUT_OF_RESOURCES; // unknown
  return batch.isReached = true;
}

void GpuStreamState::findTimes(const Batch &batch, uint64_t earliest, uint64_t &start, uint64_t &end) {
  Status status = device_.eventClock().times(batch.start.get(), batch.end.get(), start, end);
  if (!status.ok())
    start = end = batch.opened;
  // The two clocks agree to some microseconds, so impossible times are corrected: before the command was issued, and
  // before the ends of those that it waited for. The duration is exact.
  earliest = std::max({earliest, batch.opened, lastEnd_});
  uint64_t duration = end - start;
  start = std::max(start, earliest);
  end = std::min(start + duration, nowNanoseconds());
  start = std::max(std::min(start, end - std::min(duration, end)), earliest);
  end = std::max(start, end);
  lastEnd_ = end;
}

void GpuStreamState::completeOperations(Batch &batch, bool &any) {
  while (Operation *operation = batch.first) {
    if (!mayEnd(*operation))
      return;
    uint64_t start = 0, end = 0;
    if (batch.start && batch.code == CL_SUCCESS)
      findTimes(batch, operation->earliestStart(), start, end);
    // The events are released first: after onEnded the device may be destroyed.
    batch.start = PooledEvent();
    batch.end = PooledEvent();
    batch.launchStarts.clear();
    batch.endNumber = 0;
    batch.first = operation->streamNext; // before it is destroyed
    pending_.fetch_sub(1, std::memory_order_relaxed);
    device_.pending.fetch_sub(1, std::memory_order_relaxed);
    operation->onEnded(batch.code, start, end);
    any = true;
  }
}

bool GpuStreamState::retire() {
  const uint32_t here = Driver::forks() + 1;
  Lock lock(mutex_);
  if (retiring_ == here || (!first_ && !unbatched_.first))
    return false;
  bool any = false;
  retiring_ = here;
  lock.unlock();
  {
    ScopedContext current(device_);
    lock.lock();
    bool waits = false;
    while (first_ || unbatched_.first) {
      if (Operation *before = unbatched_.first) {
        waits = !mayEnd(*before);
        if (waits)
          break;
        unbatched_.first = before->streamNext;
        if (!unbatched_.first)
          unbatched_.last = nullptr;
        lock.unlock();
        completeUnbatched(*before);
        any = true;
        lock.lock();
        continue;
      }
      Batch *batch = first_;
      lock.unlock();
      const bool over = reached(*batch);
      if (over)
        completeOperations(*batch, any);
      lock.lock();
      waits = over && batch->first;
      if (!over || waits)
        break;
      first_ = batch->next;
      if (!first_)
        last_ = nullptr;
      waitableBatches_ -= batch->isWaitable;
      unbatched_ = batch->unbatchedAfter; // which is empty while there are batches
      *batch = Batch();
      batch->next = spare_;
      spare_ = batch;
    }
    waitsForOthers_.store(waits, std::memory_order_relaxed);
    if (!first_ && !open_)
      staging_->freeIfEmpty();
    if (const Batch *front = first_ ? first_ : open_; any && front && front->first) {
      Operation *operation = front->first; // no other thread ends it
      lock.unlock();
      operation->onFirst();
      lock.lock();
    }
  }
  retiring_ = 0;
  return any;
}

bool GpuStreamState::retireFromPoller() {
  {
    Lock lock(mutex_);
    if (open_ && !waitableBatches_ && !unbatched_.first)
      return false; // the open batch is young, or it would have been closed
  }
  return retire();
}

void GpuStreamState::progressUntil(WaitCondition done) {
  WaitingThread waiting(device_.poller());
  WaitPace pace(lastWait_);
  bool slept = false;
  for (unsigned iteration = 1; !done() && busy(); ++iteration) {
    close();
    retire();
    if (waitsForOthers()) {
      retireOthers();
      retire();
    }
    if (done())
      return;
    if (slept || iteration % 8 == 0)
      retireOthers();
    slept = pace.pause(nowNanoseconds());
  }
}

void GpuStreamState::retireOthers() {
  for (size_t at = 0; Ref<GpuStreamState> other = device_.nextBusyStream(at);)
    if (other.get() != this) {
      other->close();
      other->retire();
    }
}

Result<std::shared_ptr<Fence>> GpuStreamState::recordFence() {
  issueChain();
  if (lastFence_ && !issuedSinceFence_.load(std::memory_order_relaxed))
    return std::shared_ptr<Fence>(lastFence_);
  ScopedContext current(device_);
  if (!current)
    return device_.lostStatus();
  struct Unfenced { // stays set if no fence is recorded
    std::atomic<bool> &flag;
    bool still = true;
    ~Unfenced() { flag.store(still, std::memory_order_relaxed); }
  } unfenced{issuedSinceFence_};
  PooledEvent event = KILN_TRY(recorded(EventKind::Plain));
  std::erase_if(pendingHostCopies_, [](const PendingHostCopy &copy) { return copy.staging->arrived(copy.arrival); });
  std::vector<PendingHostCopy> pendingHostCopies = pendingHostCopies_;
  if (uint64_t arrival = staging_->issued(); !staging_->arrived(arrival))
    pendingHostCopies.push_back({staging_, arrival});
  lastFence_ = std::make_shared<GpuFence>(std::move(event), this, std::move(pendingHostCopies));
  unfenced.still = false;
  return std::shared_ptr<Fence>(lastFence_);
}

Status GpuStreamState::waitFence(const Fence &fence) {
  auto &other = static_cast<const GpuFence &>(fence);
  if (other.stream == this)
    return {}; // in order; or the address of a destroyed stream, whose work is done
  ScopedContext current(device_);
  issueChain();
  if (!current)
    return device_.lostStatus();
  KILN_TRY(device_.run(device_.driver().calls.streamWait, handle_, other.event.get(), 0u));
  issued();
  for (const PendingHostCopy &copy : other.pendingHostCopies)
    if (copy.staging != staging_ && !copy.staging->arrived(copy.arrival))
      pendingHostCopies_.push_back(copy);
  return {};
}

} // namespace kiln::gpu
