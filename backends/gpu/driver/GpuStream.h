// A stream of a GPU. `submit` issues an operation at once, on the calling thread, to a stream of the driver. What was
// issued is kept in batches; a batch ends with an event of the driver, and is over when that is reached. Nobody calls
// back: whoever waits looks at the events (`help`), and where nobody waits the device's Watcher does.
//
// A launch that nobody can wait for by itself (Operation::watched) joins the open batch and costs no event. The batch
// is closed when somebody waits, when it is long, and by the watcher when it is some microseconds old. It is ended by
// the thread that goes on submitting, if there is one: at its next `flush`, for `submit` is called with locks held.
//
// In order, then: submit -> issue -> [batch] -> close (event) -> retire (ended).
#pragma once
#include "backends/gpu/driver/GpuDevice.h"
#include "backends/gpu/driver/Staging.h"

namespace kiln::gpu {

/// Host memory that copies of a line will have written once so many have arrived.
struct PendingHostCopy {
  std::shared_ptr<Staging> staging;
  uint64_t arrival;
};

class GpuFence final : public Fence {
public:
  GpuFence(PooledEvent event, const GpuStreamState *stream, std::vector<PendingHostCopy> pendingHostCopies)
      : event(std::move(event)), stream(stream), pendingHostCopies(std::move(pendingHostCopies)) {}
  const PooledEvent event;
  const GpuStreamState *const stream; // to compare only
  const std::vector<PendingHostCopy> pendingHostCopies;
};

/// Outlives the stream where the thread that ends its last operation ends the queue that owns it.
class GpuStreamState final {
public:
  GpuStreamState(GpuDevice &device, StreamHandle handle, HintLevel priority)
      : device_(device), handle_(handle), priority_(priority), staging_(std::make_shared<Staging>(device, handle)) {}
  ~GpuStreamState();
  void hold() { count_.fetch_add(1, std::memory_order_relaxed); }
  void drop() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }

  // What Stream says.
  void submit(Operation &operation, Stream &stream) KILN_EXCLUDES(mutex_);
  void flush();
  void progressUntil(WaitCondition done);
  Status copy(const Region &to, const Region &from);
  Status fill(const Region &to, std::span<const std::byte> pattern);
  Status launch(const Launch &launch);
  Status prefetch(const Region &region, bool toHost);
  Result<std::shared_ptr<Fence>> recordFence();
  Status waitFence(const Fence &fence);

  /// Ends what is done, in order, unless another thread is at it. Whether there was anything.
  bool retire() KILN_EXCLUDES(mutex_);
  /// The same for the watcher. What nobody waits for is left to the thread that goes on submitting: it finds what the
  /// operations hold in its own cache, and has it there for the next ones.
  bool retireFromPoller() KILN_EXCLUDES(mutex_);
  /// Closes the open batch.
  void close() { closeOlderThan(UINT64_MAX); }
  /// Closes it if it was opened before `time`.
  void closeOlderThan(uint64_t time) KILN_EXCLUDES(mutex_);
  bool busy() const { return pending_.load(std::memory_order_seq_cst); }
  /// When the oldest closed batch was opened; 0 without one.
  uint64_t pendingSince() KILN_EXCLUDES(mutex_);

private:
  /// Operations that are done and in no batch; each knows its own code.
  struct UnbatchedList {
    Operation *first = nullptr, *last = nullptr;
  };
  struct Batch {
    Operation *first = nullptr, *last = nullptr;
    unsigned count = 0;
    cl_int code = CL_SUCCESS;
    uint64_t opened = 0;
    bool isWaitable = false; // somebody may wait for it
    PooledEvent start;       // of a timed operation, which is alone in its batch
    PooledEvent end;         // none where nothing was issued since the batch before
    uint64_t arrival = 0;
    UnbatchedList unbatchedAfter; // which came after this batch and before the next
    Batch *next = nullptr;
  };
  static constexpr unsigned MaxBatchSize = 64;

  /// False where there is no memory for a batch.
  bool append(Operation &operation) KILN_REQUIRES(mutex_);
  /// For then: waits until the operation is done, so that it needs no event to say so.
  void appendUnbatched(Operation &operation, Status status) KILN_REQUIRES(mutex_);
  void completeUnbatched(Operation *next);
  void closeOpen(cl_int code) KILN_REQUIRES(mutex_);
  bool reached(Batch &batch);
  void completeBatch(Batch &batch);
  Batch *newBatch() KILN_REQUIRES(mutex_);
  Result<PooledEvent> recorded(EventKind kind);
  /// Something was given to the driver's stream.
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
  /// What copies of other lines, and of this one when `own`, bring to these bytes of the host's memory is there; other
  /// lines as far as this one waited for their fences.
  Status waitHostCopies(const std::byte *host, size_t bytes, bool own);
  /// Waits until everything issued so far is done.
  Status synchronize();

  GpuDevice &device_;
  const StreamHandle handle_;
  const HintLevel priority_;
  std::atomic<uint32_t> count_{0};
  std::atomic<size_t> pending_{0};
  std::atomic<bool> full_{false};             // a long batch was closed, and `flush` has not looked since
  std::atomic<bool> issuedSinceEvent_{false}; // something was issued since the last event of a batch
  std::atomic<bool> issuedSinceFence_{false}; // or since the last fence
  std::shared_ptr<GpuFence> lastFence_;
  std::vector<PendingHostCopy> pendingHostCopies_; // to be there before the host's memory is used
  uint64_t lastEnd_ = 0;                           // of timed operations; whoever retires has it

  Mutex mutex_;
  Batch *open_ KILN_GUARDED_BY(mutex_) = nullptr;
  Batch *first_ KILN_GUARDED_BY(mutex_) = nullptr; // closed
  Batch *last_ KILN_GUARDED_BY(mutex_) = nullptr;
  Batch *spare_ KILN_GUARDED_BY(mutex_) = nullptr;
  unsigned waitableBatches_ KILN_GUARDED_BY(mutex_) = 0; // closed ones
  UnbatchedList unbatched_ KILN_GUARDED_BY(mutex_);      // which came before the first batch
  /// By a thread that is at it, and that is there: Driver::forks() and 1, or 0. One that was at it when the process
  /// forked is not in the child.
  uint32_t retiring_ KILN_GUARDED_BY(mutex_) = 0;
  const std::shared_ptr<Staging> staging_; // fences know it
};

/// What the runtime holds.
class GpuStream final : public Stream {
public:
  GpuStream(GpuDevice &device, Ref<GpuStreamState> stream) : device_(device), state_(std::move(stream)) {}
  ~GpuStream() override { device_.remove(*state_); }
  void submit(Operation &operation) override { state_->submit(operation, *this); }
  void flush() override { state_->flush(); }
  void progressUntil(WaitCondition done) override { Ref<GpuStreamState>(state_)->progressUntil(done); }
  Status copy(const Region &to, const Region &from) override { return state_->copy(to, from); }
  Status fill(const Region &to, std::span<const std::byte> pattern) override { return state_->fill(to, pattern); }
  Status launch(const Launch &launch) override { return state_->launch(launch); }
  Status prefetch(const Region &region, bool toHost) override { return state_->prefetch(region, toHost); }
  Result<std::shared_ptr<Fence>> recordFence() override { return state_->recordFence(); }
  Status waitFence(const Fence &fence) override { return state_->waitFence(fence); }

private:
  GpuDevice &device_;
  const Ref<GpuStreamState> state_;
};

} // namespace kiln::gpu
