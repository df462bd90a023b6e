#include "runtime/queue/CommandTrace.h"
#include "base/support/Json.h"
#include "base/support/Trace.h"
#include "runtime/queue/Queue.h"
#include <algorithm>

namespace kiln {

namespace {

/// The numbers that queues have.
class Numbers {
public:
  static Numbers &get() {
    static auto &made = *new Numbers; // queues may be destroyed after static destructors
    return made;
  }
  uint32_t take() {
    Lock lock(mutex_);
    const auto free = std::ranges::find(isTaken_, false);
    const auto number = uint32_t(free - isTaken_.begin());
    if (free == isTaken_.end())
      isTaken_.push_back(true);
    else
      *free = true;
    return number + 1;
  }
  void giveBack(uint32_t number) {
    Lock lock(mutex_);
    isTaken_[number - 1] = false;
  }

private:
  Mutex mutex_;
  std::vector<bool> isTaken_ KILN_GUARDED_BY(mutex_);
};

} // namespace

QueueTrace::QueueTrace() : number(trace::enabled() ? Numbers::get().take() : 0) {}

QueueTrace::~QueueTrace() {
  if (number)
    Numbers::get().giveBack(number);
}

size_t QueueTrace::row(uint64_t start, uint64_t end) {
  Lock lock(mutex_);
  const auto free = std::ranges::find_if(ends_, [&](uint64_t last) { return last <= start; });
  const auto row = size_t(free - ends_.begin());
  if (free == ends_.end())
    ends_.push_back(end);
  else
    *free = end;
  last_ = {end, row};
  return row;
}

QueueTrace::Last QueueTrace::last() const {
  Lock lock(mutex_);
  return last_;
}

namespace trace {
namespace {

std::string trackOf(const Queue &queue, size_t row) {
  const DeviceObject &device = queue.device();
  std::string track = text("device ", device.label(), ": ", device.info().name, ", queue ", queue.trace().number);
  if (row)
    track += text(" (", row + 1, ")");
  return track;
}

std::string spell(const std::array<uint64_t, 3> &size) { return text(size[0], "x", size[1], "x", size[2]); }

/// Members of a JSON object.
std::string argumentsOf(const HostLaunch &launch, DeviceObject &device) {
  std::string form;
  if (launch.kernel && launch.grid.function)
    form = launch.kernel->on(device)->variantOf(launch.grid.function);
  return text("\"global size\":\"", spell(launch.grid.globalSize), "\",\"local size\":\"",
              spell(launch.requestedLocalSize), "\",\"form\":", json::quoted(form),
              ",\"local memory\":", launch.grid.localBytes);
}

std::string argumentsOf(const Command &command, DeviceObject &device) {
  return command.visit([&](const auto &kind) -> std::string {
    if constexpr (requires { kind.launch; })
      return argumentsOf(kind.launch, device);
    else if constexpr (requires { kind.extent; })
      return text("\"bytes\":", kind.extent[0] * kind.extent[1] * kind.extent[2]);
    else if constexpr (requires { kind.size; })
      return text("\"bytes\":", kind.size);
    else
      return {};
  });
}

/// A command's name for arrows: a queue enqueues one command at a time.
std::string idOf(const CommandNode &node) {
  return text(node.queue()->trace().number, ".", node.times.queued.load(std::memory_order_relaxed));
}

const char *nameOf(const CommandNode &node) {
  const auto *range = node.command.as<NDRange>();
  const Kernel *kernel = range ? range->launch.kernel.get() : nullptr;
  return kernel ? kernel->name().c_str() : node.name();
}

} // namespace

void enqueued(const CommandNode &node) {
  if (node.queue() && !node.isTransfer)
    arrow(Arrow::Begin, "enqueue", idOf(node), node.times.queued.load(std::memory_order_relaxed));
}

void ended(const CommandNode &node, uint64_t start, uint64_t end) {
  Queue &queue = *node.queue();
  const std::string track = trackOf(queue, queue.trace().row(start, end));
  span("command", nameOf(node), start, end, track, argumentsOf(node.command, queue.device()));
  arrow(Arrow::End, "enqueue", idOf(node), start, track);
}

void ended(Queue &queue, const HostLaunch &launch, uint64_t start, uint64_t end) {
  span("command", launch.kernel->name(), start, end, trackOf(queue, queue.trace().row(start, end)),
       argumentsOf(launch, queue.device()));
}

void awaited(const Queue &queue) {
  const QueueTrace::Last last = queue.trace().last();
  if (!last.end)
    return;
  const uint64_t now = nowNanoseconds();
  const std::string id = text("wait ", queue.trace().number, ".", now);
  arrow(Arrow::Begin, "wait", id, last.end, trackOf(queue, last.row));
  arrow(Arrow::End, "wait", id, now);
}

} // namespace trace
} // namespace kiln
