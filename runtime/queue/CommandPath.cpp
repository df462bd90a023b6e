// The path of a command, in the order in which it is walked:
//
//   enqueue     checks are done; allocates the node and everything else that can fail
//   insert      adds the edges and appends the node to its queue; from here on only the event can fail
//   ready       no dependency is unresolved, at once or through the ready list
//   plan        determines the transfers; if the command must wait for them, it becomes ready again later
//   submit      to a stream of the queue
//   issue       the stream calls the device's functions
//   end         the device has done the work; children of a kernel may still run
//   complete    resolves the dependents
//
// The steps from `ready` to `submit` run under the queue's lock, the others without a lock. A step that runs out of
// memory after `insert` sets the event's failure; any thread may be running it.
#include "base/support/CallSite.h"
#include "base/support/Log.h"
#include "base/support/Trace.h"
#include "runtime/explore/ProgramPage.h"
#include "runtime/queue/CommandTrace.h"
#include "runtime/queue/InitFiniQueue.h"
#include "runtime/queue/Queue.h"
#include <algorithm>
#include <cassert>
#include <cstdio>

namespace kiln {

// ---- enqueue --------------------------------------------------------------------------------------------------------

Status Queue::enqueue(Command command, const WaitList &waits, cl_event *event, bool blocking) {
  if (auto *range = command.as<NDRange>(); range && range->launch.initialised) {
    std::shared_ptr<const DeviceProgram> program = std::move(range->launch.initialised);
    if (Ref<Event> first = KILN_TRY(InitFiniQueue::enqueueInitializers(program, *context_, *device_))) {
      WaitList all = waits;
      all.push_back(std::move(first));
      return enqueueNode(*KILN_TRY(createNode(std::move(command), all)), all, event, blocking);
    }
  }
  return enqueueNode(*KILN_TRY(createNode(std::move(command), waits)), waits, event, blocking);
}

Result<Ref<Event>> Queue::enqueueInternal(Command command, const WaitList &waits) {
  Ref<CommandNode> node = KILN_TRY(createNode(std::move(command), waits));
  KILN_TRY(enqueueNode(*node, waits, nullptr, false, true));
  return Ref<Event>(std::move(node));
}

Result<Ref<CommandNode>> Queue::createNode(Command &&command, const WaitList &waits) {
  [[maybe_unused]] auto *range = command.as<NDRange>();
  assert(!range || !range->launch.enqueues || range->launch.children);
  if (scheduler_.residencyManager())
    KILN_TRY(ResidencyManager::reserve(command, *device_));
  Ref<CommandNode> node(new CommandNode(context_, this, std::move(command)));
  node->reserveEdges(waits.size());
  return node;
}

Status Queue::enqueueNode(CommandNode &node, const WaitList &waits, cl_event *event, bool blocking, bool isWaitable) {
  uint64_t expected = node.command.expectedNanoseconds();
  node.isWaitable = event || blocking || isWaitable;
  const bool hasReader = event || isWaitable; // of its times
  node.needsTimes = (profiling() && hasReader) || trace::enabled() || explore::enabled();
  if (node.needsTimes)
    node.times.queued.store(nowNanoseconds(), std::memory_order_relaxed);
  if (kiln::trace::enabled())
    kiln::trace::ignoringBadAlloc([&] { kiln::trace::enqueued(node); });
  bool worthWaking = scheduler_.insert(node, waits, expected);
  if (blocking) {
    node.wait();
    if (cl_int status = node.executionStatus(); status < 0)
      return fail(status, commandName(node.commandType()), " failed");
  } else if (worthWaking) {
    scheduler_.flushLazily();
  }
  if (event)
    *event = Ref<CommandNode>(&node).handle();
  return {};
}

// ---- insert ---------------------------------------------------------------------------------------------------------

bool CommandScheduler::insert(CommandNode &node, const WaitList &waits, uint64_t expected) {
  bool worthWaking, blocked;
  {
    Lock lock(mutex_);
    addDependencies(node, waits);
    withOrder([&](auto &order) { order.append(node); });
    if (node.countDown())
      submitReady(node);
    unflushed_ += std::min(expected, FlushAtNanoseconds);
    worthWaking = unflushed_ >= FlushAtNanoseconds;
    blocked = !blockers_.empty();
  }
  if (hasFences_ || blocked)
    flushBlockers(blocked);
  return worthWaking;
}

void CommandScheduler::addDependencies(CommandNode &node, const WaitList &waits) {
  // Everything that allocates comes first: once an edge has been added, the command must complete.
  for (const Ref<Event> &dependency : waits) // their queues must be flushed for them to start
    if (Queue *queue = dependency->queue();
        queue && queue != &queue_ && !dependency->isComplete() &&
        std::ranges::find(queuesToFlush_, queue, &Ref<Queue>::get) == queuesToFlush_.end())
      queuesToFlush_.emplace_back(queue);
  size_t earlier = 0;
  withOrder([&](auto &order) { order.forEachEarlier(node, [&](CommandNode &, EdgePolicy) { ++earlier; }); });
  node.reserveEdges(earlier);
  if (hasFences_) {
    auto ordered =
        size_t(std::ranges::count_if(waits, [&](const Ref<Event> &wait) { return fenceOrders(node, *wait); }));
    if (!endsWithOthers(node))
      ordered += earlier;
    node.reserveEdges(ordered);
    node.reserveFences(ordered);
  }

  node.incRef(); // until it is complete
  for (const Ref<Event> &dependency : waits)
    addDependency(node, *dependency, EdgePolicy::WaitListError);
  if (earlier)
    withOrder([&](auto &order) KILN_NO_THREAD_SAFETY {
      order.forEachEarlier(node, [&](CommandNode &dependency, EdgePolicy policy)
                                     KILN_NO_THREAD_SAFETY { addDependency(node, dependency, policy); });
    });
}

bool CommandScheduler::endsWithOthers(const CommandNode &node) const {
  return !inOrder_ && node.isWaitable && node.command.as<Marker>();
}

bool CommandScheduler::fenceOrders(const CommandNode &node, Event &dependency) const {
  const CommandNode *other = hasFences_ ? commandOf(dependency) : nullptr;
  if (!other || other->outlastsStream || endsWithOthers(node))
    return false;
  return device_ == &(other->isTransfer ? other->stream->device() : other->queue()->device());
}

void CommandScheduler::addDependency(CommandNode &node, Event &dependency, EdgePolicy policy) noexcept {
  CommandNode *other = commandOf(dependency);
  const bool sameQueue = inOrder_ && other && other->queue() == &queue_ && !other->isTransfer;
  const bool ordered = fenceOrders(node, dependency);
  if (policy == EdgePolicy::WaitListError)
    node.mayBeSkipped |= (sameQueue || ordered) && !dependency.isComplete();
  if (!ordered)
    return node.dependOn(dependency, sameQueue ? WaitUntil::Nothing : WaitUntil::Complete, policy);
  if (!sameQueue)
    node.fences->after.emplace_back(other); // has capacity
  // The stream ends its own commands in order. Of two streams, another thread may be ending the dependency.
  node.dependOn(dependency, sameQueue ? WaitUntil::Nothing : WaitUntil::End, policy);
  node.dependOn(dependency, WaitUntil::Issued, policy);
}

// ---- ready ----------------------------------------------------------------------------------------------------------

void CommandNode::onReady() noexcept { queue()->scheduler().onReady(*this); }

void CommandScheduler::onReady(CommandNode &node) noexcept {
  bool blocked;
  {
    Lock lock(mutex_);
    submitReady(node);
    blocked = !blockers_.empty();
  }
  flushReady(blocked);
}

void CommandScheduler::submitReady(CommandNode &node) noexcept {
  withOrder([&](auto &order) { order.setReady(node); });
  submitNext();
}

void CommandScheduler::submitNext() noexcept {
  while (CommandNode *next = withOrder([](auto &order) { return order.next(); }))
    if (!submit(*next))
      withOrder([&](auto &order) { order.setWaiting(*next); });
}

// ---- plan -----------------------------------------------------------------------------------------------------------

bool CommandScheduler::planTransfers(CommandNode &node, TransferPlan &plan) noexcept {
  // A command that has failed already needs no bytes.
  while (!node.failure()) {
    plan = {};
    cl_int code;
    std::list<Blocker> blockers;
    try {
      Status status = residencyManager_->plan(node, *node.stream, plan);
      code = status.code();
      if (code < 0)
        KILN_LOG(Error, Memory, node.name(), ": ", status.message());
      node.reserveEdges(plan.fetches.size() + plan.waitIssued.size() + plan.waitEnded.size());
      if (hasFences_) {
        node.reserveEdges(plan.waitIssued.size());
        node.reserveFences(plan.waitIssued.size());
      }
      for (const std::vector<Ref<CommandNode>> *list : {&plan.waitIssued, &plan.waitEnded})
        for (const Ref<CommandNode> &other : *list)
          blockers.push_back({other, &node});
    } catch (const std::bad_alloc &) {
      code = CL_OUT_OF_HOST_MEMORY;
    }
    for (const Ref<CommandNode> &push : plan.pushes)
      push->submitAndResolveIssued();
    if (code < 0)
      node.setFailure(code);
    if (code < 0 || plan.decided())
      break;
    node.restartCount(); // it is in no list of dependents now
    for (const Ref<CommandNode> &other : plan.waitIssued)
      addDependency(node, *other, EdgePolicy::IgnoreFailure);
    for (const Ref<CommandNode> &other : plan.waitEnded) {
      bool own = std::ranges::find(plan.pushes, other) != plan.pushes.end();
      node.dependOn(*other, WaitUntil::Complete, own ? EdgePolicy::PropagateCode : EdgePolicy::IgnoreFailure);
    }
    blockers_.splice(blockers_.end(), blockers);
    if (!node.countDown())
      return false;
  }
  unblock(node);
  return true;
}

// ---- submit ---------------------------------------------------------------------------------------------------------

bool CommandScheduler::submit(CommandNode &node) noexcept {
  if (!node.stream) {
    node.stream = streams_[nextStream_].get();
    if (++nextStream_ == streams_.size())
      nextStream_ = 0;
  }
  if (residencyManager_ || hasFences_)
    return planAndSubmit(node);
  withOrder([&](auto &order) { order.onSubmit(node); });
  node.submit();
  return true;
}

bool CommandScheduler::planAndSubmit(CommandNode &node) noexcept {
  TransferPlan plan;
  if (residencyManager_ && !planTransfers(node, plan))
    return false;
  withOrder([&](auto &order) { order.onSubmit(node); });
  if (node.fences) {
    try {
      recordFences(node, plan.fetches.empty() ? node : *plan.fetches.front());
    } catch (const std::bad_alloc &) {
      node.setFailure(CL_OUT_OF_HOST_MEMORY);
    }
  }
  for (const Ref<CommandNode> &fetch : plan.fetches) {
    if (node.hasReservedEdge()) // if not, the command fails for lack of memory
      node.dependOn(*fetch, WaitUntil::Nothing, EdgePolicy::PropagateCode);
    fetch->submitAndResolveIssued();
  }
  node.submitAndResolveIssued();
  return true;
}

void CommandScheduler::recordFences(CommandNode &node, CommandNode &first) {
  std::vector<LockedStream *> streams;
  for (const Ref<CommandNode> &other : node.fences->after) {
    LockedStream *stream = other->stream;
    if (other->isComplete() || stream == node.stream || std::ranges::find(streams, stream) != streams.end())
      continue;
    streams.push_back(stream);
    // The fence may cover later operations of that stream as well, which is safe.
    Result<std::shared_ptr<Fence>> fence = stream->recordFence();
    if (fence.ok()) {
      if (!first.fences)
        first.fences = std::make_unique<CommandNode::Fences>();
      first.fences->reached.push_back(std::move(*fence));
    } else {
      KILN_LOG(Warn, Event, node.name(), ": ", fence.message()); // the event reports the failure
      node.setFailure(fence.code());
    }
  }
  node.fences->after.clear();
}

void CommandNode::submit() noexcept {
  if (needsTimes)
    times.submit.store(nowNanoseconds(), std::memory_order_relaxed);
  setStatus(CL_SUBMITTED);
  stream->submit(*this);
}

void CommandNode::submitAndResolveIssued() noexcept {
  Ref<CommandNode> alive;
  const bool hasFences = stream->hasFences();
  if (hasFences || isTransfer)
    alive = Ref<CommandNode>(this);
  if (isTransfer)
    incRef(); // until it is complete
  submit();
  if (hasFences)
    resolveIssued();
}

// ---- issue ----------------------------------------------------------------------------------------------------------

Status CommandNode::issue(Issuer &to) noexcept {
  try {
    return issueOrThrow(to);
  } catch (const std::bad_alloc &) {
    setFailure(CL_OUT_OF_HOST_MEMORY);
    return fail(CL_OUT_OF_HOST_MEMORY, "out of memory while issuing the command");
  }
}

Status CommandNode::issueOrThrow(Issuer &to) {
  const cl_int failed = failure();
  if (!to.hasEarlierWork())
    onFirst();
  // A failed command also ends after its dependencies: a barrier, or clFinish, must cover every earlier command.
  Status status;
  if (fences)
    for (const std::shared_ptr<Fence> &fence : fences->reached)
      if (status.ok())
        status = to.waitFence(*fence);
  if (failed)
    return fail(failed, "an event in the wait list failed");
  if (context().isTerminated())
    status = fail(CL_CONTEXT_TERMINATED_KHR, "the context has been terminated");
  if (status.ok())
    status = command.issue(to, stream->device());
  if (!status.ok()) {
    failureText_ = std::make_unique<std::string>(status.message());
    setFailure(status.code()); // for later commands that the device keeps in order
  }
  return status;
}

// The device starts the command now, unless it waits for another stream. It is not observed when that wait ends: the
// status of such a command is CL_SUBMITTED until it is complete.
void CommandNode::onFirst() noexcept {
  if (!failure() && (!fences || fences->reached.empty()))
    setStatus(CL_RUNNING);
}

// ---- end ------------------------------------------------------------------------------------------------------------

/// Adds the launch to the page of its program.
static void exploreLaunch(const HostLaunch &launch, const DeviceObject &device, uint64_t start, uint64_t end) {
  if (!launch.kernel || launch.isEmpty())
    return;
  if (explore::ProgramPage *page = launch.kernel->program().explorePage())
    page->addLaunch({launch.kernel->name(), device.info().name,
                     launch.kernel->on(device)->variantOf(launch.grid.function), launch.grid.globalSize,
                     launch.requestedLocalSize},
                    start, end);
}

/// The launches of a command buffer in the trace and in the pages of their programs.
static void recordLaunches(RecordedCommands &commands, Queue &queue) {
  for (size_t i = 0; i < commands.times.size(); ++i) {
    const RecordedCommands::Times &times = commands.times[i];
    const uint64_t start = times.start ? times.start->time() : 0, end = times.end ? times.end->time() : 0;
    if (!start || end < start)
      continue;
    const HostLaunch &launch = std::get<NDRange>(commands.commands[i]).launch;
    if (trace::enabled())
      trace::ended(queue, launch, start, end);
    if (explore::enabled())
      exploreLaunch(launch, queue.device(), start, end);
  }
}

void CommandNode::onEnded(cl_int code, uint64_t start, uint64_t end) noexcept {
  if (failure() && code == CL_SUCCESS)
    code = failure();
  times.start.store(start, std::memory_order_relaxed);
  times.end.store(end, std::memory_order_relaxed);
  times.complete.store(end, std::memory_order_relaxed);
  auto *range = command.as<NDRange>();
  const bool hasOutput = code == CL_SUCCESS || queue()->device().info().runsInIssue; // that of an assertion
  if (hasOutput)
    command.forEachLaunch([&](HostLaunch &launch) {
      if (launch.output)
        if (const auto trap = launch.output->print(); trap && code == CL_SUCCESS) { // before the event is complete
          code = CL_OUT_OF_RESOURCES;
          trace::ignoringBadAlloc([&] {
            failureText_ = std::make_unique<std::string>(trap->describe(launch.grid, launch.requestedLocalSize));
          });
        }
      if (launch.observer && code == CL_SUCCESS) [[unlikely]]
        launch.observer->onEnded(launch, queue()->device());
      if (launch.check && code == CL_SUCCESS) [[unlikely]]
        launch.check->onEnded(launch, queue()->device());
    });
  if (trace::enabled() && end && !isTransfer)
    trace::ignoringBadAlloc([&] { trace::ended(*this, start, end); });
  if (range && explore::enabled() && end && code == CL_SUCCESS)
    trace::ignoringBadAlloc([&] { exploreLaunch(range->launch, queue()->device(), start, end); });
  if (auto *recorded = command.as<RecordedCommands>(); recorded && code == CL_SUCCESS)
    trace::ignoringBadAlloc([&] { recordLaunches(*recorded, *queue()); });
  if (!outlastsStream || code != CL_SUCCESS)
    return onComplete(code);
  if (range)
    range->launch.children->startChildren(*this, *stream);
  else
    SvmFreeCallback::start(std::move(command.as<FreeMemory>()->call), *this);
}

void CommandNode::onDeferredComplete(cl_int code) noexcept {
  if (needsTimes)
    times.complete.store(nowNanoseconds(), std::memory_order_relaxed);
  onComplete(code);
}

// ---- complete -------------------------------------------------------------------------------------------------------

void CommandNode::reportFailure(cl_int code) noexcept {
  const DeviceObject &device = queue()->device();
  const auto *range = command.as<NDRange>();
  const bool lost = !device.device().isAvailable();
  const auto site = range ? describeCallSite(range->launch.enqueuedAt) : decltype(describeCallSite(nullptr)){};
  char message[1500]; // std::string could throw
  std::snprintf(message, sizeof message, "%s%s%.100s failed with %d: device %s, %.100s%s%s%s%s%s", name(),
                range && range->launch.kernel ? " " : "",
                range && range->launch.kernel ? range->launch.kernel->name().c_str() : "", int(code),
                device.label().c_str(), device.info().name.c_str(), lost ? ", is lost" : "", failureText_ ? ": " : "",
                failureText_ ? failureText_->c_str() : "", site[0] ? "; enqueued at " : "", site.data());
  // Each pending command of a lost device fails. The first one of a queue is where the loss struck it.
  if (!lost || queue()->scheduler().isFirstFailureAfterLoss())
    KILN_LOG(Error, Device, message);
  context().report(message);
}

void CommandNode::onComplete(cl_int code) noexcept {
  if (context().isTerminated())
    code = CL_CONTEXT_TERMINATED_KHR;
  if (hasPendingWrites() || isTransfer)
    queue()->scheduler().residencyManager()->onCommandComplete(*this, code);
  if (code < 0) {
    KILN_LOG(Info, Event, name(), " ended with ", code);
    if (auto *map = command.as<MapBuffer>()) {
      map->buffer->endMap(*map->buffer.object(), map->pointer);
      if (IssuedMaps *issued = map->buffer->issuedMaps())
        issued->remove(map->pointer);
    }
    if (code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST && code != CL_CONTEXT_TERMINATED_KHR)
      reportFailure(code);
  }
  if (auto *free = command.as<FreeMemory>(); free && code == CL_SUCCESS)
    for (const Ref<Allocation> &allocation : free->allocations)
      (void)context().allocations().free(*allocation);
  command.clear(); // before the event is complete
  fences.reset();
  complete(code);
  if (!isTransfer)
    queue()->scheduler().onComplete(*this);
  decRef();
}

void CommandScheduler::onComplete(CommandNode &node) noexcept {
  if (!inOrder_) {
    Lock lock(mutex_);
    return std::get_if<OutOfOrder>(&order_)->onComplete(node);
  }
  if (node.outlastsStream) {
    bool blocked;
    {
      Lock lock(mutex_);
      std::get_if<InOrder>(&order_)->onComplete(node);
      submitNext();
      blocked = !blockers_.empty();
    }
    flushReady(blocked);
  }
  completions_.add();
}

} // namespace kiln
