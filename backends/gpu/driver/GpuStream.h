// A stream of a GPU. `submit` issues an operation at once, on the calling thread, to a stream of the driver. Issued
// operations are kept in batches. A batch is closed with a driver event or the write of a number (CompletionWord.h),
// and its operations have ended when that is reached. There are no callbacks: waiting threads poll in `progressUntil`,
// and the device's CompletionPoller does while no thread waits.
//
// An operation that is neither waitable (`isWaitable`) nor timed joins the open batch without recording a driver event.
// A batch is closed when a waitable operation joins it, a thread waits, it holds 64 operations, or the poller finds it
// old. After a full batch, the submitting thread's next `flushLazily` or `flush` retires finished batches; `submit`
// cannot, because its callers hold locks.
//
// If the driver has launch graphs, launches on a busy stream are kept back in a chain (LaunchChain.h). It is issued
// when it is full, before anything else is issued to the driver's stream, at a flush, and by the poller.
//
// Threads that retire different streams do not wait for each other. An operation that waited for a fence stays the
// first of its stream until the operations of the other stream have ended as well (Operation::mayEnd).
//
// The sequence: submit -> issue -> [chain] -> [batch] -> close (event) -> retire (onEnded).
#pragma once
#include "backends/gpu/driver/CompletionWord.h"
#include "backends/gpu/driver/GpuDevice.h"
#include "backends/gpu/driver/LaunchChain.h"
#include "backends/gpu/driver/Staging.h"

namespace kiln::gpu {

/// Host memory that copies of another stream write; complete when its staging ring has copied `arrival` chunks.
struct PendingHostCopy {
  std::shared_ptr<Staging> staging;
  uint64_t arrival;
};

class GpuFence final : public Fence {
public:
  GpuFence(PooledEvent event, const GpuStreamState *stream, std::vector<PendingHostCopy> pendingHostCopies)
      : event(std::move(event)), stream(stream), pendingHostCopies(std::move(pendingHostCopies)) {}
  const PooledEvent event;
  const GpuStreamState *const stream; // only compared
  const std::vector<PendingHostCopy> pendingHostCopies;
};

/// The state of a stream, and the issuer of its operations. Outlives the stream if the thread that ends its last
/// operation destroys the queue that owns the stream.
class GpuStreamState final : public Issuer {
public:
  GpuStreamState(GpuDevice &device, StreamHandle handle, HintLevel priority)
      : device_(device), handle_(handle), priority_(priority), staging_(std::make_shared<Staging>(device, handle)),
        word_(device, handle) {}
  ~GpuStreamState();
  void incRef() { count_.fetch_add(1, std::memory_order_relaxed); }
  void decRef() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }

  // The functions of Stream.
  void submit(Operation &operation) KILN_EXCLUDES(mutex_);
  void flushLazily();
  void flush() KILN_EXCLUDES(mutex_);
  void progressUntil(WaitCondition done);
  Result<std::shared_ptr<Fence>> recordFence() KILN_EXCLUDES(mutex_);

  Status copy(const Region &to, const Region &from) override KILN_EXCLUDES(mutex_);
  Status fill(const Region &to, std::span<const std::byte> pattern) override KILN_EXCLUDES(mutex_);
  Status launch(const Launch &launch) override KILN_EXCLUDES(mutex_);
  Status prefetch(const Region &region, bool toHost) override KILN_EXCLUDES(mutex_);
  Result<std::unique_ptr<TimeMark>> markTime() override KILN_EXCLUDES(mutex_);
  bool hasEarlierWork() const override { return pending_.load(std::memory_order_relaxed) > 1; } // one is being issued
  Status waitFence(const Fence &fence) override KILN_EXCLUDES(mutex_);

