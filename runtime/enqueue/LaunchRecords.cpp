#include "runtime/enqueue/LaunchRecords.h"
#include "base/support/Log.h"
#include "runtime/enqueue/ChildScheduler.h"
#include <algorithm>
#include <atomic>

namespace kiln {
namespace {

// Bytes of records that are copied back with the launch if the host cannot access the arena. The rest is copied only if
// there are more.
constexpr size_t FirstRecords = 4096;

// An arena has counters, the table, the program's blocks, copies of two tables of events, the records, and at its end
// the queue of the executor.
constexpr size_t TableAt = sizeof(abi::ArenaCounters), BlocksAt = TableAt + sizeof(abi::EnqueueArena);
constexpr size_t EntriesBytes = (abi::MaxEntries + abi::MaxExecutorGroups) * sizeof(uint64_t);
constexpr size_t QueueBytes = EntriesBytes + abi::MaxExecutorGroups * sizeof(abi::EnqueueArena);

/// The number of the next launch. It wraps around after more launches than can be unfinished.
std::atomic<uint32_t> nextLaunch{1};

/// Two groups on each compute unit hide the latencies of each other.
uint32_t executorGroups(const DeviceInfo &info) {
  return uint32_t(std::min<uint64_t>(abi::MaxExecutorGroups, 2 * uint64_t(info.computeUnits)));
}

} // namespace

Status LaunchRecords::addTo(HostLaunch &launch, const DeviceObject &device) {
  if (!launch.enqueues)
    return {};
  ChildScheduler &scheduler = ChildScheduler::of(launch.kernel->context(), device);
  std::vector<Ref<DeviceQueue>> queues;
  if (Ref<DeviceQueue> queue = scheduler.queues().defaultQueue())
    queues.push_back(std::move(queue));
  for (const Ref<Object> &argument : launch.enqueues->queues) {
    Ref<DeviceQueue> queue(static_cast<DeviceQueue *>(argument.get()));
    if (&queue->deviceQueues() != &scheduler.queues())
      return fail(CL_INVALID_DEVICE_QUEUE, "kernel ", launch.kernel->name(),
                  " has a queue argument of another device or context");
    queues.push_back(std::move(queue));
  }
  auto records = std::make_unique<LaunchRecords>(scheduler, launch.kernel->state(device)->program,
                                                 launch.enqueues->rules, std::move(queues));
  records->hostProgram_ = &launch.kernel->program();
  records->hostUses_ = launch.uses; // a move of the launch leaves its elements where they are
  launch.children = std::move(records);
  return {};
}

LaunchRecords::~LaunchRecords() {
  if (arena_)
    scheduler_.releaseArena(std::move(arena_));
}

Status LaunchRecords::begin(Issuer &issuer, uint64_t &address) {
  KILN_TRY(scheduler_.prepare());
  const auto &blocks = program_->blocks();
  const size_t eventsAt = BlocksAt + blocks.size() * sizeof(abi::BlockInfo);
  recordsAt_ = eventsAt + (executor() ? scheduler_.queues().eventCopyBytes() : 0);
  const size_t queueBytes = executor() ? QueueBytes : 0;
  arena_ = KILN_TRY(scheduler_.queues().acquireArena(recordsAt_ + queueBytes));
  const size_t queueAt = arena_.size() / sizeof(uint64_t) * sizeof(uint64_t) - queueBytes;
  capacity_ = queueAt - recordsAt_;
  const DeviceInfo &info = scheduler_.device().info();
  const uint64_t most = info.maxWorkGroupSize;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const KernelPlan &plan = blocks[i]->info.plan;
    arena_.at<abi::BlockInfo>(BlocksAt)[i] = {.maxWorkGroupSize =
                                                  plan.maxWorkGroupSize ? std::min(plan.maxWorkGroupSize, most) : most,
                                              .preferredMultiple = plan.preferredMultiple,
                                              .subGroupSize = plan.subGroupSize};
  }
  Ref<DeviceQueue> queue = scheduler_.queues().defaultQueue();
  const abi::DeviceQueue limits = queue ? scheduler_.queues().tableOf(*queue) : abi::DeviceQueue{};
  abi::DeviceEvents events = scheduler_.queues().copyEvents(executor() ? arena_.at<std::byte>(eventsAt) : nullptr);
  if (executor()) {
    events.free = arena_.address() + eventsAt;
    events.generations = events.free + events.count * sizeof(uint32_t);
  }
  *arena_.at<abi::ArenaCounters>() = {};
  *arena_.at<abi::EnqueueArena>(TableAt) = {.counters = arena_.address(),
                                            .capacity = capacity_,
                                            .records = arena_.address() + recordsAt_,
                                            .defaultQueue = queue ? queue->address() : 0,
                                            .events = scheduler_.queues().eventsAddress(),
                                            .blocks = arena_.address() + BlocksAt,
                                            .detailed = rules_.detailedErrors,
                                            .uniform = rules_.uniformWorkGroups,
                                            .defaultAcquired = limits.acquired,
                                            .defaultFull = limits.released + limits.capacity,
                                            .defaultHalfFull = limits.released + limits.capacity / 2,
                                            .entries = executor() ? arena_.address() + queueAt : 0,
                                            .copies = executor() ? arena_.address() + queueAt + EntriesBytes : 0,
                                            .groups = executorGroups(info),
                                            .leavesEvents = 0,
                                            .running = 0,
                                            .launch = nextLaunch.fetch_add(1, std::memory_order_relaxed),
                                            .owner = 0,
                                            .eventCount = events.count,
                                            .eventsReleased = events.released,
                                            .eventsAcquired = events.acquired,
                                            .eventChanges = events.changes,
                                            .eventList = events.events,
                                            .freeEvents = events.free,
                                            .generations = events.generations};
  address = arena_.address() + TableAt;
  if (executor() && !arena_.hasClearQueue)
    KILN_TRY(arena_.clear(issuer, queueAt, EntriesBytes));
  arena_.hasClearQueue = false; // until the executor has cleared what kernels write to it
  return arena_.upload(issuer, 0, recordsAt_);
}

