// A stream of the CPU: a list of operations that one thread at a time runs, in order. That thread comes from the team's
// pool, or is one of the application's that waits for an operation of the lane; but not where the team is confined.
#pragma once
#include "backends/Device.h"
#include "backends/cpu/driver/Team.h"
#include "runtime/support/Mutex.h"
#include "runtime/support/Ref.h"

namespace kiln::cpu {

/// The list. Outlives the stream where a thread that runs it ends the queue that owns the stream.
class Lane {
public:
  Lane(std::shared_ptr<Team> team, StreamHints hints) : team(std::move(team)), hints(hints) {}

  const std::shared_ptr<Team> team;
  const StreamHints hints;

  void hold() { count_.fetch_add(1, std::memory_order_relaxed); }
  void drop() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }

  void submit(Operation &operation) KILN_EXCLUDES(mutex_);
  void flush() KILN_EXCLUDES(mutex_);
  /// Runs what is there, unless another thread does.
  void drainUntil(WaitCondition done) KILN_EXCLUDES(mutex_);
  /// For the pool, which has taken the lane off its list: runs all of it.
  void drain() KILN_EXCLUDES(mutex_);

  Lane *nextScheduled = nullptr; // the pool's; a lane is scheduled once at a time

private:
  void enter();

  static constexpr uint32_t Entering = ~uint32_t(0);
  std::atomic<uint32_t> count_{0};
  std::atomic<uint32_t> process_{Team::process()}; // whose threads the flags speak of
  Mutex mutex_;
  Operation *first_ KILN_GUARDED_BY(mutex_) = nullptr;
  Operation *last_ KILN_GUARDED_BY(mutex_) = nullptr;
  bool owned_ KILN_GUARDED_BY(mutex_) = false;     // a thread runs it
  bool flushed_ KILN_GUARDED_BY(mutex_) = false;   // what is there must run without further calls
  bool scheduled_ KILN_GUARDED_BY(mutex_) = false; // it is on the pool's list
};

class CpuStream final : public Stream {
public:
  CpuStream(std::shared_ptr<Team> team, StreamHints hints) : lane_(new Lane(std::move(team), hints)) {
    lane_->team->pool(); // so that it is there when nobody could be told that it is not
  }
  void submit(Operation &operation) override { lane_->submit(operation); }
  void flush() override { lane_->flush(); }
  void progressUntil(WaitCondition done) override;

  Status copy(const Region &to, const Region &from) override;
  Status fill(const Region &to, std::span<const std::byte> pattern) override;
  Status launch(const Launch &launch) override;

private:
  const Ref<Lane> lane_;
};

} // namespace kiln::cpu