  /// Ends finished operations, in order, unless another thread does. Returns true if there was one.
  bool retire() KILN_EXCLUDES(mutex_);
  /// The same for the poller. If no thread waits, the operations are left to the submitting thread: their memory is in
  /// its cache, where it can reuse it.
  bool retireFromPoller() KILN_EXCLUDES(mutex_);
  /// Closes the open batch.
  void close() { closeOlderThan(UINT64_MAX); }
  /// Closes the open batch if it was opened before `time`.
  void closeOlderThan(uint64_t time) KILN_EXCLUDES(mutex_);
  /// Issues the launches of the chain if the first one was added before `time`.
  void issueChainOlderThan(uint64_t time) KILN_EXCLUDES(mutex_);
  void issueChain() { issueChainOlderThan(UINT64_MAX); }
  /// Destroys the graphs of the launch chain. The device is current.
  void destroyLaunchGraphs() KILN_EXCLUDES(mutex_);
  /// Returns true if operations are done that must not end before those of another stream, which may be in an open
  /// batch.
  bool waitsForOthers() const { return waitsForOthers_.load(std::memory_order_relaxed); }
  bool busy() const { return pending_.load(std::memory_order_seq_cst); }
  /// The time when the oldest closed batch was opened; 0 without one.
  uint64_t pendingSince() KILN_EXCLUDES(mutex_);

private:
  /// Operations that are done and in no batch, each with its own code.
  struct UnbatchedList {
    Operation *first = nullptr, *last = nullptr;
  };
  struct LaunchStart {
    PooledEvent event; // is reached when the launch starts
    const GpuFunction *function;
  };
  struct Batch {
    Operation *first = nullptr, *last = nullptr;
    unsigned count = 0;
    cl_int code = CL_SUCCESS;
    uint64_t opened = 0;
    bool isWaitable = false; // a thread may wait for one of its operations
    bool isReached = false;
    PooledEvent start; // of a timed operation, the only one in its batch
    // With KILN_LAUNCH_TIMEOUT: the first `started` launches have started, the last of them at `runningSince`.
    std::vector<LaunchStart> launchStarts;
    size_t started = 0;
    uint64_t runningSince = 0;
    // The end is an event, or a number in the stream's word. Neither if nothing was issued since the previous batch.
    PooledEvent end;
    uint32_t endNumber = 0;
    uint64_t arrival = 0;
    UnbatchedList unbatchedAfter; // issued after this batch and before the next
    Batch *next = nullptr;
  };
  static constexpr unsigned MaxBatchSize = 64;

  /// Returns false if there is no memory for a batch.
  bool append(Operation &operation) KILN_REQUIRES(mutex_);
  /// Called then: waits until the operation is done, so that it needs no event.
  void appendUnbatched(Operation &operation, Status status) KILN_REQUIRES(mutex_);
  void completeUnbatched(Operation &operation);
  void closeOpen(cl_int code) KILN_REQUIRES(mutex_);
  /// Issues the launches of the chain. A failure is that of the batch that is closed next.
  void issueHeldChain() KILN_REQUIRES(mutex_);
  /// Issues one launch of the driver, or adds it to the chain.
  Status launchGrid(GpuFunction &function, const Driver::GridLaunch &launch) KILN_EXCLUDES(mutex_);
  bool reached(Batch &batch);
  /// Returns the function of a launch that has been running for longer than KILN_LAUNCH_TIMEOUT; null if there is none.
  const GpuFunction *findLateLaunch(Batch &batch);
  /// Ends the operations of a batch that is reached, until one must not end yet. `any` is set if there was one.
  void completeOperations(Batch &batch, bool &any);
  /// The host times of a batch's only operation, which is timed.
  void findTimes(const Batch &batch, uint64_t earliest, uint64_t &start, uint64_t &end);
  /// Retires the other streams with work.
  void retireOthers();
  /// Returns true if `onEnded` may be called.
  static bool mayEnd(const Operation &operation) { return Driver::forked() || operation.mayEnd(); }
  Batch *newBatch() KILN_REQUIRES(mutex_);
  Result<PooledEvent> recorded(EventKind kind);
  /// Issues the end of the batch: the write of a number, or an event if there is no word or its write fails.
  Status recordEnd(Batch &batch) KILN_REQUIRES(mutex_);
  /// Records that something was issued to the driver's stream.
  void issued() {
    issuedSinceEvent_.store(true, std::memory_order_relaxed);
    issuedSinceFence_.store(true, std::memory_order_relaxed);
  }

