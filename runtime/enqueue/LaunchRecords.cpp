#include "runtime/enqueue/LaunchRecords.h"
#include "base/support/Log.h"
#include "runtime/enqueue/ChildScheduler.h"

namespace kiln {
namespace {

// Bytes of records that are copied back with the launch if the host cannot access the arena. The rest is copied only if
// there are more.
constexpr size_t FirstRecords = 4096;

} // namespace

Status LaunchRecords::addTo(KernelLaunch &launch, const DeviceObject &device) {
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
  launch.children = std::make_unique<LaunchRecords>(scheduler, launch.kernel->state(device)->program,
                                                    launch.enqueues->rules, std::move(queues));
  return {};
}

LaunchRecords::~LaunchRecords() {
  if (arena_)
    scheduler_.releaseArena(std::move(arena_));
}

Status LaunchRecords::begin(Stream &stream, uint64_t &address) {
  KILN_TRY(scheduler_.prepare());
  const auto &blocks = program_->blocks();
  const size_t table = sizeof(abi::EnqueueArena);
  recordsAt_ = table + blocks.size() * sizeof(abi::BlockInfo);
  arena_ = KILN_TRY(scheduler_.queues().acquireArena(recordsAt_));
  const uint64_t most = scheduler_.device().info().maxWorkGroupSize;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const KernelPlan &plan = blocks[i]->info.plan;
    arena_.at<abi::BlockInfo>(table)[i] = {.maxWorkGroupSize =
                                               plan.maxWorkGroupSize ? std::min(plan.maxWorkGroupSize, most) : most,
                                           .preferredMultiple = plan.preferredMultiple,
                                           .subGroupSize = plan.subGroupSize};
  }
  Ref<DeviceQueue> queue = scheduler_.queues().defaultQueue();
  const abi::DeviceQueue limits = queue ? scheduler_.queues().tableOf(*queue) : abi::DeviceQueue{};
  *arena_.at<abi::EnqueueArena>() = {.used = 0,
                                     .capacity = arena_.size() - recordsAt_,
                                     .records = arena_.address() + recordsAt_,
                                     .defaultQueue = queue ? queue->address() : 0,
                                     .events = scheduler_.queues().eventsAddress(),
                                     .blocks = arena_.address() + table,
                                     .detailed = rules_.detailedErrors,
                                     .uniform = rules_.uniformWorkGroups,
                                     .defaultAcquired = limits.acquired,
                                     .defaultFull = limits.released + limits.capacity,
                                     .defaultHalfFull = limits.released + limits.capacity / 2};
  address = arena_.address();
  return arena_.upload(stream, 0, recordsAt_);
}

/// Runs children on the device. Those that it leaves, and all of them if the program has no executor, are the host's.
Status LaunchRecords::runExecutor(Stream &stream) {
  const auto &blocks = program_->blocks();
  if (blocks.empty() || blocks.back()->info.name != abi::ChildExecutorName)
    return {};
  return stream.launch({.function = blocks.back()->generic,
                        .plan = &blocks.back()->info.plan,
                        .globalSize = {abi::ExecutorSize, 1, 1},
                        .localSize = {abi::ExecutorSize, 1, 1},
                        .programVariables = program_->variables(),
                        .enqueueArena = arena_.address()});
}

Status LaunchRecords::end(Stream &stream) {
  KILN_TRY(runExecutor(stream));
  if (!arena_.isCopied())
    return {};
  KILN_TRY(arena_.download(stream, 0, std::min(arena_.size(), recordsAt_ + FirstRecords)));
  return scheduler_.queues().downloadTables(stream, arena_.host() + arena_.size());
}

std::span<const std::byte> LaunchRecords::records() const {
  const size_t used = std::min<uint64_t>(arena_.at<abi::EnqueueArena>()->used, arena_.size() - recordsAt_);
  return {arena_.at<std::byte>(recordsAt_), used};
}

/// Copies back the records that were not copied with the launch.
class LaunchRecords::RemainingRecords final : public Operation {
public:
  RemainingRecords(LaunchRecords &of, LaunchRecords &root, CompletionNode &node) : of_(of), root_(root), node_(node) {}
  Status issue(Stream &stream) override {
    return of_.arena_.download(stream, of_.recordsAt_ + FirstRecords, of_.records().size() - FirstRecords);
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
