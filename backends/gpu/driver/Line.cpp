#include "backends/gpu/driver/Line.h"
#include "runtime/support/Log.h"
#include "runtime/support/Trace.h"
#include <algorithm>
#include <sched.h>

namespace kiln::gpu {
namespace {

// How long a waiting thread looks by itself before it sleeps and leaves the looking to the watcher.
constexpr uint64_t SpinNanoseconds = 1'000'000;

struct WaitingThread {
  explicit WaitingThread(Watcher &watcher) : watcher(watcher) {
    watcher.waitingThreads.fetch_add(1, std::memory_order_relaxed);
  }
  ~WaitingThread() { watcher.waitingThreads.fetch_sub(1, std::memory_order_relaxed); }
  Watcher &watcher;
};

} // namespace

Line::~Line() {
  while (spare_)
    delete std::exchange(spare_, spare_->next);
  if (device_.usable())
    device_.giveStream(handle_, priority_);
}

Line::Batch *Line::newBatch() {
  if (!spare_)
    return new (std::nothrow) Batch;
  return std::exchange(spare_, spare_->next);
}

Result<HeldEvent> Line::recorded(EventKind kind) {
  EventHandle event = KILN_TRY(device_.events().take(kind));
  HeldEvent held(device_.events(), event, kind);
  KILN_TRY(device_.run(device_.driver().calls.record, event, handle_));
  return held;
}

bool Line::append(Operation &operation) {
  operation.streamNext = nullptr;
  if (!open_ && !(open_ = newBatch()))
    return false;
  (open_->last ? open_->last->streamNext : open_->first) = &operation;
  open_->last = &operation;
  ++open_->count;
  return true;
}

void Line::appendWithoutBatch(Operation &operation, Status status) {
  Status reached = synchronize();
  operation.streamStatus = status.ok() ? reached.code() : status.code();
  Alone &list = last_ ? last_->behind : alone_;
  (list.last ? list.last->streamNext : list.first) = &operation;
  list.last = &operation;
}

void Line::endAlone(Operation *next) {
  while (Operation *operation = next) {
    next = operation->streamNext; // before it is gone
    pending_.fetch_sub(1, std::memory_order_relaxed);
    device_.pending.fetch_sub(1, std::memory_order_relaxed);
    uint64_t now = operation->needsTimes ? nowNanoseconds() : 0;
    operation->onEnded(operation->streamStatus, now, now);
  }
}

void Line::closeOpen(cl_int code) {
  if (!open_)
    return;
  Batch *batch = std::exchange(open_, nullptr);
  batch->code = code;
  batch->arrival = staging_->issued();
  // Cleared first: what another thread issues meanwhile sets it again.
  bool unmarked = unmarked_.exchange(false, std::memory_order_relaxed);
  if (!batch->end && unmarked && device_.usable()) {
    Result<HeldEvent> end = recorded(EventKind::Plain);
    if (end.ok())
      batch->end = std::move(*end);
    else if (batch->code == CL_SUCCESS)
      batch->code = end.code();
  }
  waitableBatches_ += batch->isWaitable;
  batch->next = nullptr;
  (last_ ? last_->next : first_) = batch;
  last_ = batch;
}

void Line::submit(Operation &operation, Stream &stream) {
  const bool needsTimes = operation.needsTimes,
             isWaitable = operation.isWaitable; // it may have ended before this function has
  Current current(device_);
  pending_.fetch_add(1, std::memory_order_relaxed);
  device_.pending.fetch_add(1, std::memory_order_seq_cst);
  Status status = device_.usable() ? Status() : device_.lostStatus();
  HeldEvent start;
  uint64_t began = 0;
  auto record = [&](HeldEvent &event) -> Status {
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
  if (status.ok())
    status = operation.issue(stream);
  HeldEvent end;
  if (needsTimes && status.ok())
    status = record(end);
  if (!status.ok())
    KILN_LOG(Warn, Device, "a command failed: ", status.message());

  Lock lock(mutex_);
  if (!status.ok())
    closeOpen(CL_SUCCESS); // what came before has not failed
  if (!append(operation))
    return appendWithoutBatch(operation, std::move(status));
  if (open_->count == 1)
    open_->opened = needsTimes ? began : nowNanoseconds();
  if (needsTimes) {
    open_->start = std::move(start);
    open_->end = std::move(end);
  }
  open_->isWaitable |= isWaitable;
  const bool isLong = open_->count >= LongBatch;
  if (needsTimes || isWaitable || !status.ok() || isLong)
    closeOpen(status.code());
  if (isLong)
    full_.store(true, std::memory_order_relaxed);
}

void Line::flush() {
  if (full_.exchange(false, std::memory_order_relaxed)) {
    Ref<Line> self(this);
    retire();
  }
  if (!busy() || device_.watcher().notice())
    return;
  // Nobody else will look, now or ever: this is a child of the process, or threads cannot be had.
  Ref<Line> self(this);
  close();
  retire();
}

void Line::closeOlderThan(uint64_t time) {
  Current current(device_);
  Lock lock(mutex_);
  if (open_ && open_->opened <= time)
    closeOpen(CL_SUCCESS);
}

uint64_t Line::pendingSince() {
  Lock lock(mutex_);
  return first_ ? first_->opened : 0;
}

bool Line::reached(Batch &batch) {
  if (device_.usable()) {
    if (!staging_->arrived(batch.arrival))
      return false;
    if (staging_->takeFailure(batch.arrival) && batch.code == CL_SUCCESS)
      batch.code = CL_OUT_OF_RESOURCES;
    const Call<EventHandle> &query = device_.driver().calls.query;
    int code = batch.end ? query.function(batch.end.get()) : 0;
    if (code == 0)
      return true;
    if (code == Driver::NotReady)
      return false;
    Status status = device_.failed(code, query.name);
    if (batch.code == CL_SUCCESS)
      batch.code = status.code();
  }
  if (batch.code == CL_SUCCESS)
    batch.code = CL_OUT_OF_RESOURCES; // nobody knows
  return true;
}

void Line::end(Batch &batch) {
  uint64_t start = 0, end = 0;
  if (batch.start && batch.code == CL_SUCCESS) {
    Status status = device_.timeBase().times(batch.start.get(), batch.end.get(), start, end);
    if (!status.ok())
      start = end = batch.opened;
    // The two clocks agree to some microseconds; what cannot be, is not said. The duration is exact.
    uint64_t duration = end - start;
    start = std::max({start, batch.opened, lastEnd_});
    end = std::min(start + duration, nowNanoseconds());
    start = std::max(std::min(start, end - std::min(duration, end)), std::max(batch.opened, lastEnd_));
    end = std::max(start, end);
    lastEnd_ = end;
  }
  // The events go back before the application hears: the device may be gone afterwards.
  batch.start = HeldEvent();
  batch.end = HeldEvent();
  Operation *operation = std::exchange(batch.first, nullptr);
  batch.last = nullptr;
  batch.count = 0;
  while (operation) {
    Operation *next = operation->streamNext; // before it is gone
    pending_.fetch_sub(1, std::memory_order_relaxed);
    device_.pending.fetch_sub(1, std::memory_order_relaxed);
    operation->onEnded(batch.code, start, end);
    operation = next;
  }
  endAlone(std::exchange(batch.behind, {}).first);
}

bool Line::retire() {
  const uint32_t here = Driver::forks() + 1;
  Lock lock(mutex_);
  if (retiring_ == here || (!first_ && !alone_.first))
    return false;
  bool any = false;
  retiring_ = here;
  lock.unlock();
  {
    Current current(device_);
    lock.lock();
    while (first_ || alone_.first) {
      if (Operation *before = std::exchange(alone_, {}).first) {
        lock.unlock();
        endAlone(before);
        any = true;
        lock.lock();
        continue;
      }
      Batch *batch = first_;
      lock.unlock();
      bool over = reached(*batch);
      lock.lock();
      if (!over)
        break;
      first_ = batch->next;
      if (!first_)
        last_ = nullptr;
      waitableBatches_ -= std::exchange(batch->isWaitable, false);
      lock.unlock();
      end(*batch);
      any = true;
      lock.lock();
      batch->next = spare_;
      spare_ = batch;
    }
    if (!first_ && !open_)
      staging_->tidy();
  }
  retiring_ = 0;
  return any;
}

bool Line::retireForWatcher() {
  {
    Lock lock(mutex_);
    if (open_ && !waitableBatches_ && !alone_.first)
      return false; // the open batch is young, or it would have been closed
  }
  return retire();
}

void Line::progressUntil(WaitCondition done) {
  Watcher &watcher = device_.watcher();
  WaitingThread waiting(watcher);
  uint64_t until = 0;
  for (unsigned iteration = 1; !done() && busy(); ++iteration) {
    close();
    retire();
    if (done())
      return;
    if (iteration % 8 == 0)
      for (size_t at = 0; Ref<Line> other = device_.busyLine(at);)
        if (other.get() != this) {
          other->close();
          other->retire();
        }
    uint64_t now = nowNanoseconds();
    if (!until)
      until = now + (processorCount() > 1 ? SpinNanoseconds : 0);
    if (now < until) {
      for (int i = 0; i < 8; ++i)
        cpuRelax();
    } else {
      if (watcher.notice())
        return;
      sched_yield();
    }
  }
}

Result<std::shared_ptr<Fence>> Line::mark() {
  if (lastFence_ && !unfenced_.load(std::memory_order_relaxed))
    return std::shared_ptr<Fence>(lastFence_);
  if (!device_.usable())
    return device_.lostStatus();
  Current current(device_);
  struct Unfenced { // unless there is a fence in the end
    std::atomic<bool> &flag;
    bool still = true;
    ~Unfenced() { flag.store(still, std::memory_order_relaxed); }
  } unfenced{unfenced_};
  HeldEvent event = KILN_TRY(recorded(EventKind::Plain));
  std::erase_if(hostWork_, [](const HostWork &work) { return work.staging->arrived(work.arrival); });
  std::vector<HostWork> hostWork = hostWork_;
  if (uint64_t arrival = staging_->issued(); !staging_->arrived(arrival))
    hostWork.push_back({staging_, arrival});
  lastFence_ = std::make_shared<GpuFence>(std::move(event), this, std::move(hostWork));
  unfenced.still = false;
  return std::shared_ptr<Fence>(lastFence_);
}

Status Line::wait(const Fence &fence) {
  auto &other = static_cast<const GpuFence &>(fence);
  if (other.line == this)
    return {}; // in order, or a line that is gone, and with it all of its work
  Current current(device_);
  KILN_TRY(device_.run(device_.driver().calls.streamWait, handle_, other.event.get(), 0u));
  issued();
  for (const HostWork &work : other.hostWork)
    if (work.staging != staging_ && !work.staging->arrived(work.arrival))
      hostWork_.push_back(work);
  return {};
}

} // namespace kiln::gpu
