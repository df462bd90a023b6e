// Commands in the trace (base/support/Trace.h): a span for each on the track of its queue, an arrow from its enqueue to
// it, and one from its end to the call that waited for it.
#pragma once
#include "base/support/Mutex.h"
#include <cstdint>
#include <vector>

namespace kiln {

class CommandNode;
class DeviceObject;
struct HostLaunch;
class Queue;

/// What the trace keeps for a queue.
class QueueTrace {
public:
  QueueTrace();
  ~QueueTrace();
  QueueTrace(const QueueTrace &) = delete;
  /// Different for each queue that exists, from 1 on; 0 if there is no trace. Queues that come later take the numbers
  /// of those that have gone, so that a process with many short-lived queues has few tracks.
  const uint32_t number;
  /// The row on which a span overlaps no other, from 0 on: commands of an out-of-order queue run at the same time.
  /// Spans must be given in the order of their ends.
  size_t row(uint64_t start, uint64_t end) KILN_EXCLUDES(mutex_);
  /// The command that ended last: its end, and its row; an end of 0 if none has ended.
  struct Last {
    uint64_t end = 0;
    size_t row = 0;
  };
  Last last() const KILN_EXCLUDES(mutex_);

private:
  mutable Mutex mutex_;
  std::vector<uint64_t> ends_ KILN_GUARDED_BY(mutex_); // of each row
  Last last_ KILN_GUARDED_BY(mutex_);
};

/// The functions below are only for a process that writes a trace.
namespace trace {

/// The calling thread has enqueued the command.
void enqueued(const CommandNode &node);
/// The command has run from `start` to `end`.
void ended(const CommandNode &node, uint64_t start, uint64_t end);
/// A launch of a command buffer has run.
void ended(Queue &queue, const HostLaunch &launch, uint64_t start, uint64_t end);
/// The calling thread has waited for the queue's command that ended last.
void awaited(const Queue &queue);

} // namespace trace
} // namespace kiln