DeviceKernel *LaunchRecords::executor() const {
  const auto &blocks = program_->blocks();
  return !blocks.empty() && blocks.back()->info.name == abi::ChildExecutorName ? blocks.back().get() : nullptr;
}

/// Runs children on the device. Those that it leaves, and all of them if the program has no executor, are the host's.
Status LaunchRecords::runExecutor(Issuer &issuer) {
  const DeviceKernel *kernel = executor();
  if (!kernel)
    return {};
  KILN_TRY(issuer.launch({.function = kernel->generic(),
                          .plan = &kernel->info.plan,
                          .globalSize = {abi::ExecutorSize * executorGroups(scheduler_.device().info()), 1, 1},
                          .localSize = {abi::ExecutorSize, 1, 1},
                          .localBytes = kernel->info.plan.staticLocalBytes,
                          .programVariables = program_->variables(),
                          .enqueueArena = arena_.address() + TableAt}));
  arena_.hasClearQueue = true;
  return {};
}

Status LaunchRecords::end(Issuer &issuer) {
  KILN_TRY(runExecutor(issuer));
  if (!arena_.isCopied())
    return {};
  KILN_TRY(arena_.download(issuer, 0, std::min(arena_.size(), recordsAt_ + FirstRecords)));
  return scheduler_.queues().downloadTables(issuer, arena_.host() + arena_.size());
}

std::span<const std::byte> LaunchRecords::records() const {
  const size_t used = std::min<uint64_t>(arena_.at<abi::ArenaCounters>()->used, capacity_);
  return {arena_.at<std::byte>(recordsAt_), used};
}

/// Copies back the records that were not copied with the launch.
class LaunchRecords::RemainingRecords final : public Operation {
public:
  RemainingRecords(LaunchRecords &of, LaunchRecords &root, CompletionNode &node) : of_(of), root_(root), node_(node) {}
  Status issue(Issuer &issuer) override {
    return of_.arena_.download(issuer, of_.recordsAt_ + FirstRecords, of_.records().size() - FirstRecords);
  }
  void onEnded(cl_int code, uint64_t, uint64_t) noexcept override {
    LaunchRecords &of = of_, &root = root_;
    CompletionNode &node = node_;
    delete this;
    of.scheduler_.onLaunchEnded(of, root, node, code);
  }

private:
  LaunchRecords &of_, &root_;
  CompletionNode &node_;
};

void LaunchRecords::collectRecords(LaunchRecords &root, CompletionNode &node, cl_int code) noexcept {
  if (code < 0 || !arena_.isCopied() || records().size() <= FirstRecords)
    return scheduler_.onLaunchEnded(*this, root, node, code);
  auto *remaining = new (std::nothrow) RemainingRecords(*this, root, node);
  if (!remaining)
    return scheduler_.onLaunchEnded(*this, root, node, CL_OUT_OF_HOST_MEMORY);
  LockedStream &stream = *root.launchStream_;
  stream.submit(*remaining);
  stream->flush();
}

void LaunchRecords::startChildren(DeferredCompletion &completion, LockedStream &stream) noexcept {
  launchStream_ = &stream;
  root_.completion = &completion;
  collectRecords(*this, root_, CL_SUCCESS);
}

} // namespace kiln
