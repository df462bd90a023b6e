#include "backends/cpu/driver/ThreadPool.h"
#include "backends/cpu/driver/CpuStream.h"
#include "backends/cpu/driver/Fault.h"
#include "backends/cpu/driver/KernelFpScope.h"
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

} // namespace

ThreadPool::ThreadPool(unsigned size, std::vector<unsigned> processors)
    : size_(size), maxSpinners_(std::min(size, processorCount() - 1)), processors_(std::move(processors)) {}

ThreadPool::~ThreadPool() = default;

bool ThreadPool::hasThreads() {
  Lock lock(mutex_);
  return started_ || !refused_;
}

bool ThreadPool::start() {
  {
    Lock lock(mutex_);
    if (started_)
      return true;
  }
  return addThread() || hasThreads();
}

void ThreadPool::stop() {
  {
    Lock lock(mutex_);
    stopped_ = true;
  }
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  futexWake(epoch_, int(size_));
}

void ThreadPool::schedule(CpuStreamState &stream) noexcept {
  stream.incRef();
  bool noThreads;
  {
    Lock lock(mutex_);
    // Inserts the stream after all streams of the same or a higher priority.
    CpuStreamState **place = &firstStream_;
    while (*place && (*place)->hints.priority >= stream.hints.priority)
      place = &(*place)->nextScheduled;
    stream.nextScheduled = *place;
    *place = &stream;
  }
  wake(1);
  {
    Lock lock(mutex_);
    noThreads = !started_;
  }
  // If the system could start no thread, the calling thread drains one stream.
  if (!noThreads)
    return;
  bool more;
  KernelFpScope fpScope;
  if (Ref<CpuStreamState> oldest = takeStream(more))
    oldest->drain();
}

Ref<CpuStreamState> ThreadPool::takeStream(bool &more) {
  Lock lock(mutex_);
  Ref<CpuStreamState> stream(firstStream_);
  if (stream) {
    firstStream_ = stream->nextScheduled;
    stream->decRef(); // the list's reference
  }
  more = firstStream_;
  return stream;
}

void ThreadPool::runChunks(Job &job, WaitCondition done) {
  while (!done()) {
    uint64_t first = job.next.fetch_add(job.chunk, std::memory_order_relaxed);
    if (first >= job.end)
      return;
    job.body(job.context, first, std::min(first + job.chunk, job.end));
  }
}

void ThreadPool::run(Job &job, unsigned helpers) noexcept {
  job.maxHelpers = std::min(helpers, size_ - 1);
  if (!job.maxHelpers)
    return job.body(job.context, 0, job.end);
  {
    Lock lock(mutex_);
    job.nextJob = firstJob_;
    if (firstJob_)
      firstJob_->previousJob = &job;
    firstJob_ = &job;
  }
  wake(job.maxHelpers);
  runChunks(job, Never);
  {
    Lock lock(mutex_);
    (job.previousJob ? job.previousJob->nextJob : firstJob_) = job.nextJob;
    if (job.nextJob)
      job.nextJob->previousJob = job.previousJob;
  }
  // The other threads are at their last chunk. They leave under the lock, so once it has been taken with no helper
  // left, no thread accesses the job. Spin first: a thread that sleeps here may be woken on the processor of the helper
  // that is about to sleep, which would delay that helper's next job.
  spinFor(LastChunkSpins, [&] { return job.helpers.load(std::memory_order_acquire) == 0; });
  Lock lock(mutex_);
  jobLeft_.wait(lock, [&] { return job.helpers.load(std::memory_order_acquire) == 0; });
}

bool ThreadPool::assistJob(WaitCondition done) noexcept {
  Job *mine = nullptr;
  {
    Lock lock(mutex_);
    for (Job *job = firstJob_; job; job = job->nextJob)
      if (job->helpers.load(std::memory_order_relaxed) < job->maxHelpers &&
          job->next.load(std::memory_order_relaxed) < job->end) {
        job->helpers.fetch_add(1, std::memory_order_relaxed);
        mine = job;
        break;
      }
  }
  if (!mine)
    return false;
  bool able = !mine->prepare || mine->prepare(mine->context);
  if (able)
    runChunks(*mine, done);
  Lock lock(mutex_);
  if (mine->helpers.fetch_sub(1, std::memory_order_release) == 1)
    jobLeft_.notifyAll();
  return able;
}

void ThreadPool::wake(unsigned threads) {
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  unsigned awake = spinning_.load(std::memory_order_seq_cst);
  if (threads <= awake)
    return;
  threads -= awake;
  unsigned asleep = sleeping_.load(std::memory_order_seq_cst);
  if (asleep)
    futexWake(epoch_, int(threads));
  for (; threads > asleep; --threads)
    if (!addThread())
      return;
}

bool ThreadPool::addThread() noexcept {
  {
    Lock lock(mutex_);
    if (started_ == size_)
      return false;
    ++started_;
  }
  auto work = [](void *pool) {
    Ref<ThreadPool> self(static_cast<ThreadPool *>(pool));
    self->decRef(); // the reference of startThread
    fault::declareOwnThread();
    self->work();
  };
  incRef();
  if (startThread("kiln-cpu", work, this, StackBytes, processors_))
    return true;
  decRef();
  Lock lock(mutex_);
  --started_;
  refused_ = true;
  return false;
}

bool ThreadPool::hasWork() {
  Lock lock(mutex_);
  for (Job *job = firstJob_; job; job = job->nextJob)
    if (job->helpers.load(std::memory_order_relaxed) < job->maxHelpers &&
        job->next.load(std::memory_order_relaxed) < job->end)
      return true;
  return firstStream_ || stopped_;
}

void ThreadPool::work() noexcept {
  for (;;) {
    bool more = false;
    Ref<CpuStreamState> stream = takeStream(more);
    if (!stream) {
      Lock lock(mutex_);
      if (stopped_)
        return;
    }
    // Wakes one more thread while streams are left: two concurrent `wake` calls may both have counted the same spinning
    // thread and woken none.
    if (more)
      wake(1);
    if (stream)
      stream->drain();
    else if (!assistJob(Never))
      idle();
  }
}

void ThreadPool::idle() {
  uint32_t seen = epoch_.load(std::memory_order_seq_cst);
  auto moved = [&] { return epoch_.load(std::memory_order_seq_cst) != seen; };
  bool spin = spinning_.fetch_add(1, std::memory_order_seq_cst) < maxSpinners_ && isMoreExpected();
  if (!hasWork()) {
    if (spin)
      for (uint64_t end = nowNanoseconds() + SpinNanoseconds; !moved() && nowNanoseconds() < end && isMoreExpected();)
        for (int i = 0; i < 32 && !moved(); ++i)
          cpuRelax();
    if (!moved()) {
      sleeping_.fetch_add(1, std::memory_order_seq_cst);
      spinning_.fetch_sub(1, std::memory_order_seq_cst);
      futexWait(epoch_, seen); // returns at once if a wake-up came since
      sleeping_.fetch_sub(1, std::memory_order_seq_cst);
      return;
    }
  }
  spinning_.fetch_sub(1, std::memory_order_seq_cst);
}

} // namespace kiln::cpu
