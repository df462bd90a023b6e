#include "backends/cpu/driver/ThreadPool.h"
#include "backends/cpu/driver/CpuStream.h"
#include "backends/cpu/driver/Fault.h"
#include "backends/cpu/driver/KernelFpScope.h"
#include "backends/cpu/driver/TimedSpin.h"
#include "base/support/Thread.h"
#include "base/support/Trace.h"
#include <algorithm>

namespace kiln::cpu {
namespace {

constexpr uint64_t SpinNanoseconds = 20'000;
// Iterations of cpuRelax; takes longer than most chunks.
constexpr unsigned LastChunkSpins = 10'000;
// Stack of a pool thread. Kernels' private arrays are in the thread's arena, so the stack holds only call frames.
constexpr size_t StackBytes = 8 << 20;

constexpr WaitCondition Never{[](const void *) { return false; }, nullptr};

/// The number of the calling thread in its pool. Threads of applications have none.
constexpr unsigned NoNumber = ~0u;
constinit thread_local unsigned ownNumber = NoNumber;

} // namespace

ThreadPool::ThreadPool(unsigned size, std::vector<unsigned> processors)
    : size_(size), spinners_(std::min(size, processorCount() - 1)), processors_(std::move(processors)),
      workers_(new PoolWorker[size]) {
  for (unsigned i = 0; i < size; ++i) {
    workers_[i].pool = this;
    workers_[i].number = i;
  }
}

ThreadPool::~ThreadPool() = default;

bool ThreadPool::isCalledByApplication() noexcept { return ownNumber == NoNumber; }

unsigned ThreadPool::awakeOthers() const {
  const unsigned awake = awake_.load(std::memory_order_relaxed);
  return awake - (awake && !isCalledByApplication());
}

// ---- threads --------------------------------------------------------------------------------------------------------

bool ThreadPool::start() {
  if (!started_.load() && workers_[size_ - 1].claimStart(nullptr))
    startWorker(workers_[size_ - 1]);
  return hasThreads();
}

void ThreadPool::stop() {
  {
    Lock lock(mutex_);
    stopped_ = true;
  }
  pending_.fetch_add(1, std::memory_order_seq_cst);
  for (unsigned i = 0; i < size_; ++i)
    workers_[i].summon(true);
}

bool ThreadPool::startWorker(PoolWorker &worker) noexcept {
  auto work = [](void *started) {
    auto &self = *static_cast<PoolWorker *>(started);
    Ref<ThreadPool> pool(self.pool);
    pool->decRef(); // the reference of startWorker
    fault::declareOwnThread();
    ownNumber = self.number;
    pool->work(self);
  };
  incRef();
  started_.fetch_add(1);
  awake_.fetch_add(1);
  if (startThread("kiln-cpu", work, &worker, StackBytes, processors_))
    return true;
  worker.cancelStart();
  awake_.fetch_sub(1);
  started_.fetch_sub(1);
  refused_ = true;
  decRef();
  return false;
}

void ThreadPool::summonWorker() noexcept {
  // From the last thread on: jobs invite helpers from the first one on. So in a sequence of launches the stream's
  // thread and its helpers stay the same.
  for (const bool wakes : {false, true})
    for (unsigned i = size_; i--;)
      if (workers_[i].summon(wakes) != PoolWorker::Was::None)
        return;
  for (unsigned i = size_; i--;)
    if (workers_[i].claimStart(nullptr)) {
      startWorker(workers_[i]);
      return;
    }
}

void ThreadPool::work(PoolWorker &self) noexcept {
  bool spins = false;
  for (;;) {
    const PoolWorker::Order order = self.takeOrder();
    if (order.job) {
      spins = order.job->isLedByApplication;
      help(self, *order.job);
    } else if (order.looksForWork) {
      if (Ref<CpuStreamState> stream = takeStream()) {
        spins = false;
        stream->drain();
        continue;
      }
      if (isStopped())
        return;
      if (assistJob(Never))
        continue;
      self.becomeIdle();
    }
    await(self, spins);
  }
}

void ThreadPool::await(PoolWorker &self, bool spins) noexcept {
  const bool maySpin = self.number < spinners_;
  while (self.isIdle()) {
    if (hasWork() && self.becomeBusy())
      return;
    if (maySpin && (spins || isMoreExpected()))
      spinForTime(SpinNanoseconds, [&] { return !self.isIdle() || !(spins || isMoreExpected()); });
    if (!self.fallAsleep())
      return;
    awake_.fetch_sub(1, std::memory_order_relaxed);
    // Once more: while an invitation lasted that was revoked, this thread was not summoned.
    if (!hasWork() || !self.becomeBusy())
      self.sleep();
    awake_.fetch_add(1, std::memory_order_relaxed);
  }
}

bool ThreadPool::hasWork() {
  if (!pending_.load(std::memory_order_seq_cst))
    return false;
  Lock lock(mutex_);
  for (Job *job = firstJob_; job; job = job->nextJob)
    if (job->lateHelpers.load(std::memory_order_relaxed) < job->maxLateHelpers)
      return true;
  return firstStream_ || stopped_;
}

bool ThreadPool::isStopped() {
  Lock lock(mutex_);
  return stopped_;
}

// ---- streams --------------------------------------------------------------------------------------------------------

void ThreadPool::schedule(CpuStreamState &stream) noexcept {
  stream.incRef();
  {
    Lock lock(mutex_);
    // Inserts the stream after all streams of the same or a higher priority.
    CpuStreamState **place = &firstStream_;
    while (*place && (*place)->hints.priority >= stream.hints.priority)
      place = &(*place)->nextScheduled;
    stream.nextScheduled = *place;
    *place = &stream;
    pending_.fetch_add(1, std::memory_order_seq_cst);
  }
  summonWorker();
  // If the system could start no thread, the calling thread drains one stream.
  if (started_.load())
    return;
  KernelFpScope fpScope;
  if (Ref<CpuStreamState> oldest = takeStream())
    oldest->drain();
}

Ref<CpuStreamState> ThreadPool::takeStream() {
  Lock lock(mutex_);
  Ref<CpuStreamState> stream(firstStream_);
  if (stream) {
    firstStream_ = stream->nextScheduled;
    pending_.fetch_sub(1, std::memory_order_relaxed);
    stream->decRef(); // the list's reference
  }
  return stream;
}

// ---- jobs -----------------------------------------------------------------------------------------------------------

uint64_t ThreadPool::runChunks(Job &job, WaitCondition done) const {
  const size_t count = job.parts.size();
  // A thread without a part of its number starts with the last one: such a thread leads the job, in place of a helper.
  const size_t own = std::min<size_t>(ownNumber, count - 1);
  uint64_t units = 0;
  for (size_t i = 0; i < count; ++i) {
    JobPart &part = job.parts[own + i < count ? own + i : own + i - count];
    while (part.next.load(std::memory_order_relaxed) < part.end) {
      if (done())
        return units;
      const uint64_t first = part.next.fetch_add(job.chunk, std::memory_order_relaxed);
      if (first >= part.end)
        break;
      const uint64_t end = std::min(first + job.chunk, part.end);
      job.body(job.context, first, end);
      units += end - first;
    }
  }
  return units;
}

unsigned ThreadPool::invite(Job &job, Helpers helpers, unsigned &missing) noexcept {
  unsigned woken = 0;
  bool canStart = true;
  for (unsigned i = 0; i < std::min(size_, MaxInvited) && missing; ++i) {
    PoolWorker &worker = workers_[i];
    const bool wakes = woken < helpers.wakes;
    auto was = worker.invite(job, wakes);
    if (was == PoolWorker::Was::None && wakes && canStart && worker.claimStart(&job)) {
      canStart = startWorker(worker);
      was = canStart ? PoolWorker::Was::Asleep : PoolWorker::Was::None;
    }
    if (was == PoolWorker::Was::None)
      continue;
    job.invited.set(i);
    --missing;
    woken += was == PoolWorker::Was::Asleep;
  }
  return woken;
}

uint64_t ThreadPool::collect(Job &job) noexcept {
  uint64_t nanoseconds = 0;
  for (unsigned i = 0; i < std::min(size_, MaxInvited); ++i) {
    if (!job.invited[i] || workers_[i].revoke(job))
      continue;
    const auto hasLeft = [&] { return !workers_[i].isHelping(job); };
    // Spin first: a thread that sleeps here may be woken on the processor of the helper that is about to sleep, which
    // would delay that helper's next job.
    if (!spinFor(LastChunkSpins, hasLeft))
      leaders_.wait(ends_, hasLeft);
    nanoseconds += workers_[i].helped();
  }
  return nanoseconds;
}

void ThreadPool::help(PoolWorker &self, Job &job) noexcept {
  const uint64_t begin = nowNanoseconds();
  if (!job.prepare || job.prepare(job.context))
    runChunks(job, Never);
  self.setHelped(nowNanoseconds() - begin);
  self.becomeIdle();
  if (leaders_.hasSleepers()) {
    ends_.fetch_add(1, std::memory_order_seq_cst);
    leaders_.wake(ends_);
  }
}

JobTimes ThreadPool::run(Job &job, std::span<JobPart> parts, Helpers helpers) noexcept {
  JobTimes times;
  helpers.most = std::min({helpers.most, size_ - 1, awakeOthers() + helpers.wakes});
  if (!helpers.most) {
    const uint64_t begin = nowNanoseconds();
    job.body(job.context, 0, job.end);
    times.own = times.busy = nowNanoseconds() - begin;
    times.ownUnits = job.end;
    return times;
  }
  job.parts = parts.first(helpers.most + 1);
  const uint64_t least = job.end / job.parts.size(), longer = job.end % job.parts.size();
  uint64_t end = 0;
  for (size_t i = 0; i < job.parts.size(); ++i) {
    job.parts[i].next.store(end, std::memory_order_relaxed);
    job.parts[i].end = end += least + (i < longer);
  }
  job.isLedByApplication = isCalledByApplication();
  unsigned missing = helpers.most;
  times.woken = invite(job, helpers, missing);
  if (missing)
    list(job, missing);
  const uint64_t ownBegin = nowNanoseconds();
  times.ownUnits = runChunks(job, Never);
  times.own = times.busy = nowNanoseconds() - ownBegin;
  // No unit is left, but helpers may be at their last chunks.
  times.busy += collect(job);
  if (missing)
    times.busy += unlist(job);
  return times;
}

// ---- jobs that need more threads than were idle ---------------------------------------------------------------------

void ThreadPool::list(Job &job, unsigned most) noexcept {
  Lock lock(mutex_);
  job.maxLateHelpers = most;
  job.nextJob = firstJob_;
  if (firstJob_)
    firstJob_->previousJob = &job;
  firstJob_ = &job;
  pending_.fetch_add(1, std::memory_order_seq_cst);
}

uint64_t ThreadPool::unlist(Job &job) noexcept {
  {
    Lock lock(mutex_);
    (job.previousJob ? job.previousJob->nextJob : firstJob_) = job.nextJob;
    if (job.nextJob)
      job.nextJob->previousJob = job.previousJob;
    pending_.fetch_sub(1, std::memory_order_relaxed);
  }
  // They leave under the lock, so once it has been taken with no helper left, no thread accesses the job.
  const auto hasNone = [&] { return job.lateHelpers.load(std::memory_order_acquire) == 0; };
  spinFor(LastChunkSpins, hasNone);
  Lock lock(mutex_);
  jobLeft_.wait(lock, hasNone);
  return job.lateNanoseconds;
}

bool ThreadPool::assistJob(WaitCondition done) noexcept {
  Job *mine = nullptr;
  {
    Lock lock(mutex_);
    for (mine = firstJob_; mine && mine->lateHelpers.load(std::memory_order_relaxed) >= mine->maxLateHelpers;)
      mine = mine->nextJob;
    if (!mine)
      return false;
    mine->lateHelpers.fetch_add(1, std::memory_order_relaxed);
  }
  const uint64_t begin = nowNanoseconds();
  const bool able = !mine->prepare || mine->prepare(mine->context);
  if (able)
    runChunks(*mine, done);
  const uint64_t nanoseconds = nowNanoseconds() - begin;
  Lock lock(mutex_);
  mine->lateNanoseconds += nanoseconds;
  // Otherwise this thread, and others, would come back to it until it is unlisted.
  if (!able)
    --mine->maxLateHelpers;
  else if (!done())
    mine->maxLateHelpers = 0; // no unit is left
  if (mine->lateHelpers.fetch_sub(1, std::memory_order_release) == 1)
    jobLeft_.notifyAll();
  return able;
}

} // namespace kiln::cpu