  // Copy.cpp
  struct Side;
  struct Rows;
  Result<Side> side(const Region &region) const;
  Status copyRows(const Side &to, const Side &from, const Rows &rows);
  Status copyDirect(Driver::CopyDirection direction, Address to, Address from, const Rows &rows);
  Status copyPeers(const Side &to, const Side &from, const Rows &rows);
  Status write(Address to, const std::byte *from, const Rows &rows);
  Status read(std::byte *to, Address from, const Rows &rows);
  Status copyOnHost(std::byte *to, const std::byte *from, const Rows &rows);
  Status fillFlat(Address to, size_t bytes, std::span<const std::byte> pattern);
  Status fillLarge(Address to, size_t bytes, std::span<const std::byte> pattern);
  /// Waits until copies of other streams, and of this one with `own`, to these bytes of host memory have arrived; of
  /// other streams, those before the fences that this one waited for.
  Status waitHostCopies(const std::byte *host, size_t bytes, bool own);
  /// Waits until everything issued so far is done.
  Status synchronize();

  GpuDevice &device_;
  const StreamHandle handle_;
  const HintLevel priority_;
  std::atomic<uint32_t> count_{0};
  std::atomic<size_t> pending_{0};
  std::atomic<bool> full_{false};             // a full batch was closed since the last `flushLazily`
  std::atomic<bool> issuedSinceEvent_{false}; // since the last event of a batch
  std::atomic<bool> issuedSinceFence_{false}; // since the last fence
  bool issuesTimed_ = false;                  // the operation that `submit` issues is timed
  std::vector<LaunchStart> launchStarts_;     // of the launches of that operation, with KILN_LAUNCH_TIMEOUT
  std::shared_ptr<GpuFence> lastFence_;
  std::vector<PendingHostCopy> pendingHostCopies_; // must be complete before host memory is used
  uint64_t lastEnd_ = 0;                           // of timed operations; guarded by retiring_
  std::atomic<bool> waitsForOthers_{false}; // the first operation is done, and one of another stream has not ended
  std::atomic<uint64_t> lastWait_{0};       // the nanoseconds that the last wait took

  Mutex mutex_;
  Batch *open_ KILN_GUARDED_BY(mutex_) = nullptr;
  Batch *first_ KILN_GUARDED_BY(mutex_) = nullptr; // closed batches
  Batch *last_ KILN_GUARDED_BY(mutex_) = nullptr;
  Batch *spare_ KILN_GUARDED_BY(mutex_) = nullptr;
  unsigned waitableBatches_ KILN_GUARDED_BY(mutex_) = 0; // closed waitable batches
  UnbatchedList unbatched_ KILN_GUARDED_BY(mutex_);      // issued before the first batch
  LaunchChain chain_ KILN_GUARDED_BY(mutex_);
  cl_int chainCode_ KILN_GUARDED_BY(mutex_) = CL_SUCCESS; // of chains that failed since the last batch was closed
  /// The operation that `submit` issues has added launches to the chain. It is in no batch yet, and another thread may
  /// issue the chain.
  bool issuesInChain_ KILN_GUARDED_BY(mutex_) = false;
  /// Driver::forks() + 1 while a thread retires, else 0. A thread that was retiring when the process forked does not
  /// exist in the child.
  uint32_t retiring_ KILN_GUARDED_BY(mutex_) = 0;
  const std::shared_ptr<Staging> staging_; // shared with fences
  CompletionWord word_;                    // written under mutex_, polled by the thread that retires
};

/// The stream that the runtime holds.
class GpuStream final : public Stream {
public:
  GpuStream(GpuDevice &device, Ref<GpuStreamState> stream) : device_(device), state_(std::move(stream)) {}
  ~GpuStream() override { device_.remove(*state_); }
  void submit(Operation &operation) override { state_->submit(operation); }
  void flushLazily() override { state_->flushLazily(); }
  void flush() override { state_->flush(); }
  void progressUntil(WaitCondition done) override { Ref<GpuStreamState>(state_)->progressUntil(done); }
  Result<std::shared_ptr<Fence>> recordFence() override { return state_->recordFence(); }

private:
  GpuDevice &device_;
  const Ref<GpuStreamState> state_;
};

} // namespace kiln::gpu
